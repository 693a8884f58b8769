package app_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// linesWith counts the log lines that hold all of the texts.
func (d *deployment) linesWith(texts ...string) int {
	n := 0
next:
	for _, line := range d.logs() {
		for _, text := range texts {
			if !strings.Contains(line, text) {
				continue next
			}
		}
		n++
	}
	return n
}

// A badBody is a body, the content type it is sent with, and what comes of it.
type badBody struct {
	name, body, kind string
	status           int
	code, param      string
}

// bodies are what may come as the body of a request.
func bodies(t *testing.T) []badBody {
	t.Helper()
	ping := string(request(t, "connection-test"))
	message := `"messages":[{"role":"user","content":"x"}]`
	tool := func(schema string) string {
		return `{"tools":[{"type":"function","function":{"name":"f","parameters":` + schema + `}}],` + message + `}`
	}
	return []badBody{
		{"byte order mark", "\ufeff" + ping, "", 200, "", ""},
		{"as text", ping, "text/plain; charset=utf-8", 200, "", ""},
		{"as a form", ping, "application/x-www-form-urlencoded", 200, "", ""},
		{"white space around", "\r\n\t " + ping + "\n\n", "", 200, "", ""},
		{"escaped member names", `{"m\u006fdel":"agent",` + message + `}`, "", 200, "", ""},
		{"unknown members", `{"nobody":{"knows":[1]},` + message + `}`, "", 200, "", ""},
		{"null members", `{"model":"agent","tools":null,"tool_choice":null,"max_tokens":null,"stream":null,"stop":null,"temperature":null,` + message + `}`, "", 200, "", ""},
		{"a member twice, of which the last counts", `{"model":"other","model":"agent",` + message + `}`, "", 200, "", ""},
		{"empty", "", "", 400, "invalid_json", ""},
		{"white space", " \n", "", 400, "invalid_json", ""},
		{"half of it", ping[:len(ping)/2], "", 400, "invalid_json", ""},
		{"two values", ping + ping, "", 400, "invalid_json", ""},
		{"an array", "[" + ping + "]", "", 400, "invalid_json", ""},
		{"a string", `"hello"`, "", 400, "invalid_json", ""},
		{"a page", "<html></html>", "text/html", 400, "invalid_json", ""},
		{"no messages", `{"model":"agent"}`, "", 400, "missing_required_parameter", "messages"},
		{"empty messages", `{"messages":[]}`, "", 400, "invalid_value", "messages"},
		{"unknown role", `{"messages":[{"role":"robot","content":"x"}]}`, "", 400, "invalid_value", "messages[0].role"},
		{"unknown part", `{"messages":[{"role":"user","content":[{"type":"video","video":"x"}]}]}`, "", 400, "invalid_value", "messages[0].content[0].type"},
		{"orphan result", `{"messages":[{"role":"tool","tool_call_id":"a","content":"x"}]}`, "", 400, "invalid_value", "messages[0]"},
		{"missing result", `{"messages":[{"role":"user","content":"x"},{"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"wait","arguments":"{}"}}]},{"role":"user","content":"y"}]}`, "", 400, "invalid_value", "messages[1]"},
		{"n", `{"n":2,` + message + `}`, "", 400, "unsupported_parameter", "n"},
		{"logprobs", `{"logprobs":true,` + message + `}`, "", 400, "unsupported_parameter", "logprobs"},
		{"audio", `{"modalities":["text","audio"],"audio":{"voice":"a","format":"wav"},` + message + `}`, "", 400, "unsupported_parameter", "audio"},
		{"functions", `{"functions":[],` + message + `}`, "", 400, "unsupported_parameter", "functions"},
		{"temperature", `{"temperature":2.5,` + message + `}`, "", 400, "invalid_value", "temperature"},
		{"temperature that Bedrock does not take", `{"temperature":1.5,` + message + `}`, "", 400, "invalid_value", "temperature"},
		{"max_tokens", `{"max_tokens":0,` + message + `}`, "", 400, "invalid_value", "max_tokens"},
		{"a remote reference", tool(`{"$ref":"https://schemas.invalid/x.json"}`), "", 400, "invalid_value", "tools[0].function.parameters"},
		{"a schema that is none", tool(`{"type":"objekt"}`), "", 400, "invalid_value", "tools[0].function.parameters"},
		{"a forced tool that is not offered", `{"tool_choice":{"type":"function","function":{"name":"g"}},"tools":[{"type":"function","function":{"name":"f"}}],` + message + `}`, "", 400, "invalid_value", "tool_choice"},
	}
}

// TestBodies sends bodies that are not quite, or not at all, what they should be.
func TestBodies(t *testing.T) {
	t.Parallel()
	s := on(t, both[0])
	for _, tc := range bodies(t) {
		t.Run(tc.name, func(t *testing.T) {
			s.play(says("pong"))
			var headers []string
			if tc.kind != "" {
				headers = []string{"Content-Type", tc.kind}
			}
			a := s.do(t, "POST", "/chat/completions", []byte(tc.body), headers...)
			if tc.status == 200 {
				if a.status != 200 {
					t.Errorf("%d %s", a.status, a.body)
				}
				return
			}
			a.checkHeader(t)
			e := a.failure(t)
			if e.status != tc.status || e.code != tc.code || !strings.HasPrefix(e.param, tc.param) || (tc.param == "") != (e.param == "") {
				t.Errorf("%+v", e)
			}
			s.calledUpstream(t, 0)
		})
	}
	s.nothingRefused(t)
}

// TestBinaryBodies has the gateway pass every body on in base64.
func TestBinaryBodies(t *testing.T) {
	t.Parallel()
	s := on(t, both[0])
	s.gateway.BinaryMediaTypes = []string{"*/*"}
	c := s.reached(t, s.ask(t, request(t, "korean-emoji"), submits(`{"value":"아직도 조금 떨려요 👩‍🚀🥹"}`)), 1, "")
	if _, arguments := c.call(t); arguments != `{"value":"아직도 조금 떨려요 👩‍🚀🥹"}` {
		t.Error(arguments)
	}
	var conversation struct {
		Messages []struct{ Content []struct{ Text string } }
	}
	if err := json.Unmarshal(s.asked()[0], &conversation); err != nil || !strings.Contains(conversation.Messages[0].Content[0].Text, "👩‍🚀🏳️‍🌈") {
		t.Errorf("the model was asked %s (%v)", s.asked()[0], err)
	}
}

// TestLargeBodies sends as much as reaches a function, and more.
func TestLargeBodies(t *testing.T) {
	t.Parallel()
	body := request(t, "image-inline")
	from := bytes.Index(body, []byte("data:image/png;base64,"))
	to := from + bytes.IndexByte(body[from:], '"')
	// A picture may be followed by anything; so its size can be chosen.
	padded := func(size int) []byte {
		padding := bytes.Repeat([]byte("AAAA"), (size-len(body))/4)
		return bytes.Join([][]byte{body[:from], bytes.TrimRight(body[from:to], "="), padding, body[to:]}, nil)
	}
	for _, b := range both {
		t.Run(b.name, func(t *testing.T) {
			t.Parallel()
			s := on(t, b)
			if !b.isExternal() {
				s.reached(t, s.ask(t, padded(4_500_000), submits(`{"value":"4"}`)), 1, "")
			}
			long := strings.Replace(string(request(t, "stage-text")), "What does", strings.Repeat("More and more. ", 380_000)+"What does", 1)
			a := s.ask(t, []byte(long), says("Much."))
			if b.isExternal() {
				s.reached(t, a, 1, "")
			} else {
				a.failed(t, 400, "context_length_exceeded", "messages")
			}
			s.ask(t, padded(6_500_000), says("no")).failed(t, 413, "request_too_large", "")
			s.calledUpstream(t, 0)
		})
	}
}
