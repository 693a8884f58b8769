package openai

import (
	"encoding/json"
	"reflect"
	"testing"
)

const (
	askOne  = `{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"f"}}]}`
	askTwo  = `{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"f"}},{"id":"b","function":{"name":"g"}}]}`
	resultA = `{"role":"tool","tool_call_id":"a","content":"1"}`
	resultB = `{"role":"tool","tool_call_id":"b","content":"2"}`
	user    = `{"role":"user","content":"x"}`
)

func conversation(messages ...string) string {
	body := `{"messages":[`
	for i, m := range messages {
		if i > 0 {
			body += ","
		}
		body += m
	}
	return body + "]}"
}

func TestConversation(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"result":                             conversation(user, askOne, resultA),
		"result and more":                    conversation(user, askOne, resultA, user),
		"two results":                        conversation(askTwo, resultA, resultB),
		"results in another order":           conversation(askTwo, resultB, resultA, user),
		"same id in two turns":               conversation(askOne, resultA, askOne, resultA),
		"turn after turn":                    conversation(askOne, resultA, askTwo, resultA, resultB, user),
		"assistant without calls in between": conversation(user, `{"role":"assistant","content":"y"}`, user),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			decode(t, body)
		})
	}
	const value = CodeInvalidValue
	checkRefusals(t, []refusal{
		{"result of nothing", conversation(user, resultA), "messages[1].role", value},
		{"result first", conversation(resultA, user), "messages[0].role", value},
		{"second result of one call", conversation(askOne, resultA, resultA), "messages[2].tool_call_id", value},
		{"result of another call", conversation(askOne, resultB), "messages[1].tool_call_id", value},
		{"no result", conversation(user, askOne), "messages[1].tool_calls", value},
		{"no result before the user", conversation(askOne, user), "messages[0].tool_calls", value},
		{"one result of two", conversation(askTwo, resultA, user), "messages[0].tool_calls", value},
		{"result too late", conversation(askOne, user, resultA), "messages[0].tool_calls", value},
		{"result after the turn", conversation(askOne, resultA, user, resultA), "messages[3].role", value},
		{"one id twice", conversation(`{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"f"}},{"id":"a","function":{"name":"g"}}]}`, resultA), "messages[0].tool_calls[1].id", value},
	})
}

// inStep fails the test unless decoding a request's body gives its fields.
func inStep(t *testing.T, req *ChatCompletionRequest) {
	t.Helper()
	body, err := req.Body.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	again := *decode(t, string(body))
	got := *req
	again.Body, got.Body = Object{}, Object{}
	if !reflect.DeepEqual(got, again) {
		t.Errorf("the body %s gives\n%+v, but the fields are\n%+v", body, again, got)
	}
}

// unchanged returns a check that a request is as it was at the time of the call.
func unchanged(t *testing.T, req *ChatCompletionRequest) func() {
	t.Helper()
	text := func() string {
		body, err := json.Marshal(req.Body)
		if err != nil {
			return "broken body: " + err.Error()
		}
		fields, err := json.Marshal([]any{req.Model, req.Messages, req.Tools, req.ToolChoice, req.MaxTokens, req.MaxTokensParam})
		if err != nil {
			return "broken fields: " + err.Error()
		}
		return string(body) + string(fields)
	}
	before := text()
	return func() {
		t.Helper()
		if after := text(); after != before {
			t.Errorf("the original was changed from\n%s to\n%s", before, after)
		}
	}
}

func TestWithMessages(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"compact":              `{"messages":[` + user + `],"zz":1}`,
		"space in the list":    `{"messages": [ ` + user + "  \n ] , \"zz\":1}",
		"two messages":         `{"zz":{"a":[]},"messages":[` + user + `,` + user + `]}`,
		"parts not understood": `{"messages":[{"role":"user","content":[{"type":"file","file":{"file_id":"f-1"}}],"extra":1.0}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			req := decode(t, body)
			check := unchanged(t, req)
			call := Message{Role: RoleAssistant, ToolCalls: []ToolCall{{ID: "a", Type: "function", Function: FunctionCall{"f", `{"<&>":"é"}`}}}}
			result := Message{Role: RoleTool, ToolCallID: "a", Content: []Part{{Type: PartText, Text: "no\n"}}}
			first, err := req.WithMessages(call, result)
			if err != nil {
				t.Fatal(err)
			}
			check()
			inStep(t, first)
			if got, want := first.Messages[len(req.Messages):], []Message{call, result}; !reflect.DeepEqual(got, want) {
				t.Errorf("added %+v", got)
			}
			checkFirst := unchanged(t, first)
			for _, text := range []string{"one", "another"} {
				second, err := first.WithMessages(TextMessage(RoleUser, text))
				if err != nil {
					t.Fatal(err)
				}
				inStep(t, second)
			}
			same, err := first.WithMessages()
			if err != nil {
				t.Fatal(err)
			}
			inStep(t, same)
			checkFirst()
			check()
		})
	}
}

func TestWithForcedTool(t *testing.T) {
	t.Parallel()
	cases := []struct{ name, members, want string }{
		{"no choice", offer("f", "g"), `"required"`},
		{"auto", offer("f", "g") + `,"tool_choice":"auto"`, `"required"`},
		{"required", offer("f", "g") + `,"tool_choice":"required"`, `"required"`},
		{"function", offer("f", "g") + `,"tool_choice":{"type":"function","function":{"name":"g"}}`, `{"type":"function","function":{"name":"g"}}`},
		{"allowed tools", offer("f", "g") + `,"tool_choice":{"type":"allowed_tools","allowed_tools":{"mode":"auto","tools":[{"type":"function","function":{"name":"g"}}],"x":1}}`,
			`{"type":"allowed_tools","allowed_tools":{"mode":"required","tools":[{"type":"function","function":{"name":"g"}}],"x":1}}`},
		{"allowed tools, one required", offer("f") + `,"tool_choice":{"allowed_tools":{"tools":[{"function":{"name":"f"}}],"mode":"required"},"type":"allowed_tools"}`,
			`{"allowed_tools":{"tools":[{"function":{"name":"f"}}],"mode":"required"},"type":"allowed_tools"}`},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			req := decode(t, tc.members)
			check := unchanged(t, req)
			forced, err := req.WithForcedTool()
			if err != nil {
				t.Fatal(err)
			}
			check()
			inStep(t, forced)
			if !forced.ToolChoice.Forced() || string(forced.Body.Get("tool_choice")) != tc.want {
				t.Errorf("choice is %+v, in the body %s", forced.ToolChoice, forced.Body.Get("tool_choice"))
			}
			if !reflect.DeepEqual(forced.CallableTools(), req.CallableTools()) {
				t.Errorf("callable tools became %+v", forced.CallableTools())
			}
		})
	}
}

func TestWithModel(t *testing.T) {
	t.Parallel()
	for _, members := range []string{``, `"model":"default","top_p":1`} {
		req := decode(t, members)
		check := unchanged(t, req)
		got, err := req.WithModel(`a"b/é:0`)
		if err != nil {
			t.Fatal(err)
		}
		check()
		inStep(t, got)
		if got.Model != `a"b/é:0` {
			t.Errorf("model is %s", got.Model)
		}
	}
}

func TestWithMaxTokens(t *testing.T) {
	t.Parallel()
	for members, param := range map[string]string{
		``:                          "max_tokens",
		`"max_tokens":5`:            "max_tokens",
		`"max_completion_tokens":5`: "max_completion_tokens",
		`"max_tokens":5,"max_completion_tokens":6`: "max_completion_tokens",
	} {
		req := decode(t, members)
		check := unchanged(t, req)
		got := req.WithMaxTokens(99)
		check()
		inStep(t, got)
		if *got.MaxTokens != 99 || got.MaxTokensParam != param || string(got.Body.Get(param)) != "99" {
			t.Errorf("%s: got %d as %s", members, *got.MaxTokens, got.MaxTokensParam)
		}
	}
}
