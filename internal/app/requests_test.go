package app_test

import (
	"strings"
	"testing"
)

// TestRequests puts every request to every backend with every sample answer.
func TestRequests(t *testing.T) {
	t.Parallel()
	list := fixtures(t)
	for _, b := range backends {
		t.Run(b.name, func(t *testing.T) {
			t.Parallel()
			s := on(t, b)
			for _, f := range list {
				t.Run(f.name, func(t *testing.T) { s.check(t, &f) })
			}
			if !b.isExternal() { // an external upstream may refuse a parameter to learn by
				s.nothingRefused(t)
			}
		})
	}
}

// check puts one request to the stage's backend.
func (s *stage) check(t *testing.T, f *fixture) {
	if f.Images && !s.backend.vision {
		s.blind(t, f)
		return
	}
	if f.Link && !s.backend.isExternal() {
		s.nothingThere(t, f)
		return
	}
	switch f.Kind {
	case "decision":
		s.decides(t, f)
	case "text":
		s.writes(t, f)
	case "json":
		s.writesJSON(t, f)
	case "error":
		s.fails(t, f)
	default:
		t.Fatalf("kind %q", f.Kind)
	}
}

func (s *stage) decides(t *testing.T, f *fixture) {
	if len(f.Valid) == 0 {
		t.Fatal("no valid sample")
	}
	for _, raw := range f.Valid {
		a := s.ask(t, f.body, calls(toolCall{f.Tool, string(raw)}))
		c := s.reached(t, a, 1, "")
		if name, arguments := c.call(t); name != f.Tool || arguments != string(raw) {
			t.Errorf("%s came back as %s(%s)", raw, name, arguments)
		}
		if ignored := a.header.Get("X-Endpoint-Ignored"); f.Ignores && !strings.Contains(ignored, "repeat_penalty") {
			t.Errorf("X-Endpoint-Ignored %q", ignored)
		}
	}
	for _, m := range f.Mended {
		c := s.reached(t, s.ask(t, f.body, calls(toolCall{f.Tool, string(m.Arguments)})), 1, m.Codes)
		if name, arguments := c.call(t); name != f.Tool || compact(t, arguments) != compact(t, string(m.Into)) {
			t.Errorf("%s (%s) came back as %s(%s), want %s", m.Arguments, m.Why, name, arguments, m.Into)
		}
	}
	for _, r := range f.Reasked {
		s.insists(t, f, calls(toolCall{f.Tool, string(r.Arguments)}), r.Why)
	}
	s.choosesOthers(t, f)
}

// insists lets a model give a bad answer once, and then again and again.
func (s *stage) insists(t *testing.T, f *fixture, bad step, why string) {
	t.Helper()
	good := f.Valid[0]
	c := s.reached(t, s.ask(t, f.body, bad, calls(toolCall{f.Tool, string(good)})), 2, "")
	if name, arguments := c.call(t); name != f.Tool || arguments != string(good) {
		t.Errorf("after a re-ask (%s): %s(%s), want %s", why, name, arguments, good)
	}
	a := s.ask(t, f.body, bad)
	e := a.failed(t, 502, "invalid_tool_call", "")
	s.calledUpstream(t, 3)
	a.disclosed(t, 3, "")
	if !strings.Contains(e.message, "3 attempts") {
		t.Errorf("%s: message %q", why, e.message)
	}
}

// choosesOthers checks that every other tool is as good an answer.
func (s *stage) choosesOthers(t *testing.T, f *fixture) {
	for _, name := range f.Tools {
		if name == f.Tool {
			continue
		}
		arguments := map[string]string{"wait": `{}`, "send_chat": `{"message": "so \"be\" it 🙂"}`}[name]
		c := s.reached(t, s.ask(t, f.body, calls(toolCall{name, arguments})), 1, "")
		if got, args := c.call(t); got != name || args != arguments {
			t.Errorf("%s came back as %s(%s)", name, got, args)
		}
	}
	for name := range f.offered(t) {
		if !strings.Contains(strings.Join(f.Tools, " "), name) { // may not be called under this tool choice
			s.ask(t, f.body, calls(toolCall{name, `{}`})).failed(t, 502, "invalid_tool_call", "")
		}
	}
}

func (s *stage) writes(t *testing.T, f *fixture) {
	if len(f.Valid) == 0 {
		t.Fatal("no valid sample")
	}
	for _, raw := range f.Valid {
		text := isString(t, raw)
		step := says(text)
		if f.Finish == "length" {
			step = cut(step)
		}
		c := s.reached(t, s.ask(t, f.body, step), 1, "")
		if got := c.text(t); got != text || c.Choices[0].FinishReason != f.Finish {
			t.Errorf("%q came back as %q, %s", text, got, c.Choices[0].FinishReason)
		}
	}
}

func (s *stage) writesJSON(t *testing.T, f *fixture) {
	if len(f.Valid) == 0 {
		t.Fatal("no valid sample")
	}
	for _, raw := range f.Valid {
		c := s.reached(t, s.ask(t, f.body, answersJSON(string(raw))), 1, "")
		if got := c.text(t); got != string(raw) || c.Choices[0].FinishReason != "stop" {
			t.Errorf("%s came back as %s, %s", raw, got, c.Choices[0].FinishReason)
		}
	}
	for _, m := range f.Mended {
		c := s.reached(t, s.ask(t, f.body, answersJSON(m.Text)), 1, m.Codes)
		if got := c.text(t); compact(t, got) != compact(t, string(m.Into)) {
			t.Errorf("%s (%s) came back as %s", m.Text, m.Why, got)
		}
	}
	for _, r := range f.Reasked {
		good := string(f.Valid[0])
		c := s.reached(t, s.ask(t, f.body, answersJSON(r.Text), answersJSON(good)), 2, "")
		if got := c.text(t); got != good {
			t.Errorf("after a re-ask (%s): %s", r.Why, got)
		}
		s.ask(t, f.body, answersJSON(r.Text)).failed(t, 502, "invalid_json_answer", "")
		s.calledUpstream(t, 3)
	}
}

// fails puts a request that cannot be answered.
func (s *stage) fails(t *testing.T, f *fixture) {
	bad := says("nobody should be asked")
	upstream := 0
	if f.Cut != nil {
		bad, upstream = cut(s.unfinished(f)), 1
	}
	a := s.ask(t, f.body, bad)
	e := a.failure(t)
	if e.status != f.Error.Status || e.code != f.Error.Code {
		t.Fatalf("%+v, want %+v", e, f.Error)
	}
	s.calledUpstream(t, upstream)
	if e.param != f.Error.Param || !strings.Contains(e.message, f.Error.Says) {
		t.Errorf("%+v, want %+v", e, f.Error)
	}
	if f.Cut == nil {
		return
	}
	// What the model chose before the limit counts.
	c := s.reached(t, s.ask(t, f.body, calls(toolCall{"wait", `{}`})), 1, "")
	if name, _ := c.call(t); name != "wait" {
		t.Errorf("%s came back", name)
	}
}

// unfinished is a call that is being written when the limit is reached. What
// Bedrock gives is an object all the same.
func (s *stage) unfinished(f *fixture) step {
	whole := submits(string(f.Cut))
	half := submits(strings.TrimSuffix(strings.TrimSpace(string(f.Cut)), "}")[:len(f.Cut)/2])
	whole.external = half.external
	return whole
}

// blind checks that a model that cannot see is not asked about pictures.
func (s *stage) blind(t *testing.T, f *fixture) {
	e := s.ask(t, f.body, submits(`{"value":"4"}`)).failure(t)
	if e.status != 400 || e.code != "unsupported_parameter" || !strings.HasPrefix(e.param, "messages[1].content[1]") {
		t.Errorf("%+v", e)
	}
	s.calledUpstream(t, 0)
}

// nothingThere checks that a picture that cannot be had is not left out.
func (s *stage) nothingThere(t *testing.T, f *fixture) {
	a := s.ask(t, f.body, submits(string(f.Valid[0])))
	e := a.failed(t, 400, "invalid_value", "messages[1].content[1].image_url.url")
	s.calledUpstream(t, 0)
	if strings.Contains(e.message, "token=") || strings.Contains(e.message, "pictures.invalid") {
		t.Errorf("the message holds the URL: %s", e.message)
	}
	s.noLine(t, "pictures.invalid", "5f3759df")
}
