package auth

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
)

// An APIKey is the key that the endpoint presents to an external upstream.
type APIKey struct {
	secret *Secret[string] // nil if the key is fixed
	fixed  string
}

// FixedAPIKey returns a key that is given and not fetched.
func FixedAPIKey(value string) *APIKey { return &APIKey{fixed: value} }

// NewAPIKey returns the key in the secret with this name or ARN. Its value is
// the key as plain text, or a JSON object with one member, which is what the
// Secrets Manager console makes of a key and a value. Nothing is fetched yet.
func NewAPIKey(reader SecretReader, id string) *APIKey {
	return &APIKey{secret: NewSecret(reader, id, parseAPIKey)}
}

func parseAPIKey(value string) (string, error) {
	value = strings.TrimSpace(value)
	if strings.HasPrefix(value, "{") {
		var members map[string]string
		if json.Unmarshal([]byte(value), &members) != nil || len(members) != 1 {
			return "", errors.New("auth: the secret looks like JSON but is not an object with one key")
		}
		for _, value = range members {
		}
		value = strings.TrimSpace(value)
	}
	if value == "" {
		return "", errors.New("auth: the secret is empty")
	}
	return value, nil
}

// Key returns the key.
func (k *APIKey) Key(ctx context.Context) (string, error) {
	if k.secret == nil {
		return k.fixed, nil
	}
	return k.secret.Get(ctx)
}

// Refresh returns the key as it is in Secrets Manager now, after the upstream
// has refused the one in use.
func (k *APIKey) Refresh(ctx context.Context) (string, error) {
	if k.secret == nil {
		return k.fixed, nil
	}
	return k.secret.Refresh(ctx)
}
