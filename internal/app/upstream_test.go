package app_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// An upstream is a fake of an OpenAI-compatible API. It is as strict as the
// strictest of them, and gives scripted answers to what it takes.
type upstream struct {
	URL string // the API root

	http *httptest.Server
	quit chan struct{}

	mu          sync.Mutex
	key         string
	handler     func(sent) (reply, tokens)
	requests    []sent
	connections int
}

// sent is a request as the upstream got it.
type sent struct {
	header  http.Header
	body    []byte
	model   string
	refusal string // why it was not taken
	at      time.Time
}

// A reply is one scripted answer of an upstream.
type reply struct {
	status  int // 0 means 200
	header  http.Header
	body    string // as it is sent; empty means a completion with the message
	message string // JSON
	finish  string // "" means what fits the message
	delay   time.Duration
	drop    bool            // no answer
	cut     bool            // half of an answer
	pause   time.Duration   // before the last word of a stream
	gone    chan<- struct{} // closed if the client leaves during the delay
}

// newUpstream starts an upstream and ends it with the test.
func newUpstream(t *testing.T) *upstream {
	t.Helper()
	return startUpstream(t, (*httptest.Server).Start)
}

// newTLSUpstream starts one that speaks HTTP/2 over TLS. Its certificate is that
// of all test servers of the standard library.
func newTLSUpstream(t *testing.T) *upstream {
	t.Helper()
	return startUpstream(t, func(s *httptest.Server) {
		s.EnableHTTP2 = true
		s.Config.ErrorLog = log.New(io.Discard, "", 0) // callers that do not trust it are meant
		s.StartTLS()
	})
}

func startUpstream(t *testing.T, start func(*httptest.Server)) *upstream {
	t.Helper()
	u := &upstream{key: upstreamKey, quit: make(chan struct{})}
	u.http = httptest.NewUnstartedServer(u)
	u.http.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			u.mu.Lock()
			u.connections++
			u.mu.Unlock()
		}
	}
	start(u.http)
	u.URL = u.http.URL + "/api/v1"
	t.Cleanup(func() {
		close(u.quit)
		u.http.CloseClientConnections()
		u.http.Close()
	})
	return u
}

// handle makes the upstream answer what it takes with what handler says, and
// bill it so.
func (u *upstream) handle(handler func(sent) (reply, tokens)) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.handler = handler
}

// setKey changes the key that the upstream knows.
func (u *upstream) setKey(key string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.key = key
}

// all are the requests so far.
func (u *upstream) all() []sent {
	u.mu.Lock()
	defer u.mu.Unlock()
	return append([]sent(nil), u.requests...)
}

// forget empties the list of requests.
func (u *upstream) forget() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.requests = nil
}

// opened is how many connections were opened.
func (u *upstream) opened() int {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.connections
}

// refusals are the reasons for which requests were not taken.
func (u *upstream) refusals() []string {
	var list []string
	for _, r := range u.all() {
		if r.refusal != "" {
			list = append(list, r.model+": "+r.refusal)
		}
	}
	return list
}

// ServeHTTP answers a request.
func (u *upstream) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	u.mu.Lock()
	key, handler := u.key, u.handler
	u.mu.Unlock()
	s := sent{header: r.Header.Clone(), body: body, at: time.Now()}
	status, code, message := check(r, key, &s)
	s.refusal = message
	u.mu.Lock()
	u.requests = append(u.requests, s)
	u.mu.Unlock()
	if message != "" {
		writeRefusal(w, status, code, message)
		return
	}
	if handler == nil {
		panic(fmt.Sprintf("upstream: no script for %s", s.model))
	}
	rep, used := handler(s)
	u.write(w, r, &s, rep, used)
}

func writeRefusal(w http.ResponseWriter, status int, code, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{"message": message, "type": "invalid_request_error", "param": nil, "code": code}})
}

// write sends a scripted answer.
func (u *upstream) write(w http.ResponseWriter, r *http.Request, s *sent, rep reply, used tokens) {
	if rep.delay > 0 {
		timer := time.NewTimer(rep.delay)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-r.Context().Done():
			if rep.gone != nil {
				close(rep.gone)
			}
			panic(http.ErrAbortHandler)
		case <-u.quit:
			panic(http.ErrAbortHandler)
		}
	}
	if rep.drop {
		panic(http.ErrAbortHandler)
	}
	body := rep.body
	contentType := "application/json"
	if body == "" {
		if s.streams() {
			contentType = "text/event-stream"
			body = chunks(s, rep, used)
		} else {
			body = completionOf(s, rep, used)
		}
	}
	w.Header().Set("Content-Type", contentType)
	for name, values := range rep.header {
		w.Header()[name] = values
	}
	if rep.cut {
		w.Header().Set("Content-Length", fmt.Sprint(len(body)))
		body = body[:len(body)/2]
	}
	w.WriteHeader(cmp.Or(rep.status, http.StatusOK))
	if before, last, found := strings.Cut(body, `"content":"last`); found && rep.pause > 0 {
		at := strings.LastIndex(before, "data:") // send whole events only
		_, _ = io.WriteString(w, before[:at])
		_ = http.NewResponseController(w).Flush()
		time.Sleep(rep.pause)
		body = before[at:] + `"content":"last` + last
	}
	_, _ = io.WriteString(w, body)
	if rep.cut {
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}
}

// streams reports whether the request asks for a stream.
func (s *sent) streams() bool {
	var body struct{ Stream bool }
	return json.Unmarshal(s.body, &body) == nil && body.Stream
}

// message is an assistant's message as JSON.
func message(text string, list ...toolCall) string {
	m := map[string]any{"role": "assistant", "content": text, "refusal": nil}
	if text == "" && len(list) > 0 {
		m["content"] = nil
	}
	var tools []any
	for i, c := range list {
		tools = append(tools, map[string]any{
			"id": fmt.Sprintf("call_%d", i+1), "type": "function",
			"function": map[string]any{"name": c.name, "arguments": c.arguments},
		})
	}
	if tools != nil {
		m["tool_calls"] = tools
	}
	return compactJSON(m)
}

// finishOf is the finish reason that fits a message.
func (r *reply) finishOf() string {
	switch {
	case r.finish != "":
		return r.finish
	case strings.Contains(r.message, `"tool_calls":`):
		return "tool_calls"
	}
	return "stop"
}

func usageOf(u tokens) map[string]any {
	return map[string]any{"prompt_tokens": u.prompt, "completion_tokens": u.completion, "total_tokens": u.prompt + u.completion}
}

// snapshot is what the upstream appends to a model's name: which one of its
// versions it was that answered.
const snapshot = "-2026-01-01"

func completionOf(s *sent, rep reply, used tokens) string {
	return compactJSON(map[string]any{
		"id": "chatcmpl-upstream", "object": "chat.completion", "created": 1760000000, "model": s.model + snapshot,
		"choices": []any{map[string]any{"index": 0, "message": json.RawMessage(rep.message), "logprobs": nil, "finish_reason": rep.finishOf()}},
		"usage":   usageOf(used),
	})
}

// chunks is a completion in text as server-sent events, a word a chunk.
func chunks(s *sent, rep reply, used tokens) string {
	var m struct{ Content string }
	if err := json.Unmarshal([]byte(rep.message), &m); err != nil {
		panic(err)
	}
	var b strings.Builder
	chunk := func(choices []any, usage any) {
		fmt.Fprintf(&b, "data: %s\n\n", compactJSON(map[string]any{
			"id": "chatcmpl-upstream", "object": "chat.completion.chunk", "created": 1760000000, "model": s.model + snapshot, "choices": choices, "usage": usage,
		}))
	}
	delta := func(d map[string]any, finish any) {
		chunk([]any{map[string]any{"index": 0, "delta": d, "finish_reason": finish}}, nil)
	}
	delta(map[string]any{"role": "assistant", "content": ""}, nil)
	for _, word := range strings.SplitAfter(m.Content, " ") {
		delta(map[string]any{"content": word}, nil)
	}
	delta(map[string]any{}, rep.finishOf())
	chunk([]any{}, usageOf(used))
	b.WriteString("data: [DONE]\n\n")
	return b.String()
}

// compactJSON encodes a value that is made here and always can be.
func compactJSON(v any) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err)
	}
	return strings.TrimSuffix(b.String(), "\n")
}
