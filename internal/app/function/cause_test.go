package function

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/url"
	"os"
	"testing"

	"hyperstudy-endpoint/internal/auth"
	"hyperstudy-endpoint/internal/openai"
)

// TestCause tells apart what an operator does different things about.
func TestCause(t *testing.T) {
	t.Parallel()
	sent := func(err error) error { return &url.Error{Op: "Post", URL: "https://llm.example.com", Err: err} }
	for _, tc := range []struct {
		name string
		err  error
		want string
	}{
		{"nothing", nil, ""},
		{"a host that is not there", sent(&net.OpError{Op: "dial", Err: &net.DNSError{IsNotFound: true}}), "dns"},
		{"nobody listens", sent(&net.OpError{Op: "dial", Err: errors.New("connection refused")}), "network"},
		{"no answer to the first packet", sent(&net.OpError{Op: "dial", Err: os.ErrDeadlineExceeded}), "network"},
		{"no answer to the first packet, by the context", sent(&net.OpError{Op: "dial", Err: context.DeadlineExceeded}), "network"},
		{"a certificate nobody trusts", sent(&tls.CertificateVerificationError{Err: errors.New("unknown authority")}), "certificate"},
		{"the time is up", sent(context.DeadlineExceeded), "deadline"},
		{"a secret that cannot be read", auth.ErrUnavailable, "secret_unavailable"},
		{"what Secrets Manager says", &auth.SecretsError{Status: 400, Code: "ResourceNotFoundException"}, "ResourceNotFoundException"},
		{"an error of this program", &openai.Error{Code: openai.CodeUpstream}, "upstream_error"},
		{"anything else", errors.New("secret words"), "errors.errorString"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if got := cause(tc.err); got != tc.want {
				t.Errorf("%q, want %q", got, tc.want)
			}
		})
	}
}
