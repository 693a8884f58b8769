package external

import (
	"context"
	"encoding/json"
	"flag"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"hyperstudy-endpoint/internal/openai"
)

var update = flag.Bool("update", false, "rewrite the golden files")

const okReply = `{"id":"chatcmpl-1","object":"chat.completion","created":1700000000,"model":"m-1","choices":[{"index":0,` +
	`"message":{"role":"assistant","content":"Yes."},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5}}`

// An upstream answers with reply and keeps what it was sent.
type upstreamServer struct {
	mu     sync.Mutex
	bodies []string
	heads  []http.Header
	paths  []string
	protos []string
	reply  func(w http.ResponseWriter, call int, body string)
}

func (u *upstreamServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client went away
	}
	u.mu.Lock()
	call := len(u.bodies)
	u.bodies = append(u.bodies, string(body))
	u.heads = append(u.heads, r.Header.Clone())
	u.paths = append(u.paths, r.Method+" "+r.URL.RequestURI())
	u.protos = append(u.protos, r.Proto)
	u.mu.Unlock()
	u.reply(w, call, string(body))
}

func (u *upstreamServer) calls() []string {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.bodies
}

// serve starts the upstream and returns a provider for it with ids and a clock
// that repeat.
func serve(t *testing.T, reply func(w http.ResponseWriter, call int, body string)) (*Provider, *upstreamServer) {
	t.Helper()
	u := &upstreamServer{reply: reply}
	srv := httptest.NewServer(u)
	t.Cleanup(srv.Close)
	p := New(Options{BaseURL: parseURL(t, srv.URL+"/v1"), HTTP: srv.Client()})
	steady(p)
	return p, u
}

func steady(p *Provider) {
	var (
		mu sync.Mutex
		n  byte
	)
	p.newID = func() string {
		mu.Lock()
		defer mu.Unlock()
		n++
		return "new" + string('0'+n)
	}
	p.now = func() time.Time { return time.Unix(1700000001, 0) }
}

// always replies the same to every request.
func always(status int, body string) func(http.ResponseWriter, int, string) {
	return func(w http.ResponseWriter, _ int, _ string) { write(w, status, body) }
}

func write(w http.ResponseWriter, status int, body string) {
	if strings.HasPrefix(body, "data:") {
		w.Header().Set("Content-Type", "text/event-stream")
	} else {
		w.Header().Set("Content-Type", "application/json")
	}
	w.WriteHeader(status)
	_, _ = io.WriteString(w, body)
}

func parseURL(t testing.TB, s string) *url.URL {
	t.Helper()
	u, err := url.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// request decodes a request that has a model and one message unless the members say otherwise.
func request(t testing.TB, members string) *openai.ChatCompletionRequest {
	t.Helper()
	body := `{"model":"m","messages":[{"role":"user","content":"canary"}]`
	if members != "" {
		body += "," + members
	}
	req, err := openai.DecodeRequest(strings.NewReader(body + "}"))
	if err != nil {
		t.Fatal(err)
	}
	return req
}

// wantError returns the *openai.Error of a failure.
func wantError(t *testing.T, err error) *openai.Error {
	t.Helper()
	if err == nil {
		t.Fatal("no error")
	}
	e := openai.AsError(err)
	if e.Code == openai.CodeInternal {
		t.Fatalf("the error carries no *openai.Error: %v", err)
	}
	return e
}

// A case is a folder: request.json is sent, upstream.json must arrive at the
// upstream byte for byte, reply.* comes back, completion.json or error.json must
// come out. A request with stream also has deltas.json.
func TestCases(t *testing.T) {
	t.Parallel()
	dirs, err := filepath.Glob("testdata/cases/*")
	if err != nil || len(dirs) == 0 {
		t.Fatal("no cases", err)
	}
	for _, dir := range dirs {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			t.Parallel()
			runCase(t, dir)
		})
	}
}

func runCase(t *testing.T, dir string) {
	t.Helper()
	replies, err := filepath.Glob(filepath.Join(dir, "reply.*"))
	if err != nil || len(replies) != 1 {
		t.Fatalf("%d replies, want one", len(replies))
	}
	reply := string(readFile(t, replies[0]))
	status := http.StatusOK
	if rest, ok := strings.CutPrefix(filepath.Base(replies[0]), "reply.4"); ok && len(rest) > 2 {
		status = http.StatusBadRequest + int(rest[0]-'0')*10 + int(rest[1]-'0')
	}
	p, u := serve(t, always(status, reply))
	req, err := openai.DecodeRequest(strings.NewReader(string(readFile(t, filepath.Join(dir, "request.json")))))
	if err != nil {
		t.Fatal(err)
	}
	var completion *openai.ChatCompletion
	if req.Stream {
		deltas := []openai.Delta{}
		completion, err = p.Stream(t.Context(), req, func(d openai.Delta) error {
			deltas = append(deltas, d)
			return nil
		})
		golden(t, filepath.Join(dir, "deltas.json"), encode(t, deltas))
	} else {
		completion, err = p.Complete(t.Context(), req)
	}
	golden(t, filepath.Join(dir, "upstream.json"), []byte(u.calls()[0]))
	if err != nil {
		golden(t, filepath.Join(dir, "error.json"), encode(t, wantError(t, err)))
		return
	}
	golden(t, filepath.Join(dir, "completion.json"), encode(t, completion))
}

func encode(t *testing.T, v any) []byte {
	t.Helper()
	var buf strings.Builder
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		t.Fatal(err)
	}
	return []byte(buf.String())
}

func readFile(t testing.TB, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// golden compares with a file, or writes it under -update.
func golden(t *testing.T, path string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, got, 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if want := readFile(t, path); string(want) != string(got) {
		t.Errorf("%s:\ngot  %s\nwant %s", path, got, want)
	}
}

func TestURL(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, base, want string }{
		{"plain", "/v1", "/v1/chat/completions"},
		{"trailing slash", "/v1/", "/v1/chat/completions"},
		{"several slashes", "/v1//", "/v1/chat/completions"},
		{"no path", "", "/chat/completions"},
		{"other version", "/api/paas/v4", "/api/paas/v4/chat/completions"},
		{"query", "/openai/v1?api-version=preview", "/openai/v1/chat/completions?api-version=preview"},
		{"escaped path", "/a%2Fb/v1", "/a%2Fb/v1/chat/completions"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			u := &upstreamServer{reply: always(http.StatusOK, okReply)}
			srv := httptest.NewServer(u)
			defer srv.Close()
			p := New(Options{BaseURL: parseURL(t, srv.URL+tt.base)})
			if _, err := p.Complete(t.Context(), request(t, "")); err != nil {
				t.Fatal(err)
			}
			if got := u.paths[0]; got != "POST "+tt.want {
				t.Errorf("sent to %q, want %q", got, tt.want)
			}
		})
	}
}

// The request is the caller's, its headers never are.
func TestHeaders(t *testing.T) {
	t.Parallel()
	p, u := serve(t, always(http.StatusOK, okReply))
	p.key = staticKey("sk-1")
	if _, err := p.Complete(t.Context(), request(t, "")); err != nil {
		t.Fatal(err)
	}
	head := u.heads[0]
	for name, want := range map[string]string{
		"Content-Type": "application/json", "Accept": "application/json", "User-Agent": "hyperstudy-endpoint", "Authorization": "Bearer sk-1",
	} {
		if got := head.Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
		head.Del(name)
	}
	head.Del("Accept-Encoding") // net/http's own
	head.Del("Content-Length")
	if len(head) > 0 {
		t.Errorf("more headers than expected: %v", head)
	}
}

// staticKey is a Key that stays the same.
type staticKey string

func (k staticKey) Key(context.Context) (string, error)     { return string(k), nil }
func (k staticKey) Refresh(context.Context) (string, error) { return string(k), nil }
