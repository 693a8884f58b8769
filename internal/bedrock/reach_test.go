package bedrock

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"

	"hyperstudy-endpoint/internal/awstest"
	"hyperstudy-endpoint/internal/openai"
)

// A roundTrip is a transport that a function makes.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// TestUnreached has requests that never get to Bedrock: what is wrong with the
// deployment is not tried again and again, and trouble of the network is.
func TestUnreached(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name     string
		err      error
		patience openai.Patience
	}{
		{"a region without Bedrock", &net.OpError{Op: "dial", Err: &net.DNSError{Err: "no such host", IsNotFound: true}}, openai.OnceMore},
		{"a resolver that fails", &net.OpError{Op: "dial", Err: &net.DNSError{Err: "server misbehaving", IsTemporary: true}}, openai.UntilTheEnd},
		{"a proxy that reads along", &tls.CertificateVerificationError{Err: errors.New("unknown authority")}, openai.OnceMore},
		{"no answer to the first packet", &net.OpError{Op: "dial", Err: context.DeadlineExceeded}, openai.UntilTheEnd},
		{"a handshake that stalls", context.DeadlineExceeded, openai.UntilTheEnd},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			cfg := awstest.NewServer(t).Config()
			cfg.HTTPClient = &http.Client{Transport: roundTrip(func(*http.Request) (*http.Response, error) { return nil, tc.err })}
			cfg.Retryer = func() aws.Retryer { return aws.NopRetryer{} }
			p, err := New(bedrockruntime.NewFromConfig(cfg), Options{})
			if err != nil {
				t.Fatal(err)
			}
			_, err = p.Complete(t.Context(), decodeRequest(t, ask(claude45)))
			e := openai.AsError(err)
			if e.Status != http.StatusBadGateway || e.Code != openai.CodeUpstream || !e.Temporary || e.Patience != tc.patience || !errors.Is(err, tc.err) {
				t.Errorf("%d %s, temporary %v, patience %d: %v", e.Status, e.Code, e.Temporary, e.Patience, errors.Unwrap(e))
			}
		})
	}
}
