package auth

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"hyperstudy-endpoint/internal/awstest"
)

// reader returns a SecretsManager for the fake, which checks signatures.
func reader(srv *awstest.Server) *SecretsManager {
	c := srv.Config()
	return &SecretsManager{HTTP: http.DefaultClient, Region: c.Region, Endpoint: *c.BaseEndpoint, Credentials: c.Credentials}
}

func TestSecretValue(t *testing.T) {
	t.Parallel()
	srv := awstest.NewServer(t)
	const value = "sk-ü \"quoted\"\n{}"
	arn := srv.SetSecret("endpoint/key", value)
	for _, id := range []string{"endpoint/key", arn} {
		if got, err := reader(srv).SecretValue(t.Context(), id); got != value || err != nil {
			t.Errorf("SecretValue(%s) = %q, %v", id, got, err)
		}
	}
}

func TestSecretValueFaults(t *testing.T) {
	t.Parallel()
	srv := awstest.NewServer(t)
	srv.SetSecretBinary("binary", []byte{1})
	srv.SetSecret("denied", "x")
	srv.DenySecret("denied", true)
	down := awstest.NewServer(t)
	down.SecretsDown(true)
	otherRegion := reader(srv)
	otherRegion.Region = "eu-central-1"
	for _, tc := range []struct {
		name   string
		reader *SecretsManager
		id     string
		code   string
	}{
		{"unknown", reader(srv), "nobody", "ResourceNotFoundException"},
		{"denied", reader(srv), "denied", "AccessDeniedException"},
		{"down", reader(down), "x", "InternalServiceError"},
		{"signed for another region", otherRegion, "x", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			value, err := tc.reader.SecretValue(t.Context(), tc.id)
			var refused *SecretsError
			if value != "" || !errors.As(err, &refused) || refused.Status < 400 || tc.code != "" && refused.Code != tc.code {
				t.Errorf("%q, %v, want %s", value, err, tc.code)
			}
		})
	}
	if _, err := reader(srv).SecretValue(t.Context(), "binary"); err == nil {
		t.Error("no error for a secret without text")
	}
}

func TestSecretValueOfNonsense(t *testing.T) {
	t.Parallel()
	for _, body := range []string{"", "<html>", "{}", `{"SecretString":7}`} {
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, body) }))
		t.Cleanup(srv.Close)
		s := reader(awstest.NewServer(t))
		s.Endpoint = srv.URL
		if value, err := s.SecretValue(t.Context(), "x"); value != "" || err == nil {
			t.Errorf("reply %q: %q, %v", body, value, err)
		}
	}
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	s := reader(awstest.NewServer(t))
	s.Endpoint = closed.URL
	if _, err := s.SecretValue(t.Context(), "x"); err == nil {
		t.Error("no error for a closed port")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.SecretValue(ctx, "x"); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
}

func TestSecretsEndpoint(t *testing.T) {
	t.Parallel()
	for region, want := range map[string]string{
		"us-east-1":      "https://secretsmanager.us-east-1.amazonaws.com/",
		"us-gov-west-1":  "https://secretsmanager.us-gov-west-1.amazonaws.com/",
		"cn-north-1":     "https://secretsmanager.cn-north-1.amazonaws.com.cn/",
		"eusc-de-east-1": "https://secretsmanager.eusc-de-east-1.amazonaws.eu/",
	} {
		s := &SecretsManager{Region: region}
		if got := s.endpoint(); got != want {
			t.Errorf("%s: %s, want %s", region, got, want)
		}
	}
	s := &SecretsManager{Endpoint: "http://127.0.0.1:5000/"}
	if got := s.endpoint(); strings.Count(got, "/") != 3 {
		t.Errorf("endpoint %s", got)
	}
}
