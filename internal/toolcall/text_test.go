package toolcall

import (
	"strings"
	"testing"

	"hyperstudy-endpoint/internal/openai"
)

func TestWithoutReasoning(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, text, want string }{
		{"none", " a <thinker> [thin] b ", "a <thinker> [thin] b"},
		{"in the middle", "a<think>b</think>c", "a" + gap + "c"},
		{"several", "<think>a</think>b<THOUGHTS>c</Thoughts>d[THINK]e[/THINK]", "b" + gap + "d"},
		{"open", "a <reasoning>b", "a"},
		{"closed only", "a</thinking> b", "b"},
		{"closed once more", "a<think>b</think>c</think>d", "d"},
		{"in itself", "a<think>b<think>c</think>d</think>e", "a" + gap + "e"},
		{"in another", "a<think>b[THINK]c</think>d", "a" + gap + "d"},
		{"closed by another", "a<think>b[/THINK]c", "a"},
		{"with a prefix", "<seed:think>a</seed:think>b", "b"},
		{"alone", "<think>a</think>", ""},
	} {
		if got := withoutReasoning(tt.text); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestBare(t *testing.T) {
	t.Parallel()
	const want = `{a_b:<1}`
	for _, tt := range []struct{ name, text string }{
		{"plain", `{"a-b":<1}`},
		{"spaced, in another case", "{ 'A_B' :\u00a0<\n1 }"},
		{"JSON", `{\\\"a-b\\\":\u003c\n1}`},
		{"JSON in JSON", `\\u007b\\u0022a-b\\u0022:\u005cu003c1}`},
		{"hexadecimal", `\x7b\x22a-b\x22:<1}`},
		{"HTML", `{&quot;a-b&quot;:&lt;1}`},
		{"HTML in HTML", `{&amp;#34;a-b&amp;#34;:&amp;lt;1}`},
		{"URL", `%7B%22a-b%22%3a%3C1}`},
		{"URL in URL", `%257B%2522a-b%2522:<1}`},
		{"quotation marks", `{“a-b”:«<»„1‚}`},
		{"full width", `｛＂ａ－ｂ＂：＜１｝`},
		{"invisible", "{\u200ba\u2060-b\ufeff:<1}"},
	} {
		if got := bare(tt.text); got != want {
			t.Errorf("%s: %q, want %q", tt.name, got, want)
		}
	}
}

// TestSlowTexts looks for calls in what would take long to search: a long answer
// to a long request with many tools.
// TestRepeatedInAnotherForm: a call as text that says what an earlier one said is
// the model repeating itself, however it spells the value; any other is not.
func TestRepeatedInAnotherForm(t *testing.T) {
	t.Parallel()
	req := offering(valueSchema(`{"type":["number","string"]}`))
	req.Messages = []openai.Message{{Role: "assistant", ToolCalls: []openai.ToolCall{{
		ID: "call_1", Type: "function", Function: openai.FunctionCall{Name: "submit_response", Arguments: `{"value":"5"}`},
	}}}}
	j, err := New(req)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		value string
		taken bool
	}{{`"5"`, false}, {`5`, false}, {`50e-1`, false}, {`"5.0"`, false}, {`"7"`, true}, {`0`, true}, {`"0"`, true}} {
		content := `{"name":"submit_response","arguments":{"value":` + tt.value + `}}`
		if v := j.Judge(answer(&content, "")); (v.Problem == None) != tt.taken {
			t.Errorf("%s: problem %v", tt.value, v.Problem)
		}
	}
}

func TestSlowTexts(t *testing.T) {
	const call = `<tool_call>{"name":"tool_7","arguments":{"value":1}}</tool_call>`
	req := &openai.ChatCompletionRequest{}
	for i := range 128 {
		req.Tools = append(req.Tools, openai.Tool{Name: strings.ReplaceAll("tool_#", "#", string(rune('0'+i%10))+strings.Repeat("x", i/10)), Parameters: []byte(valueSchema(`{}`))})
	}
	for _, tt := range []struct{ name, piece string }{
		{"words", "All is well. "},
		{"names", `{"name":"tool"}, "name": `},
		{"braces", "{"},
		{"tags", "<think></think>"},
		{"open results", "<tool_response>"},
		{"escapes", `\u0022&amp;quot;%2522`},
		{"ligatures", "\ufdfa"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			fill := func(n int) string { return strings.Repeat(tt.piece, n/len(tt.piece)) }
			req.Messages = []openai.Message{openai.TextMessage(openai.RoleUser, fill(maxAnswerBytes))}
			j, err := New(req)
			if err != nil {
				t.Fatal(err)
			}
			content := call + fill(maxAnswerBytes-len(call))
			judgeInTime(t, j, answer(&content, ""))
		})
	}
}
