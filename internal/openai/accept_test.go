package openai

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

const hi = `{"messages":[{"role":"user","content":"Hi"}]`

// decode decodes a request that has to be accepted. What does not start with a
// brace is the members of a request beside its messages.
func decode(t *testing.T, body string) *ChatCompletionRequest {
	t.Helper()
	if body == "" {
		body = hi + "}"
	} else if !strings.HasPrefix(body, "{") {
		body = hi + "," + body + "}"
	}
	req, err := DecodeRequest(strings.NewReader(body))
	if err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	return req
}

func ptr[T any](v T) *T { return &v }

func TestAcceptsParameters(t *testing.T) {
	t.Parallel()
	type R = ChatCompletionRequest
	cases := []struct {
		name    string
		members string
		want    R
	}{
		{"none", ``, R{}},
		{"model", `"model":"a/b:c"`, R{Model: "a/b:c"}},
		{"one choice", `"n":1`, R{}},
		{"no log probabilities", `"logprobs":false,"top_logprobs":0`, R{}},
		{"temperature at its ends", `"temperature":0`, R{Temperature: ptr(0.0)}},
		{"highest temperature", `"temperature":2`, R{Temperature: ptr(2.0)}},
		{"top_p", `"top_p":1.0`, R{TopP: ptr(1.0)}},
		{"seed", `"seed":42`, R{Seed: "42"}},
		{"negative seed", `"seed":-1`, R{Seed: "-1"}},
		{"seed beyond 64 bits", `"seed":123456789012345678901234567890`, R{Seed: "123456789012345678901234567890"}},
		{"max_tokens", `"max_tokens":16`, R{MaxTokens: ptr(16), MaxTokensParam: "max_tokens"}},
		{"max_tokens as a float", `"max_tokens":16.0`, R{MaxTokens: ptr(16), MaxTokensParam: "max_tokens"}},
		{"max_tokens with an exponent", `"max_tokens":1e3`, R{MaxTokens: ptr(1000), MaxTokensParam: "max_tokens"}},
		{"max_completion_tokens", `"max_completion_tokens":7`, R{MaxTokens: ptr(7), MaxTokensParam: "max_completion_tokens"}},
		{"both limits, the newer first", `"max_completion_tokens":7,"max_tokens":9`, R{MaxTokens: ptr(7), MaxTokensParam: "max_completion_tokens"}},
		{"newer limit null", `"max_completion_tokens":null,"max_tokens":9`, R{MaxTokens: ptr(9), MaxTokensParam: "max_tokens"}},
		{"one stop sequence", `"stop":"\n"`, R{Stop: []string{"\n"}}},
		{"four stop sequences", `"stop":["a","b","c","d"]`, R{Stop: []string{"a", "b", "c", "d"}}},
		{"no stop sequences", `"stop":[]`, R{Stop: []string{}}},
		{"stream", `"stream":true`, R{Stream: true}},
		{"stream with usage", `"stream_options":{"include_usage":true},"stream":true`, R{Stream: true, StreamIncludesUsage: true}},
		{"stream with options of no effect", `"stream":true,"stream_options":{"include_usage":null,"include_obfuscation":false}`, R{Stream: true}},
		{"no stream", `"stream":false`, R{}},
		{"parallel tool calls", `"parallel_tool_calls":true`, R{ParallelToolCalls: ptr(true)}},
		{"reasoning effort", `"reasoning_effort":"low"`, R{ReasoningEffort: "low"}},
		{"service tier", `"service_tier":"auto"`, R{ServiceTier: "auto"}},
		{"unknown members", `"min_p":0.1,"metadata":{"a":[1]},"user":"u","logit_bias":{}`, R{}},
		{"last of two values", `"temperature":1,"temperature":0.5`, R{Temperature: ptr(0.5)}},
		{"text format", `"response_format":{"type":"text"}`, R{ResponseFormat: ResponseFormat{Type: FormatText}}},
		{"object format", `"response_format":{"type":"json_object"}`, R{ResponseFormat: ResponseFormat{Type: FormatJSONObject}}},
		{"schema format", `"response_format":{"type":"json_schema","json_schema":{"name":"n","description":"d","schema":{"multipleOf":0.10},"strict":true}}`,
			R{ResponseFormat: ResponseFormat{Type: FormatJSONSchema, Name: "n", Description: "d", Schema: json.RawMessage(`{"multipleOf":0.10}`), Strict: ptr(true)}}},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got := decode(t, tc.members)
			if want := TextMessage(RoleUser, "Hi"); !reflect.DeepEqual(got.Messages, []Message{want}) {
				t.Errorf("messages are %+v", got.Messages)
			}
			got.Messages, got.Body = nil, Object{}
			if !reflect.DeepEqual(*got, tc.want) {
				t.Errorf("got %+v, want %+v", *got, tc.want)
			}
		})
	}
}

func TestWantsJSON(t *testing.T) {
	t.Parallel()
	for format, want := range map[string]bool{"": false, FormatText: false, FormatJSONObject: true, FormatJSONSchema: true} {
		if got := (ResponseFormat{Type: format}).WantsJSON(); got != want {
			t.Errorf("%q: got %v", format, got)
		}
	}
}

// TestNullMeansAbsent sends null for every optional member.
func TestNullMeansAbsent(t *testing.T) {
	t.Parallel()
	optional := []string{
		"model", "n", "logprobs", "audio", "functions", "function_call", "temperature", "top_p", "seed", "parallel_tool_calls",
		"reasoning_effort", "service_tier", "stream", "stream_options", "stop", "max_tokens", "max_completion_tokens",
		"response_format", "tools", "tool_choice", "user", "metadata",
	}
	want := decode(t, "")
	want.Body = Object{}
	for _, name := range optional {
		got := decode(t, `"`+name+`":null`)
		if string(got.Body.Get(name)) != "null" {
			t.Errorf("%s is not kept in the body", name)
		}
		got.Body = Object{}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v", name, got)
		}
	}
	nested := decode(t, `{"messages":[{"role":"user","content":"Hi","name":null,"refusal":null,"tool_calls":null,"tool_call_id":null}],
		"tools":[{"type":null,"function":{"name":"f","description":null,"strict":null,"parameters":null}}],
		"response_format":{"type":"json_schema","json_schema":{"name":"n","schema":{},"description":null,"strict":null}}}`)
	if !reflect.DeepEqual(nested.Messages, want.Messages) || !reflect.DeepEqual(nested.Tools, []Tool{{Name: "f"}}) {
		t.Errorf("got %+v", nested)
	}
}

func TestAcceptsMessages(t *testing.T) {
	t.Parallel()
	text := func(s string) []Part { return []Part{{Type: PartText, Text: s}} }
	cases := []struct {
		name string
		list string
		want []Message
	}{
		{"all roles that speak", `{"role":"system","content":"a"},{"role":"developer","content":"b"},{"role":"user","content":"c","name":"n"},{"role":"assistant","content":"d"}`,
			[]Message{{Role: RoleSystem, Content: text("a")}, {Role: RoleDeveloper, Content: text("b")}, {Role: RoleUser, Content: text("c"), Name: "n"}, {Role: RoleAssistant, Content: text("d")}}},
		{"empty text", `{"role":"user","content":""}`, []Message{{Role: RoleUser, Content: text("")}}},
		{"no parts", `{"role":"user","content":[]}`, []Message{{Role: RoleUser, Content: []Part{}}}},
		{"emoji in escapes", `{"role":"user","content":"\ud83d\ude42"}`, []Message{{Role: RoleUser, Content: text("🙂")}}},
		{"parts", `{"role":"user","content":[{"type":"text","text":"a"},{"type":"image_url","image_url":{"url":"data:,","detail":"low"}},{"type":"image_url","image_url":"https://a.test/b"}]}`,
			[]Message{{Role: RoleUser, Content: []Part{{Type: PartText, Text: "a"}, {Type: PartImageURL, ImageURL: "data:,"}, {Type: PartImageURL, ImageURL: "https://a.test/b"}}}}},
		{"parts left to the provider", `{"role":"user","content":[{"type":"input_audio","input_audio":{}},{"type":"file","file":{}}]}`,
			[]Message{{Role: RoleUser, Content: []Part{{Type: PartAudio}, {Type: PartFile}}}}},
		{"refusals", `{"role":"assistant","refusal":"No."},{"role":"assistant","content":[{"type":"refusal","refusal":"Never."}]}`,
			[]Message{{Role: RoleAssistant, Refusal: "No."}, {Role: RoleAssistant, Content: []Part{{Type: PartRefusal, Text: "Never."}}}}},
		{"call and result", `{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{\"a\":1}"}}]},{"role":"tool","tool_call_id":"c","content":"ok"}`,
			[]Message{{Role: RoleAssistant, ToolCalls: []ToolCall{{ID: "c", Type: "function", Function: FunctionCall{"f", `{"a":1}`}}}}, {Role: RoleTool, ToolCallID: "c", Content: text("ok")}}},
		{"arguments as an object", `{"role":"assistant","tool_calls":[{"id":"c","function":{"name":"f","arguments":{"a": 1.0}}}]},{"role":"tool","tool_call_id":"c"}`,
			[]Message{{Role: RoleAssistant, ToolCalls: []ToolCall{{ID: "c", Type: "function", Function: FunctionCall{"f", `{"a": 1.0}`}}}}, {Role: RoleTool, ToolCallID: "c"}}},
		{"call without arguments", `{"role":"assistant","tool_calls":[{"id":"c","function":{"name":"f","arguments":null}}]},{"role":"tool","tool_call_id":"c","content":""}`,
			[]Message{{Role: RoleAssistant, ToolCalls: []ToolCall{{ID: "c", Type: "function", Function: FunctionCall{Name: "f"}}}}, {Role: RoleTool, ToolCallID: "c", Content: text("")}}},
		{"no calls", `{"role":"assistant","content":"a","tool_calls":[]}`, []Message{{Role: RoleAssistant, Content: text("a"), ToolCalls: []ToolCall{}}}},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if got := decode(t, `{"messages":[`+tc.list+`]}`).Messages; !reflect.DeepEqual(got, tc.want) {
				t.Errorf("got %+v, want %+v", got, tc.want)
			}
		})
	}
}

// TestBodyIsKept checks that a request holds what was sent, spacing of values,
// unknown members and the digits of numbers included.
func TestBodyIsKept(t *testing.T) {
	t.Parallel()
	body := "\ufeff{ \"zzz\":[1.0, 2], \"messages\":[{\"role\":\"user\",\"content\":\"\\u00e9\"}],\"top_p\":0.10 }"
	req := decode(t, "{"+strings.SplitN(body, "{", 2)[1])
	withMark, err := DecodeRequest(strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(req, withMark) {
		t.Errorf("a byte order mark makes a difference: %+v, %+v", req, withMark)
	}
	got, err := json.Marshal(req.Body)
	if err != nil || string(got) != `{"zzz":[1.0,2],"messages":[{"role":"user","content":"\u00e9"}],"top_p":0.10}` {
		t.Errorf("body is %s, %v", got, err)
	}
}
