package auth

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
)

// maxSecretReply bounds a reply of Secrets Manager. A secret's value has at most 64 KB.
const maxSecretReply = 1 << 20

// A SecretsManager reads secrets of AWS Secrets Manager. It makes the one call
// that the endpoint needs with the SDK's signer; the SDK's own client would
// bring 0.3 MB of other operations to every cold start.
type SecretsManager struct {
	HTTP        *http.Client
	Region      string
	Endpoint    string // base URL; empty means that of the region
	Credentials aws.CredentialsProvider
}

// A SecretsError is a refusal by Secrets Manager.
type SecretsError struct {
	Status int
	Code   string // AWS's name of the error, such as ResourceNotFoundException; empty if it gave none
}

// Error names the status and the code. What else AWS says holds names and
// account numbers, and is dropped.
func (e *SecretsError) Error() string {
	return fmt.Sprintf("auth: Secrets Manager answered %d %s", e.Status, e.Code)
}

// SecretValue returns the current value of the secret with this name or ARN.
// See https://docs.aws.amazon.com/secretsmanager/latest/apireference/API_GetSecretValue.html
func (s *SecretsManager) SecretValue(ctx context.Context, id string) (string, error) {
	req, err := s.request(ctx, id)
	if err != nil {
		return "", err
	}
	response, err := s.HTTP.Do(req)
	if err != nil {
		return "", err
	}
	defer func() { _ = response.Body.Close() }() // read to its end or given up
	body, err := io.ReadAll(io.LimitReader(response.Body, maxSecretReply))
	if err != nil {
		return "", err
	}
	if response.StatusCode != http.StatusOK {
		return "", &SecretsError{Status: response.StatusCode, Code: errorCode(body)}
	}
	var reply struct {
		SecretString *string
	}
	if err := json.Unmarshal(body, &reply); err != nil || reply.SecretString == nil {
		return "", fmt.Errorf("auth: Secrets Manager answered without a SecretString")
	}
	return *reply.SecretString, nil
}

// request returns the signed request for a secret.
func (s *SecretsManager) request(ctx context.Context, id string) (*http.Request, error) {
	body, err := json.Marshal(map[string]string{"SecretId": id})
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.endpoint(), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/x-amz-json-1.1")
	req.Header.Set("X-Amz-Target", "secretsmanager.GetSecretValue")
	credentials, err := s.Credentials.Retrieve(ctx)
	if err != nil {
		return nil, err
	}
	digest := sha256.Sum256(body)
	return req, v4.NewSigner().SignHTTP(ctx, credentials, req, hex.EncodeToString(digest[:]), "secretsmanager", s.Region, time.Now())
}

// endpoint returns the service's URL. AWS's partitions have domains of their own.
func (s *SecretsManager) endpoint() string {
	if s.Endpoint != "" {
		return strings.TrimSuffix(s.Endpoint, "/") + "/"
	}
	domain := "amazonaws.com"
	switch {
	case strings.HasPrefix(s.Region, "cn-"):
		domain = "amazonaws.com.cn"
	case strings.HasPrefix(s.Region, "eusc-"):
		domain = "amazonaws.eu"
	}
	return "https://secretsmanager." + s.Region + "." + domain + "/"
}

// errorCode reads AWS's name of an error, which may stand behind a namespace.
func errorCode(body []byte) string {
	var fault struct {
		Type string `json:"__type"`
	}
	if json.Unmarshal(body, &fault) != nil {
		return ""
	}
	return fault.Type[strings.LastIndexByte(fault.Type, '#')+1:]
}
