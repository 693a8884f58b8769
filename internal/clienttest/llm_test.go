package clienttest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// An llm is an OpenAI-compatible server whose model says what a test wants.
type llm struct {
	url           string
	authorization string // what a request has to come with

	mu       sync.Mutex
	answers  []http.HandlerFunc // the last one stays
	requests []string
}

// newLLM starts an llm that accepts this key and no other, or asks for none.
func newLLM(t *testing.T, key string) *llm {
	t.Helper()
	l := &llm{}
	if key != "" {
		l.authorization = "Bearer " + key
	}
	server := httptest.NewServer(l)
	t.Cleanup(server.Close)
	l.url = server.URL + "/llm/v1"
	return l
}

// handle makes the llm answer by these handlers, one after the other.
func (l *llm) handle(answers ...http.HandlerFunc) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.answers = answers
}

// script is handle for good answers.
func (l *llm) script(answers ...answer) {
	var handlers []http.HandlerFunc
	for _, a := range answers {
		handlers = append(handlers, a.serve)
	}
	l.handle(handlers...)
}

// last is the body of the last request.
func (l *llm) last(t *testing.T) string {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.requests) == 0 {
		t.Fatal("nothing has reached the LLM")
	}
	return l.requests[len(l.requests)-1]
}

func (l *llm) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	switch {
	case err != nil:
		return // the endpoint has hung up
	case r.Method != http.MethodPost || r.URL.Path != "/llm/v1/chat/completions":
		refuse(http.StatusNotFound, "unknown_url")(w, r)
	case r.Header.Get("Authorization") != l.authorization:
		refuse(http.StatusUnauthorized, "invalid_api_key")(w, r)
	default:
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		l.next(string(body))(w, r)
	}
}

// next books a request and returns what answers it.
func (l *llm) next(body string) http.HandlerFunc {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.requests = append(l.requests, body)
	if len(l.answers) == 0 {
		return says("OK.").serve
	}
	next := l.answers[0]
	if len(l.answers) > 1 {
		l.answers = l.answers[1:]
	}
	return next
}

// refuse answers with an error of the API.
func refuse(status int, code string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		send(w, status, fmt.Sprintf(`{"error":{"message":"no","type":"invalid_request_error","param":null,"code":%q}}`, code))
	}
}

func send(w http.ResponseWriter, status int, body string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, body)
}

// serve sends the answer as a completion, or as the stream that was asked for.
func (a answer) serve(w http.ResponseWriter, r *http.Request) {
	var request struct{ Stream bool }
	if err := json.NewDecoder(r.Body).Decode(&request); err != nil {
		refuse(http.StatusBadRequest, "invalid_json")(w, r)
		return
	}
	if request.Stream {
		sendChunks(w, strings.SplitAfter(a.text, " ")...)
		sendEnd(w)
		return
	}
	message, finish := fmt.Sprintf(`{"role":"assistant","content":%s}`, quote(a.text)), "stop"
	if a.tool != "" {
		message, finish = fmt.Sprintf(`{"role":"assistant","content":null,"tool_calls":[{"id":"call_7","type":"function","function":{"name":%s,"arguments":%s}}]}`,
			quote(a.tool), quote(a.arguments)), "tool_calls"
	}
	send(w, http.StatusOK, fmt.Sprintf(`{"id":"chatcmpl-7","object":"chat.completion","created":1,"model":%q,`+
		`"choices":[{"index":0,"message":%s,"finish_reason":%q}],"usage":{"prompt_tokens":12,"completion_tokens":7,"total_tokens":19}}`, gpt.id, message, finish))
}

const chunk = `data: {"id":"chatcmpl-7","object":"chat.completion.chunk","created":1,"model":"gpt-5-mini","choices":[%s],"usage":%s}` + "\n\n"

// sendChunks sends pieces of a text at once.
func sendChunks(w http.ResponseWriter, pieces ...string) {
	w.Header().Set("Content-Type", "text/event-stream")
	for _, p := range pieces {
		_, _ = fmt.Fprintf(w, chunk, `{"index":0,"delta":{"content":`+quote(p)+`},"finish_reason":null}`, "null")
	}
	_ = http.NewResponseController(w).Flush()
}

// sendEnd sends what follows the text of a stream.
func sendEnd(w http.ResponseWriter) {
	_, _ = fmt.Fprintf(w, chunk, `{"index":0,"delta":{},"finish_reason":"stop"}`, "null")
	_, _ = fmt.Fprintf(w, chunk, "", `{"prompt_tokens":12,"completion_tokens":7,"total_tokens":19}`)
	_, _ = io.WriteString(w, "data: [DONE]\n\n")
}

// quote is s as a JSON string.
func quote(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err) // no string fails
	}
	return string(b)
}
