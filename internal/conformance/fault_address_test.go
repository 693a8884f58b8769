package conformance

import (
	"context"
	"crypto/x509"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"time"
)

// entered sets another base URL.
func entered(baseURL string) func(*fake, *Target) {
	return func(_ *fake, t *Target) { t.BaseURL = baseURL }
}

// resolved sets what the host's name leads to.
func resolved(addresses ...string) func(*fake, *Target) {
	return func(_ *fake, t *Target) {
		t.Resolve = func(context.Context, string) ([]netip.Addr, error) {
			var list []netip.Addr
			for _, a := range addresses {
				list = append(list, netip.MustParseAddr(a))
			}
			return list, nil
		}
	}
}

// redirecting sends requests to a path somewhere else.
func redirecting(path string, status int) func(*fake, *Target) {
	return func(f *fake, _ *Target) {
		f.take = func(w http.ResponseWriter, r *http.Request, _ *query) bool {
			if r.URL.Path == path {
				w.Header().Set("Location", "https://elsewhere.example.org"+path)
				w.WriteHeader(status)
			}
			return r.URL.Path == path
		}
	}
}

var addressFaults = []planted{
	{name: "plain http", set: entered("http://agent.example.org/v1"), fails: found("takes https only", "address.url"), blinds: true},
	{name: "no scheme", set: entered("agent.example.org/v1"), fails: found("lacks http:// or https://", "address.url"), blinds: true},
	{name: "host and port without a scheme", set: entered("127.0.0.1:8080/v1"), fails: found("lacks http:// or https://", "address.url"), blinds: true},
	{name: "another scheme", set: entered("ftp://agent.example.org/v1"), fails: found("does not begin with https://", "address.url"), blinds: true},
	{name: "no base URL", set: entered(""), fails: found("There is no base URL", "address.url"), blinds: true},
	{name: "no host", set: entered("https:///v1"), fails: found("names no host", "address.url"), blinds: true},
	{name: "not a URL", set: entered("https://agent.example.org:port/v1"), fails: found("is not a URL", "address.url"), blinds: true},
	{name: "query in the URL", set: entered("https://agent.example.org/v1?key=1"), fails: found("more than a host and a path", "address.url"), blinds: true},
	{name: "key in the URL", set: entered("https://key@agent.example.org/v1"), fails: found("more than a host and a path", "address.url"), blinds: true},
	{name: "path of the request in the URL", set: entered("https://agent.example.org/v1/chat/completions"),
		fails: found("ends in /chat/completions", "address.url"), blinds: true},
	{name: "path of the request in a URL of this machine", set: entered("http://127.0.0.1:8080/v1/chat/completions"),
		fails: found("Leave /chat/completions out", "address.url"), warns: found("this machine", "address.public"), blinds: true},
	{name: "slash at the end", set: entered("https://agent.example.org/v1/"), warns: found("Leave the slash", "address.url"),
		fails: found("ends in a slash", "address.root"), blinds: true},
	{name: "v1 forgotten", set: entered("https://agent.example.org"), fails: found("Enter https://agent.example.org/v1", "address.root"), blinds: true},
	{name: "v1 doubled", set: entered("https://agent.example.org/v1/v1"), fails: found("ends in /v1 once too often", "address.root"), blinds: true},
	{name: "other path", set: entered("https://agent.example.org/api"), fails: found("has another path than the API", "address.root"), blinds: true},
	{name: "web page in place of the API", set: func(f *fake, t *Target) {
		t.BaseURL = "https://agent.example.org"
		f.take = func(w http.ResponseWriter, r *http.Request, _ *query) bool {
			if strings.HasPrefix(r.URL.Path, "/v1/") {
				return false
			}
			w.Header().Set("Content-Type", "text/html")
			_, _ = w.Write([]byte("<html>Welcome</html>"))
			return true
		}
	}, fails: found("lacks /v1", "address.root"), blinds: true},
	{name: "private address", set: resolved("192.168.1.20"), fails: found("192.168.1.20, a private address", "address.public")},
	{name: "one address of several is private", set: resolved("93.184.215.14", "10.0.0.7"), fails: found("10.0.0.7", "address.public")},
	{name: "loopback as IPv4 in IPv6", set: resolved("::ffff:127.0.0.1"), fails: found("a loopback address inside an IPv6 address", "address.public")},
	{name: "private IPv6", set: resolved("fd00::1"), fails: found("a private address", "address.public")},
	{name: "LAN address as host", set: entered("https://192.168.1.20/v1"), fails: found("a private address", "address.public")},
	{name: "no address", set: resolved(), fails: found("agent.example.org has no address", "address.public"), blinds: true},
	{name: "unknown host", set: func(_ *fake, t *Target) {
		t.Resolve = func(context.Context, string) ([]netip.Addr, error) {
			return nil, &net.DNSError{Err: "no such host", IsNotFound: true}
		}
	}, fails: found("typing error", "address.public"), blinds: true},
	{name: "name service down", set: func(_ *fake, t *Target) {
		t.Resolve = func(context.Context, string) ([]netip.Addr, error) {
			return nil, &net.DNSError{Err: "server misbehaving"}
		}
	}, fails: found("could not be looked up: server misbehaving", "address.public"), blinds: true},
	{name: "list redirected", set: redirecting("/v1/models", 301), fails: found("/models is answered with 301", "address.redirect"), blinds: true},
	{name: "completions redirected", set: redirecting("/v1/chat/completions", 307), fails: found("/chat/completions is answered with 307", "address.redirect"), blinds: true},
	{name: "certificate ends soon", set: func(f *fake, t *Target) {
		t.Client = &http.Client{Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
			resp, err := direct{f}.RoundTrip(r)
			if err == nil {
				resp.TLS.PeerCertificates[0].NotAfter = time.Now().Add(30 * time.Hour)
			}
			return resp, err
		})}
	}, warns: found("ends in 30 hours", "address.certificate")},
	{name: "certificate of another host", set: unverified(x509.HostnameError{Certificate: &x509.Certificate{DNSNames: []string{"other.example.org"}}, Host: "agent.example.org"}),
		fails: found("for another host", "address.certificate"), blinds: true},
	{name: "certificate expired", set: unverified(x509.CertificateInvalidError{Reason: x509.Expired}),
		fails: found("has expired", "address.certificate"), blinds: true},
	{name: "certificate for other uses", set: unverified(x509.CertificateInvalidError{Reason: x509.IncompatibleUsage}),
		fails: found("The certificate is not valid", "address.certificate"), blinds: true},
	{name: "certificate not shown", set: func(f *fake, t *Target) {
		t.Client = &http.Client{Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
			resp, err := direct{f}.RoundTrip(r)
			if err == nil {
				resp.TLS = nil
			}
			return resp, err
		})}
	}, blinds: true},
	{name: "nothing listens", set: unverified(errors.New("connect: connection refused")),
		fails: found("connect: connection refused", "connection.models"), blinds: true},
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// unverified makes every request fail.
func unverified(err error) func(*fake, *Target) {
	return func(_ *fake, t *Target) {
		t.Client = &http.Client{Transport: roundTripper(func(*http.Request) (*http.Response, error) { return nil, err })}
	}
}

// only answers requests to a path, if there is no condition or it holds, in
// place of the fake.
func only(path string, holds func(q *query) bool, answer http.HandlerFunc) func(*fake, *Target) {
	return func(f *fake, _ *Target) {
		f.take = func(w http.ResponseWriter, r *http.Request, q *query) bool {
			if r.URL.Path != path || holds != nil && !holds(q) {
				return false
			}
			answer(w, r)
			return true
		}
	}
}

// with answers with a status and a body.
func with(status int, kind, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}
}

// hang answers when the caller has hung up.
func hang(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

// inDetail gives errors the form that FastAPI gives them.
func inDetail(_ *http.Request, w *httptest.ResponseRecorder) {
	if w.Code >= 400 {
		w.Body.Reset()
		w.Body.WriteString(`{"detail":"not as wanted"}`)
	}
}
