package external

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"hyperstudy-endpoint/internal/openai"
)

const (
	twoTools  = `"tools":[{"type":"function","function":{"name":"wait"}},{"type":"function","function":{"name":"answer"}}]`
	otherTool = `"tools":[{"type":"function","function":{"name":"wait"}}]`
	lastTool  = `"tools":[{"type":"function","function":{"name":"answer"}}]`
	namedTool = `"tool_choice":{"type":"function","function":{"name":"answer"}}`
	allowed   = `"tool_choice":{"type":"allowed_tools","allowed_tools":{"mode":"auto","tools":[{"type":"function","function":{"name":"wait"}}]}}`
)

// callsOf is a reply with these calls.
func callsOf(names ...string) string {
	var calls []string
	for _, name := range names {
		calls = append(calls, `{"id":"c","type":"function","function":{"name":"`+name+`","arguments":"{}"}}`)
	}
	return `{"choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[` + strings.Join(calls, ",") + `]},"finish_reason":"tool_calls"}]}`
}

const (
	unreadable = `{"error":{"code":500,"message":"The model produced output that does not match the expected peg-native format","type":"server_error"}}`
	declining  = `{"choices":[{"index":0,"message":{"role":"assistant","content":null,"refusal":"No."},"finish_reason":"stop"}]}`
)

// A choice that a server does not keep to is sent in words that it knows, which
// ask for the same: llama-server takes every object for auto, and says nothing of
// it or that it could not read what the model then wrote
// (https://github.com/ggml-org/llama.cpp/issues/26535,
// https://github.com/ggml-org/llama.cpp/issues/27025).
func TestChoicesThatAreNotKept(t *testing.T) {
	t.Parallel()
	const required = `"tool_choice":"required"`
	tests := []struct {
		name, choice string
		status       int
		reply        string // to the first request
		calls        int    // for the first completion
		sent         string // for the second one
	}{
		{"a choice that is kept", namedTool, 200, callsOf("answer"), 1, twoTools + "," + namedTool},
		{"another tool is called", namedTool, 200, callsOf("wait"), 1, lastTool + "," + required},
		{"one tool too many is called", namedTool, 200, callsOf("answer", "wait"), 1, lastTool + "," + required},
		{"nothing is called", namedTool, 200, okReply, 1, lastTool + "," + required},
		{"the output cannot be read", namedTool, 500, unreadable, 2, lastTool + "," + required},
		{"a refusal", namedTool, 200, declining, 1, twoTools + "," + namedTool},
		{"another tool than those allowed", allowed, 200, callsOf("answer"), 1, otherTool + `,"tool_choice":"auto"`},
		{"nothing, which is allowed", allowed, 200, okReply, 1, twoTools + "," + allowed},
		{"a choice without a name", required, 200, okReply, 1, twoTools + "," + required},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p, u := serve(t, func(w http.ResponseWriter, call int, _ string) {
				if call == 0 {
					write(w, tt.status, tt.reply)
					return
				}
				write(w, http.StatusOK, callsOf("answer"))
			})
			for range 2 {
				completion, err := p.Complete(t.Context(), request(t, twoTools+","+tt.choice))
				if err != nil || slices.Contains(completion.Ignored, "tool_choice") {
					t.Fatalf("%v, ignored %q", err, completion.Ignored)
				}
			}
			sent := u.calls()
			if len(sent) != tt.calls+1 || !strings.HasSuffix(sent[tt.calls], `],`+tt.sent+`}`) {
				t.Errorf("sent %q", sent)
			}
		})
	}
}

// What a server cannot read of its own model is drawn again, a few times.
func TestUnreadableOutput(t *testing.T) {
	t.Parallel()
	p, u := serve(t, always(500, unreadable))
	_, err := p.Complete(t.Context(), request(t, twoTools+`,"tool_choice":"required","seed":1`))
	if e := wantError(t, err); e.Status != 502 || e.Code != openai.CodeModelError || !e.Temporary || e.Patience != openai.AFewTimes || len(u.calls()) != 1 {
		t.Errorf("%+v after %d calls", e, len(u.calls()))
	}
}
