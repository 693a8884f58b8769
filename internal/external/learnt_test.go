package external

import (
	"slices"
	"strings"
	"testing"
)

const decisionTools = `,"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object"}}}]`

// TestLearntInTheSameCompany asks for a parameter in company in which the server
// refuses it, and then in company in which it does not: that request is sent
// whole, in one call.
func TestLearntInTheSameCompany(t *testing.T) {
	t.Parallel()
	reasons := is("reasoning_effort", `"high"`)
	for _, tc := range []struct {
		name             string
		refused          rule
		refusing, taking string // members of requests
		lost             string
	}{
		{"temperature of a model that reasons", newRule(and(reasons, has("temperature")), 400,
			openAI("Unsupported parameter: 'temperature' is not supported with this model.", "temperature", "unsupported_parameter")),
			`"temperature":0.7,"reasoning_effort":"high"`, `"temperature":0.7,"reasoning_effort":"none"`, "temperature"},
		{"reasoning beside tools", newRule(and(reasons, has("tools")), 400,
			openAI("Function tools with reasoning_effort are not supported for this model.", "reasoning_effort", "")),
			`"reasoning_effort":"high"` + decisionTools, `"reasoning_effort":"high"`, "reasoning_effort"},
		{"seed of a stage with JSON", newRule(and(has("response_format"), has("seed")), 400, openAI("Unsupported parameter: 'seed'", "seed", "unsupported_parameter")),
			`"seed":7,"response_format":{"type":"json_object"}`, `"seed":7`, "seed"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			p, u := serveQuirk(t, []rule{tc.refused})
			for i, calls := range []int{2, 3} { // found, and known from then on
				completion, err := p.Complete(t.Context(), request(t, tc.refusing))
				if err != nil || !slices.Equal(completion.Ignored, []string{tc.lost}) || len(u.calls()) != calls {
					t.Fatalf("request %d: %v, %d calls", i, err, len(u.calls()))
				}
			}
			completion, err := p.Complete(t.Context(), request(t, tc.taking))
			if err != nil || len(completion.Ignored) != 0 || len(u.calls()) != 4 || !strings.Contains(u.calls()[3], `"`+tc.lost+`"`) {
				t.Errorf("%v, %d calls, the last with %s", err, len(u.calls()), u.calls()[len(u.calls())-1])
			}
		})
	}
}

// TestCompaniesAreBounded sends ever other company: what is learnt does not fill
// the memory, and every request is answered.
func TestCompaniesAreBounded(t *testing.T) {
	t.Parallel()
	p, _ := serveQuirk(t, []rule{newRule(has("seed"), 400, openAI("Unsupported parameter: 'seed'", "seed", "unsupported_parameter"))})
	for i := range 2 * maxCompanies {
		completion, err := p.Complete(t.Context(), request(t, `"seed":1,"reasoning_effort":"`+strings.Repeat("x", i+1)+`"`))
		if err != nil || !slices.Equal(completion.Ignored, []string{"seed"}) {
			t.Fatalf("company %d: %v", i, err)
		}
	}
	if n := len(p.learnt); n != maxCompanies {
		t.Errorf("%d companies are kept", n)
	}
}
