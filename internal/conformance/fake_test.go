package conformance

import (
	"bytes"
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"time"
)

const fakeKey = "sk-right-Fake0123456789"

// A fake is an endpoint that does all as the contract wants it, but for what a
// test changes.
type fake struct {
	key    string
	models []string
	// delay is how long each completion takes.
	delay time.Duration
	// take answers a request in place of the fake if it returns true.
	take func(w http.ResponseWriter, r *http.Request, q *query) bool
	// change changes a completion before it is sent.
	change func(q *query, c object)
	// chunk changes the events of a stream.
	chunks func(events []string) []string
	// seal changes every response before it leaves.
	seal func(r *http.Request, w *httptest.ResponseRecorder)
}

func newFake() *fake {
	return &fake{key: fakeKey, models: []string{"study-model"}, delay: 200 * time.Millisecond}
}

type object = map[string]any

// as is a value of whose type the tests are sure.
func as[T any](v any) T {
	t, ok := v.(T)
	if !ok {
		panic(fmt.Sprintf("%v is no %T", v, t))
	}
	return t
}

// The parts of a completion that tests change.
func choiceOf(c object) object       { return as[object](as[[]any](c["choices"])[0]) }
func messageOf(c object) object      { return as[object](choiceOf(c)["message"]) }
func firstCall(m object) object      { return as[object](as[[]any](m["tool_calls"])[0]) }
func function(call object) object    { return as[object](call["function"]) }
func argumentsOf(call object) string { return as[string](function(call)["arguments"]) }
func usageOf(c object) object        { return as[object](c["usage"]) }

// A query is a request as the fake reads it.
type query struct {
	Model    string `json:"model"`
	Messages []struct {
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
	} `json:"messages"`
	Tools []struct {
		Function struct {
			Name       string          `json:"name"`
			Parameters json.RawMessage `json:"parameters"`
		} `json:"function"`
	} `json:"tools"`
	Format *struct {
		Type string `json:"type"`
	} `json:"response_format"`
	MaxTokens int  `json:"max_tokens"`
	Stream    bool `json:"stream"`

	raw []byte
}

func (q *query) has(text string) bool { return bytes.Contains(q.raw, []byte(text)) }

func (f *fake) ServeHTTP(out http.ResponseWriter, r *http.Request) {
	w := httptest.NewRecorder()
	f.serve(w, r)
	if f.seal != nil {
		f.seal(r, w)
	}
	for name, values := range w.Header() {
		out.Header()[name] = values
	}
	out.WriteHeader(w.Code)
	_, _ = out.Write(w.Body.Bytes()) // into a recorder
}

func (f *fake) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(err)
	}
	q := &query{raw: body}
	readable := json.Unmarshal(body, q) == nil
	if f.take != nil && f.take(w, r, q) {
		return
	}
	switch {
	case r.URL.Path != "/v1/models" && r.URL.Path != "/v1/chat/completions":
		fail(w, 404, "unknown_url", "There is nothing at this URL. The base URL ends in /v1; below it are GET /models and POST /chat/completions.")
	case r.Header.Get("Authorization") != "Bearer "+f.key:
		fail(w, 401, "invalid_api_key", "the key is wrong")
	case r.URL.Path == "/v1/models":
		f.list(w)
	case !readable:
		fail(w, 400, "invalid_json", "the body is not JSON")
	default:
		f.complete(w, r, q)
	}
}

func (f *fake) list(w http.ResponseWriter) {
	data := []object{}
	for _, id := range f.models {
		data = append(data, object{"id": id, "object": "model", "created": 1, "owned_by": "fake"})
	}
	write(w, 200, object{"object": "list", "data": data})
}

func (f *fake) complete(w http.ResponseWriter, r *http.Request, q *query) {
	wait := time.NewTimer(f.delay)
	defer wait.Stop()
	select {
	case <-wait.C:
	case <-r.Context().Done():
		return
	}
	if code, message := f.refusal(q); code != "" {
		status := 400
		if code == "model_not_found" {
			status = 404
		}
		fail(w, status, code, message)
		return
	}
	c := answerOf(q)
	if f.change != nil {
		f.change(q, c)
	}
	if q.Stream {
		f.stream(w, c)
		return
	}
	write(w, 200, c)
}

// refusal says why a request cannot be answered.
func (f *fake) refusal(q *query) (code, message string) {
	switch {
	case q.Model != "default" && !slices.Contains(f.models, q.Model):
		return "model_not_found", "there is no such model"
	case len(q.Messages) == 0:
		return "missing_required_parameter", "messages are missing"
	case q.MaxTokens == tinyLimit:
		return "max_tokens_reached", "max_tokens was too small"
	}
	for _, m := range q.Messages {
		if m.Role != "system" && m.Role != "user" {
			return "invalid_value", "a message has an unknown role"
		}
	}
	for _, url := range q.pictures() {
		_, encoded, inline := strings.Cut(url, ";base64,")
		if _, _, err := image.DecodeConfig(base64.NewDecoder(base64.StdEncoding, strings.NewReader(encoded))); inline && err != nil {
			return "invalid_value", "an image cannot be read"
		}
	}
	return "", ""
}

// pictures are the URLs of a request's pictures.
func (q *query) pictures() []string {
	var urls []string
	for _, m := range q.Messages {
		var parts []part
		_ = json.Unmarshal(m.Content, &parts) // or it is a text
		for _, p := range parts {
			if p.ImageURL != nil {
				urls = append(urls, p.ImageURL.URL)
			}
		}
	}
	return urls
}

// number is what the pictures of a request show, if they are those of the checks.
func (q *query) number() string {
	number := ""
	for _, url := range q.pictures() {
		number += shown[url]
	}
	return number
}

// shown are the numbers on the pictures of the checks, by URL.
var shown = func() map[string]string {
	m := map[string]string{dataURL(picture(inlineNumber), "png"): inlineNumber}
	for _, c := range formats {
		m[dataURL(picture(c.number), c.format)] = c.number
	}
	for _, digit := range digits {
		m[dataURL(picture(digit), "png")] = digit
	}
	return m
}()

// answerOf is a good answer to a request.
func answerOf(q *query) object {
	m := object{"role": "assistant", "content": nil}
	finish := "stop"
	switch {
	case len(q.Tools) > 0:
		finish = "tool_calls"
		m["tool_calls"] = []any{callOf(q)}
	case q.Format != nil && q.Format.Type == "json_schema":
		m["content"] = `{"about":"Participant B","goals":["to be first"],"promise":null,"trust":7}`
	case q.Format != nil:
		m["content"] = `{"luck":5,"reason":"one of two boxes"}`
	default:
		m["content"] = "They want to be at the door first."
	}
	prompt := len(q.raw)/4 + 1
	return object{
		"id": fmt.Sprintf("chatcmpl-%d", len(q.raw)), "object": "chat.completion", "created": 1_700_000_000, "model": "fake-model-2026",
		"choices": []any{object{"index": 0, "message": m, "finish_reason": finish}},
		"usage":   object{"prompt_tokens": prompt, "completion_tokens": 12, "total_tokens": prompt + 12},
	}
}

// callOf calls the last tool that is not wait, if there is one.
func callOf(q *query) object {
	t := q.Tools[len(q.Tools)-1].Function
	arguments := "{}"
	switch {
	case t.Name == "respond":
		arguments = `{"value":2}`
	case q.Tools[0].Function.Name == "send_chat" && t.Name == "wait":
		t.Name, arguments = "send_chat", `{"message":"with pleasure"}`
	case t.Name == "submit_response":
		arguments = `{"value":` + cmp.Or(q.number(), valueOf(t.Parameters)) + `}`
	}
	return object{"id": "call_1", "type": "function", "function": object{"name": t.Name, "arguments": arguments}}
}

// valueOf is a value that satisfies a schema of the checks.
func valueOf(parameters json.RawMessage) string {
	for _, k := range kinds {
		if string(k.tool().Parameters) == string(parameters) {
			return k.example
		}
	}
	if string(parameters) == string(numberTool.Parameters) {
		return "500"
	}
	var s struct {
		Properties struct {
			Value struct{ Enum []json.RawMessage }
		}
	}
	if err := json.Unmarshal(parameters, &s); err != nil || len(s.Properties.Value.Enum) == 0 {
		panic("the fake knows no value for " + string(parameters))
	}
	return string(s.Properties.Value.Enum[0])
}

// stream sends a completion in chunks of a few characters.
func (f *fake) stream(w http.ResponseWriter, c object) {
	first := choiceOf(c)
	m := messageOf(c)
	var events []string
	send := func(delta object, finish any) {
		events = append(events, encoded(object{"id": "s", "object": "chat.completion.chunk", "created": 1, "model": c["model"],
			"choices": []any{object{"index": 0, "delta": delta, "finish_reason": finish}}}))
	}
	send(object{"role": "assistant"}, nil)
	if said, ok := m["content"].(string); ok {
		for piece := range slices.Chunk([]rune(said), 5) {
			send(object{"content": string(piece)}, nil)
		}
	}
	if declined, ok := m["refusal"].(string); ok {
		send(object{"refusal": declined}, nil)
	}
	calls, _ := m["tool_calls"].([]any)
	for i, call := range calls {
		function := as[object](as[object](call)["function"])
		send(object{"tool_calls": []any{object{"index": i, "id": as[object](call)["id"], "type": "function",
			"function": object{"name": function["name"], "arguments": ""}}}}, nil)
		for piece := range slices.Chunk([]rune(as[string](function["arguments"])), 5) {
			send(object{"tool_calls": []any{object{"index": i, "function": object{"arguments": string(piece)}}}}, nil)
		}
	}
	send(object{}, first["finish_reason"])
	events = append(events, encoded(object{"id": "s", "object": "chat.completion.chunk", "choices": []any{}, "usage": c["usage"]}), "[DONE]")
	if f.chunks != nil {
		events = f.chunks(events)
	}
	w.Header().Set("Content-Type", "text/event-stream")
	for _, e := range events {
		_, _ = fmt.Fprintf(w, "data: %s\n\n", e) // into a recorder
	}
}

func fail(w http.ResponseWriter, status int, code, message string) {
	write(w, status, object{"error": object{"message": message, "type": "invalid_request_error", "param": nil, "code": code}})
}

func write(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, encoded(v)) // into a recorder
}

func encoded(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// A direct transport hands requests to a handler without a network, so that
// the time a run takes is that of a synctest bubble. A panic of the handler is
// a lost connection.
type direct struct{ http.Handler }

func (d direct) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	served := make(chan error, 1)
	go func() {
		defer func() {
			if recover() != nil {
				served <- errors.New("connection reset by peer")
			}
			close(served)
		}()
		d.ServeHTTP(w, r)
	}()
	select {
	case <-r.Context().Done():
		return nil, r.Context().Err()
	case err := <-served:
		if err != nil {
			return nil, err
		}
	}
	resp := w.Result()
	if r.URL.Scheme == "https" {
		resp.TLS = &tls.ConnectionState{PeerCertificates: []*x509.Certificate{{NotAfter: time.Now().Add(90 * 24 * time.Hour)}}}
	}
	return resp, nil
}
