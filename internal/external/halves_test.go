package external

import (
	"net/http"
	"strings"
	"testing"

	"hyperstudy-endpoint/internal/openai"
)

// said is a chunk whose delta has one member.
func said(member string) string { return `{"choices":[{"delta":{` + member + `}}]}` }

// argued is a chunk with a piece of the arguments of the call at an index.
func argued(index, piece string) string {
	return said(`"tool_calls":[{"index":` + index + `,"function":{"arguments":"` + piece + `"}}]`)
}

// opened is a chunk that opens the call at an index.
func opened(index string) string {
	return said(`"tool_calls":[{"index":` + index + `,"id":"call_` + index + `","function":{"name":"answer","arguments":""}}]`)
}

// Pairs that a stream splits are put together, wherever they stand.
func TestSplitPairs(t *testing.T) {
	t.Parallel()
	const grin = "\U0001f600"
	tests := []struct {
		name, stream                  string
		content, reasoning, arguments string
	}{
		{"content", sse(said(`"content":"a\ud83d"`), said(`"content":"\ude00b"`), stops), "a" + grin + "b", "", ""},
		{"capitals", sse(said(`"content":"\uD83D"`), said(`"content":"\uDE00"`), stops), grin, "", ""},
		{"two in a row", sse(said(`"content":"\ud83d"`), said(`"content":"\ude00\ud83d"`), said(`"content":"\ude00"`), stops), grin + grin, "", ""},
		{"nothing in between", sse(said(`"content":"\ud83d"`), said(`"content":""`), said(`"role":"assistant"`), said(`"content":"\ude00"`), stops), grin, "", ""},
		{"behind a backslash", sse(said(`"content":"\\\ud83d"`), said(`"content":"\ude00"`), stops), `\` + grin, "", ""},
		{"with the end", sse(said(`"content":"\ud83d"`), `{"choices":[{"delta":{"content":"\ude00"},"finish_reason":"stop"}]}`), grin, "", ""},
		{"reasoning", sse(said(`"reasoning_content":"\ud83d"`), said(`"reasoning_content":"\ude00"`), said(`"content":"a"`), stops), "a", grin, ""},
		{"both at once", sse(said(`"reasoning":"\ud83d","content":"\ud83d"`), said(`"reasoning":"\ude00","content":"\ude00"`), stops), grin, grin, ""},
		{"arguments", sse(opened("0"), argued("0", `{\"a\":\"\ud83d`), argued("0", `\ude00\"}`), stops), "", "", `{"a":"` + grin + `"}`},
		{"arguments of calls in turn", sse(opened("0"), opened("1"), argued("0", `{\"a\":\"\ud83d`), argued("1", `{\"b\":\"\ud83d`), argued("0", `\ude00\"}`), argued("1", `\ude00\"}`), stops),
			"", "", `{"a":"` + grin + `"}{"b":"` + grin + `"}`},
		{"arguments of a function call", sse(said(`"function_call":{"name":"answer","arguments":"{\"a\":\"\ud83d"}`), said(`"function_call":{"arguments":"\ude00\"}"}`), stops),
			"", "", `{"a":"` + grin + `"}`},
		{"the older API's text", sse(`{"choices":[{"text":"\ud83d"}]}`, `{"choices":[{"text":"\ude00","finish_reason":"stop"}]}`), grin, "", ""},
		{"an escaped backslash before what looks like one", sse(said(`"content":"\\ud83d"`), said(`"content":"a"`), stops), `\ud83da`, "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p, _ := serve(t, always(200, tt.stream))
			said, completion, err := collect(t, p, "")
			if err != nil {
				t.Fatal(err)
			}
			m := completion.Choices[0].Message
			content, arguments := "", ""
			if m.Content != nil {
				content = *m.Content
			}
			for _, call := range m.ToolCalls {
				arguments += call.Function.Arguments
			}
			if content != tt.content || said != tt.content || m.ReasoningContent != tt.reasoning || arguments != tt.arguments {
				t.Errorf("content %q, handed out %q, reasoning %q, arguments %q", content, said, m.ReasoningContent, arguments)
			}
		})
	}
}

// Half a pair that stays half is an error, and nothing takes its place.
func TestHalvesThatStay(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, stream string }{
		{"at the end", sse(said(`"content":"a\ud83d"`), stops)},
		{"at [DONE]", sse(said(`"content":"a\ud83d"`), "[DONE]")},
		{"in the last chunk", sse(`{"choices":[{"delta":{"content":"a\ud83d"},"finish_reason":"stop"}]}`, "[DONE]")},
		{"before something else", sse(said(`"content":"\ud83d"`), said(`"content":"b"`), stops)},
		{"before another first half", sse(said(`"content":"\ud83d"`), said(`"content":"\ud83d\ude00"`), stops)},
		{"before the second half of another text", sse(said(`"content":"\ud83d"`), said(`"reasoning":"\ude00"`), stops)},
		{"before the second half of another call", sse(opened("0"), opened("1"), argued("0", `\ud83d`), argued("1", `\ude00`), stops)},
		{"not at the end of a text", sse(said(`"content":"\ud83da"`), said(`"content":"\ude00"`), stops)},
		{"in a content of parts", sse(said(`"content":[{"type":"text","text":"\ud83d"}]`), said(`"content":[{"type":"text","text":"\ude00"}]`), stops)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p, _ := serve(t, always(200, tt.stream))
			said, _, err := collect(t, p, "")
			if e := wantError(t, err); e.Status != http.StatusBadGateway || e.Code != openai.CodeUpstream || e.Temporary != (said == "") {
				t.Errorf("got %+v after %q", e, said)
			}
			if strings.Contains(said, "\ufffd") {
				t.Errorf("handed out %q", said)
			}
		})
	}
}
