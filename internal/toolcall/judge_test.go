package toolcall

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"hyperstudy-endpoint/internal/openai"
)

// A judgeCase is a file in testdata/judge/*: a request, the answer to it, and
// what is to be found about the answer. Its folder is the number of the behaviour
// in the package's documentation, or says what else the cases have in common.
type judgeCase struct {
	Request json.RawMessage `json:"request"`
	Answer  struct {
		Content   *string     `json:"content"`
		Reasoning string      `json:"reasoning"`
		Calls     [][2]string `json:"calls"` // name and arguments
	} `json:"answer"`
	Want struct {
		Problem    string      `json:"problem"`
		Calls      [][2]string `json:"calls"` // to pass on
		Mended     []string    `json:"mended"`
		Violations [][2]string `json:"violations"` // of the first call: pointer and message
		Cut        bool        `json:"cut"`
	} `json:"want"`
}

var problemNames = map[string]Problem{
	"none": None, "no_tool_call": NoToolCall, "invalid_tool_call": InvalidToolCall, "several_tool_calls": SeveralToolCalls,
}

func TestJudge(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/judge/*/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(strings.TrimPrefix(filepath.ToSlash(file), "testdata/judge/"), ".json")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := readCase(t, file)
			m := c.message()
			before := mustMarshal(t, m)
			j := newJudge(t, c.Request)
			checkVerdict(t, c, m, j.Judge(m))
			if after := mustMarshal(t, m); !bytes.Equal(before, after) {
				t.Errorf("the message was changed:\n%s\n%s", before, after)
			}
		})
	}
}

// TestRows fails if a behaviour that this package deals with has no cases.
func TestRows(t *testing.T) {
	t.Parallel()
	for _, row := range []string{
		"row01", "row02", "row03", "row04", "row05", "row06", "row07", "row08", "row09",
		"row10", "row11", "row12", "row15", "row16", "row17", "row18", "row19",
	} {
		if files, err := filepath.Glob("testdata/judge/" + row + "/*.json"); err != nil || len(files) < 5 {
			t.Errorf("%s has %d cases: %v", row, len(files), err)
		}
	}
}

func readCase(t testing.TB, file string) judgeCase {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var c judgeCase
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&c); err != nil {
		t.Fatal(err)
	}
	return c
}

func (c *judgeCase) message() *openai.AnswerMessage {
	return answer(c.Answer.Content, c.Answer.Reasoning, c.Answer.Calls...)
}

// answer is a message with these calls, each a name and arguments.
func answer(content *string, reasoning string, calls ...[2]string) *openai.AnswerMessage {
	m := &openai.AnswerMessage{Role: "assistant", Content: content, ReasoningContent: reasoning}
	for i, call := range calls {
		m.ToolCalls = append(m.ToolCalls, openai.ToolCall{
			ID: "call_" + string(rune('a'+i)), Type: "function",
			Function: openai.FunctionCall{Name: call[0], Arguments: call[1]},
		})
	}
	return m
}

func newJudge(t *testing.T, request json.RawMessage) *Judge {
	t.Helper()
	req, err := openai.DecodeRequest(bytes.NewReader(request))
	if err != nil {
		t.Fatal(err)
	}
	j, err := New(req)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

func checkVerdict(t *testing.T, c judgeCase, m *openai.AnswerMessage, v Verdict) {
	t.Helper()
	want, ok := problemNames[c.Want.Problem]
	if !ok {
		t.Fatalf("unknown problem %q", c.Want.Problem)
	}
	if v.Problem != want {
		t.Fatalf("problem %v, want %v; calls %+v", v.Problem, want, v.Calls)
	}
	if !slices.Equal(v.Mended, c.Want.Mended) {
		t.Errorf("mended %q, want %q", v.Mended, c.Want.Mended)
	}
	switch v.Problem {
	case None:
		checkPassedOn(t, c, m, v)
	case InvalidToolCall:
		checkInvalid(t, c, m, v)
	case NoToolCall:
		if len(v.Calls) != 0 {
			t.Errorf("calls %+v", v.Calls)
		}
	case SeveralToolCalls:
		if len(v.Calls) < 2 {
			t.Errorf("calls %+v", v.Calls)
		}
	}
}

func checkPassedOn(t *testing.T, c judgeCase, m *openai.AnswerMessage, v Verdict) {
	t.Helper()
	var got [][2]string
	for _, judged := range v.Calls {
		got = append(got, [2]string{judged.Call.Function.Name, judged.Call.Function.Arguments})
		if len(judged.Violations) > 0 || judged.Call.ID == "" || judged.Call.Type != "function" {
			t.Errorf("call %+v", judged)
		}
	}
	if !reflect.DeepEqual(got, c.Want.Calls) {
		t.Errorf("calls %q, want %q", got, c.Want.Calls)
	}
	if len(m.ToolCalls) > 0 && v.Calls[0].Call.ID != m.ToolCalls[0].ID {
		t.Errorf("id %q, want %q", v.Calls[0].Call.ID, m.ToolCalls[0].ID)
	}
	if len(m.ToolCalls) == 0 && !strings.HasPrefix(v.Calls[0].Call.ID, "call_") {
		t.Errorf("id %q of a call that was written as text", v.Calls[0].Call.ID)
	}
}

func checkInvalid(t *testing.T, c judgeCase, m *openai.AnswerMessage, v Verdict) {
	t.Helper()
	if c.Want.Violations == nil { // of several calls
		return
	}
	var got [][2]string
	for _, violation := range v.Calls[0].Violations {
		got = append(got, [2]string{violation.Pointer, violation.Message})
	}
	if !reflect.DeepEqual(got, c.Want.Violations) {
		t.Errorf("violations %q, want %q", got, c.Want.Violations)
	}
	if v.Calls[0].Cut != c.Want.Cut {
		t.Errorf("cut %v, want %v", v.Calls[0].Cut, c.Want.Cut)
	}
	if len(m.ToolCalls) > 0 && !reflect.DeepEqual(v.Calls[0].Call, m.ToolCalls[0]) {
		t.Errorf("an invalid call was changed: %+v, was %+v", v.Calls[0].Call, m.ToolCalls[0])
	}
}

func mustMarshal(t *testing.T, v any) []byte {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func TestManyCalls(t *testing.T) {
	t.Parallel()
	req := &openai.ChatCompletionRequest{Tools: []openai.Tool{{Name: "rate", Parameters: []byte(`{"type":"object","properties":{"value":{"type":"integer"}},"required":["value"]}`)}}}
	j, err := New(req)
	if err != nil {
		t.Fatal(err)
	}
	calls := func(n int, last string) *openai.AnswerMessage {
		m := &openai.AnswerMessage{}
		for range n {
			m.ToolCalls = append(m.ToolCalls, openai.ToolCall{Function: openai.FunctionCall{Name: "rate", Arguments: `{"value":1}`}})
		}
		m.ToolCalls[n-1].Function.Arguments = last
		return m
	}
	for _, tc := range []struct {
		name string
		m    *openai.AnswerMessage
		want Problem
	}{
		{"all alike", calls(10*maxCalls, `{"value":1}`), None},
		{"the last one differs", calls(10*maxCalls, `{"value":2}`), SeveralToolCalls},
		{"the last one is written differently", calls(10*maxCalls, `{"value": 1}`), None},
	} {
		if v := j.Judge(tc.m); v.Problem != tc.want || tc.want == None && (len(v.Calls) != 1 || !slices.Equal(v.Mended, []string{MendIdenticalCalls})) {
			t.Errorf("%s: %+v, want %v", tc.name, v, tc.want)
		}
	}
}
