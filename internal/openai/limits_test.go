package openai

import (
	"fmt"
	"strings"
	"testing"
)

func TestLimits(t *testing.T) {
	t.Parallel()
	list := func(n int, item string) string { return "[" + strings.Repeat(item+",", n-1) + item + "]" }
	const message = `{"role":"user","content":"x"}`
	var members strings.Builder
	for i := range maxMembers {
		fmt.Fprintf(&members, `"m%d":0,`, i)
	}
	for _, tc := range []struct{ name, body, param string }{
		{"messages", `{"messages":` + list(maxMessages+1, message) + `}`, "messages"},
		{"parts", `{"messages":[{"role":"user","content":` + list(maxParts+1, `{"type":"text","text":"x"}`) + `}]}`, "messages[0].content"},
		{"tool calls", `{"messages":[{"role":"assistant","tool_calls":` + list(maxCalls+1, "0") + `}]}`, "messages[0].tool_calls"},
		{"tools", `{"messages":[` + message + `],"tools":` + list(maxTools+1, "0") + `}`, "tools"},
		{"members", `{` + members.String() + `"messages":[` + message + `]}`, ""},
	} {
		_, err := DecodeRequest(strings.NewReader(tc.body))
		e := AsError(err)
		if err == nil || e.Status != 400 || e.Param != tc.param || e.Code != CodeInvalidValue {
			t.Errorf("%s: %+v", tc.name, e)
		}
	}
	if _, err := DecodeRequest(strings.NewReader(`{"messages":` + list(maxMessages, message) + `}`)); err != nil {
		t.Errorf("as many messages as allowed: %v", err)
	}
}
