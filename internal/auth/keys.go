package auth

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"hyperstudy-endpoint/internal/openai"
)

// defaultLabel names the key of a secret that holds one key as plain text.
const defaultLabel = "default"

// A key is one accepted key: its label and a digest of it.
type key struct {
	label  string
	digest [sha256.Size]byte
}

// Keys are the keys that callers may present.
type Keys struct {
	secret *Secret[[]key] // nil if the keys are fixed
	fixed  []key
}

// NewKeys returns the keys in the secret with this name or ARN. Its value is
// one key as plain text, or a JSON object with a label and a key for each of
// several. Nothing is fetched yet.
func NewKeys(reader SecretReader, id string) *Keys {
	return &Keys{secret: NewSecret(reader, id, parseKeys)}
}

// FixedKey returns Keys that accept one key which is given and not fetched.
func FixedKey(value string) *Keys {
	return &Keys{fixed: []key{{defaultLabel, sha256.Sum256([]byte(value))}}}
}

// parseKeys reads a secret's value. White space around a key does not count,
// and an empty key is none: it would let everybody in.
func parseKeys(value string) ([]key, error) {
	value = strings.TrimSpace(value)
	labelled := map[string]string{defaultLabel: value}
	if strings.HasPrefix(value, "{") {
		labelled = nil
		if json.Unmarshal([]byte(value), &labelled) != nil {
			return nil, errors.New("auth: the secret looks like JSON but is not an object of labels and keys")
		}
	}
	var keys []key
	for label, k := range labelled {
		if k = strings.TrimSpace(k); k != "" {
			keys = append(keys, key{label, sha256.Sum256([]byte(k))})
		}
	}
	return keys, nil
}

// Warm fetches the keys so that the first request need not wait for them. A
// failure is no reason to stop: the first request tries again.
func (k *Keys) Warm(ctx context.Context) error {
	if k.secret == nil {
		return nil
	}
	_, err := k.secret.Get(ctx)
	return err
}

// Check returns the label of the key in an Authorization header. The error is
// an [*openai.Error]: 401 whether the key is missing, malformed or unknown,
// which all look alike, and 503 while no key is known at all.
func (k *Keys) Check(ctx context.Context, authorization string) (label string, err error) {
	keys, err := k.current(ctx, (*Secret[[]key]).Get)
	if err != nil {
		return "", unavailable(err)
	}
	presented, ok := bearer(authorization)
	if !ok {
		return "", unauthorized()
	}
	if label, ok = match(keys, presented); ok {
		return label, nil
	}
	// The key may be newer than the cached ones.
	if keys, err = k.current(ctx, (*Secret[[]key]).Refresh); err != nil {
		return "", unavailable(err)
	}
	if label, ok = match(keys, presented); ok {
		return label, nil
	}
	return "", unauthorized()
}

func (k *Keys) current(ctx context.Context, read func(*Secret[[]key], context.Context) ([]key, error)) ([]key, error) {
	if k.secret == nil {
		return k.fixed, nil
	}
	return read(k.secret, ctx)
}

// bearer returns the key of an Authorization header. The scheme's case does
// not count (RFC 9110, section 11.1), nor does stray white space.
func bearer(authorization string) (string, bool) {
	scheme, value, _ := strings.Cut(strings.TrimSpace(authorization), " ")
	value = strings.TrimSpace(value)
	return value, strings.EqualFold(scheme, "Bearer") && value != ""
}

// match compares digests, all of them and in constant time, so that the time
// taken says nothing about any key.
func match(keys []key, presented string) (label string, ok bool) {
	digest := sha256.Sum256([]byte(presented))
	for _, k := range keys {
		if subtle.ConstantTimeCompare(k.digest[:], digest[:]) == 1 {
			label, ok = k.label, true
		}
	}
	return label, ok
}

func unauthorized() *openai.Error {
	return &openai.Error{
		Status: http.StatusUnauthorized, Type: openai.TypeInvalidRequest, Code: openai.CodeInvalidAPIKey,
		Message: "Incorrect API key provided. Send this endpoint's key as 'Authorization: Bearer KEY'.",
	}
}

func unavailable(err error) *openai.Error {
	return &openai.Error{
		Status: http.StatusServiceUnavailable, Type: openai.TypeServer, Code: openai.CodeUnavailable, Err: err,
		Message: "The endpoint cannot read its own API key from AWS Secrets Manager at the moment. Try again in a few seconds; if it stays, check the secret and the function's role.",
	}
}
