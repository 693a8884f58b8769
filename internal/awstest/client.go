package awstest

import (
	"context"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"net/http"
	"os"

	"github.com/aws/aws-sdk-go-v2/aws"
)

// Where the fake lives, and who calls it. The keys are those of the examples in
// the AWS documentation.
const (
	Region    = "us-east-1"
	AccountID = "123456789012"

	accessKeyID     = "AKIAIOSFODNN7EXAMPLE"                                              //nolint:gosec // the documentation's example
	secretAccessKey = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"                          //nolint:gosec // the documentation's example
	sessionToken    = "AQoEXAMPLEH4aoAH0gNCAPyJxz4BlCFFxWNE1OPTgk5TthT+FvwqnKwRcOIfrRh3c" //nolint:gosec // the documentation's example
)

// Config is the configuration of an SDK client in the same process: one attempt
// a call, as nothing but the code under test should retry.
func (s *Server) Config() aws.Config {
	return aws.Config{
		Region:           Region,
		BaseEndpoint:     aws.String(s.URL),
		HTTPClient:       s.http.Client(),
		RetryMaxAttempts: 1,
		Credentials:      aws.CredentialsProviderFunc(credentials),
	}
}

func credentials(context.Context) (aws.Credentials, error) {
	return aws.Credentials{
		AccessKeyID:     accessKeyID,
		SecretAccessKey: secretAccessKey,
		SessionToken:    sessionToken,
		Source:          "awstest",
	}, nil
}

// Env is the environment of a compiled program that is to call the fake, in the
// form of [os.Environ]. It holds the SDK's standard variables and nothing else;
// for a TLS server also SSL_CERT_FILE, which replaces the system's certificates.
func (s *Server) Env() []string {
	env := []string{
		"AWS_ENDPOINT_URL=" + s.URL,
		"AWS_REGION=" + Region,
		"AWS_DEFAULT_REGION=" + Region,
		"AWS_ACCESS_KEY_ID=" + accessKeyID,
		"AWS_SECRET_ACCESS_KEY=" + secretAccessKey,
		"AWS_SESSION_TOKEN=" + sessionToken,
		"AWS_EC2_METADATA_DISABLED=true",
	}
	if s.certFile != "" {
		env = append(env, "SSL_CERT_FILE="+s.certFile, "AWS_CA_BUNDLE="+s.certFile)
	}
	return env
}

// Client is an HTTP client that trusts the Server's certificate.
func (s *Server) Client() *http.Client { return s.http.Client() }

func writeCertificate(c *x509.Certificate) (name string, err error) {
	f, err := os.CreateTemp("", "awstest-*.pem")
	if err != nil {
		return "", fmt.Errorf("awstest: certificate: %w", err)
	}
	err = pem.Encode(f, &pem.Block{Type: "CERTIFICATE", Bytes: c.Raw})
	if e := f.Close(); err == nil {
		err = e
	}
	if err != nil {
		return f.Name(), fmt.Errorf("awstest: certificate: %w", err)
	}
	return f.Name(), nil
}
