package app_test

import (
	"testing"
)

// TestToolChoices checks what each choice of the caller's means for the answer.
func TestToolChoices(t *testing.T) {
	t.Parallel()
	const named = `"tool_choice":{"type":"function","function":{"name":"submit_response"}}`
	const allowed = `"tool_choice":{"type":"allowed_tools","allowed_tools":{"mode":"auto","tools":[{"type":"function","function":{"name":"wait"}},{"type":"function","function":{"name":"submit_response"}}]}}`
	chat := calls(toolCall{"send_chat", `{"message":"hello"}`})
	for _, tc := range []struct {
		name, members string
		answer        step
		tool, code    string // what comes back: a call, an error, or neither: a text
	}{
		{"none, and a text", `"tool_choice":"none"`, says("Fine."), "", ""},
		{"none, and a call all the same", `"tool_choice":"none"`, saysAndCalls("Fine.", toolCall{"submit_response", answered}), "", ""},
		{"required", `"tool_choice":"required"`, chat, "send_chat", ""},
		{"required, and a text", `"tool_choice":"required"`, says("Fine."), "", "no_tool_call"},
		{"named", named, submits(answered), "submit_response", ""},
		{"named, and another", named, chat, "", "invalid_tool_call"},
		{"allowed", allowed, submits(answered), "submit_response", ""},
		{"not allowed", allowed, chat, "", "invalid_tool_call"},
		{"no tools", `"tools":[],"tool_choice":"auto"`, says("Fine."), "", ""},
		{"no tools, and a call all the same", `"tools":[],"tool_choice":"auto"`, saysAndCalls("Fine.", toolCall{"submit_response", answered}), "", ""},
	} {
		for _, b := range []backend{backends[0], backends[2], backends[4], backends[6], backends[8]} {
			t.Run(tc.name+"/"+b.name, func(t *testing.T) {
				t.Parallel()
				s := on(t, b)
				a := s.ask(t, with(t, request(t, "rating"), tc.members), tc.answer)
				switch {
				case tc.code != "":
					a.failed(t, 502, tc.code, "")
					s.calledUpstream(t, 3)
				case tc.tool != "":
					c := s.reached(t, a, 1, "")
					if name, _ := c.call(t); name != tc.tool {
						t.Errorf("%s was called", name)
					}
				default:
					c := s.reached(t, a, 1, "")
					if got := c.text(t); got != "Fine." {
						t.Errorf("text %q", got)
					}
				}
				s.nothingRefused(t)
			})
		}
	}
}
