//go:build llm

package llmtest

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// requestsDir holds the requests that the whole endpoint is tested with, and
// expectationsDir what has to come of each.
const (
	requestsDir     = "../app/testdata/requests"
	expectationsDir = "../app/testdata/expectations"
)

// A question is a request of one kind.
type question struct {
	kind   string
	body   map[string]json.RawMessage
	format *responseFormat
	tools  []tool
	only   string // the one tool that tool_choice names, if it does
	stream bool
}

type tool struct {
	Function struct {
		Name       string          `json:"name"`
		Parameters json.RawMessage `json:"parameters"`
	} `json:"function"`
}

type responseFormat struct {
	JSONSchema struct {
		Schema json.RawMessage `json:"schema"`
	} `json:"json_schema"`
}

// further are answers that HyperStudy can ask for and the requests of
// internal/app do not: the screen, and the schema of its answer.
var further = []struct{ kind, screen, schema string }{
	{"rating-below-zero", "Type: vasrating\\nWas the film sad or happy? -50 = sad, 50 = happy", `{"type":"number","minimum":-50,"maximum":50}`},
	{"rating-at-pause", "Type: sparserating, pause 3 of 8\\nHow tense is it now? 0 = calm, 10 = very tense", `{"type":"integer","minimum":0,"maximum":10}`},
	{"number-in-steps", "Type: textinput, number\\nHow many hours did you sleep? Halves count.", `{"type":"number","minimum":0,"maximum":24,"multipleOf":0.5}`},
	{"text-short", "Type: textinput, short answer\\nOne word for this week:", `{"type":"string","minLength":1,"maxLength":20}`},
	{"text-email", "Type: textinput, email\\nWhere may we write to? Invent an address at example.org.", `{"type":"string","format":"email"}`},
	{"rapid-rate", "Type: rapidrate, 0 to 100 each\\nfear, joy, 驚き", `{"type":"object","properties":{"fear":{"type":"number","minimum":0,"maximum":100},` +
		`"joy":{"type":"number","minimum":0,"maximum":100},"驚き":{"type":"number","minimum":0,"maximum":100}},"required":["fear","joy","驚き"],"additionalProperties":false}`},
	{"comprehension", "Type: instructions with questions\\nQuestion 1: Who gets the money? Question 2: May you talk?",
		`{"type":"object","properties":{"q1":{"enum":["me","the other one","both of us"]},"q2":{"type":"boolean"}},"required":["q1","q2"],"additionalProperties":false}`},
	{"consent", "Type: consent\\nDo you agree to take part?", `{"type":"boolean"}`},
}

// furtherBody is a request with one of them.
const furtherBody = `{"model":"agent","messages":[{"role":"system","content":"You are Odile, 51, a nurse on holiday. Choose one of your tools and call it once."},
{"role":"user","content":"### Now on screen\n%s"}],"tools":[
{"type":"function","function":{"name":"wait","description":"Let this turn pass.","parameters":{"type":"object","properties":{},"additionalProperties":false}}},
{"type":"function","function":{"name":"submit_response","description":"Answer what is on the screen.",
"parameters":{"type":"object","properties":{"value":%s},"required":["value"],"additionalProperties":false}}}],"tool_choice":"auto","max_tokens":200}`

// questions are one request of each kind. Those that are refused whatever the
// model says, or cut off, are left to internal/app.
func questions(t *testing.T) []*question {
	t.Helper()
	paths, err := filepath.Glob(requestsDir + "/*.json")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no requests: %v", err)
	}
	var list []*question
	for _, path := range paths {
		var expected struct{ Kind string }
		decode(t, read(t, filepath.Join(expectationsDir, filepath.Base(path))), &expected)
		if expected.Kind != "error" {
			list = append(list, newQuestion(t, strings.TrimSuffix(filepath.Base(path), ".json"), read(t, path)))
		}
	}
	for _, f := range further {
		list = append(list, newQuestion(t, f.kind, fmt.Appendf(nil, furtherBody, f.screen, f.schema)))
	}
	return list
}

func newQuestion(t *testing.T, kind string, body []byte) *question {
	t.Helper()
	q := &question{kind: kind}
	decode(t, body, &q.body)
	var request struct {
		Tools          []tool          `json:"tools"`
		ToolChoice     json.RawMessage `json:"tool_choice"`
		ResponseFormat *responseFormat `json:"response_format"`
		Stream         bool            `json:"stream"`
	}
	decode(t, body, &request)
	q.tools, q.format, q.stream = request.Tools, request.ResponseFormat, request.Stream
	var named tool
	if json.Unmarshal(request.ToolChoice, &named) == nil { // else it is a word
		q.only = named.Function.Name
	}
	return q
}

// seeded is the request with a seed, without which the server draws one itself.
func (q *question) seeded(t *testing.T, seed int) []byte {
	t.Helper()
	q.body["seed"] = fmt.Append(nil, seed)
	body, err := json.Marshal(q.body)
	if err != nil {
		t.Fatal(err)
	}
	return body
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func decode(t *testing.T, data []byte, v any) {
	t.Helper()
	if err := json.Unmarshal(data, v); err != nil {
		t.Fatalf("%v: %.200s", err, data)
	}
}
