package awstest

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"time"
)

const secretPrefix = "arn:aws:secretsmanager:" + Region + ":" + AccountID + ":secret:"

// secretSuffix is what the service appends to a name in the secret's ARN.
var secretSuffix = regexp.MustCompile(`-[A-Za-z0-9]{6}$`)

// secrets is the state of the fake Secrets Manager. A secret is kept by name.
type secrets struct {
	mu     sync.Mutex
	values map[string]secret
	denied map[string]bool
	down   bool
	delay  time.Duration
	calls  int
}

type secret struct {
	arn     string
	text    string
	binary  []byte // a secret is text or binary
	created time.Time
	version int
}

// SetSecret creates a secret or gives it a new value, and returns its ARN. id is
// a name or a full ARN; the secret is found by either.
func (s *Server) SetSecret(id, value string) (arn string) {
	return s.secrets.set(id, secret{text: value})
}

// SetSecretBinary is SetSecret for a binary value.
func (s *Server) SetSecretBinary(id string, value []byte) (arn string) {
	return s.secrets.set(id, secret{binary: append([]byte{}, value...)})
}

// DeleteSecret removes a secret, at once and for good.
func (s *Server) DeleteSecret(id string) {
	s.secrets.mu.Lock()
	defer s.secrets.mu.Unlock()
	delete(s.secrets.values, secretName(id))
}

// DenySecret says whether the caller's policy lacks the permission to read a
// secret. As with the service, it need not exist.
func (s *Server) DenySecret(id string, denied bool) {
	s.secrets.mu.Lock()
	defer s.secrets.mu.Unlock()
	if s.secrets.denied == nil {
		s.secrets.denied = map[string]bool{}
	}
	s.secrets.denied[secretName(id)] = denied
}

// SecretsDown says whether Secrets Manager answers every call with status 500.
func (s *Server) SecretsDown(down bool) {
	s.secrets.mu.Lock()
	defer s.secrets.mu.Unlock()
	s.secrets.down = down
}

// SecretDelay is how long Secrets Manager takes for each call from now on.
func (s *Server) SecretDelay(d time.Duration) {
	s.secrets.mu.Lock()
	defer s.secrets.mu.Unlock()
	s.secrets.delay = d
}

// SecretCalls is how many signed calls have reached Secrets Manager, the failed
// ones too. A call counts when it arrives, before any delay.
func (s *Server) SecretCalls() int {
	s.secrets.mu.Lock()
	defer s.secrets.mu.Unlock()
	return s.secrets.calls
}

func (v *secrets) set(id string, value secret) string {
	v.mu.Lock()
	defer v.mu.Unlock()
	name := secretName(id)
	value.arn = secretPrefix + name + "-" + suffixOf(name)
	if strings.HasPrefix(id, "arn:") && secretSuffix.MatchString(id) {
		value.arn = id
	}
	value.created = time.Now()
	value.version = v.values[name].version + 1
	if v.values == nil {
		v.values = map[string]secret{}
	}
	v.values[name] = value
	return value.arn
}

// secretName is the name in an ARN, with or without the suffix, or id itself.
func secretName(id string) string {
	_, name, ok := strings.Cut(id, ":secret:")
	if !ok || !strings.HasPrefix(id, "arn:") {
		return id
	}
	return secretSuffix.ReplaceAllString(name, "")
}

// suffixOf is six letters and digits that only depend on the name.
func suffixOf(name string) string {
	sum := sha256.Sum256([]byte(name))
	return strings.NewReplacer("+", "x", "/", "y").Replace(base64.StdEncoding.EncodeToString(sum[:]))[:6]
}

// serveSecret answers an operation of Secrets Manager.
func (s *Server) serveSecret(w http.ResponseWriter, r *http.Request, body []byte) {
	if f := checkSignature(r, body, "secretsmanager"); f != nil {
		writeTargetFault(w, f)
		return
	}
	s.secrets.mu.Lock()
	s.secrets.calls++
	delay := s.secrets.delay
	s.secrets.mu.Unlock()
	if !s.wait(r, delay) {
		drop()
	}
	answer, f := s.secrets.get(r.Header.Get("X-Amz-Target"), body)
	if f != nil {
		writeTargetFault(w, f)
		return
	}
	writeJSON(w, http.StatusOK, targetJSON, answer)
}

// get is GetSecretValue. Statuses and messages are those of the service.
func (v *secrets) get(target string, body []byte) ([]byte, *fault) {
	if target != "secretsmanager.GetSecretValue" {
		return nil, &fault{http.StatusBadRequest, "UnknownOperationException", ""}
	}
	in := struct{ SecretId, VersionId, VersionStage *string }{} //nolint:revive // the API's names
	if err := json.Unmarshal(body, &in); err != nil {
		return nil, &fault{http.StatusBadRequest, "SerializationException", err.Error()}
	}
	if in.SecretId == nil || *in.SecretId == "" {
		return nil, invalid("1 validation error detected: Value at 'secretId' failed to satisfy constraint: Member must have length greater than or equal to 1")
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	name := secretName(*in.SecretId)
	found, ok := v.values[name]
	if strings.HasPrefix(*in.SecretId, "arn:") && secretSuffix.MatchString(*in.SecretId) && found.arn != *in.SecretId {
		ok = false // an ARN of another account, region or secret of that name
	}
	switch {
	case v.down:
		return nil, &fault{http.StatusInternalServerError, "InternalServiceError", "An error occurred on the server side."}
	case v.denied[name]:
		return nil, &fault{http.StatusBadRequest, "AccessDeniedException", "User: arn:aws:sts::" + AccountID +
			":assumed-role/endpoint/function is not authorized to perform: secretsmanager:GetSecretValue on resource: " +
			*in.SecretId + " because no identity-based policy allows the secretsmanager:GetSecretValue action"}
	case !ok:
		return nil, &fault{http.StatusBadRequest, "ResourceNotFoundException", "Secrets Manager can't find the specified secret."}
	case in.VersionStage != nil && *in.VersionStage != "AWSCURRENT":
		return nil, &fault{http.StatusBadRequest, "ResourceNotFoundException", "Secrets Manager can't find the specified secret value for staging label: " + *in.VersionStage}
	case in.VersionId != nil && *in.VersionId != found.versionID():
		return nil, &fault{http.StatusBadRequest, "ResourceNotFoundException", "Secrets Manager can't find the specified secret value for VersionId: " + *in.VersionId}
	}
	return found.answer(name), nil
}

func (x secret) versionID() string { return fmt.Sprintf("%08x-0000-4000-8000-000000000000", x.version) }

func (x secret) answer(name string) []byte {
	out := map[string]any{
		"ARN": x.arn, "Name": name, "VersionId": x.versionID(), "VersionStages": []string{"AWSCURRENT"},
		"CreatedDate": float64(x.created.UnixMilli()) / 1000,
	}
	value := map[string]any{"SecretString": x.text}
	if x.binary != nil {
		value = map[string]any{"SecretBinary": x.binary}
	}
	maps.Copy(out, value)
	b, err := json.Marshal(out)
	if err != nil { // nothing in it fails to marshal
		return nil
	}
	return b
}
