package external

import (
	"net/http"
	"strings"
	"testing"
)

// TestShortQuotations has a server refuse a request with an error that quotes a
// few words of a message, too few to be told from its own, and answer from then
// on. Whatever such an error leads to, the next request is sent as it came.
func TestShortQuotations(t *testing.T) {
	t.Parallel()
	quoting := func(words, param string) string { return openAI(`Bad input "`+words+`".`, param, "") }
	tests := []struct{ name, message, members, reply string }{
		{"a minimum", "max_tokens >= 4096", `"max_tokens":50`, quoting("max_tokens >= 4096", "")},
		{"a minimum for the parameter the server names", "at least 4096", `"max_tokens":50`, quoting("at least 4096", "max_tokens")},
		{"the number alone", "I have 4096 points", `"max_tokens":50`, openAI("max_tokens: needs at least 4096", "max_tokens", "")},
		{"another form of it", "AT LEAST 4096!", `"max_tokens":50`, openAI("max_tokens: you said 'at least 4096!'", "max_tokens", "")},
		{"a refused parameter", "seed is unknown", `"seed":1`, quoting("seed is unknown", "")},
		{"in quotes", "'seed'", `"seed":1`, openAI("Unsupported input: 'seed'.", "", "")},
		{"refusing words", "unknown", `"seed":1`, openAI("seed: 'unknown' is no number", "seed", "")},
		{"refusing words of another kind", "cannot find field", `"seed":1`, openAI("seed: 'cannot find field' is no number", "seed", "")},
		{"refusing words of several", "only the default", `"seed":1`, openAI("seed: 'only the default' is no number", "seed", "")},
		{"a thought", "I think: unknown", `"reasoning_effort":"low"`, openAI("'think: unknown' is no JSON", "", "")},
		{"another name for the limit", "unknown", `"max_tokens":50`, openAI("max_tokens: 'unknown'", "max_tokens", "")},
		{"a stream", "must be streamed", ``, quoting("must be streamed", "")},
		{"two parameters", "both top_p", `"temperature":0.1,"top_p":0.9`, openAI("Bad temperature in 'both top_p'", "temperature", "")},
		{"a list of them", "seed, top_p", `"seed":1,"top_p":0.9`, openAI("Unknown parameters: seed, top_p", "", "")},
		{"a forced choice", "thinking", `"tool_choice":"required",` + oneTool, openAI("Bad 'thinking'", "tool_choice", "")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p, u := serve(t, func(w http.ResponseWriter, call int, body string) {
				if call == 0 {
					write(w, 400, tt.reply)
					return
				}
				write(w, 200, okReply)
			})
			members := ""
			if tt.members != "" {
				members = tt.members + ","
			}
			req := saying(t, tt.message, members)
			if _, err := p.Complete(t.Context(), req); err != nil {
				t.Fatalf("the quotation led to nothing: %v", err)
			}
			before := len(u.calls())
			next, err := p.Complete(t.Context(), req)
			if err != nil {
				t.Fatal(err)
			}
			sent := u.calls()[before]
			if sent != u.calls()[0] || len(u.calls()) != before+1 || len(next.Ignored) > 0 {
				t.Errorf("the quotation taught to send\n%s, not\n%s", sent, u.calls()[0])
			}
		})
	}
}

// What a server's own words prove is learnt whatever the messages speak of.
func TestLearntBesideSmallTalk(t *testing.T) {
	t.Parallel()
	const talk = "What is the temperature? Only a default, I support 1 to 16 seeds, and the model is new. We use both parameters when it is not your turn, and do not want support."
	tests := []struct {
		name, members, reply string
		when                 func(body string) bool
	}{
		{"the server names the parameter", `"temperature":0.5`, openAI("Unsupported value: 'temperature' does not support 0.5 with this model. Only the default (1) value is supported.",
			"temperature", "unsupported_value"), func(body string) bool { return strings.Contains(body, `"temperature":0.5`) }},
		{"a name nobody spoke of", `"parallel_tool_calls":false`, openAI("Unsupported parameter: parallel_tool_calls", "", ""),
			func(body string) bool { return strings.Contains(body, "parallel_tool_calls") }},
		{"FastAPI", `"seed":3`, `{"detail":[{"type":"extra_forbidden","loc":["body","seed"],"msg":"Extra inputs are not permitted"}]}`,
			func(body string) bool { return strings.Contains(body, `"seed"`) }},
		{"a minimum", `"max_tokens":1`, openAI("Invalid 'max_tokens': integer below minimum value. Expected a value >= 20, but got 1 instead.", "max_tokens", "integer_below_min_value"),
			func(body string) bool {
				return strings.Contains(body, `"max_tokens":1,`) || strings.Contains(body, `"max_tokens":1}`)
			}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p, u := serve(t, func(w http.ResponseWriter, _ int, body string) {
				if tt.when(body) {
					write(w, 400, tt.reply)
					return
				}
				write(w, 200, okReply)
			})
			for _, calls := range []int{2, 3, 4} {
				if _, err := p.Complete(t.Context(), saying(t, talk, tt.members+",")); err != nil {
					t.Fatal(err)
				}
				if len(u.calls()) != calls {
					t.Errorf("%d calls, want %d", len(u.calls()), calls)
				}
			}
		})
	}
}
