//go:build llm

package llmtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// An answer is what came of one request.
type answer struct {
	status  int
	code    string   // of the error
	mended  []string // codes
	reasks  int
	latency time.Duration
}

func (a answer) String() string {
	return fmt.Sprintf("%s in %s, %d re-asks, mended %q", strings.TrimSpace(fmt.Sprint(a.status, " ", a.code)), a.latency.Round(time.Millisecond), a.reasks, a.mended)
}

// ask puts a request and reports whatever breaks the contract, whether the model
// did well or not.
func (e *endpoint) ask(t *testing.T, q *question, seed int) answer {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, e.url, bytes.NewReader(q.seeded(t, seed)))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+callerKey)
	request.Header.Set("Content-Type", "application/json")
	start := time.Now()
	response, err := e.client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	a := answer{status: response.StatusCode, latency: time.Since(start)}
	if list := response.Header.Get("X-Endpoint-Mended"); list != "" {
		a.mended = strings.Split(list, ",")
	}
	a.reasks = e.reasks(t, response.Header.Get("X-Request-Id"))
	if a.status == http.StatusOK {
		err = q.check(t, body)
	} else {
		a.code, err = contractError(a.status, body)
	}
	if err != nil {
		t.Errorf("%s, seed %d: %v: %d %s", q.kind, seed, err, a.status, body)
	}
	return a
}

// reasks is how often an answer was put back to the model, from the log line.
func (e *endpoint) reasks(t *testing.T, requestID string) int {
	t.Helper()
	e.chat.Invocations() // waits until the function is done with the request
	for _, line := range e.chat.Logs() {
		var entry struct {
			RequestID string `json:"request_id"`
			Msg       string `json:"msg"`
			Reasks    int    `json:"reasks"`
		}
		if json.Unmarshal([]byte(line), &entry) == nil && entry.Msg == "request" && entry.RequestID == requestID {
			return entry.Reasks
		}
	}
	t.Errorf("no log line for request %q", requestID)
	return 0
}

// codes are the errors that a model and its server can be the reason of, each
// with its status, as docs/contract.md has them.
var codes = map[string]int{
	"context_length_exceeded": 400, "max_tokens_reached": 400, "unsupported_parameter": 400, "invalid_value": 400,
	"no_tool_call": 502, "invalid_tool_call": 502, "several_tool_calls": 502, "invalid_json_answer": 502,
	"model_error": 502, "upstream_error": 502, "timeout": 504,
}

// contractError returns the code of an error that is as the contract says.
func contractError(status int, body []byte) (string, error) {
	var e map[string]map[string]*string
	if err := json.Unmarshal(body, &e); err != nil {
		return "", fmt.Errorf("an error of another form: %w", err)
	}
	members := e["error"]
	message, kind, code := members["message"], members["type"], members["code"]
	if _, found := members["param"]; !found || len(e) != 1 || len(members) != 4 || message == nil || *message == "" || kind == nil || code == nil {
		return "", fmt.Errorf("an error of another form")
	}
	want := map[bool]string{true: "invalid_request_error", false: "server_error"}[status < 500]
	if codes[*code] != status || *kind != want {
		return *code, fmt.Errorf("no such error in the contract")
	}
	return *code, nil
}

// A choice is what an answer says: the first choice of a completion, or of the
// chunks of a stream put together.
type choice struct {
	FinishReason string `json:"finish_reason"`
	Message      struct {
		Content   *string `json:"content"`
		ToolCalls []call  `json:"tool_calls"`
	} `json:"message"`
}

type call struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

// check says what is wrong with a good status's body.
func (q *question) check(t *testing.T, body []byte) error {
	t.Helper()
	c, err := parse(body, q.stream)
	if err != nil {
		return err
	}
	switch {
	case q.tools != nil:
		return q.checkCall(c)
	case c.Message.Content == nil || c.Message.ToolCalls != nil:
		return fmt.Errorf("no text, or calls of tools that were not offered")
	case q.format != nil:
		return validate(q.format.JSONSchema.Schema, *c.Message.Content)
	case c.FinishReason != "stop" && c.FinishReason != "length":
		return fmt.Errorf("finish reason %q", c.FinishReason)
	}
	return nil
}

func (q *question) checkCall(c *choice) error {
	if len(c.Message.ToolCalls) != 1 || c.FinishReason != "tool_calls" {
		return fmt.Errorf("not exactly one call")
	}
	made := c.Message.ToolCalls[0]
	if made.ID == "" || made.Type != "function" || q.only != "" && made.Function.Name != q.only {
		return fmt.Errorf("a call that was not asked for")
	}
	for _, offered := range q.tools {
		if offered.Function.Name == made.Function.Name {
			if !strings.HasPrefix(strings.TrimSpace(made.Function.Arguments), "{") {
				return fmt.Errorf("arguments that are no object")
			}
			return validate(offered.Function.Parameters, made.Function.Arguments)
		}
	}
	return fmt.Errorf("a tool that was not offered")
}

// parse reads a completion, or puts the chunks of a stream together.
func parse(body []byte, stream bool) (*choice, error) {
	var whole struct{ Choices []choice }
	if !stream {
		if err := json.Unmarshal(body, &whole); err != nil || len(whole.Choices) != 1 {
			return nil, fmt.Errorf("no completion with one choice: %w", err)
		}
		return &whole.Choices[0], nil
	}
	events, done := bytes.CutSuffix(bytes.TrimSpace(body), []byte("data: [DONE]"))
	if !done {
		return nil, fmt.Errorf("a stream without an end")
	}
	c := &choice{}
	for event := range strings.SplitSeq(strings.TrimSpace(string(events)), "\n\n") {
		var chunk struct {
			Choices []struct {
				FinishReason string `json:"finish_reason"`
				Delta        struct {
					Content   string `json:"content"`
					ToolCalls []call `json:"tool_calls"`
				} `json:"delta"`
			}
		}
		if err := json.Unmarshal([]byte(strings.TrimPrefix(event, "data: ")), &chunk); err != nil {
			return nil, fmt.Errorf("a chunk that is no JSON: %w", err)
		}
		for _, part := range chunk.Choices {
			c.FinishReason += part.FinishReason
			for _, more := range part.Delta.ToolCalls {
				if more.ID != "" {
					c.Message.ToolCalls = append(c.Message.ToolCalls, call{ID: more.ID, Type: more.Type})
				}
				if len(c.Message.ToolCalls) == 0 {
					return nil, fmt.Errorf("a call without an id")
				}
				last := &c.Message.ToolCalls[len(c.Message.ToolCalls)-1]
				last.Function.Name += more.Function.Name
				last.Function.Arguments += more.Function.Arguments
			}
		}
	}
	return c, nil
}

// validate judges JSON by a schema as it was sent, with the schema library alone
// and nothing of the endpoint's between them. Without a schema any object will do.
func validate(schema json.RawMessage, text string) error {
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		return fmt.Errorf("no JSON: %w", err)
	}
	if schema == nil {
		schema = json.RawMessage(`{"type":"object"}`)
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
	if err != nil {
		return fmt.Errorf("schema: %w", err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	const here = "https://example.org/schema"
	if err := compiler.AddResource(here, document); err != nil {
		return fmt.Errorf("schema: %w", err)
	}
	compiled, err := compiler.Compile(here)
	if err != nil {
		return fmt.Errorf("schema: %w", err)
	}
	return compiled.Validate(value)
}
