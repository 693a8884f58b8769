package external

import (
	"fmt"
	"strings"
	"testing"

	"hyperstudy-endpoint/internal/openai"
)

// Tool calls come in pieces whose indexes and ids are often wrong. Each line of
// deltas is the tool_calls of one chunk. Forms without a source were not seen in
// public.
var toolDeltas = []struct {
	name, source string
	deltas       []string
	want         string
}{
	{"as the API has it", "https://platform.openai.com/docs/api-reference/chat-streaming", []string{
		`{"index":0,"id":"a","type":"function","function":{"name":"f","arguments":""}}`, `{"index":0,"function":{"arguments":"{\"x\":"}}`, `{"index":0,"function":{"arguments":"1}"}}`,
		`{"index":1,"id":"b","type":"function","function":{"name":"g","arguments":""}}`, `{"index":1,"function":{"arguments":"{}"}}`,
	}, `a f {"x":1}; b g {}`},
	{"interleaved", "https://platform.openai.com/docs/api-reference/chat-streaming", []string{
		`{"index":0,"id":"a","function":{"name":"f","arguments":"{"}},{"index":1,"id":"b","function":{"name":"g","arguments":"{"}}`,
		`{"index":1,"function":{"arguments":"}"}},{"index":0,"function":{"arguments":"}"}}`,
	}, `a f {}; b g {}`},
	{"all of index 0", "https://github.com/ollama/ollama/issues/15457", []string{
		`{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\":1}"}}`, `{"index":0,"id":"b","function":{"name":"f","arguments":"{\"x\":2}"}}`,
	}, `a f {"x":1}; b f {"x":2}`},
	{"all of index 0 in pieces", "https://github.com/vercel/ai/pull/14277", []string{
		`{"index":0,"id":"a","function":{"name":"f","arguments":"{"}}`, `{"index":0,"function":{"arguments":"}"}}`,
		`{"index":0,"id":"b","function":{"name":"f","arguments":"{"}}`, `{"index":0,"function":{"arguments":"}"}}`,
	}, `a f {}; b f {}`},
	{"no index", "https://github.com/BerriAI/litellm/pull/37792", []string{
		`{"id":"a","function":{"name":"f","arguments":"{"}}`, `{"function":{"arguments":"}"}}`, `{"id":"b","function":{"name":"g","arguments":"{}"}}`,
	}, `a f {}; b g {}`},
	{"no id and no index", "https://github.com/vllm-project/vllm/issues/18412", []string{
		`{"function":{"name":"f","arguments":"{\"x\":"}}`, `{"function":{"arguments":"1}"}}`, `{"function":{"name":"f","arguments":"{\"x\":2}"}}`,
	}, `call_new1 f {"x":1}; call_new2 f {"x":2}`},
	{"the id comes late", "https://github.com/XiaomiMiMo/MiMo-Code/pull/2421", []string{
		`{"index":0,"function":{"name":"f"}}`, `{"index":0,"id":"a","function":{"arguments":"{}"}}`,
	}, `a f {}`},
	{"index minus one", "https://github.com/aws-samples/bedrock-access-gateway/pull/247", []string{
		`{"index":-1,"id":"a","function":{"name":"f","arguments":"{"}}`, `{"index":-1,"function":{"arguments":"}"}}`,
	}, `a f {}`},
	{"indexes of content blocks", "https://github.com/agentgateway/agentgateway/issues/2965", []string{
		`{"index":1,"id":"a","function":{"name":"f","arguments":"{}"}}`, `{"index":3,"id":"b","function":{"name":"g","arguments":"{}"}}`,
	}, `a f {}; b g {}`},
	{"an index that moves on within a call", "", []string{
		`{"index":0,"id":"a","function":{"name":"f","arguments":"{"}}`, `{"index":1,"function":{"arguments":"}"}}`,
	}, `a f {}`},
	{"ids and names repeated", "https://github.com/sgl-project/sglang/issues/4700", []string{
		`{"index":0,"id":"a","type":"function","function":{"name":"f","arguments":"{\"x\":"}}`, `{"index":0,"id":"a","type":"function","function":{"name":"f","arguments":"1}"}}`,
	}, `a f {"x":1}`},
	{"ids and names null or empty", "https://github.com/sgl-project/sglang/pull/35542", []string{
		`{"index":0,"id":"a","function":{"name":"f","arguments":null}}`, `{"index":0,"id":null,"type":null,"function":{"name":null,"arguments":"{"}}`, `{"index":0,"id":"","function":{"name":"","arguments":"}"}}`,
	}, `a f {}`},
	{"the name comes late", "https://github.com/vercel/ai/issues/14722", []string{
		`{"index":0,"id":"a","function":{"arguments":"{"}}`, `{"index":0,"function":{"name":"f","arguments":"}"}}`,
	}, `a f {}`},
	{"empty pieces", "https://github.com/BerriAI/litellm/pull/39288", []string{
		`{"index":0,"id":"a","function":{"name":"f","arguments":""}}`, `{"index":0,"function":{"arguments":"{"}}`, `{"index":0,"function":{"arguments":""}}`, `{"index":0,"function":{"arguments":"}"}}`, `{"index":0,"function":{"arguments":""}}`,
	}, `a f {}`},
	{"the arguments once more at the end", "https://github.com/vllm-project/vllm/pull/36944", []string{
		`{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\":"}}`, `{"index":0,"function":{"arguments":"1}"}}`, `{"index":0,"function":{"arguments":"{\"x\":1}"}}`,
	}, `a f {"x":1}`},
	{"an object", "https://github.com/Portkey-AI/gateway/issues/768", []string{
		`{"index":0,"id":"a","function":{"name":"f","arguments":{"x": 1.0}}}`,
	}, `a f {"x": 1.0}`},
	{"no arguments", "https://github.com/vercel/ai/pull/10859", []string{
		`{"index":0,"id":"a","function":{"name":"f"}}`, `{"index":1,"id":"b","function":{"name":"g"}}`,
	}, `a f ; b g `},
	{"two calls of one id", "https://github.com/HKUDS/nanobot/pull/3943", []string{
		`{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}`, `{"index":1,"id":"a","function":{"name":"g","arguments":"{}"}}`,
	}, `a f {}; call_new1 g {}`},
	{"arguments without a call", "", []string{
		`{"index":0,"function":{"arguments":"{}"}}`,
	}, `call_new1  {}`},
	{"no wrapper", "", []string{`{"name":"f","arguments":"{}"}`}, `call_new1 f {}`},
}

func TestToolDeltas(t *testing.T) {
	t.Parallel()
	for _, tt := range toolDeltas {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var events []string
			for _, d := range tt.deltas {
				events = append(events, `{"choices":[{"delta":{"tool_calls":[`+d+`]}}]}`)
			}
			events = append(events, stops, "[DONE]")
			if tt.source != "" && !strings.HasPrefix(tt.source, "https://") {
				t.Errorf("source %q", tt.source)
			}
			p, _ := serve(t, always(200, sse(events...)))
			completion, err := p.Complete(t.Context(), request(t, oneTool))
			if err != nil {
				t.Fatal(err)
			}
			if got := describe(completion.Choices[0].Message.ToolCalls); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
			if completion.Choices[0].FinishReason != openai.FinishToolCalls || completion.Choices[0].Message.Content != nil {
				t.Errorf("choice %+v", completion.Choices[0])
			}
		})
	}
}

func describe(calls []openai.ToolCall) string {
	var said []string
	for _, c := range calls {
		said = append(said, fmt.Sprintf("%s %s %s", c.ID, c.Function.Name, c.Function.Arguments))
	}
	return strings.Join(said, "; ")
}

// A streamed legacy function call, and calls that the answer's limit cut.
func TestOtherCalls(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, stream, want, finish string
	}{
		{"function_call", sse(`{"choices":[{"delta":{"function_call":{"name":"f","arguments":""}}}]}`, `{"choices":[{"delta":{"function_call":{"arguments":"{}"}}}]}`,
			`{"choices":[{"delta":{},"finish_reason":"function_call"}]}`), "call_new1 f {}", "tool_calls"},
		{"cut", sse(`{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\":7"}}]}}]}`,
			`{"choices":[{"delta":{},"finish_reason":"length"}]}`), `a f {"x":7`, "length"},
		{"tool_calls without calls", sse(`{"choices":[{"delta":{"content":"x"},"finish_reason":"tool_calls"}]}`), "", "stop"},
		{"an unknown end", sse(`{"choices":[{"delta":{"content":"x"},"finish_reason":"eos"}]}`), "", "stop"},
		{"usage of every chunk", sse(`{"choices":[{"delta":{"content":"x"}}],"usage":{"prompt_tokens":1}}`, `{"choices":[{"delta":{},"finish_reason":"stop"}],"x_groq":{"usage":{"prompt_tokens":1}}}`), "", "stop"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p, _ := serve(t, always(200, tt.stream))
			completion, err := p.Complete(t.Context(), request(t, oneTool))
			if err != nil {
				t.Fatal(err)
			}
			choice := completion.Choices[0]
			if got := describe(choice.Message.ToolCalls); got != tt.want || choice.FinishReason != tt.finish {
				t.Errorf("got %s, finish %s", got, choice.FinishReason)
			}
		})
	}
}
