package external

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"hyperstudy-endpoint/internal/openai"
)

// rotating is a Key whose value changes when it is fetched anew.
type rotating struct {
	first, second string
	err           error
	refreshed     atomic.Int32
}

func (k *rotating) Key(context.Context) (string, error) { return k.first, k.err }

func (k *rotating) Refresh(context.Context) (string, error) {
	k.refreshed.Add(1)
	return k.second, k.err
}

func TestKey(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name             string
		first, second    string
		calls, refreshes int
		status           int
	}{
		{"good", "good", "", 1, 0, 200},
		{"rotated", "old", "good", 2, 1, 200},
		{"wrong for good", "old", "old", 1, 1, 502},
		{"wrong before and after", "old", "older", 2, 1, 502},
		{"not a key", "a\nb", "good", 0, 0, 502},
		{"not a key after the rotation", "old", "a\nb", 1, 1, 502},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			u := &upstreamServer{}
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				u.reply = always(200, okReply)
				if r.Header.Get("Authorization") != "Bearer good" {
					u.reply = always(401, openAI("Incorrect API key provided: canary", "", "invalid_api_key"))
				}
				u.ServeHTTP(w, r)
			}))
			defer srv.Close()
			key := &rotating{first: tt.first, second: tt.second}
			p := New(Options{BaseURL: parseURL(t, srv.URL), Key: key})
			_, err := p.Complete(t.Context(), request(t, ""))
			switch {
			case tt.status == 200 && err != nil:
				t.Error(err)
			case tt.status != 200:
				if e := wantError(t, err); e.Status != tt.status || e.Code != "model_access_denied" || e.Temporary {
					t.Errorf("got %+v", e)
				}
				quiet(t, err)
			}
			if len(u.calls()) != tt.calls || int(key.refreshed.Load()) != tt.refreshes {
				t.Errorf("%d calls and %d refreshes, want %d and %d", len(u.calls()), key.refreshed.Load(), tt.calls, tt.refreshes)
			}
		})
	}
}

func TestKeyUnavailable(t *testing.T) {
	t.Parallel()
	own := &openai.Error{Status: 503, Code: "own", Message: "own"}
	for _, tt := range []struct {
		name string
		err  error
		code string
	}{
		{"any error", errors.New("arn:canary"), "service_unavailable"},
		{"an error of its own", own, "own"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p, u := serve(t, always(200, okReply))
			p.key = &rotating{err: tt.err}
			_, err := p.Complete(t.Context(), request(t, ""))
			if e := wantError(t, err); e.Status != 503 || e.Code != tt.code || len(u.calls()) > 0 {
				t.Errorf("got %+v after %d calls", e, len(u.calls()))
			}
			quiet(t, err)
		})
	}
}

// A redirect is never followed, with or without the key.
func TestRedirect(t *testing.T) {
	t.Parallel()
	var reached atomic.Bool
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Store(true) }))
	defer other.Close()
	for _, status := range []int{301, 302, 303, 304, 307, 308} {
		p, u := serve(t, func(w http.ResponseWriter, _ int, _ string) {
			w.Header().Set("Location", other.URL+"/canary")
			w.WriteHeader(status)
		})
		p.key = staticKey("sk-1")
		_, err := p.Complete(t.Context(), request(t, ""))
		e := wantError(t, err)
		if e.Status != 502 || e.Temporary || !strings.Contains(e.Message, "EXTERNAL_BASE_URL") || len(u.calls()) != 1 {
			t.Errorf("%d: got %+v after %d calls", status, e, len(u.calls()))
		}
		quiet(t, err)
	}
	if reached.Load() {
		t.Error("a redirect was followed")
	}
}

// A connection that died between two requests is replaced at once; one that dies
// under a first request is the caller's to retry.
func TestDeadConnection(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"HTTP/1.1", "HTTP/2.0"} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			var conn atomic.Pointer[net.Conn]
			u := &upstreamServer{reply: func(w http.ResponseWriter, call int, _ string) {
				if call == 1 {
					_ = (*conn.Load()).Close()
					return
				}
				write(w, 200, okReply)
			}}
			srv := httptest.NewUnstartedServer(u)
			srv.EnableHTTP2 = version == "HTTP/2.0"
			srv.Config.ConnContext = func(ctx context.Context, c net.Conn) context.Context {
				conn.Store(&c)
				return ctx
			}
			srv.StartTLS()
			defer srv.Close()
			p := New(Options{BaseURL: parseURL(t, srv.URL), HTTP: srv.Client()})
			for i := range 2 {
				if _, err := p.Complete(t.Context(), request(t, "")); err != nil {
					t.Fatalf("request %d: %v", i, err)
				}
			}
			if u.protos[0] != version || len(u.calls()) != 3 {
				t.Errorf("%s, %d requests, want 3", u.protos[0], len(u.calls()))
			}
		})
	}
}

// hangUp ends the connection without an answer.
func hangUp(w http.ResponseWriter) {
	hijacker, ok := w.(http.Hijacker)
	if !ok {
		return
	}
	if conn, _, err := hijacker.Hijack(); err == nil {
		_ = conn.Close()
	}
}

func TestFreshConnectionDies(t *testing.T) {
	t.Parallel()
	p, u := serve(t, func(w http.ResponseWriter, _ int, _ string) { hangUp(w) })
	p.http.Transport = &http.Transport{}
	_, err := p.Complete(t.Context(), request(t, ""))
	if e := wantError(t, err); e.Status != 502 || e.Code != "upstream_error" || !e.Temporary || len(u.calls()) != 1 {
		t.Errorf("got %+v after %d calls", e, len(u.calls()))
	}
}

// A connection that dies with half a reply has cost tokens and is not hidden.
func TestHalfReply(t *testing.T) {
	t.Parallel()
	p, u := serve(t, func(w http.ResponseWriter, call int, _ string) {
		if call == 0 {
			write(w, 200, okReply)
			return
		}
		w.Header().Set("Content-Length", "5000")
		write(w, 200, okReply[:50])
	})
	if _, err := p.Complete(t.Context(), request(t, "")); err != nil {
		t.Fatal(err)
	}
	_, err := p.Complete(t.Context(), request(t, ""))
	if e := wantError(t, err); e.Status != 502 || !e.Temporary || len(u.calls()) != 2 {
		t.Errorf("got %+v after %d calls", e, len(u.calls()))
	}
}

// The caller that hangs up stops the upstream's work.
func TestCallerGone(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	stopped := make(chan struct{})
	srv := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // only then does the server watch the connection
		cancel()
		<-r.Context().Done()
		close(stopped)
	}))
	defer srv.Close()
	p := New(Options{BaseURL: parseURL(t, srv.URL)})
	_, err := p.Complete(ctx, request(t, ""))
	if e := wantError(t, err); e.Status != 499 || e.Temporary || !errors.Is(err, context.Canceled) {
		t.Errorf("got %+v", e)
	}
	<-stopped
}

// A connection serves one request after the other, also after a stream.
func TestConnectionsAreKept(t *testing.T) {
	t.Parallel()
	const stream = "data: {\"choices\":[{\"delta\":{\"content\":\"Yes.\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"
	for _, reply := range []string{okReply, stream} {
		var opened atomic.Int32
		u := &upstreamServer{reply: always(200, reply)}
		srv := httptest.NewUnstartedServer(u)
		srv.Config.ConnState = func(_ net.Conn, s http.ConnState) {
			if s == http.StateNew {
				opened.Add(1)
			}
		}
		srv.Start()
		p := New(Options{BaseURL: parseURL(t, srv.URL), HTTP: &http.Client{Transport: &http.Transport{}}})
		for range 3 {
			if _, err := p.Complete(t.Context(), request(t, "")); err != nil {
				t.Fatal(err)
			}
		}
		if opened.Load() != 1 {
			t.Errorf("%d connections for %.10q", opened.Load(), reply)
		}
		srv.Close()
	}
}
