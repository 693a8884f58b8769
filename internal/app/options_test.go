package app_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"hyperstudy-endpoint/internal/awstest"
)

// TestFallback has a model fail whose entry names another one.
func TestFallback(t *testing.T) {
	t.Parallel()
	const (
		models = "agent=external:large-model?fallback=spare,spare=bedrock:us.amazon.nova-2-lite-v1:0"
		nova   = "us.amazon.nova-2-lite-v1:0"
	)
	body := request(t, "rating")
	for _, tc := range []struct {
		name     string
		first    step
		used     bool
		status   int
		code     string
		attempts int // of the first model; 0 if it is up to chance
	}{
		{"good", submits(answered), false, 200, "", 1},
		{"throttled", throttled(""), true, 200, "", 0},
		{"throttled for a minute", throttled("60"), true, 200, "", 1},
		{"dropping", drops(), true, 200, "", 0},
		{"a page", web(503), true, 200, "", 0},
		{"a bad answer is an answer", submits(`{"value":140}`), false, 502, "invalid_tool_call", 3},
		{"so is a refusal", refuses(), false, 502, "model_refusal", 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			d := deploy(t, models, "REQUEST_TIMEOUT_SECONDS=10")
			d.gateway.Age = age
			d.upstream.handle(func(sent) (reply, tokens) { return tc.first.external, tokens{10, 1} })
			d.aws.Reply(awstest.ToolUse("submit_response", answered))
			start := time.Now()
			a := d.post(t, body)
			if took := time.Since(start) + age; took > limit {
				t.Errorf("answered %v after the request came in", took)
			}
			asked := len(d.upstream.all())
			if tc.attempts > 0 && asked != tc.attempts {
				t.Errorf("the first model was asked %d times, want %d", asked, tc.attempts)
			}
			if a.header.Get("X-Endpoint-Fallback") != map[bool]string{true: "spare"}[tc.used] {
				t.Errorf("X-Endpoint-Fallback %q", a.header.Get("X-Endpoint-Fallback"))
			}
			if tc.status != 200 {
				a.failed(t, tc.status, tc.code, "")
				return
			}
			c := a.completion(t)
			if tc.first.external.drop {
				asked-- // the connection opened during INIT is replaced without ado
			}
			if tc.used {
				asked++
				c.billed(t, tokens{12, 7})
			}
			a.disclosed(t, asked, "")
			if (c.Model == nova) != tc.used || d.linesWith(`"fallback":"spare"`) != map[bool]int{true: 1}[tc.used] {
				t.Errorf("answered by %s: %s", c.Model, lines(d.logs()))
			}
		})
	}
}

// TestToolChoiceRequired deploys with TOOL_CHOICE=required.
func TestToolChoiceRequired(t *testing.T) {
	t.Parallel()
	for _, b := range backends {
		t.Run(b.name, func(t *testing.T) {
			t.Parallel()
			s := on(t, b, "TOOL_CHOICE=required")
			for member, forced := range map[string]bool{`"seed":1`: true, `"tool_choice":"auto"`: true, `"tool_choice":"none"`: false} {
				s.forget()
				step := submits(answered)
				if !forced {
					step = says("fine")
				}
				a := s.ask(t, with(t, request(t, "rating"), member), step)
				s.reached(t, a, 1, "")
				cannot := forced && strings.Contains(a.header.Get("X-Endpoint-Ignored"), "tool_choice")
				if got := s.forcedAtOnce(t); got != (forced && !cannot) {
					t.Errorf("%s: forced %v, ignored %q: %s", member, got, a.header.Get("X-Endpoint-Ignored"), s.asked()[0])
				}
			}
			s.forget()
			s.reached(t, s.ask(t, request(t, "stage-text"), says("fine")), 1, "")
			if s.forcedAtOnce(t) {
				t.Errorf("a tool is forced where there is none: %s", s.asked()[0])
			}
			s.nothingRefused(t)
		})
	}
}

// forcedAtOnce reports whether the only upstream call demands a tool call, in
// one of the ways that there are.
func (s *stage) forcedAtOnce(t *testing.T) bool {
	t.Helper()
	asked := s.asked()
	if len(asked) != 1 {
		t.Fatalf("%d upstream calls", len(asked))
	}
	call := members(t, asked[0])
	if s.forces(call) {
		return true
	}
	fields, ok := call["additionalModelRequestFields"].(map[string]any)
	if !ok {
		return false
	}
	choice, ok := fields["tool_choice"].(map[string]any)
	return ok && choice["type"] == "any"
}

// TestMaxReasks deploys with every number of re-asks.
func TestMaxReasks(t *testing.T) {
	t.Parallel()
	for setting, attempts := range map[string]int{"0": 1, "1": 2, "5": 6} {
		for _, b := range both {
			t.Run(setting+"/"+b.name, func(t *testing.T) {
				t.Parallel()
				s := on(t, b, "MAX_REASKS="+setting)
				a := s.ask(t, request(t, "rating"), submits(`{"value":140}`))
				a.failed(t, 502, "invalid_tool_call", "")
				a.disclosed(t, attempts, "")
				s.calledUpstream(t, attempts)
				s.nothingRefused(t)
			})
		}
	}
}

// TestMaxTokens deploys a model with a limit of its own.
func TestMaxTokens(t *testing.T) {
	t.Parallel()
	plain := []byte(`{"model":"agent","messages":[{"role":"user","content":"x"}],"tools":[{"type":"function","function":{"name":"wait"}}]}`)
	for _, b := range both {
		t.Run(b.name, func(t *testing.T) {
			t.Parallel()
			b.entry += "?max_tokens=77"
			s := on(t, b)
			s.backend.entry = strings.TrimSuffix(b.entry, "?max_tokens=77")
			good := calls(toolCall{"wait", `{}`})
			s.reached(t, s.ask(t, plain, good), 1, "")
			s.reached(t, s.ask(t, with(t, plain, `"max_tokens":99`), good), 1, "")
			// An answer that is cut at the endpoint's own limit is asked for
			// without it; one that is cut at the caller's is not.
			s.reached(t, s.ask(t, plain, cut(says("Well")), good), 2, "")
			s.ask(t, with(t, plain, `"max_tokens":99`), cut(says("Well"))).failed(t, 400, "max_tokens_reached", "max_tokens")
			var limits []string
			for _, call := range s.asked() {
				limits = append(limits, s.maxTokens(t, call))
			}
			if got := strings.Join(limits, " "); got != "77 99 77 none 99" {
				t.Errorf("limits %s", got)
			}
			s.nothingRefused(t)
		})
	}
}

func (s *stage) maxTokens(t *testing.T, call json.RawMessage) string {
	t.Helper()
	var body struct {
		MaxTokens       json.Number `json:"max_tokens"`
		InferenceConfig struct{ MaxTokens json.Number }
	}
	if err := json.Unmarshal(call, &body); err != nil {
		t.Fatal(err)
	}
	if n := body.MaxTokens + body.InferenceConfig.MaxTokens; n != "" {
		return n.String()
	}
	return "none"
}

// TestModelOptions deploys models with options that only Bedrock has.
func TestModelOptions(t *testing.T) {
	t.Parallel()
	const arn = "arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/a1b2c3d4e5f6"
	d := deploy(t, "agent=bedrock:"+arn+"?family=claude-4-5&guardrail=abc123def456:7,world=bedrock:global.amazon.nova-2-lite-v1:0?global=allow")
	d.aws.Family(arn, awstest.Claude45)
	s := &stage{deployment: d}
	s.serve(d)
	s.ask(t, with(t, request(t, "rating"), `"top_p":0.9`), submits(answered)).completion(t)
	s.ask(t, with(t, request(t, "rating"), `"model":"world"`), submits(answered)).completion(t)
	asked := s.asked()
	for _, want := range []string{`"guardrailIdentifier":"abc123def456"`, `"guardrailVersion":"7"`, `"disable_parallel_tool_use":true`} {
		if !strings.Contains(string(asked[0]), want) || strings.Contains(string(asked[1]), want) {
			t.Errorf("%s is not sent to the first model alone: %s\n%s", want, asked[0], asked[1])
		}
	}
	d.nothingRefused(t)
}
