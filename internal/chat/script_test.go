package chat

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"hyperstudy-endpoint/internal/openai"
)

// A reply is one answer of a scripted provider, given after some time.
type reply struct {
	after      time.Duration
	completion *openai.ChatCompletion
	err        error
}

// A script is a Provider that gives its replies in order, the last again and
// again, and keeps what it was asked.
type script struct {
	mu       sync.Mutex
	replies  []reply
	requests []*openai.ChatCompletionRequest
	at       []time.Time
	running  int
	overlap  bool // two attempts ran at once
}

func (s *script) Complete(ctx context.Context, req *openai.ChatCompletionRequest) (*openai.ChatCompletion, error) {
	s.mu.Lock()
	r := s.replies[min(len(s.requests), len(s.replies)-1)]
	s.requests = append(s.requests, req)
	s.at = append(s.at, time.Now())
	s.running++
	s.overlap = s.overlap || s.running > 1
	s.mu.Unlock()
	err := wait(ctx, r.after)
	s.mu.Lock()
	s.running--
	s.mu.Unlock()
	if err != nil {
		return nil, &openai.Error{Status: http.StatusGatewayTimeout, Code: openai.CodeTimeout, Err: err}
	}
	if r.err != nil {
		return nil, r.err
	}
	c := *r.completion // the Completer may change what it gets
	c.Choices = append([]openai.Choice(nil), c.Choices...)
	return &c, nil
}

// say has the script give another reply from now on.
func (s *script) say(r reply) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.replies = []reply{r}
}

// wait takes so long to answer, unless ctx ends first.
func wait(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// answer is a completion of finish reason stop whose message holds text and calls.
func answer(text string, calls ...openai.ToolCall) *openai.ChatCompletion {
	finish := openai.FinishStop
	if len(calls) > 0 {
		finish = openai.FinishToolCalls
	}
	m := openai.AnswerMessage{Role: "assistant", ToolCalls: calls}
	if text != "" || len(calls) == 0 {
		m.Content = &text
	}
	return &openai.ChatCompletion{
		ID: "chatcmpl-1", Object: "chat.completion", Model: "upstream-id",
		Choices: []openai.Choice{{Message: m, FinishReason: finish}},
		Usage:   openai.Usage{PromptTokens: 100, CompletionTokens: 7, TotalTokens: 107},
	}
}

func finished(c *openai.ChatCompletion, reason string) *openai.ChatCompletion {
	c.Choices[0].FinishReason = reason
	return c
}

func call(id, name, arguments string) openai.ToolCall {
	return openai.ToolCall{ID: id, Type: "function", Function: openai.FunctionCall{Name: name, Arguments: arguments}}
}

func submit(arguments string) *openai.ChatCompletion {
	return answer("", call("call_1", "submit_response", arguments))
}

// ratingTools are the tools while a rating scale is on screen.
const ratingTools = `[
	{"type":"function","function":{"name":"send_chat","parameters":{"type":"object","properties":{"message":{"type":"string"}},"required":["message"],"additionalProperties":false}}},
	{"type":"function","function":{"name":"wait","parameters":{"type":"object","properties":{},"additionalProperties":false}}},
	{"type":"function","function":{"name":"submit_response","parameters":{"type":"object","properties":{"value":{"type":"number","minimum":0,"maximum":100}},"required":["value"],"additionalProperties":false}}}]`

// rating is a decision request with further members.
func rating(t *testing.T, members string) *openai.ChatCompletionRequest {
	t.Helper()
	return decode(t, `{"model":"fast","messages":[{"role":"system","content":"You are Robin."},{"role":"user","content":"Rate it."}],"tools":`+ratingTools+members+`}`)
}

func decode(t *testing.T, body string) *openai.ChatCompletionRequest {
	t.Helper()
	req, err := openai.DecodeRequest(strings.NewReader(body))
	if err != nil {
		t.Fatalf("DecodeRequest: %v", err)
	}
	return req
}

// completer returns a Completer with the model "fast" on p, whose waits are as
// long as can be.
func completer(p Provider, o Options) *Completer {
	c := New([]Model{{Alias: "fast", ID: "upstream-id", Provider: p, Fingerprint: "fp_1"}}, o)
	c.jitter = func(d time.Duration) time.Duration { return d }
	return c
}

var (
	throttled = &openai.Error{Status: http.StatusTooManyRequests, Type: openai.TypeRateLimit, Code: openai.CodeRateLimit, Temporary: true}
	broken    = &openai.Error{Status: http.StatusBadGateway, Type: openai.TypeServer, Code: openai.CodeUpstream, Temporary: true}
	denied    = &openai.Error{Status: http.StatusBadGateway, Type: openai.TypeServer, Code: openai.CodeModelAccessDenied}
)

// asError is the *openai.Error that err must carry.
func asError(t *testing.T, err error) *openai.Error {
	t.Helper()
	var e *openai.Error
	if !errors.As(err, &e) {
		t.Fatalf("error %v carries no *openai.Error", err)
	}
	return e
}

// wire is the list of messages as an upstream is sent it.
func wire(t *testing.T, req *openai.ChatCompletionRequest) []map[string]any {
	t.Helper()
	var messages []map[string]any
	if err := json.Unmarshal(req.Body.Get("messages"), &messages); err != nil {
		t.Fatalf("messages: %v", err)
	}
	return messages
}
