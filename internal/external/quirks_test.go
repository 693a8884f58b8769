package external

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"hyperstudy-endpoint/internal/openai"
	"hyperstudy-endpoint/internal/upstreamtest"
)

// The words of upstreamtest's tables, for rules that these tests make up.
type rule = upstreamtest.Rule

var (
	has, is, contains = upstreamtest.Has, upstreamtest.Is, upstreamtest.Contains
	and, not          = upstreamtest.And, upstreamtest.Not
	newRule           = upstreamtest.NewRule
	openAI            = upstreamtest.OpenAIError
)

const oneTool = upstreamtest.OneTool

// serveQuirk answers as the server does and refuses what it refuses.
func serveQuirk(t *testing.T, rules []rule) (*Provider, *upstreamServer) {
	t.Helper()
	return serve(t, func(w http.ResponseWriter, _ int, body string) {
		o, err := openai.ParseObject([]byte(body))
		if err != nil {
			t.Error(err)
		}
		if status, reply := upstreamtest.Refusal(rules, &o); status != 0 {
			write(w, status, reply)
			return
		}
		if is("stream", "true")(&o) {
			write(w, http.StatusOK, `data: {"choices":[{"delta":{"content":"Yes."},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
			return
		}
		write(w, http.StatusOK, okReply)
	})
}

// Every quirk is met within one call of Complete, and met at once from then on.
func TestQuirks(t *testing.T) {
	t.Parallel()
	for _, q := range upstreamtest.Quirks() {
		t.Run(q.Name, func(t *testing.T) {
			t.Parallel()
			if !strings.HasPrefix(q.Source, "https://") {
				t.Error("the quirk has no source")
			}
			p, u := serveQuirk(t, q.Rules)
			req := request(t, q.Members)
			want := `{"model":"m","messages":[{"role":"user","content":"canary"}]`
			if q.Want != "" {
				want += "," + q.Want
			}
			want += "}"
			for round, calls := range []int{q.Calls, q.Calls + 1} {
				completion, err := p.Complete(t.Context(), req)
				if err != nil {
					t.Fatalf("round %d: %v", round, err)
				}
				if got := u.calls(); len(got) != calls || got[len(got)-1] != want {
					t.Errorf("round %d: %d calls, want %d; the last was\n%s, want\n%s", round, len(got), calls, got[len(got)-1], want)
				}
				if !slices.Equal(completion.Ignored, q.Ignored) {
					t.Errorf("round %d: ignored %q, want %q", round, completion.Ignored, q.Ignored)
				}
				if *completion.Choices[0].Message.Content != "Yes." {
					t.Errorf("round %d: content %q", round, *completion.Choices[0].Message.Content)
				}
			}
		})
	}
}

// Servers word it differently, and all of them take a system message instead.
func TestDeveloperRole(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, source, reply string }{
		{"DashScope", "https://github.com/proma-ai/Proma/issues/1496",
			openAI("developer is not one of ['system', 'assistant', 'user', 'tool', 'function'] - 'messages.['0].role'", "", "")},
		{"Azure", "https://github.com/agno-agi/agno/issues/1770",
			openAI("Unsupported value: 'messages[0].role' does not support 'developer' with this model.", "messages[0].role", "unsupported_value")},
		{"a chat template", "https://github.com/peonist-ai/halogen-flash-server/issues/32",
			openAI("chat template rejected the request: Unexpected message role.", "", "")},
		{"GLM", "https://github.com/vastsa/PI-Desktop/issues/30", `{"message":"Error from provider: Upstream request failed: [1214] Incorrect role information","type":"server_error","param":"","code":null}`},
		{"FastAPI", "https://github.com/QuantumNous/new-api/issues/5330",
			`{"detail":[{"type":"literal_error","loc":["body","messages",0,"role"],"msg":"Input should be 'system', 'user', 'assistant' or 'tool'"}]}`},
	}
	const want = `{"model":"m","messages":[{"role":"system","content":"Be <brief>."}, {"content":"hi", "role":"user"}],"x":1}`
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p, u := serveQuirk(t, []rule{newRule(contains("messages", "developer"), 400, tt.reply)})
			req, err := openai.DecodeRequest(strings.NewReader(`{"model":"m","messages":[{"role":"developer","content":"Be <brief>."}, {"content":"hi", "role":"user"}],"x":1}`))
			if err != nil {
				t.Fatal(err)
			}
			completion, err := p.Complete(t.Context(), req)
			if err != nil {
				t.Fatal(err)
			}
			got := u.calls()
			if len(got) != 2 || got[1] != strings.ReplaceAll(want, "}, {", "},{") {
				t.Errorf("sent %q", got)
			}
			if len(completion.Ignored) > 0 {
				t.Errorf("ignored %q", completion.Ignored)
			}
		})
	}
}
