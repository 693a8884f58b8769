package function

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// counted is a server that counts the connections made to it and the requests.
type counted struct {
	*httptest.Server
	mu                    sync.Mutex
	connections, requests int
	proto                 string
}

func newCounted(t *testing.T, secure bool) *counted {
	t.Helper()
	s := &counted{}
	s.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.requests++
		s.proto = r.Proto
		_, _ = io.WriteString(w, "ok")
	}))
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.connections++
		}
	}
	s.EnableHTTP2 = true
	if secure {
		s.StartTLS()
	} else {
		s.Start()
	}
	t.Cleanup(s.Close)
	return s
}

func (s *counted) addr() string { return s.Listener.Addr().String() }

// dialerFor trusts the server's certificate.
func dialerFor(s *counted) *Dialer {
	d := NewDialer(nil, nil)
	if s.TLS != nil {
		d.tls.RootCAs = s.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs //nolint:errcheck,forcetypeassert // httptest's own type
	}
	return d
}

func get(t *testing.T, client *http.Client, url string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	response, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }() // read to its end
	if body, err := io.ReadAll(response.Body); string(body) != "ok" || err != nil {
		t.Errorf("%q, %v", body, err)
	}
}

func TestConnectionOpenedAheadIsUsed(t *testing.T) {
	t.Parallel()
	for name, secure := range map[string]bool{"plain": false, "TLS": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newCounted(t, secure)
			d := dialerFor(s)
			if err := d.open(t.Context(), s.addr(), secure); err != nil {
				t.Fatal(err)
			}
			client := d.Client()
			for range 3 {
				get(t, client, s.URL)
			}
			s.mu.Lock()
			defer s.mu.Unlock()
			if s.connections != 1 || s.requests != 3 {
				t.Errorf("%d connections for %d requests, want 1 for 3", s.connections, s.requests)
			}
			if want := map[bool]string{false: "HTTP/1.1", true: "HTTP/2.0"}[secure]; s.proto != want {
				t.Errorf("protocol %s, want %s", s.proto, want)
			}
		})
	}
}

func TestStaleConnectionIsNotUsed(t *testing.T) {
	t.Parallel()
	s := newCounted(t, false)
	d := dialerFor(s)
	if err := d.open(t.Context(), s.addr(), false); err != nil {
		t.Fatal(err)
	}
	old := d.ready[canonical(s.addr())]
	old.opened = time.Now().Add(-2 * readyFor).Round(0)
	d.ready[canonical(s.addr())] = old
	get(t, d.Client(), s.URL)
	if _, err := old.Write([]byte("x")); err == nil {
		t.Error("the stale connection was left open")
	}
}

func TestOpenTwiceKeepsOneConnection(t *testing.T) {
	t.Parallel()
	s := newCounted(t, false)
	d := dialerFor(s)
	for range 2 {
		if err := d.open(t.Context(), s.addr(), false); err != nil {
			t.Fatal(err)
		}
	}
	if len(d.ready) != 1 {
		t.Errorf("%d connections are kept", len(d.ready))
	}
}

func TestConnectionThatCannotBeOpened(t *testing.T) {
	t.Parallel()
	s := newCounted(t, false)
	addr := s.addr()
	s.Close()
	if err := NewDialer(nil, nil).open(t.Context(), addr, false); err == nil {
		t.Error("no error for a closed port")
	}
	plain := newCounted(t, false)
	if err := NewDialer(nil, nil).open(t.Context(), plain.addr(), true); err == nil {
		t.Error("no error for a TLS handshake with a server that speaks none")
	}
}

func TestCanonical(t *testing.T) {
	t.Parallel()
	for addr, want := range map[string]string{
		"example.org:https": "example.org:443", "example.org:http": "example.org:80", "[::1]:https": "[::1]:443", "h:8443": "h:8443", "h": "h",
	} {
		if got := canonical(addr); got != want {
			t.Errorf("canonical(%q) = %q, want %q", addr, got, want)
		}
	}
}

func TestWordKeepsNothingThatCouldBeText(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]string{
		"ThrottlingException": "ThrottlingException", "": "other", "a b": "other", strings.Repeat("x", 65): "other", "naïve": "other",
	} {
		if got := word(code); got != want {
			t.Errorf("word(%q) = %q, want %q", code, got, want)
		}
	}
}
