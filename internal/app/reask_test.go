package app_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"hyperstudy-endpoint/internal/awstest"
)

// asked are the bodies of the last request's upstream calls.
func (s *stage) asked() []json.RawMessage {
	var list []json.RawMessage
	for _, r := range s.upstream.all() {
		list = append(list, r.body)
	}
	for _, r := range s.aws.Requests() {
		list = append(list, r.Body)
	}
	return list
}

// forget forgets the upstream calls so far.
func (s *stage) forget() {
	s.upstream.forget()
	s.aws.Forget()
}

// members decodes an object of an upstream call.
func members(t *testing.T, raw json.RawMessage) map[string]any {
	t.Helper()
	var m map[string]any
	if err := json.Unmarshal(raw, &m); err != nil {
		t.Fatal(err)
	}
	return m
}

// TestReask looks at what a model is asked again: the same, its own answer, and
// what is wrong with it.
func TestReask(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		body   string
		bad    step
		says   []string
		forced bool
	}{
		{"out of range", "rating", submits(`{"value":140}`), []string{"140", "/value", "send_chat", "wait", "submit_response"}, false},
		{"two mistakes", "questionnaire", submits(`{"value":{"years_here":-3,"commute":"by bus","coffee":{"cups":1,"strength":1},"pets":[{"kind":"cat","count":1}]}}`), []string{"by bus", "/value/years_here", "/value/commute"}, false},
		{"prose where waiting is possible", "rating", says("I would say about 84."), []string{"I would say about 84."}, true},
		{"prose where something must be done", "verify-respond", says("Three."), []string{"Three."}, false},
		{"two calls", "rating", calls(toolCall{"submit_response", answered}, toolCall{"wait", `{}`}), []string{"more than one"}, false},
	} {
		for _, b := range both {
			t.Run(tc.name+"/"+b.name, func(t *testing.T) {
				t.Parallel()
				s := on(t, b)
				good := `{"value":71}`
				tool := "submit_response"
				if tc.body == "verify-respond" {
					tool = "respond"
				}
				if tc.body == "questionnaire" {
					tool, good = "wait", `{}`
				}
				s.reached(t, s.ask(t, request(t, tc.body), tc.bad, calls(toolCall{tool, good})), 2, "")
				asked := s.asked()
				s.sameButForTheFeedback(t, asked[0], asked[1], tc.forced)
				for _, words := range tc.says {
					if quoted := strings.Trim(compactJSON(words), `"`); !strings.Contains(string(asked[1]), quoted) {
						t.Errorf("the second call does not say %q: %s", words, asked[1])
					}
				}
				if strings.Contains(string(asked[1]), "71") {
					t.Errorf("the second call names a value that nobody gave: %s", asked[1])
				}
				s.nothingRefused(t)
			})
		}
	}
}

// sameButForTheFeedback compares the first call and the second one.
func (s *stage) sameButForTheFeedback(t *testing.T, first, second json.RawMessage, forced bool) {
	t.Helper()
	a, b := members(t, first), members(t, second)
	before, ok1 := a["messages"].([]any)
	after, ok2 := b["messages"].([]any)
	if !ok1 || !ok2 || len(after) < len(before)+2 || !reflect.DeepEqual(before, after[:len(before)]) {
		t.Errorf("conversation\n%v\nwas continued as\n%v", before, after)
	}
	if got := s.forces(b); got != forced {
		t.Errorf("forced %v, want %v: %s", got, forced, second)
	}
	delete(a, "messages")
	delete(b, "messages")
	if forced { // apart from that
		for _, m := range []map[string]any{a, b} {
			delete(m, "tool_choice")
			if config, ok := m["toolConfig"].(map[string]any); ok {
				delete(config, "toolChoice")
			}
		}
	}
	if !reflect.DeepEqual(a, b) {
		t.Errorf("parameters changed from\n%v\nto\n%v", a, b)
	}
}

// forces reports whether an upstream call demands some tool call.
func (s *stage) forces(call map[string]any) bool {
	if s.backend.isExternal() {
		return call["tool_choice"] == "required"
	}
	config, ok := call["toolConfig"].(map[string]any)
	if !ok {
		return false
	}
	choice, ok := config["toolChoice"].(map[string]any)
	return ok && choice["any"] != nil
}

// TestParallelCalls checks that a caller who asks for several calls gets them.
func TestParallelCalls(t *testing.T) {
	t.Parallel()
	body := with(t, request(t, "rating"), `"parallel_tool_calls":true`)
	for _, b := range both {
		t.Run(b.name, func(t *testing.T) {
			t.Parallel()
			s := on(t, b)
			c := s.reached(t, s.ask(t, body, calls(toolCall{"send_chat", `{"message":"so"}`}, toolCall{"submit_response", answered})), 1, "")
			list := c.Choices[0].Message.ToolCalls
			if len(list) != 2 || list[0].Function.Name != "send_chat" || list[1].Function.Arguments != answered || list[0].ID == list[1].ID {
				t.Errorf("%+v", list)
			}
			bad := calls(toolCall{"send_chat", `{"message":"so"}`}, toolCall{"submit_response", `{"value":184}`})
			s.ask(t, body, bad).failed(t, 502, "invalid_tool_call", "")
			s.calledUpstream(t, 3)
			s.nothingRefused(t)
		})
	}
}

// TestInvalidToolUse has Bedrock fail at a call that a Nova model generated:
// the sample is bad and not the request.
func TestInvalidToolUse(t *testing.T) {
	t.Parallel()
	s := on(t, both[0])
	broken := step{bedrock: always(awstest.InvalidToolUse())}
	c := s.reached(t, s.ask(t, request(t, "rating"), broken, submits(answered)), 2, "")
	if _, arguments := c.call(t); arguments != answered {
		t.Error(arguments)
	}
}

// TestToolNames offers tools whose names not every model takes.
func TestToolNames(t *testing.T) {
	t.Parallel()
	const name = "4-rate_the-Scene"
	body := []byte(strings.ReplaceAll(string(request(t, "rating")), "submit_response", name))
	for _, b := range backends {
		t.Run(b.name, func(t *testing.T) {
			t.Parallel()
			s := on(t, b)
			last := step{external: calls(toolCall{name, answered}).external, billed: true}
			last.bedrock = func(req awstest.Request) awstest.Reply {
				var config struct {
					ToolConfig struct {
						Tools []struct{ ToolSpec struct{ Name string } }
					}
				}
				if err := json.Unmarshal(req.Body, &config); err != nil {
					return awstest.Text(err.Error())
				}
				tools := config.ToolConfig.Tools
				return awstest.ToolUse(tools[len(tools)-1].ToolSpec.Name, answered)
			}
			c := s.reached(t, s.ask(t, body, says("So:"), last), 2, "")
			if got, _ := c.call(t); got != name {
				t.Errorf("tool %q", got)
			}
			s.nothingRefused(t)
		})
	}
}

// TestSignatureIsPutBack re-asks a model that refuses a conversation in which its
// own call lacks what stood beside it, as Gemini 3 does. See
// https://ai.google.dev/gemini-api/docs/thought-signatures
func TestSignatureIsPutBack(t *testing.T) {
	t.Parallel()
	s := on(t, both[1])
	const signature = `{"google":{"thought_signature":"c2lnbmVk"}}`
	signed := func(arguments string) step {
		st := submits(arguments)
		st.external.message = strings.Replace(st.external.message, `"tool_calls":[{`, `"tool_calls":[{"extra_content":`+signature+`,`, 1)
		return st
	}
	a := s.ask(t, request(t, "rating"), signed(`{"value":140}`), signed(answered))
	if a.status != 200 || !strings.Contains(string(a.body), `"extra_content":`+signature) {
		t.Fatalf("%d %s", a.status, a.body)
	}
	asked := s.asked()
	if last := asked[len(asked)-1]; len(asked) != 2 || !strings.Contains(compact(t, string(last)), `"extra_content":`+signature) {
		t.Errorf("after %d calls the signature is missing in %s", len(asked), last)
	}
}
