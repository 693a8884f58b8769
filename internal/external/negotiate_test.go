package external

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"hyperstudy-endpoint/internal/openai"
)

// complete makes a completion and returns what the last request was.
func complete(t *testing.T, p *Provider, u *upstreamServer, members string) (*openai.ChatCompletion, string) {
	t.Helper()
	completion, err := p.Complete(t.Context(), request(t, members))
	if err != nil {
		t.Fatal(err)
	}
	calls := u.calls()
	return completion, calls[len(calls)-1]
}

// What one request taught must not cost another request what the server accepts.
func TestNothingAcceptedIsDropped(t *testing.T) {
	t.Parallel()
	oneTemperature := newRule(and(has("temperature"), not(is("temperature", "1.0"))), 400, openAI("Unsupported value: 'temperature' does not support 0.7 "+
		"with this model. Only the default (1) value is supported.", "temperature", "unsupported_value"))
	bothSamplers := newRule(and(has("temperature"), has("top_p")), 400, openAI("temperature and top_p cannot both be specified", "", ""))
	noTools := newRule(and(has("parallel_tool_calls"), not(has("tools"))), 400, openAI("'parallel_tool_calls' is only allowed when 'tools' are specified.", "parallel_tool_calls", ""))
	thinkingChoice := newRule(and(has("thinking"), is("tool_choice", `"required"`)), 400,
		openAI("Thinking may not be enabled when tool_choice forces tool use.", "", ""))
	tests := []struct {
		name, first, second, part string
		rule                      rule
	}{
		{"the one value", `"temperature":0.7`, `"temperature":1.0`, `"temperature":1.0`, oneTemperature},
		{"one of two samplers", `"temperature":0.7,"top_p":0.9`, `"top_p":0.9`, `"top_p":0.9`, bothSamplers},
		{"a parameter of tools", `"parallel_tool_calls":false`, `"parallel_tool_calls":false,` + oneTool, `"parallel_tool_calls":false`, noTools},
		{"a forced choice without thinking", `"thinking":{"type":"enabled"},"tool_choice":"required",` + oneTool,
			`"tool_choice":"required",` + oneTool, `"tool_choice":"required"`, thinkingChoice},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p, u := serveQuirk(t, []rule{tt.rule})
			complete(t, p, u, tt.first)
			completion, sent := complete(t, p, u, tt.second)
			if !strings.Contains(sent, tt.part) || len(completion.Ignored) > 0 {
				t.Errorf("sent %s, ignored %q", sent, completion.Ignored)
			}
		})
	}
}

// A server that refuses three parameters one after the other answers on the
// fourth call, and at once from then on.
func TestOneAfterTheOther(t *testing.T) {
	t.Parallel()
	refuse := func(name string) rule {
		return newRule(has(name), 400, openAI("Unsupported parameter: '"+name+"' is not supported with this model.", name, "unsupported_parameter"))
	}
	p, u := serveQuirk(t, []rule{refuse("max_tokens"), refuse("temperature"), refuse("seed")})
	for _, calls := range []int{4, 5, 6} {
		completion, sent := complete(t, p, u, `"max_tokens":512,"temperature":0.7,"seed":42,"top_p":0.9`)
		if len(u.calls()) != calls || !strings.HasSuffix(sent, `"max_completion_tokens":512,"top_p":0.9}`) {
			t.Errorf("%d calls, want %d; the last was %s", len(u.calls()), calls, sent)
		}
		if !slices.Equal(completion.Ignored, []string{"seed", "temperature"}) {
			t.Errorf("ignored %q", completion.Ignored)
		}
	}
}

// What a request may hold that the reports do not show.
func TestAdjustments(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name       string
		adjustment adjustment
		body, want string
		lost       string
	}{
		{"a named tool", adjustment{action: plainChoice}, `{` + twoTools + `,` + namedTool + `}`, `{` + lastTool + `,"tool_choice":"required"}`, ""},
		{"allowed tools of mode auto", adjustment{action: plainChoice}, `{` + twoTools + `,` + allowed + `}`, `{` + otherTool + `,"tool_choice":"auto"}`, ""},
		{"allowed tools of mode required", adjustment{action: plainChoice}, `{` + twoTools + `,` + strings.Replace(allowed, `"auto"`, `"required"`, 1) + `}`,
			`{` + otherTool + `,"tool_choice":"required"}`, ""},
		{"a choice that is plain", adjustment{action: plainChoice}, `{"tool_choice":"none"}`, "", ""},
		{"strict in a response format", adjustment{action: looseSchema}, `{"response_format":{"type":"json_schema","json_schema":{"name":"x","strict":true,"schema":{"a" : 1.0}}}}`,
			`{"response_format":{"type":"json_schema","json_schema":{"name":"x","schema":{"a" : 1.0}}}}`, "response_format.json_schema.strict"},
		{"no strict to take out", adjustment{action: looseSchema}, `{"response_format":{"type":"json_schema","json_schema":{"name":"x"}}}`, "", ""},
		{"no limit to raise", adjustment{action: raise, least: 16}, `{"x":1}`, "", ""},
		{"a limit that is high enough", adjustment{action: raise, least: 16}, `{"max_tokens":16}`, "", ""},
		{"a limit of null", adjustment{action: rename, param: "max_tokens", value: "max_completion_tokens"}, `{"max_tokens":null}`, `{"max_completion_tokens":null}`, ""},
		{"a value that is not a number", adjustment{action: drop, param: "temperature", value: "1"}, `{"temperature":"x"}`, `{}`, "temperature"},
		{"without its partner", adjustment{action: drop, param: "a", with: "b"}, `{"a":1}`, "", ""},
		{"a stream", adjustment{action: streamOff}, `{"stream":true,"stream_options":{}}`, `{}`, ""},
		{"messages that are no objects", adjustment{action: systemRole}, `{"messages":[1,{"role":"developer"}]}`, `{"messages":[1,{"role":"system"}]}`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			o, err := openai.ParseObject([]byte(tt.body))
			if err != nil {
				t.Fatal(err)
			}
			changed, lost := tt.adjustment.apply(&o)
			got, err := o.MarshalJSON()
			if err != nil {
				t.Fatal(err)
			}
			if want := tt.want; want == "" && (changed || string(got) != tt.body) || want != "" && (!changed || string(got) != want || lost != tt.lost) {
				t.Errorf("changed %v, lost %q: %s", changed, lost, got)
			}
		})
	}
}

// Models of one server differ.
func TestLearntPerModel(t *testing.T) {
	t.Parallel()
	p, u := serveQuirk(t, []rule{newRule(and(has("seed"), is("model", `"o3"`)), 400, openAI("Unsupported parameter: 'seed'", "seed", "unsupported_parameter"))})
	for _, model := range []string{"o3", "gpt-4o"} {
		req, err := request(t, `"seed":1`).WithModel(model)
		if err != nil {
			t.Fatal(err)
		}
		completion, err := p.Complete(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		if dropped := len(completion.Ignored) > 0; dropped != (model == "o3") {
			t.Errorf("%s: ignored %q", model, completion.Ignored)
		}
	}
	if len(u.calls()) != 3 {
		t.Errorf("%d calls, want 3", len(u.calls()))
	}
}

// A refusal that no change answers ends the negotiation with an error in our
// words, and teaches nothing.
func TestNotNegotiable(t *testing.T) {
	t.Parallel()
	always := func(*openai.Object) bool { return true }
	tests := []struct {
		name, members, reply string
		calls                int
		param, code          string
		says                 string
	}{
		{"temperature beyond the range", `"temperature":1.8`, openAI("temperature: range: 0..1", "temperature", ""), 1, "temperature", "invalid_value", "refused"},
		{"temperature beyond a maximum", `"temperature":1.8`, `{"detail":[{"type":"less_than_equal","loc":["body","temperature"],"msg":"Input should be less than or equal to 1.5"}]}`,
			1, "temperature", "invalid_value", "at most 1.5"},
		{"temperature between", `"temperature":1.8`, openAI("temperature must be between 0 and 1", "", ""), 1, "temperature", "invalid_value", "from 0 to 1"},
		{"max_tokens above the model's", `"max_tokens":8000`, openAI("max_tokens is too large: 8000. This model supports at most 4096 completion tokens, whereas you provided 8000.",
			"max_tokens", "invalid_value"), 1, "max_tokens", "invalid_value", "at most 4096"},
		{"max_tokens above the context", `"max_tokens":100000`, openAI("'max_tokens' or 'max_completion_tokens' is too large: 100000. This model's maximum context length is 4096 tokens.", "", ""),
			1, "max_tokens", "invalid_value", "too large"},
		{"a minimum that is no small answer", `"max_tokens":1`, openAI("max_tokens must be at least 99999", "max_tokens", ""), 1, "max_tokens", "invalid_value", "at least 99999"},
		{"neither limit is known", `"max_tokens":9`, `{"detail":[{"type":"extra_forbidden","loc":["body","max_tokens"],"msg":"Extra inputs are not permitted"},` +
			`{"type":"extra_forbidden","loc":["body","max_completion_tokens"],"msg":"Extra inputs are not permitted"}]}`, 2, "max_tokens", "unsupported_parameter", "does not support"},
		{"messages", "", openAI("Invalid 'messages[0].content': string too long.", "messages[0].content", "string_above_max_length"), 1, "messages", "invalid_value", "refused"},
		{"tools", oneTool, openAI("Unsupported parameter: 'tools' is not supported with this model.", "tools", "unsupported_parameter"), 1, "tools", "unsupported_parameter", ""},
		{"tool_choice auto", `"tool_choice":"auto",` + oneTool, openAI("'tool_choice' is not supported", "tool_choice", ""), 1, "tool_choice", "unsupported_parameter", ""},
		{"a schema that is wrong", `"response_format":{"type":"json_schema","json_schema":{"name":"x","schema":{},"strict":true}}`,
			openAI("Invalid schema for response_format 'x': 'additionalProperties' is required to be supplied and to be false.", "response_format", "invalid_json_schema"),
			1, "response_format", "invalid_value", ""},
		{"the same parameter for ever", `"seed":1`, openAI("Unsupported parameter: 'seed'", "seed", "unsupported_parameter"), 2, "", "invalid_value", ""},
		{"a name that cannot be repeated", `"a b<":1`, openAI("Unsupported parameter: 'a b<'", "a b<", "unsupported_parameter"), 1, "", "invalid_value", ""},
		{"nothing named", "", openAI("canary canary", "", ""), 1, "", "invalid_value", "without naming"},
		{"a value among others", `"reasoning_effort":"minimal"`, openAI("Unsupported value: 'reasoning_effort' does not support 'minimal' with this model. Supported values are: 'low', 'high'.",
			"reasoning_effort", "unsupported_value"), 1, "reasoning_effort", "invalid_value", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p, u := serveQuirk(t, []rule{newRule(always, 400, tt.reply)})
			_, err := p.Complete(t.Context(), request(t, tt.members))
			e := wantError(t, err)
			if e.Status != 400 || e.Param != tt.param || e.Code != tt.code || e.Temporary || !strings.Contains(e.Message, tt.says) {
				t.Errorf("got %d %q %q temporary=%v: %s", e.Status, e.Param, e.Code, e.Temporary, e.Message)
			}
			if len(u.calls()) != tt.calls {
				t.Errorf("%d calls, want %d", len(u.calls()), tt.calls)
			}
			if len(p.learnt) > 0 {
				t.Errorf("learnt %v", p.learnt)
			}
		})
	}
}

// A server that refuses one parameter after the other is given up in the end.
func TestSteps(t *testing.T) {
	t.Parallel()
	var members []string
	for i := range maxSteps + 4 {
		members = append(members, fmt.Sprintf(`"x_%d":1`, i))
	}
	p, u := serve(t, func(w http.ResponseWriter, call int, _ string) {
		name := fmt.Sprintf("x_%d", call)
		write(w, 400, openAI("Unknown parameter: '"+name+"'.", name, "unknown_parameter"))
	})
	_, err := p.Complete(t.Context(), request(t, strings.Join(members, ",")))
	if e := wantError(t, err); e.Status != 400 || e.Param != fmt.Sprintf("x_%d", maxSteps) {
		t.Errorf("got %d %q: %s", e.Status, e.Param, e.Message)
	}
	if got := len(u.calls()); got != maxSteps+1 {
		t.Errorf("%d calls, want %d", got, maxSteps+1)
	}
}

// The deadline holds for the negotiation as a whole.
func TestNegotiationDeadline(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	p, u := serve(t, func(w http.ResponseWriter, _ int, _ string) {
		write(w, 400, openAI("Unsupported parameter: 'seed'", "seed", "unsupported_parameter"))
	})
	p.http.Transport = roundTrip(func(r *http.Request) (*http.Response, error) {
		resp, err := http.DefaultTransport.RoundTrip(r)
		if err == nil {
			time.AfterFunc(0, cancel)
			<-ctx.Done()
		}
		return resp, err
	})
	_, err := p.Complete(ctx, request(t, `"seed":1`))
	if e := wantError(t, err); e.Status != openai.StatusClientClosed {
		t.Errorf("status %d: %s", e.Status, e.Message)
	}
	if len(u.calls()) != 1 {
		t.Errorf("%d calls, want 1", len(u.calls()))
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// Many requests at once learn the same without getting in each other's way.
func TestLearnConcurrently(t *testing.T) {
	t.Parallel()
	p, _ := serveQuirk(t, []rule{
		newRule(has("max_tokens"), 400, openAI("Unsupported parameter: 'max_tokens'", "max_tokens", "unsupported_parameter")),
		newRule(has("seed"), 400, openAI("Unsupported parameter: 'seed'", "seed", "unsupported_parameter")),
	})
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			completion, err := p.Complete(t.Context(), request(t, `"max_tokens":5,"seed":1`))
			if err != nil || !slices.Equal(completion.Ignored, []string{"seed"}) {
				t.Errorf("got %v, %v", completion, err)
			}
		})
	}
	group.Wait()
	want := []adjustment{{action: rename, param: "max_tokens", value: "max_completion_tokens"}, {action: drop, param: "seed"}}
	if got := p.known(request(t, `"max_tokens":5,"seed":2`)); !slices.Equal(got, want) {
		t.Errorf("learnt %v, want %v", got, want)
	}
}
