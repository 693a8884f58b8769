package app_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// A completion is what the endpoint answers with, as its callers decode it.
type completion struct {
	ID                string   `json:"id"`
	Object            string   `json:"object"`
	Created           int64    `json:"created"`
	Model             string   `json:"model"`
	Choices           []choice `json:"choices"`
	Usage             usage    `json:"usage"`
	SystemFingerprint string   `json:"system_fingerprint"`
}

type choice struct {
	Index        *int            `json:"index"`
	Message      answerMessage   `json:"message"`
	Logprobs     json.RawMessage `json:"logprobs"`
	FinishReason string          `json:"finish_reason"`
}

type answerMessage struct {
	Role             string         `json:"role"`
	Content          *string        `json:"content"`
	Refusal          *string        `json:"refusal"`
	ReasoningContent string         `json:"reasoning_content"`
	ToolCalls        []answeredCall `json:"tool_calls"`
}

type answeredCall struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

type usage struct {
	PromptTokens            *int           `json:"prompt_tokens"`
	CompletionTokens        *int           `json:"completion_tokens"`
	TotalTokens             *int           `json:"total_tokens"`
	PromptTokensDetails     map[string]int `json:"prompt_tokens_details"`
	CompletionTokensDetails map[string]int `json:"completion_tokens_details"`
}

// strictly decodes JSON whose members are all known.
func strictly(t *testing.T, data []byte, target any) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(target); err != nil {
		t.Fatalf("%v in %s", err, data)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		t.Fatalf("more than one value in %s", data)
	}
}

// completion is the completion in an answer, checked for what holds for all.
func (a answer) completion(t *testing.T) completion {
	t.Helper()
	if a.status != 200 {
		t.Fatalf("status %d: %s", a.status, a.body)
	}
	a.checkHeader(t)
	kind, _, err := mime.ParseMediaType(a.header.Get("Content-Type"))
	if err != nil {
		t.Errorf("Content-Type: %v", err)
	}
	var c completion
	switch kind {
	case "application/json":
		strictly(t, a.body, &c)
	case "text/event-stream":
		c = a.assemble(t)
	default:
		t.Fatalf("Content-Type %q", kind)
	}
	c.check(t, a.body)
	return c
}

var fingerprintForm = regexp.MustCompile(`^fp_[0-9a-f]{8,}$`)

// check holds a completion to the form that callers rely on.
func (c *completion) check(t *testing.T, body []byte) {
	t.Helper()
	if c.ID == "" || c.Object != "chat.completion" || c.Created < 1_600_000_000 || c.Model == "" || c.Model == "agent" || c.Model == "default" ||
		!fingerprintForm.MatchString(c.SystemFingerprint) {
		t.Errorf("incomplete envelope: %s", body)
	}
	u := c.Usage
	if u.PromptTokens == nil || u.CompletionTokens == nil || u.TotalTokens == nil || *u.PromptTokens+*u.CompletionTokens != *u.TotalTokens {
		t.Errorf("usage does not add up: %s", body)
	}
	if len(c.Choices) != 1 || c.Choices[0].Index == nil || *c.Choices[0].Index != 0 || c.Choices[0].Message.Role != "assistant" {
		t.Fatalf("choices: %s", body)
	}
	calls := c.Choices[0].Message.ToolCalls
	if (len(calls) > 0) != (c.Choices[0].FinishReason == "tool_calls") || c.Choices[0].FinishReason == "" {
		t.Errorf("finish_reason %q with %d calls", c.Choices[0].FinishReason, len(calls))
	}
	if len(calls) == 0 && (c.Choices[0].Message.Content == nil || bytes.Contains(body, []byte(`"tool_calls"`))) {
		t.Errorf("an answer in text: %s", body)
	}
	for _, call := range calls {
		if call.ID == "" || call.Type != "function" || !isObject(call.Function.Arguments) {
			t.Errorf("call %+v", call)
		}
	}
}

// call is the only tool call of a completion.
func (c *completion) call(t *testing.T) (name, arguments string) {
	t.Helper()
	list := c.Choices[0].Message.ToolCalls
	if len(list) != 1 {
		t.Fatalf("%d tool calls: %+v", len(list), list)
	}
	return list[0].Function.Name, list[0].Function.Arguments
}

// text is the content of a completion without calls.
func (c *completion) text(t *testing.T) string {
	t.Helper()
	m := c.Choices[0].Message
	if m.Content == nil || m.ToolCalls != nil {
		t.Fatalf("no text: %+v", m)
	}
	return *m.Content
}

// billed fails the test unless the usage is want.
func (c *completion) billed(t *testing.T, want tokens) {
	t.Helper()
	if *c.Usage.PromptTokens != want.prompt || *c.Usage.CompletionTokens != want.completion {
		t.Errorf("usage %d + %d, want %d + %d", *c.Usage.PromptTokens, *c.Usage.CompletionTokens, want.prompt, want.completion)
	}
}

var requestIDForm = regexp.MustCompile(`^[A-Za-z0-9_-]{16,64}$`)

// checkHeader checks the header that every answer of the functions has.
func (a answer) checkHeader(t *testing.T) {
	t.Helper()
	if !requestIDForm.MatchString(a.header.Get("X-Request-Id")) || a.header.Get("Cache-Control") != "no-store" {
		t.Errorf("X-Request-Id %q, Cache-Control %q", a.header.Get("X-Request-Id"), a.header.Get("Cache-Control"))
	}
}

// disclosed fails the test unless the header says that attempts were made and
// these things mended.
func (a answer) disclosed(t *testing.T, attempts int, mended string) {
	t.Helper()
	if got := a.header.Get("X-Endpoint-Attempts"); got != strconv.Itoa(attempts) {
		t.Errorf("X-Endpoint-Attempts %q, want %d", got, attempts)
	}
	if got := a.header.Get("X-Endpoint-Mended"); got != mended {
		t.Errorf("X-Endpoint-Mended %q, want %q", got, mended)
	}
}

// A failure is an error as the endpoint reports it.
type failure struct {
	status                     int
	message, kind, param, code string
}

// failure is the error in an answer, checked for its form.
func (a answer) failure(t *testing.T) failure {
	t.Helper()
	var body struct {
		Error map[string]*string `json:"error"`
	}
	strictly(t, a.body, &body)
	e := body.Error
	if a.status < 400 || a.header.Get("Content-Type") != "application/json" || len(e) != 4 || e["message"] == nil || *e["message"] == "" || e["type"] == nil {
		t.Fatalf("%d is not an error of the API: %s", a.status, a.body)
	}
	for _, name := range []string{"param", "code"} {
		if _, ok := e[name]; !ok {
			t.Errorf("no %s in %s", name, a.body)
		}
	}
	text := func(name string) string {
		if e[name] == nil {
			return ""
		}
		return *e[name]
	}
	f := failure{a.status, text("message"), text("type"), text("param"), text("code")}
	wantKind := "invalid_request_error"
	switch {
	case a.status == 429:
		wantKind = "rate_limit_error"
	case a.status >= 500:
		wantKind = "server_error"
	}
	if f.kind != wantKind {
		t.Errorf("type %q with status %d", f.kind, a.status)
	}
	if retry := a.header.Get("Retry-After"); (retry != "") != (a.status == 429 || a.status == 503) {
		t.Errorf("Retry-After %q with status %d", retry, a.status)
	}
	return f
}

// failed fails the test unless the answer is the error with this status and code.
func (a answer) failed(t *testing.T, status int, code, param string) failure {
	t.Helper()
	f := a.failure(t)
	if f.status != status || f.code != code || f.param != param {
		t.Errorf("%d %s (param %q), want %d %s (param %q): %s", f.status, f.code, f.param, status, code, param, f.message)
	}
	return f
}

// compact is JSON without white space, its members and numbers as they are.
func compact(t *testing.T, data string) string {
	t.Helper()
	var b bytes.Buffer
	if err := json.Compact(&b, []byte(data)); err != nil {
		t.Fatalf("%v in %s", err, data)
	}
	return b.String()
}

// lines are what stands between two line ends, for messages of tests.
func lines(list []string) string { return strings.Join(list, "\n") }
