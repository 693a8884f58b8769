package chat

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"hyperstudy-endpoint/internal/openai"
)

func TestValidCallIsPassedOnByteForByte(t *testing.T) {
	t.Parallel()
	for _, arguments := range []string{`{"value":71}`, `{ "value" : 63.50 }`, `{"value":1e1}`, "{\n\"value\":-0\n}", `{"value":0.1000000000000000055511151231257827}`} {
		p := &script{replies: []reply{{completion: answer("I feel it.", call("call_x", "submit_response", arguments))}}}
		got, report, err := completer(p, Options{}).Complete(t.Context(), rating(t, ""), nil)
		if err != nil {
			t.Fatalf("%s: %v", arguments, err)
		}
		choice := got.Choices[0]
		if call := choice.Message.ToolCalls[0]; call.Function.Arguments != arguments || call.ID != "call_x" {
			t.Errorf("%s came back as %+v", arguments, call)
		}
		if choice.FinishReason != openai.FinishToolCalls || *choice.Message.Content != "I feel it." {
			t.Errorf("%s: choice %+v", arguments, choice)
		}
		if report.Attempts != 1 || report.Mended != nil || got.SystemFingerprint != "fp_1" || got.Model != "upstream-id" {
			t.Errorf("%s: report %+v, completion %+v", arguments, report, got)
		}
	}
}

func TestModelNames(t *testing.T) {
	t.Parallel()
	c := New([]Model{{Alias: "first", ID: "1"}, {Alias: "second", ID: "2"}}, Options{})
	for name, want := range map[string]string{"": "1", "default": "1", "first": "1", "second": "2"} {
		if m, err := c.find(name); err != nil || m.ID != want {
			t.Errorf("find(%q) = %+v, %v", name, m, err)
		}
	}
	_, err := c.find("Second")
	if e := asError(t, err); e.Status != http.StatusNotFound || e.Code != openai.CodeModelNotFound || e.Param != "model" || !strings.Contains(e.Message, "'first', 'second'") {
		t.Errorf("find of an unknown name: %+v", e)
	}
}

func TestTheProviderIsSentTheCallersRequest(t *testing.T) {
	t.Parallel()
	p := &script{replies: []reply{{completion: submit(`{"value":1}`)}}}
	req := rating(t, `,"temperature":0.30,"min_p":0.05,"seed":42`)
	if _, _, err := completer(p, Options{}).Complete(t.Context(), req, nil); err != nil {
		t.Fatal(err)
	}
	sent := p.requests[0]
	if sent.Model != "upstream-id" || string(sent.Body.Get("model")) != `"upstream-id"` {
		t.Errorf("model %q, %s", sent.Model, sent.Body.Get("model"))
	}
	for _, name := range []string{"messages", "tools", "temperature", "min_p", "seed"} {
		if string(sent.Body.Get(name)) != string(req.Body.Get(name)) {
			t.Errorf("%s was changed to %s", name, sent.Body.Get(name))
		}
	}
	if req.Model != "fast" {
		t.Error("the caller's own request was changed")
	}
}

func TestReask(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name     string
		members  string
		bad      *openai.ChatCompletion
		roles    string // of the messages added
		contains []string
		forced   bool
	}{
		{
			name: "value out of range", bad: submit(`{"value":140}`), roles: "assistant tool",
			contains: []string{"/value", "send_chat, wait, submit_response"},
		},
		{
			name: "prose", bad: answer("I'd say about 70."), roles: "assistant user",
			contains: []string{"no tool was called", "send_chat, wait, submit_response"}, forced: true,
		},
		{name: "nothing at all", bad: answer(""), roles: "user", contains: []string{"no tool was called"}, forced: true},
		{
			name: "prose of a model that reasons", members: `,"reasoning_effort":"low"`, bad: answer("Hm."), roles: "assistant user",
			contains: []string{"no tool was called"},
		},
		{name: "unknown tool", bad: answer("", call("a", "execute python!", `{"value":1}`)), roles: "assistant tool", contains: []string{"send_chat, wait, submit_response"}},
		{
			name:  "two different calls",
			bad:   answer("", call("a", "send_chat", `{"message":"hi"}`), call("b", "submit_response", `{"value":1}`)),
			roles: "assistant tool tool", contains: []string{"more than one tool"},
		},
		{name: "a thousand calls", bad: manyCalls(1000), roles: "assistant" + strings.Repeat(" tool", maxReplayed), contains: []string{"more than one tool"}},
		{name: "arguments that are not JSON", bad: submit(`{"value":`), roles: "assistant tool", contains: []string{"Not accepted"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			p := &script{replies: []reply{{completion: tc.bad}, {completion: submit(`{"value":70}`)}}}
			got, report, err := completer(p, Options{MaxReasks: 2}).Complete(t.Context(), rating(t, tc.members), nil)
			if err != nil {
				t.Fatal(err)
			}
			if got.Choices[0].Message.ToolCalls[0].Function.Arguments != `{"value":70}` || report.Attempts != 2 || report.Reasks != 1 {
				t.Errorf("completion %+v, report %+v", got, report)
			}
			if got.Usage.TotalTokens != 214 || got.Usage.PromptTokens != 200 || got.Usage.CompletionTokens != 14 {
				t.Errorf("usage %+v is not that of both attempts", got.Usage)
			}
			again := p.requests[1]
			if forced := again.ToolChoice.Forced(); forced != tc.forced || forced != (string(again.Body.Get("tool_choice")) == `"required"`) {
				t.Errorf("forced %v, want %v; on the wire %s", forced, tc.forced, again.Body.Get("tool_choice"))
			}
			checkExchange(t, again, tc.roles, tc.contains)
		})
	}
}

// manyCalls is an answer with so many different calls.
func manyCalls(n int) *openai.ChatCompletion {
	var calls []openai.ToolCall
	for i := range n {
		calls = append(calls, call(fmt.Sprint("call_", i), "submit_response", fmt.Sprintf(`{"value":%d}`, i)))
	}
	return answer("", calls...)
}

// checkExchange checks the messages that a re-ask added behind the caller's two.
func checkExchange(t *testing.T, req *openai.ChatCompletionRequest, roles string, contains []string) {
	t.Helper()
	messages := wire(t, req)
	if len(messages) != len(req.Messages) {
		t.Fatalf("%d messages on the wire, %d decoded", len(messages), len(req.Messages))
	}
	var got, texts []string
	for _, m := range messages[2:] {
		role, _ := m["role"].(string)
		got = append(got, role)
		if role != "assistant" {
			text, _ := m["content"].(string)
			texts = append(texts, text)
		}
	}
	if strings.Join(got, " ") != roles {
		t.Errorf("roles %v, want %s", got, roles)
	}
	for _, want := range contains {
		if !strings.Contains(strings.Join(texts, "\n"), want) {
			t.Errorf("feedback %q does not say %q", texts, want)
		}
	}
	// What is sent again has to be a request that the API itself would take.
	body, err := json.Marshal(req.Body)
	if err != nil {
		t.Fatal(err)
	}
	again := decode(t, string(body))
	if !reflect.DeepEqual(again.Messages, req.Messages) {
		t.Errorf("the wire form decodes to %+v, want %+v", again.Messages, req.Messages)
	}
}

func TestFailures(t *testing.T) {
	t.Parallel()
	refusal := answer("")
	refusal.Choices[0].Message.Refusal = new(string)
	*refusal.Choices[0].Message.Refusal = "I will not."
	thinking := finished(answer(""), openai.FinishLength)
	thinking.Usage.CompletionTokensDetails = &openai.CompletionTokensDetails{ReasoningTokens: 5}
	const cap16 = `,"max_tokens":16`
	for _, tc := range []struct {
		name, members string
		bad           *openai.ChatCompletion
		status        int
		code, param   string
		attempts      int
		says          string
	}{
		{"prose again and again", "", answer("About 70."), 502, openai.CodeNoToolCall, "", 3, "3 attempts"},
		{"out of range again and again", "", submit(`{"value":140}`), 502, openai.CodeInvalidToolCall, "", 3, "3 attempts"},
		{"two calls again and again", "", answer("", call("a", "wait", "{}"), call("b", "submit_response", `{"value":1}`)), 502, openai.CodeSeveralToolCalls, "", 3, "3 attempts"},
		{"too long to be put back", "", answer(strings.Repeat("x", maxReplayedBytes+1)), 502, openai.CodeNoToolCall, "", 1, "1 attempt"},
		{"content filter", "", finished(answer(""), openai.FinishContentFilter), 502, openai.CodeModelRefusal, "", 1, "1 attempt"},
		{"refusal", "", refusal, 502, openai.CodeModelRefusal, "", 1, "1 attempt"},
		{"content filter beside a call", "", finished(submit(`{"value":1}`), openai.FinishContentFilter), 502, openai.CodeModelRefusal, "", 1, ""},
		{"cut in the arguments", cap16, finished(submit(`{"value":7`), openai.FinishLength), 400, openai.CodeMaxTokensReached, "max_tokens", 1, "max_tokens = 16"},
		{"cut in the arguments, with another finish reason", `,"max_tokens":7`, submit(`{"value":7`), 400, openai.CodeMaxTokensReached, "max_tokens", 1, "max_tokens = 7"},
		{"arguments that end early before the limit", cap16, submit(`{"value":7`), 502, openai.CodeInvalidToolCall, "", 3, "3 attempts"},
		{"cut before the call", `,"max_completion_tokens":16`, finished(answer("I think"), openai.FinishLength), 400, openai.CodeMaxTokensReached, "max_completion_tokens", 1, "7 completion tokens"},
		{"cut while thinking", cap16, thinking, 400, openai.CodeMaxTokensReached, "max_tokens", 1, "5 of them for reasoning"},
		{"cut at the model's own limit", "", finished(answer("I think"), openai.FinishLength), 400, openai.CodeMaxTokensReached, "max_tokens", 1, "own limit"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			p := &script{replies: []reply{{completion: tc.bad}}}
			got, report, err := completer(p, Options{MaxReasks: 2}).Complete(t.Context(), rating(t, tc.members), nil)
			if got != nil {
				t.Errorf("completion %+v beside an error", got)
			}
			e := asError(t, err)
			if e.Status != tc.status || e.Code != tc.code || e.Param != tc.param || !strings.Contains(e.Message, tc.says) {
				t.Errorf("error %+v", e)
			}
			if len(p.requests) != tc.attempts || report.Attempts != tc.attempts {
				t.Errorf("%d attempts, reported %d, want %d", len(p.requests), report.Attempts, tc.attempts)
			}
		})
	}
}

func TestCompleteCallBesideFinishReasonLength(t *testing.T) {
	t.Parallel()
	p := &script{replies: []reply{{completion: finished(submit(`{"value":7}`), openai.FinishLength)}}}
	got, _, err := completer(p, Options{}).Complete(t.Context(), rating(t, `,"max_tokens":16`), nil)
	if err != nil || got.Choices[0].FinishReason != openai.FinishToolCalls {
		t.Errorf("%+v, %v: what counts is whether the call is complete", got, err)
	}
}

func TestLimitOfTheDeployment(t *testing.T) {
	t.Parallel()
	p := &script{replies: []reply{{completion: finished(answer("I think"), openai.FinishLength)}, {completion: submit(`{"value":7}`)}}}
	c := completer(p, Options{MaxReasks: 2})
	c.models[0].MaxTokens = 50
	if _, _, err := c.Complete(t.Context(), rating(t, ""), nil); err != nil {
		t.Fatal(err)
	}
	if n := p.requests[0].MaxTokens; n == nil || *n != 50 || string(p.requests[0].Body.Get("max_tokens")) != "50" {
		t.Errorf("first attempt: limit %v", n)
	}
	if p.requests[1].MaxTokens != nil || p.requests[1].Body.Has("max_tokens") || len(p.requests[1].Messages) != 2 {
		t.Errorf("second attempt: want the caller's request without the deployment's limit, got %+v", p.requests[1])
	}
	c.maxReasks, p.requests = 0, nil
	_, _, err := c.Complete(t.Context(), rating(t, ""), nil)
	if e := asError(t, err); e.Code != openai.CodeMaxTokensReached {
		t.Errorf("without re-asks: %+v", e)
	}
	p = &script{replies: []reply{{completion: submit(`{"value":7}`)}}}
	c.models[0].Provider = p
	if _, _, err := c.Complete(t.Context(), rating(t, `,"max_tokens":16`), nil); err != nil || *p.requests[0].MaxTokens != 16 {
		t.Errorf("the caller's own limit was not kept: %v", err)
	}
}

func TestForcedToolChoice(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, members, want string }{
		{"auto", `,"tool_choice":"auto"`, `"required"`},
		{"absent", "", `"required"`},
		{"none", `,"tool_choice":"none"`, `"none"`},
		{"named", `,"tool_choice":{"type":"function","function":{"name":"wait"}}`, `{"type":"function","function":{"name":"wait"}}`},
		{
			"allowed tools", `,"tool_choice":{"type":"allowed_tools","allowed_tools":{"mode":"auto","tools":[{"type":"function","function":{"name":"wait"}}]}}`,
			`{"type":"allowed_tools","allowed_tools":{"mode":"required","tools":[{"type":"function","function":{"name":"wait"}}]}}`,
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			p := &script{replies: []reply{{completion: answer("", call("a", "wait", "{}"))}}}
			if _, _, err := completer(p, Options{RequireTools: true}).Complete(t.Context(), rating(t, tc.members), nil); err != nil {
				t.Fatal(err)
			}
			if got := string(p.requests[0].Body.Get("tool_choice")); got != tc.want {
				t.Errorf("tool_choice %s, want %s", got, tc.want)
			}
		})
	}
}

func TestTextIsPassedOnVerbatim(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", " 7 ", "```json\n{\"a\":1}\n```", `<tool_call>{"name":"wait","arguments":{}}</tool_call>`} {
		p := &script{replies: []reply{{completion: finished(answer(text), openai.FinishLength)}}}
		got, _, err := completer(p, Options{MaxReasks: 2}).Complete(t.Context(), decode(t, `{"messages":[{"role":"user","content":"ping"}],"max_tokens":1}`), nil)
		if err != nil || *got.Choices[0].Message.Content != text || got.Choices[0].FinishReason != openai.FinishLength {
			t.Errorf("%q came back as %+v, %v", text, got, err)
		}
	}
}

func TestUncallableToolsAreNotCalled(t *testing.T) {
	t.Parallel()
	p := &script{replies: []reply{{completion: submit(`{"value":1}`)}}}
	got, _, err := completer(p, Options{}).Complete(t.Context(), rating(t, `,"tool_choice":"none"`), nil)
	if err != nil {
		t.Fatal(err)
	}
	if c := got.Choices[0]; len(c.Message.ToolCalls) != 0 || c.FinishReason != openai.FinishStop || c.Message.Content == nil {
		t.Errorf("tool_choice none: %+v", c)
	}
}

func TestSeveralCallsOnRequest(t *testing.T) {
	t.Parallel()
	both := answer("", call("a", "send_chat", `{"message":"hi"}`), call("b", "submit_response", `{"value":1}`))
	p := &script{replies: []reply{{completion: both}}}
	got, _, err := completer(p, Options{}).Complete(t.Context(), rating(t, `,"parallel_tool_calls":true`), nil)
	if err != nil || len(got.Choices[0].Message.ToolCalls) != 2 {
		t.Errorf("%+v, %v: want both calls where the caller allows several", got, err)
	}
}

func TestJSONAnswers(t *testing.T) {
	t.Parallel()
	const object = `{"messages":[{"role":"user","content":"JSON, please"}],"response_format":{"type":"json_object"}}`
	const schema = `{"messages":[{"role":"user","content":"JSON, please"}],"response_format":{"type":"json_schema","json_schema":{"name":"n","schema":{"type":"object","properties":{"p":{"type":"number","maximum":1}},"required":["p"],"additionalProperties":false}}}}`
	for _, tc := range []struct {
		name, request string
		replies       []*openai.ChatCompletion
		want, code    string
		attempts      int
	}{
		{"valid", schema, []*openai.ChatCompletion{answer(` {"p": 0.50}`)}, ` {"p": 0.50}`, "", 1},
		{"fenced", object, []*openai.ChatCompletion{answer("```json\n{\"p\":1}\n```")}, `{"p":1}`, "", 1},
		{"put right when asked again", schema, []*openai.ChatCompletion{answer(`{"p":2}`), answer(`{"p":1}`)}, `{"p":1}`, "", 2},
		{"never right", schema, []*openai.ChatCompletion{answer(`{"p":2}`)}, "", openai.CodeInvalidJSONAnswer, 3},
		{"prose", object, []*openai.ChatCompletion{answer("no")}, "", openai.CodeInvalidJSONAnswer, 3},
		{"cut off", object, []*openai.ChatCompletion{finished(answer(`{"p":`), openai.FinishLength)}, "", openai.CodeMaxTokensReached, 1},
		{"stopped by a filter", object, []*openai.ChatCompletion{finished(answer(""), openai.FinishContentFilter)}, "", "", 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			p := &script{}
			for _, c := range tc.replies {
				p.replies = append(p.replies, reply{completion: c})
			}
			got, report, err := completer(p, Options{MaxReasks: 2}).Complete(t.Context(), decode(t, tc.request), nil)
			if report.Attempts != tc.attempts {
				t.Errorf("%d attempts, want %d", report.Attempts, tc.attempts)
			}
			if tc.code != "" {
				if e := asError(t, err); e.Code != tc.code {
					t.Errorf("error %+v, want %s", e, tc.code)
				}
				return
			}
			if err != nil || *got.Choices[0].Message.Content != tc.want {
				t.Errorf("%+v, %v, want %q", got, err, tc.want)
			}
		})
	}
}

func TestSchemaThatCannotBeJudgedByIsRefusedBeforeAnyAttempt(t *testing.T) {
	t.Parallel()
	p := &script{replies: []reply{{completion: answer("")}}}
	req := decode(t, `{"messages":[{"role":"user","content":"x"}],"tools":[{"type":"function","function":{"name":"f","parameters":{"$ref":"https://example.org/schema"}}}]}`)
	_, _, err := completer(p, Options{}).Complete(t.Context(), req, nil)
	if e := asError(t, err); e.Status != http.StatusBadRequest || e.Param != "tools[0].function.parameters" || len(p.requests) != 0 {
		t.Errorf("%+v after %d attempts", e, len(p.requests))
	}
}
