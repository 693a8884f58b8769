package external

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"hyperstudy-endpoint/internal/openai"
)

// tlsServer answers over TLS with a certificate of its own for example.com and
// 127.0.0.1, and keeps to itself which handshakes failed.
func tlsServer(t *testing.T) *httptest.Server {
	t.Helper()
	srv := httptest.NewUnstartedServer(http.NotFoundHandler())
	srv.Config.ErrorLog = log.New(io.Discard, "", 0)
	srv.StartTLS()
	t.Cleanup(srv.Close)
	return srv
}

// trusting is a client that trusts the pool and nobody else.
func trusting(pool *x509.CertPool) *http.Client {
	return &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}}}
}

// deafPort returns the address of a port at which nobody listens.
func deafPort(t *testing.T) string {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	return l.Addr().String()
}

// connecting is a client whose connections lead to addr, whatever the host.
func connecting(addr string, pool *x509.CertPool) *http.Client {
	c := trusting(pool)
	transport, _ := c.Transport.(*http.Transport)
	transport.DialContext = func(ctx context.Context, network, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, network, addr)
	}
	return c
}

// later is a client in whose time every certificate has expired.
func later(pool *x509.CertPool) *http.Client {
	return &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool, Time: func() time.Time { return time.Now().AddDate(200, 0, 0) }}}}
}

// looking is a client whose look-ups fail.
func looking(fault *net.DNSError) *http.Client {
	return &http.Client{Transport: &http.Transport{DialContext: func(_ context.Context, network, _ string) (net.Conn, error) {
		return nil, &net.OpError{Op: "dial", Net: network, Err: fault}
	}}}
}

// through is a client whose proxy is at addr.
func through(addr string) *http.Client {
	return &http.Client{Transport: &http.Transport{Proxy: http.ProxyURL(&url.URL{Scheme: "http", Host: addr})}}
}

// hangingUp returns the address of a server that ends every connection at once.
func hangingUp(t *testing.T) string {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			_ = c.Close()
		}
	}()
	return l.Addr().String()
}

// What keeps a request from an answer is told by what to change, and is worth as
// many attempts as it may pass by itself.
func TestUnreached(t *testing.T) {
	t.Parallel()
	srv, plain := tlsServer(t), httptest.NewServer(http.NotFoundHandler())
	defer plain.Close()
	pool := x509.NewCertPool()
	pool.AddCert(srv.Certificate())
	tests := []struct {
		name, url string
		client    *http.Client
		patience  openai.Patience
		says      string
	}{
		{"no such host", "https://llm.example.com", looking(&net.DNSError{Err: "no such host", IsNotFound: true}), openai.OnceMore, "cannot be found. Check EXTERNAL_BASE_URL"},
		{"a resolver that fails", "https://llm.example.com", looking(&net.DNSError{Err: "server misbehaving", IsTemporary: true}), openai.UntilTheEnd, "looked up"},
		{"a resolver that is silent", "https://llm.example.com", looking(&net.DNSError{Err: "i/o timeout", IsTimeout: true}), openai.UntilTheEnd, "looked up"},
		{"a certificate nobody trusts", srv.URL, trusting(x509.NewCertPool()), openai.OnceMore, "EXTERNAL_CA_PEM"},
		{"a certificate for another host", "https://llm.example.org", connecting(srv.Listener.Addr().String(), pool), openai.OnceMore, "another host"},
		{"a certificate that has expired", srv.URL, later(pool), openai.OnceMore, "expired"},
		{"no TLS", "https://" + plain.Listener.Addr().String(), trusting(pool), openai.OnceMore, "TLS"},
		{"nobody listens", "https://" + deafPort(t), nil, openai.ForAWhile, "No connection"},
		{"a handshake that is broken off", "https://" + hangingUp(t), nil, openai.ForAWhile, "No connection"},
		{"a proxy that is not there", "https://llm.example.com", through(deafPort(t)), openai.ForAWhile, "HTTPS_PROXY"},
		{"a connection that is dropped", "http://" + hangingUp(t), nil, openai.UntilTheEnd, "dropped"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := New(Options{BaseURL: parseURL(t, tt.url+"/canary"), HTTP: tt.client})
			_, err := p.Complete(t.Context(), request(t, ""))
			e := wantError(t, err)
			if e.Status != 502 || e.Code != openai.CodeUpstream || !e.Temporary || e.Patience != tt.patience || !strings.Contains(e.Message, tt.says) {
				t.Errorf("%d %s, temporary %v, patience %d: %s (%v)", e.Status, e.Code, e.Temporary, e.Patience, e.Message, e.Err)
			}
			quiet(t, err)
		})
	}
}
