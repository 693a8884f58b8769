package external

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"hyperstudy-endpoint/internal/openai"
)

// samplers are what local servers take beyond the API, sorted.
var samplers = []string{"chat_template_kwargs", "min_p", "mirostat", "mirostat_eta", "mirostat_tau", "repeat_last_n", "repeat_penalty", "top_a", "top_k", "typical_p"}

const samplerMembers = `"top_k":40,"min_p":0.05,"repeat_penalty":1.1,"typical_p":1,"mirostat":2,"mirostat_tau":5,"mirostat_eta":0.1,` +
	`"repeat_last_n":64,"top_a":0.2,"chat_template_kwargs":{"enable_thinking":false}`

// joined writes every sampler as the form has it.
func joined(form, separator string) string {
	var all []string
	for _, name := range samplers {
		all = append(all, strings.ReplaceAll(form, "NAME", name))
	}
	return strings.Join(all, separator)
}

// listQuirks are the manners of servers that name several parameters at once.
var listQuirks = []quirk{
	{
		name: "OpenAI lists strangers", source: "https://github.com/tbxark/ChatGPT-Telegram-Workers/issues/5",
		members: samplerMembers + `,"temperature":0.7`,
		rules:   []rule{{has("top_k"), 400, openAI("Unrecognized request arguments supplied: "+joined("NAME", ", "), "", "")}},
		calls:   2, want: `"temperature":0.7`, ignored: samplers,
	},
	{
		name: "names that are words", source: "https://github.com/langchain-ai/langchain/issues/8593",
		members: `"seed":1,"user":"u","max_tokens":5,"n":1`,
		rules:   []rule{{has("seed"), 400, openAI("Unrecognized request arguments supplied: max_tokens, seed, user", "", "")}},
		calls:   2, want: `"max_completion_tokens":5,"n":1`, ignored: []string{"seed", "user"},
	},
	{
		name: "LiteLLM prints a list", source: "https://github.com/BerriAI/litellm/issues/16031",
		members: samplerMembers,
		rules: []rule{{has("top_k"), 400, openAI("litellm.UnsupportedParamsError: vertex_ai does not support parameters: ["+joined("'NAME'", ", ")+"], for model=gemini-2.5-pro. "+
			"To drop these, set `litellm.drop_params=True` or for proxy:\n\n`litellm_settings:\n drop_params: true`\n. \n If you want to use these params dynamically send "+
			"allowed_openai_params=["+joined("'NAME'", ", ")+"] in your request.", "", "")}},
		calls: 2, ignored: samplers,
	},
	{
		name: "LiteLLM prints a dict", source: "https://github.com/BerriAI/litellm/issues/7748",
		members: `"frequency_penalty":0.5,"presence_penalty":0,"top_p":1`,
		rules: []rule{{has("presence_penalty"), 400, openAI("litellm.UnsupportedParamsError: gemini does not support parameters: {'frequency_penalty': 0.5, 'presence_penalty': 0}, "+
			"for model=gemini-2.0-flash.", "", "")}},
		calls: 2, want: `"top_p":1`, ignored: []string{"frequency_penalty", "presence_penalty"},
	},
	{
		name: "FastAPI's list", source: "https://github.com/BerriAI/litellm/issues/4800",
		members: samplerMembers,
		rules:   []rule{{has("top_k"), 422, `{"detail":[` + joined(`{"type":"extra_forbidden","loc":["body","NAME"],"msg":"Extra inputs are not permitted","input":1}`, ",") + `]}`}},
		calls:   2, ignored: samplers,
	},
	{
		name: "FastAPI's list as Python prints it", source: "https://github.com/BerriAI/litellm/issues/4800",
		members: samplerMembers,
		rules: []rule{{has("top_k"), 400, openAI("Azure_aiException - Error code: 422 - {'detail': ["+
			joined("{'type': 'extra_forbidden', 'loc': ['body', 'NAME'], 'msg': 'Extra inputs are not permitted', 'input': 0.0}", ", ")+"]}", "", "")}},
		calls: 2, ignored: samplers,
	},
	{
		name: "vLLM's list", source: "https://github.com/1Panel-dev/MaxKB/issues/2912",
		members: samplerMembers,
		rules: []rule{{has("top_k"), 400, openAI("["+joined("{'type': 'extra_forbidden', 'loc': ('body', 'NAME'), 'msg': 'Extra inputs are not permitted', 'input': 1}", ", ")+"]",
			"", "400")}},
		calls: 2, ignored: samplers,
	},
	{
		name: "Pydantic's lines", source: "https://github.com/vllm-project/vllm/issues/12864",
		members: samplerMembers,
		rules: []rule{{has("top_k"), 400, openAI("10 validation errors for ChatCompletionRequest\n"+joined("NAME\n  Extra inputs are not permitted [type=extra_forbidden, input_value=1, input_type=int]\n"+
			"    For further information visit https://errors.pydantic.dev/2.10/v/extra_forbidden", "\n"), "400", "")}},
		calls: 2, ignored: samplers,
	},
	{
		name: "Google's lines without details", source: "https://github.com/Vali-98/ChatterUI/issues/227",
		members: samplerMembers,
		rules: []rule{{has("top_k"), 400, `[{"error":{"code":400,"message":"` + joined(`Invalid JSON payload received. Unknown name \"NAME\": Cannot find field.`, `\n`) +
			`","status":"INVALID_ARGUMENT"}}]`}},
		calls: 2, ignored: samplers,
	},
	{
		name: "Groq's statements", source: "https://github.com/AnswerDotAI/shell_sage/issues/9",
		members: samplerMembers,
		rules:   []rule{{has("top_k"), 400, openAI(joined("property 'NAME' is unsupported", ", "), "", "")}},
		calls:   2, ignored: samplers,
	},
	{
		name: "JSON Schema in Python", source: "https://github.com/python-jsonschema/jsonschema/blob/main/jsonschema/_keywords.py",
		members: samplerMembers,
		rules:   []rule{{has("top_k"), 400, openAI("Additional properties are not allowed ("+joined("'NAME'", ", ")+" were unexpected)", "", "")}},
		calls:   2, ignored: samplers,
	},
	{
		name: "one after the other", source: "https://github.com/xlinx/sd-webui-decadetw-auto-prompt-llm/issues/29",
		members: samplerMembers,
		rules: func() (rules []rule) {
			for _, name := range samplers {
				rules = append(rules, rule{has(name), 400, openAI("Unrecognized request argument supplied: "+name, "", "")})
			}
			return rules
		}(),
		calls: 11, ignored: samplers,
	},
}

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
	if len(calls) != 2 || calls[1] != want || len(p.learnt["m"]) > 0 {
		t.Errorf("sent %q, learnt %v", calls, p.learnt)
	}
}

// A parameter that stands in a list is left out of requests that have no other.
func TestListTeachesEachParameter(t *testing.T) {
	t.Parallel()
	p, u := serveQuirk(t, []rule{{has("top_k"), 400, openAI("Unrecognized request arguments supplied: "+joined("NAME", ", "), "", "")}})
	complete(t, p, u, samplerMembers)
	for i, name := range samplers {
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
