package external

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"hyperstudy-endpoint/internal/openai"
)

// A rule is one thing a server refuses: while when holds for the body it
// answers with the status and the reply.
type rule struct {
	when   func(b *openai.Object) bool
	status int
	reply  string
}

func has(name string) func(*openai.Object) bool {
	return func(b *openai.Object) bool { return b.Get(name) != nil }
}

func is(name, value string) func(*openai.Object) bool {
	return func(b *openai.Object) bool { return string(b.Get(name)) == value }
}

func contains(name, part string) func(*openai.Object) bool {
	return func(b *openai.Object) bool { return strings.Contains(string(b.Get(name)), part) }
}

func below(name string, least int) func(*openai.Object) bool {
	return func(b *openai.Object) bool { return b.Has(name) && number(b.Get(name)) < least }
}

func and(a, b func(*openai.Object) bool) func(*openai.Object) bool {
	return func(o *openai.Object) bool { return a(o) && b(o) }
}

func not(a func(*openai.Object) bool) func(*openai.Object) bool {
	return func(o *openai.Object) bool { return !a(o) }
}

// openAI is an error in the shape of OpenAI and most others.
func openAI(message, param, code string) string {
	e := map[string]any{"message": message, "type": "invalid_request_error", "param": nil, "code": nil}
	if param != "" {
		e["param"] = param
	}
	if code != "" {
		e["code"] = code
	}
	encoded, err := json.Marshal(map[string]any{"error": e})
	if err != nil {
		panic(err)
	}
	return string(encoded)
}

// A quirk is a manner of a server that was reported in public: what it refuses,
// what it then accepts, and what the caller has to be told.
type quirk struct {
	name, source string
	members      string // of the request, beside model and messages
	rules        []rule
	calls        int
	want         string // what the accepted request has beside model and messages
	ignored      []string
}

var quirks = []quirk{
	{
		name: "OpenAI reasoning models take max_completion_tokens", source: "https://github.com/griptape-ai/ComfyUI-Griptape/issues/312",
		members: `"max_tokens":512,"x":1`,
		rules: []rule{{has("max_tokens"), 400, openAI("Unsupported parameter: 'max_tokens' is not supported with this model. "+
			"Use 'max_completion_tokens' instead.", "max_tokens", "unsupported_parameter")}},
		calls: 2, want: `"max_completion_tokens":512,"x":1`,
	},
	{
		name: "the same without param", source: "https://github.com/caozhiyuan/copilot-api/issues/164",
		members: `"max_tokens":512`,
		rules: []rule{{has("max_tokens"), 400, `{"error":{"message":"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",` +
			`"code":"invalid_request_body"}}`}},
		calls: 2, want: `"max_completion_tokens":512`,
	},
	{
		name: "Mistral takes max_tokens", source: "https://github.com/editor-code-assistant/eca/issues/231",
		members: `"max_completion_tokens":512`,
		rules: []rule{{has("max_completion_tokens"), 422, `{"object":"error","message":{"detail":[{"type":"extra_forbidden","loc":["body","max_completion_tokens"],` +
			`"msg":"Extra inputs are not permitted","input":32000}]},"type":"invalid_request_error","param":null,"code":null}`}},
		calls: 2, want: `"max_tokens":512`,
	},
	{
		name: "both limits are one", source: "https://github.com/router-for-me/CLIProxyAPI/issues/2101",
		members: `"max_tokens":5,"max_completion_tokens":512`,
		rules:   []rule{{has("max_completion_tokens"), 400, openAI("Unrecognized request argument supplied: max_completion_tokens", "", "")}},
		calls:   2, want: `"max_tokens":512`,
	},
	{
		name: "OpenAI reasoning models take one temperature", source: "https://github.com/johny-b/llmcomp/issues/69",
		members: `"temperature":0.7`,
		rules: []rule{{and(has("temperature"), not(is("temperature", "1"))), 400, openAI("Unsupported value: 'temperature' does not support 0.7 with this model. "+
			"Only the default (1) value is supported.", "temperature", "unsupported_value")}},
		calls: 2, ignored: []string{"temperature"},
	},
	{
		name: "Gemini names two fields at once", source: "https://github.com/Vali-98/ChatterUI/issues/227",
		members: `"seed":42,"frequency_penalty":0.5,"top_p":1`,
		rules: []rule{{has("seed"), 400, `[{"error":{"code":400,"message":"Invalid JSON payload received. Unknown name \"frequency_penalty\": Cannot find field.\nInvalid JSON payload received. Unknown name \"seed\": Cannot find field.",` +
			`"status":"INVALID_ARGUMENT","details":[{"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":[` +
			`{"description":"Invalid JSON payload received. Unknown name \"frequency_penalty\": Cannot find field."},` +
			`{"description":"Invalid JSON payload received. Unknown name \"seed\": Cannot find field."}]}]}}]`}},
		calls: 2, want: `"top_p":1`, ignored: []string{"frequency_penalty", "seed"},
	},
	{
		name: "Gemini names a member of a tool by its path", source: "https://github.com/router-for-me/CLIProxyAPI/issues/102",
		members: oneStrictTool,
		rules: []rule{{contains("tools", "strict"), 400, `{"error":{"code":400,"status":"INVALID_ARGUMENT","message":"Invalid JSON payload received. ` +
			`Unknown name \"strict\" at 'request.tools[0].function_declarations[0]': Cannot find field.","details":[{"fieldViolations":[` +
			`{"field":"request.tools[0].function_declarations[0]","description":"Invalid JSON payload received. Unknown name \"strict\" at 'request.tools[0].function_declarations[0]': Cannot find field."}]}]}}`}},
		calls: 2, want: oneTool, ignored: []string{"tools.function.strict"},
	},
	{
		name: "Mistral refuses strangers", source: "https://github.com/OpenHands/OpenHands-CLI/issues/83",
		members: `"metadata":{"trace":"1"},"temperature":0.1`,
		rules: []rule{{has("metadata"), 422, `{"object":"error","message":{"detail":[{"type":"extra_forbidden","loc":["body","metadata"],` +
			`"msg":"Extra inputs are not permitted","input":{"trace":"1"}}]},"type":"invalid_request_error","param":null,"code":null}`}},
		calls: 2, want: `"temperature":0.1`, ignored: []string{"metadata"},
	},
	{
		name: "Mistral's older shape has JSON in its message", source: "https://github.com/mistralai/platform-docs-public/issues/7",
		members: `"frequency_penalty":0`,
		rules: []rule{{has("frequency_penalty"), 422, `{"object":"error","message":"{\"detail\":[{\"type\":\"extra_forbidden\",\"loc\":[\"body\",\"frequency_penalty\"],` +
			`\"msg\":\"Extra inputs are not permitted\",\"input\":0.0}]}","type":"internal_error_proxy","param":null,"code":"1000"}`}},
		calls: 2, ignored: []string{"frequency_penalty"},
	},
	{
		name: "vLLM prints its complaints as Python", source: "https://github.com/vllm-project/vllm/issues/9426",
		members: `"chat_template_kwargs":{"a":1},"seed":3`,
		rules: []rule{{has("chat_template_kwargs"), 400, `{"object":"error","message":"[{'type': 'extra_forbidden', 'loc': ('body', 'chat_template_kwargs'), ` +
			`'msg': 'Extra inputs are not permitted', 'input': {'seed': 3, 'messages': 'the seed is unsupported'}}]","type":"BadRequestError","param":null,"code":400}`}},
		calls: 2, want: `"seed":3`, ignored: []string{"chat_template_kwargs"},
	},
	{
		name: "Groq has no metadata", source: "https://github.com/skye-harris/hass_local_openai_llm/issues/59",
		members: `"metadata":{"a":"b"}`,
		rules:   []rule{{has("metadata"), 400, openAI("`metadata` is not supported with this model", "metadata", "")}},
		calls:   2, ignored: []string{"metadata"},
	},
	{
		name: "Cerebras names the parameter in prose only", source: "https://github.com/livekit/agents/issues/1274",
		members: `"store":false,"user":"u"`,
		rules: []rule{{has("store"), 422, `{"message":"store: property 'store' is unsupported","type":"invalid_request_error",` +
			`"param":"validation_error","code":"wrong_api_format"}`}},
		calls: 2, want: `"user":"u"`, ignored: []string{"store"},
	},
	{
		name: "Azure's minimum behind OpenRouter", source: "https://github.com/vectorize-io/hindsight/issues/58",
		members: `"max_tokens":1`,
		rules: []rule{{below("max_tokens", 16), 400, `{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":"{\n  \"error\": {\n    \"message\": ` +
			`\"Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16, but got 1 instead.\",\n    \"type\": \"invalid_request_error\",\n ` +
			`   \"param\": \"max_output_tokens\",\n    \"code\": \"integer_below_min_value\"\n  }\n}","provider_name":"Azure"}}}`}},
		calls: 2, want: `"max_tokens":16`, ignored: []string{"max_tokens"},
	},
	{
		name: "renamed and then raised", source: "https://github.com/braintrustdata/lingua/pull/186",
		members: `"max_tokens":1`,
		rules: []rule{
			{has("max_tokens"), 400, openAI("Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.", "max_tokens", "unsupported_parameter")},
			{below("max_completion_tokens", 16), 400, openAI("Invalid 'max_completion_tokens': integer below minimum value. Expected a value >= 16, but got 1 instead.", "max_completion_tokens", "integer_below_min_value")},
		},
		calls: 3, want: `"max_completion_tokens":16`, ignored: []string{"max_tokens"},
	},
	{
		name: "LM Studio has no json_object", source: "https://github.com/willmiao/ComfyUI-Lora-Manager/issues/1033",
		members: `"response_format":{"type":"json_object"}`,
		rules:   []rule{{has("response_format"), 400, `{"error":"'response_format.type' must be 'json_schema' or 'text'"}`}},
		calls:   2, ignored: []string{"response_format"},
	},
	{
		name: "DeepSeek forces no tool while it thinks", source: "https://github.com/deepseek-ai/DeepSeek-V3/issues/1376",
		members: `"tool_choice":"required",` + oneTool,
		rules:   []rule{{is("tool_choice", `"required"`), 400, openAI("Thinking mode does not support this tool_choice", "", "invalid_request_error")}},
		calls:   2, want: `"tool_choice":"auto",` + oneTool, ignored: []string{"tool_choice"},
	},
	{
		name: "Qwen forces no tool while it thinks", source: "https://github.com/cloudwego/eino/issues/994",
		members: `"tool_choice":{"type":"function","function":{"name":"answer"}},"enable_thinking":true,` + oneTool,
		rules: []rule{{not(is("tool_choice", `"auto"`)), 400, openAI("<400> InternalError.Algo.InvalidParameter: The tool_choice parameter does not support "+
			"being set to required or object in thinking mode", "", "invalid_parameter_error")}},
		calls: 3, want: `"tool_choice":"auto","enable_thinking":true,` + oneTool, ignored: []string{"tool_choice"},
	},
	{
		name: "LiteLLM wraps an error in its own words", source: "https://github.com/jekalmin/extended_openai_conversation/issues/428",
		members: `"temperature":0.5,"top_p":0.9`,
		rules: []rule{{and(has("temperature"), has("top_p")), 400, `{"error":{"message":"litellm.BadRequestError: AnthropicException - {\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",` +
			`\"message\":\"temperature and top_p cannot both be specified for this model. Please use only one.\"}}. Received Model Group=x","type":null,"param":null,"code":"400"}}`}},
		calls: 2, want: `"temperature":0.5`, ignored: []string{"top_p"},
	},
	{
		name: "Groq asks whether max_tokens was meant", source: "https://github.com/AnswerDotAI/shell_sage/issues/9",
		members: `"max_completion_tokens":9`,
		rules:   []rule{{has("max_completion_tokens"), 400, openAI("property 'max_completion_tokens' is unsupported, did you mean 'max_tokens'?", "", "")}},
		calls:   2, want: `"max_tokens":9`,
	},
	{
		name: "Oracle has no logit_bias", source: "https://github.com/helidon-io/helidon/issues/10601",
		members: `"logit_bias":{"1":1}`,
		rules:   []rule{{has("logit_bias"), 400, `{"code":"400","error":"Argument not supported: logit_bias"}`}},
		calls:   2, ignored: []string{"logit_bias"},
	},
	{
		name: "LM Studio has no named choice", source: "https://github.com/lmstudio-ai/lmstudio-bug-tracker/issues/670",
		members: `"tool_choice":{"type":"function","function":{"name":"answer"}},` + oneTool,
		rules: []rule{
			{contains("tool_choice", "{"), 400, `{"error":"Invalid tool_choice type: 'object'. Supported string values: none, auto, required"}`},
		},
		calls: 2, want: `"tool_choice":"required",` + oneTool, ignored: []string{"tool_choice"},
	},
	{
		name: "a choice without tools", source: "https://github.com/BerriAI/litellm/issues/34276",
		members: `"tool_choice":"none"`,
		rules: []rule{{has("tool_choice"), 400, `{"object":"error","message":"[{'type': 'value_error', 'loc': ('body',), 'msg': 'Value error, When using ` + "`tool_choice`, `tools`" +
			` must be set.', 'input': {'messages': [], 'tool_choice': 'none'}, 'ctx': {}}]","type":"BadRequestError","param":null,"code":400}`}},
		calls: 2,
	},
	{
		name: "parallel_tool_calls without tools", source: "https://github.com/openai/swarm/issues/30",
		members: `"parallel_tool_calls":false`,
		rules: []rule{{has("parallel_tool_calls"), 400, openAI("Invalid value for 'parallel_tool_calls': 'parallel_tool_calls' is only allowed when 'tools' are specified.",
			"parallel_tool_calls", "")}},
		calls: 2,
	},
	{
		name: "Claude takes one of two samplers", source: "https://github.com/iOfficeAI/AionUi/issues/912",
		members: `"temperature":0.5,"top_p":0.9`,
		rules: []rule{{and(has("temperature"), has("top_p")), 400, openAI("`temperature` and `top_p` cannot both be specified for this model. Please use only one.",
			"", "")}},
		calls: 2, want: `"temperature":0.5`, ignored: []string{"top_p"},
	},
	{
		name: "a reasoning model without stop", source: "https://github.com/langgenius/dify/issues/18971",
		members: `"stop":["\n"]`,
		rules:   []rule{{has("stop"), 400, openAI("Unsupported parameter: 'stop' is not supported with this model.", "stop", "unsupported_parameter")}},
		calls:   2, ignored: []string{"stop"},
	},
	{
		name: "a server that only streams", source: "https://github.com/infiniflow/ragflow/issues/5912",
		rules: []rule{{not(is("stream", "true")), 400, openAI("This model only support stream mode, please enable the stream parameter to access the model.", "", "invalid_parameter_error")}},
		calls: 2, want: `"stream":true`,
	},
	{
		name: "FastAPI's own complaints", source: "https://github.com/gpustack/gpustack/issues/429",
		members: `"reasoning_effort":"low"`,
		rules:   []rule{{has("reasoning_effort"), 422, `{"detail":[{"type":"extra_forbidden","loc":["body","reasoning_effort"],"msg":"Extra inputs are not permitted","input":"low"}]}`}},
		calls:   2, ignored: []string{"reasoning_effort"},
	},
	{
		name: "a refusal under a status that says all is well", source: "https://github.com/oobabooga/textgen/issues/7257",
		members: `"logit_bias":{"50256":-100}`,
		rules:   []rule{{has("logit_bias"), 200, `{"error":{"code":400,"message":"Field 'logit_bias' is not supported.","type":"invalid_request_error"}}`}},
		calls:   2, ignored: []string{"logit_bias"},
	},
	{
		name: "an explicit null is nothing to report", source: "https://github.com/partITech/php-mistral/issues/76",
		members: `"service_tier":null`,
		rules:   []rule{{has("service_tier"), 422, `{"detail":[{"type":"extra_forbidden","loc":["body","service_tier"],"msg":"Extra inputs are not permitted"}]}`}},
		calls:   2,
	},
}

const oneStrictTool = `"tools":[{"type":"function","function":{"name":"answer","parameters":{"type":"object"},"strict":true}}]`

// serveQuirk answers as the server does and refuses what it refuses.
func serveQuirk(t *testing.T, rules []rule) (*Provider, *upstreamServer) {
	t.Helper()
	return serve(t, func(w http.ResponseWriter, _ int, body string) {
		o, err := openai.ParseObject([]byte(body))
		if err != nil {
			t.Error(err)
		}
		for _, r := range rules {
			if r.when(&o) {
				write(w, r.status, r.reply)
				return
			}
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
	for _, q := range slices.Concat(quirks, listQuirks) {
		t.Run(q.name, func(t *testing.T) {
			t.Parallel()
			if !strings.HasPrefix(q.source, "https://") {
				t.Error("the quirk has no source")
			}
			p, u := serveQuirk(t, q.rules)
			req := request(t, q.members)
			want := `{"model":"m","messages":[{"role":"user","content":"canary"}]`
			if q.want != "" {
				want += "," + q.want
			}
			want += "}"
			for round, calls := range []int{q.calls, q.calls + 1} {
				completion, err := p.Complete(t.Context(), req)
				if err != nil {
					t.Fatalf("round %d: %v", round, err)
				}
				if got := u.calls(); len(got) != calls || got[len(got)-1] != want {
					t.Errorf("round %d: %d calls, want %d; the last was\n%s, want\n%s", round, len(got), calls, got[len(got)-1], want)
				}
				if !slices.Equal(completion.Ignored, q.ignored) {
					t.Errorf("round %d: ignored %q, want %q", round, completion.Ignored, q.ignored)
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
			p, u := serveQuirk(t, []rule{{contains("messages", "developer"), 400, tt.reply}})
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
