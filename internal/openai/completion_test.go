package openai

import (
	"encoding/json"
	"reflect"
	"testing"
)

func TestUsageAdd(t *testing.T) {
	t.Parallel()
	cached := func(n int) *PromptTokensDetails { return &PromptTokensDetails{CachedTokens: n} }
	reasoning := func(n int) *CompletionTokensDetails { return &CompletionTokensDetails{ReasoningTokens: n} }
	cases := []struct {
		name       string
		a, b, want Usage
	}{
		{"nothing", Usage{}, Usage{}, Usage{}},
		{"counts", Usage{1, 2, 3, nil, nil}, Usage{10, 20, 30, nil, nil}, Usage{11, 22, 33, nil, nil}},
		{"details of one", Usage{1, 2, 3, cached(1), nil}, Usage{1, 2, 3, nil, reasoning(2)}, Usage{2, 4, 6, cached(1), reasoning(2)}},
		{"details of both", Usage{0, 0, 0, cached(1), reasoning(2)}, Usage{0, 0, 0, cached(3), reasoning(4)}, Usage{0, 0, 0, cached(4), reasoning(6)}},
		{"details of nothing", Usage{0, 0, 0, cached(0), nil}, Usage{}, Usage{0, 0, 0, cached(0), nil}},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			for _, got := range []Usage{tc.a.Add(tc.b), tc.b.Add(tc.a)} {
				if !reflect.DeepEqual(got, tc.want) {
					t.Errorf("got %+v, want %+v", got, tc.want)
				}
			}
		})
	}
	a := Usage{PromptTokensDetails: cached(1)}
	sum := a.Add(Usage{})
	sum.PromptTokensDetails.CachedTokens = 9
	if a.PromptTokensDetails.CachedTokens != 1 {
		t.Error("the sum shares its details with what was added")
	}
}

// TestWireFormat fixes how answers are written: what is null, what is absent.
func TestWireFormat(t *testing.T) {
	t.Parallel()
	call := ToolCall{ID: "call_1", Type: "function", Function: FunctionCall{Name: "f", Arguments: "{}"}}
	cases := []struct {
		name string
		v    any
		want string
	}{
		{"text", ChatCompletion{ID: "i", Object: "chat.completion", Created: 1, Model: "m", Ignored: []string{"seed"},
			Choices: []Choice{{Message: AnswerMessage{Role: "assistant", Content: ptr("")}, FinishReason: FinishStop}}},
			`{"id":"i","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"","refusal":null},"logprobs":null,"finish_reason":"stop"}],"usage":{"prompt_tokens":0,"completion_tokens":0,"total_tokens":0}}`},
		{"tool call", Choice{Message: AnswerMessage{Role: "assistant", ToolCalls: []ToolCall{call}}, FinishReason: FinishToolCalls},
			`{"index":0,"message":{"role":"assistant","content":null,"refusal":null,"tool_calls":[{"id":"call_1","type":"function","function":{"name":"f","arguments":"{}"}}]},"logprobs":null,"finish_reason":"tool_calls"}`},
		{"reasoning and refusal", AnswerMessage{Role: "assistant", Refusal: ptr("No."), ReasoningContent: "hm"},
			`{"role":"assistant","content":null,"refusal":"No.","reasoning_content":"hm"}`},
		{"chunk", ChatCompletionChunk{ID: "i", Object: "chat.completion.chunk", Created: 1, Model: "m", Choices: []ChunkChoice{{Delta: Delta{Role: "assistant", Content: ptr("")}}}},
			`{"id":"i","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":""},"logprobs":null,"finish_reason":null}]}`},
		{"last chunk", ChunkChoice{FinishReason: ptr(FinishLength)}, `{"index":0,"delta":{},"logprobs":null,"finish_reason":"length"}`},
		{"usage chunk", ChatCompletionChunk{Choices: []ChunkChoice{}, Usage: json.RawMessage(`null`)}, `{"id":"","object":"","created":0,"model":"","choices":[],"usage":null}`},
		{"call in a chunk", ToolCallDelta{ID: "c", Type: "function", Function: FunctionCallDelta{Name: "f"}}, `{"index":0,"id":"c","type":"function","function":{"name":"f","arguments":""}}`},
		{"arguments in a chunk", ToolCallDelta{Index: 1, Function: FunctionCallDelta{Arguments: "{"}}, `{"index":1,"function":{"arguments":"{"}}`},
		{"models", ModelList{Object: "list", Data: []Model{{"a", "model", 1, "baseline"}}}, `{"object":"list","data":[{"id":"a","object":"model","created":1,"owned_by":"baseline"}]}`},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if got, err := Marshal(tc.v); err != nil || string(got) != tc.want {
				t.Errorf("got %s, %v, want %s", got, err, tc.want)
			}
		})
	}
}
