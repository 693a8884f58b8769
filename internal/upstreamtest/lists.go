package upstreamtest

import "strings"

// Samplers are what local servers take beyond the API, sorted.
var Samplers = []string{"chat_template_kwargs", "min_p", "mirostat", "mirostat_eta", "mirostat_tau", "repeat_last_n", "repeat_penalty", "top_a", "top_k", "typical_p"}

// SamplerMembers are the samplers as members of a request.
const SamplerMembers = `"top_k":40,"min_p":0.05,"repeat_penalty":1.1,"typical_p":1,"mirostat":2,"mirostat_tau":5,"mirostat_eta":0.1,` +
	`"repeat_last_n":64,"top_a":0.2,"chat_template_kwargs":{"enable_thinking":false}`

// EachSampler writes every sampler as the form has it.
func EachSampler(form, separator string) string {
	var all []string
	for _, name := range Samplers {
		all = append(all, strings.ReplaceAll(form, "NAME", name))
	}
	return strings.Join(all, separator)
}

// listQuirks are the manners of servers that name several parameters at once.
var listQuirks = []Quirk{
	{
		Server: OpenAI, Name: "OpenAI lists strangers", Source: "https://github.com/tbxark/ChatGPT-Telegram-Workers/issues/5",
		Members: SamplerMembers + `,"temperature":0.7`,
		Rules:   []Rule{{Has("top_k"), 400, OpenAIError("Unrecognized request arguments supplied: "+EachSampler("NAME", ", "), "", "")}},
		Calls:   2, Want: `"temperature":0.7`, Ignored: Samplers,
	},
	{
		Server: OpenAI, Name: "names that are words", Source: "https://github.com/langchain-ai/langchain/issues/8593",
		Members: `"seed":1,"user":"u","max_tokens":5,"n":1`,
		Rules:   []Rule{{Has("seed"), 400, OpenAIError("Unrecognized request arguments supplied: max_tokens, seed, user", "", "")}},
		Calls:   2, Want: `"max_completion_tokens":5,"n":1`, Ignored: []string{"seed", "user"},
	},
	{
		Server: Other, Name: "LiteLLM prints a list", Source: "https://github.com/BerriAI/litellm/issues/16031",
		Members: SamplerMembers,
		Rules: []Rule{{Has("top_k"), 400, OpenAIError("litellm.UnsupportedParamsError: vertex_ai does not support parameters: ["+EachSampler("'NAME'", ", ")+"], for model=gemini-2.5-pro. "+
			"To drop these, set `litellm.drop_params=True` or for proxy:\n\n`litellm_settings:\n drop_params: true`\n. \n If you want to use these params dynamically send "+
			"allowed_openai_params=["+EachSampler("'NAME'", ", ")+"] in your request.", "", "")}},
		Calls: 2, Ignored: Samplers,
	},
	{
		Server: Other, Name: "LiteLLM prints a dict", Source: "https://github.com/BerriAI/litellm/issues/7748",
		Members: `"frequency_penalty":0.5,"presence_penalty":0,"top_p":1`,
		Rules: []Rule{{Has("presence_penalty"), 400, OpenAIError("litellm.UnsupportedParamsError: gemini does not support parameters: {'frequency_penalty': 0.5, 'presence_penalty': 0}, "+
			"for model=gemini-2.0-flash.", "", "")}},
		Calls: 2, Want: `"top_p":1`, Ignored: []string{"frequency_penalty", "presence_penalty"},
	},
	{
		Server: VLLM, Name: "FastAPI's list", Source: "https://github.com/BerriAI/litellm/issues/4800",
		Members: SamplerMembers,
		Rules:   []Rule{{Has("top_k"), 422, `{"detail":[` + EachSampler(`{"type":"extra_forbidden","loc":["body","NAME"],"msg":"Extra inputs are not permitted","input":1}`, ",") + `]}`}},
		Calls:   2, Ignored: Samplers,
	},
	{
		Server: Azure, Name: "FastAPI's list as Python prints it", Source: "https://github.com/BerriAI/litellm/issues/4800",
		Members: SamplerMembers,
		Rules: []Rule{{Has("top_k"), 400, OpenAIError("Azure_aiException - Error code: 422 - {'detail': ["+
			EachSampler("{'type': 'extra_forbidden', 'loc': ['body', 'NAME'], 'msg': 'Extra inputs are not permitted', 'input': 0.0}", ", ")+"]}", "", "")}},
		Calls: 2, Ignored: Samplers,
	},
	{
		Server: VLLM, Name: "vLLM's list", Source: "https://github.com/1Panel-dev/MaxKB/issues/2912",
		Members: SamplerMembers,
		Rules: []Rule{{Has("top_k"), 400, OpenAIError("["+EachSampler("{'type': 'extra_forbidden', 'loc': ('body', 'NAME'), 'msg': 'Extra inputs are not permitted', 'input': 1}", ", ")+"]",
			"", "400")}},
		Calls: 2, Ignored: Samplers,
	},
	{
		Server: VLLM, Name: "Pydantic's lines", Source: "https://github.com/vllm-project/vllm/issues/12864",
		Members: SamplerMembers,
		Rules: []Rule{{Has("top_k"), 400, OpenAIError("10 validation errors for ChatCompletionRequest\n"+EachSampler("NAME\n  Extra inputs are not permitted [type=extra_forbidden, input_value=1, input_type=int]\n"+
			"    For further information visit https://errors.pydantic.dev/2.10/v/extra_forbidden", "\n"), "400", "")}},
		Calls: 2, Ignored: Samplers,
	},
	{
		Server: Google, Name: "Google's lines without details", Source: "https://github.com/Vali-98/ChatterUI/issues/227",
		Members: SamplerMembers,
		Rules: []Rule{{Has("top_k"), 400, `[{"error":{"code":400,"message":"` + EachSampler(`Invalid JSON payload received. Unknown name \"NAME\": Cannot find field.`, `\n`) +
			`","status":"INVALID_ARGUMENT"}}]`}},
		Calls: 2, Ignored: Samplers,
	},
	{
		Server: Groq, Name: "Groq's statements", Source: "https://github.com/AnswerDotAI/shell_sage/issues/9",
		Members: SamplerMembers,
		Rules:   []Rule{{Has("top_k"), 400, OpenAIError(EachSampler("property 'NAME' is unsupported", ", "), "", "")}},
		Calls:   2, Ignored: Samplers,
	},
	{
		Server: Other, Name: "JSON Schema in Python", Source: "https://github.com/python-jsonschema/jsonschema/blob/main/jsonschema/_keywords.py",
		Members: SamplerMembers,
		Rules:   []Rule{{Has("top_k"), 400, OpenAIError("Additional properties are not allowed ("+EachSampler("'NAME'", ", ")+" were unexpected)", "", "")}},
		Calls:   2, Ignored: Samplers,
	},
	{
		Server: OpenAI, Name: "one after the other", Source: "https://github.com/xlinx/sd-webui-decadetw-auto-prompt-llm/issues/29",
		Members: SamplerMembers,
		Rules: func() (rules []Rule) {
			for _, name := range Samplers {
				rules = append(rules, Rule{Has(name), 400, OpenAIError("Unrecognized request argument supplied: "+name, "", "")})
			}
			return rules
		}(),
		Calls: 11, Ignored: Samplers,
	},
	{
		Server: OpenAI, Name: "a model that refuses three parameters, one after the other", Source: "https://platform.openai.com/docs/guides/reasoning",
		Members: `"max_tokens":512,"temperature":0.7,"seed":42,"top_p":0.9`,
		Rules: []Rule{
			{Has("max_tokens"), 400, OpenAIError("Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.", "max_tokens", "unsupported_parameter")},
			{Has("temperature"), 400, OpenAIError("Unsupported parameter: 'temperature' is not supported with this model.", "temperature", "unsupported_parameter")},
			{Has("seed"), 400, OpenAIError("Unsupported parameter: 'seed' is not supported with this model.", "seed", "unsupported_parameter")},
		},
		Calls: 4, Want: `"max_completion_tokens":512,"top_p":0.9`, Ignored: []string{"seed", "temperature"},
	},
}
