package external

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"hyperstudy-endpoint/internal/openai"
	"hyperstudy-endpoint/internal/upstreamtest"
)

// What is a list of refused parameters and what is not.
func TestListed(t *testing.T) {
	t.Parallel()
	sent, err := openai.ParseObject([]byte(`{"model":1,"messages":1,"tools":1,"tool_choice":1,"temperature":1,"top_p":1,"top_k":1,"min_p":1,"seed":1,"stop":1,"user":1}`))
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct{ place, text, want string }{
		{"", "Unknown parameters: 'top_k', 'min_p'.", "top_k min_p"},
		{"", "Unsupported parameters: `top_k`, `min_p` and `seed`. Did you mean 'top_p'?", "top_k min_p seed"},
		{"", "Unsupported parameter(s): top_k; min_p. Supported parameters: temperature, top_p.", "top_k min_p"},
		{"", "Unknown parameters supplied: top_k, nothing, min_p", "top_k min_p"},
		{"", "Arguments not supported on this model: stop, seed", "stop seed"},
		{"", "The following parameters are not supported by gpt-4.1: stop, seed", "stop seed"},
		{"", "Got unexpected keyword arguments 'top_k' and 'min_p'", "top_k min_p"},
		{"", `Unknown fields \"top_k\", \"min_p\"`, "top_k min_p"},
		{"", "The parameters `seed` and `stop` are not supported with this model.", "seed stop"},
		{"", "top_k, min_p and seed are not supported", "top_k min_p seed"},
		{"", "This model does not support top_k, min_p", "top_k min_p"},
		{"top_k", "Unsupported parameters: 'top_k', 'min_p'", "top_k min_p"},
		{"validation_error", "Unsupported parameters: 'top_k', 'min_p'", "top_k min_p"},
		{"", "Unrecognized request arguments supplied: tool_choice, tools", "tool_choice tools"},

		{"messages[0]", "Unsupported parameters: 'top_k', 'min_p'", ""},
		{"seed", "Unsupported parameters: 'top_k', 'min_p'", ""},
		{"", "`temperature` and `top_p` cannot both be specified for this model.", ""},
		{"", "`temperature` and `top_p` are not allowed together.", ""},
		{"", "`seed` and `stop` are not supported when streaming.", ""},
		{"", "Unsupported parameters: top_k, min_p unless temperature is set", ""},
		{"", "Parameters other than 'temperature' and 'top_p' are not allowed.", ""},
		{"", "Unknown parameter 'foo', only temperature, top_p are known.", ""},
		{"", "Supported parameters: temperature, top_p", ""},
		{"", "'foo' is not supported, supported parameters: temperature, top_p", ""},
		{"", "'foo' is not supported by m. Supported parameters: temperature, top_p", ""},
		{"", "Images and tools are not supported", ""},
		{"", "tools, stop and user are not supported", ""},
		{"", "This model does not support tools, images or user names", ""},
		{"", "Invalid values for parameters: temperature, top_p", ""},
		{"", "temperature: must be at most 1, top_p: must be at most 1", ""},
	}
	for _, tt := range tests {
		t.Run(tt.text, func(t *testing.T) {
			t.Parallel()
			got := complaint{place: tt.place, text: tt.text}.listed(&sent)
			if len(got) < 2 {
				got = nil // is no list
			}
			if want := strings.Fields(tt.want); !slices.Equal(got, want) {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

// What a request cannot do without stays in it, whatever the list says.
func TestListedForGood(t *testing.T) {
	t.Parallel()
	p, u := serve(t, always(http.StatusBadRequest, openAI("Unrecognized request arguments supplied: messages, model, tools, top_k", "", "")))
	_, err := p.Complete(t.Context(), request(t, `"top_k":1,`+oneTool))
	if e := wantError(t, err); e.Status != 400 {
		t.Errorf("got %d: %s", e.Status, e.Message)
	}
	calls := u.calls()
	want := `{"model":"m","messages":[{"role":"user","content":"canary"}],` + oneTool + `}`
	if len(calls) != 2 || calls[1] != want || len(p.learnt) > 0 {
		t.Errorf("sent %q, learnt %v", calls, p.learnt)
	}
}

// A parameter that stands in a list is left out of requests that have no other.
func TestListTeachesEachParameter(t *testing.T) {
	t.Parallel()
	p, u := serveQuirk(t, []rule{newRule(has("top_k"), 400, openAI("Unrecognized request arguments supplied: "+upstreamtest.EachSampler("NAME", ", "), "", ""))})
	complete(t, p, u, upstreamtest.SamplerMembers)
	for i, name := range upstreamtest.Samplers {
		completion, sent := complete(t, p, u, fmt.Sprintf(`"%s":1,"temperature":0.5`, name))
		if !slices.Equal(completion.Ignored, []string{name}) || strings.Contains(sent, name) || len(u.calls()) != 3+i {
			t.Errorf("%s: ignored %q, %d calls, sent %s", name, completion.Ignored, len(u.calls()), sent)
		}
	}
}

// An empty list of tools is no list, and what goes with tools goes with it.
func TestNoTools(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, members, want string }{
		{"empty", `"tools":[],"x":1`, `,"x":1`},
		{"with all that goes with it", `"parallel_tool_calls":true,"tools":[ ],"tool_choice":"auto","x":1`, `,"x":1`},
		{"none", `"tools":[],"tool_choice":"none"`, ``},
		{"null", `"tools":null,"tool_choice":"none"`, `,"tools":null,"tool_choice":"none"`},
		{"absent", `"tool_choice":"none","parallel_tool_calls":false`, `,"tool_choice":"none","parallel_tool_calls":false`},
		{"one tool", `"tool_choice":"none",` + oneTool, `,"tool_choice":"none",` + oneTool},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p, u := serve(t, always(http.StatusOK, okReply))
			completion, sent := complete(t, p, u, tt.members)
			if want := `{"model":"m","messages":[{"role":"user","content":"canary"}]` + tt.want + `}`; sent != want {
				t.Errorf("sent %s, want %s", sent, want)
			}
			if len(completion.Ignored) > 0 {
				t.Errorf("ignored %q", completion.Ignored)
			}
		})
	}
}
