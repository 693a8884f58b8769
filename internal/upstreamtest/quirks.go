package upstreamtest

// quirks are the manners of servers that refuse one thing at a time.
var quirks = []Quirk{
	{
		Server: OpenAI, Name: "OpenAI reasoning models take max_completion_tokens", Source: "https://github.com/griptape-ai/ComfyUI-Griptape/issues/312",
		Members: `"max_tokens":512,"x":1`,
		Rules: []Rule{{Has("max_tokens"), 400, OpenAIError("Unsupported parameter: 'max_tokens' is not supported with this model. "+
			"Use 'max_completion_tokens' instead.", "max_tokens", "unsupported_parameter")}},
		Calls: 2, Want: `"max_completion_tokens":512,"x":1`,
	},
	{
		Server: OpenAI, Name: "the same without param", Source: "https://github.com/caozhiyuan/copilot-api/issues/164",
		Members: `"max_tokens":512`,
		Rules: []Rule{{Has("max_tokens"), 400, `{"error":{"message":"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",` +
			`"code":"invalid_request_body"}}`}},
		Calls: 2, Want: `"max_completion_tokens":512`,
	},
	{
		Server: Mistral, Name: "Mistral takes max_tokens", Source: "https://github.com/editor-code-assistant/eca/issues/231",
		Members: `"max_completion_tokens":512`,
		Rules: []Rule{{Has("max_completion_tokens"), 422, `{"object":"error","message":{"detail":[{"type":"extra_forbidden","loc":["body","max_completion_tokens"],` +
			`"msg":"Extra inputs are not permitted","input":32000}]},"type":"invalid_request_error","param":null,"code":null}`}},
		Calls: 2, Want: `"max_tokens":512`,
	},
	{
		Server: OpenAI, Name: "both limits are one", Source: "https://github.com/router-for-me/CLIProxyAPI/issues/2101",
		Members: `"max_tokens":5,"max_completion_tokens":512`,
		Rules:   []Rule{{Has("max_completion_tokens"), 400, OpenAIError("Unrecognized request argument supplied: max_completion_tokens", "", "")}},
		Calls:   2, Want: `"max_tokens":512`,
	},
	{
		Server: OpenAI, Name: "OpenAI reasoning models take one temperature", Source: "https://github.com/johny-b/llmcomp/issues/69",
		Members: `"temperature":0.7`,
		Rules: []Rule{{And(Has("temperature"), Not(Is("temperature", "1"))), 400, OpenAIError("Unsupported value: 'temperature' does not support 0.7 with this model. "+
			"Only the default (1) value is supported.", "temperature", "unsupported_value")}},
		Calls: 2, Ignored: []string{"temperature"},
	},
	{
		Server: Google, Name: "Gemini names two fields at once", Source: "https://github.com/Vali-98/ChatterUI/issues/227",
		Members: `"seed":42,"frequency_penalty":0.5,"top_p":1`,
		Rules: []Rule{{Has("seed"), 400, `[{"error":{"code":400,"message":"Invalid JSON payload received. Unknown name \"frequency_penalty\": Cannot find field.\nInvalid JSON payload received. Unknown name \"seed\": Cannot find field.",` +
			`"status":"INVALID_ARGUMENT","details":[{"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":[` +
			`{"description":"Invalid JSON payload received. Unknown name \"frequency_penalty\": Cannot find field."},` +
			`{"description":"Invalid JSON payload received. Unknown name \"seed\": Cannot find field."}]}]}}]`}},
		Calls: 2, Want: `"top_p":1`, Ignored: []string{"frequency_penalty", "seed"},
	},
	{
		Server: Google, Name: "Gemini names a member of a tool by its path", Source: "https://github.com/router-for-me/CLIProxyAPI/issues/102",
		Members: OneStrictTool,
		Rules: []Rule{{Contains("tools", "strict"), 400, `{"error":{"code":400,"status":"INVALID_ARGUMENT","message":"Invalid JSON payload received. ` +
			`Unknown name \"strict\" at 'request.tools[0].function_declarations[0]': Cannot find field.","details":[{"fieldViolations":[` +
			`{"field":"request.tools[0].function_declarations[0]","description":"Invalid JSON payload received. Unknown name \"strict\" at 'request.tools[0].function_declarations[0]': Cannot find field."}]}]}}`}},
		Calls: 2, Want: OneTool, Ignored: []string{"tools.function.strict"},
	},
	{
		Server: Mistral, Name: "Mistral refuses strangers", Source: "https://github.com/OpenHands/OpenHands-CLI/issues/83",
		Members: `"metadata":{"trace":"1"},"temperature":0.1`,
		Rules: []Rule{{Has("metadata"), 422, `{"object":"error","message":{"detail":[{"type":"extra_forbidden","loc":["body","metadata"],` +
			`"msg":"Extra inputs are not permitted","input":{"trace":"1"}}]},"type":"invalid_request_error","param":null,"code":null}`}},
		Calls: 2, Want: `"temperature":0.1`, Ignored: []string{"metadata"},
	},
	{
		Server: Mistral, Name: "Mistral's older shape has JSON in its message", Source: "https://github.com/mistralai/platform-docs-public/issues/7",
		Members: `"frequency_penalty":0`,
		Rules: []Rule{{Has("frequency_penalty"), 422, `{"object":"error","message":"{\"detail\":[{\"type\":\"extra_forbidden\",\"loc\":[\"body\",\"frequency_penalty\"],` +
			`\"msg\":\"Extra inputs are not permitted\",\"input\":0.0}]}","type":"internal_error_proxy","param":null,"code":"1000"}`}},
		Calls: 2, Ignored: []string{"frequency_penalty"},
	},
	{
		Server: VLLM, Name: "vLLM prints its complaints as Python", Source: "https://github.com/vllm-project/vllm/issues/9426",
		Members: `"chat_template_kwargs":{"a":1},"seed":3`,
		Rules: []Rule{{Has("chat_template_kwargs"), 400, `{"object":"error","message":"[{'type': 'extra_forbidden', 'loc': ('body', 'chat_template_kwargs'), ` +
			`'msg': 'Extra inputs are not permitted', 'input': {'seed': 3, 'messages': 'the seed is unsupported'}}]","type":"BadRequestError","param":null,"code":400}`}},
		Calls: 2, Want: `"seed":3`, Ignored: []string{"chat_template_kwargs"},
	},
	{
		Server: Groq, Name: "Groq has no metadata", Source: "https://github.com/skye-harris/hass_local_openai_llm/issues/59",
		Members: `"metadata":{"a":"b"}`,
		Rules:   []Rule{{Has("metadata"), 400, OpenAIError("`metadata` is not supported with this model", "metadata", "")}},
		Calls:   2, Ignored: []string{"metadata"},
	},
	{
		Server: Other, Name: "Cerebras names the parameter in prose only", Source: "https://github.com/livekit/agents/issues/1274",
		Members: `"store":false,"user":"u"`,
		Rules: []Rule{{Has("store"), 422, `{"message":"store: property 'store' is unsupported","type":"invalid_request_error",` +
			`"param":"validation_error","code":"wrong_api_format"}`}},
		Calls: 2, Want: `"user":"u"`, Ignored: []string{"store"},
	},
	{
		Server: OpenRouter, Name: "Azure's minimum behind OpenRouter", Source: "https://github.com/vectorize-io/hindsight/issues/58",
		Members: `"max_tokens":1`,
		Rules: []Rule{{Below("max_tokens", 16), 400, `{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":"{\n  \"error\": {\n    \"message\": ` +
			`\"Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16, but got 1 instead.\",\n    \"type\": \"invalid_request_error\",\n ` +
			`   \"param\": \"max_output_tokens\",\n    \"code\": \"integer_below_min_value\"\n  }\n}","provider_name":"Azure"}}}`}},
		Calls: 2, Want: `"max_tokens":16`, Ignored: []string{"max_tokens"},
	},
	{
		Server: OpenAI, Name: "renamed and then raised", Source: "https://github.com/braintrustdata/lingua/pull/186",
		Members: `"max_tokens":1`,
		Rules: []Rule{
			{Has("max_tokens"), 400, OpenAIError("Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.", "max_tokens", "unsupported_parameter")},
			{Below("max_completion_tokens", 16), 400, OpenAIError("Invalid 'max_completion_tokens': integer below minimum value. Expected a value >= 16, but got 1 instead.", "max_completion_tokens", "integer_below_min_value")},
		},
		Calls: 3, Want: `"max_completion_tokens":16`, Ignored: []string{"max_tokens"},
	},
	{
		Server: LMStudio, Name: "LM Studio has no json_object", Source: "https://github.com/willmiao/ComfyUI-Lora-Manager/issues/1033",
		Members: `"response_format":{"type":"json_object"}`,
		Rules:   []Rule{{Has("response_format"), 400, `{"error":"'response_format.type' must be 'json_schema' or 'text'"}`}},
		Calls:   2, Ignored: []string{"response_format"},
	},
	{
		Server: Other, Name: "DeepSeek forces no tool while it thinks", Source: "https://github.com/deepseek-ai/DeepSeek-V3/issues/1376",
		Members: `"tool_choice":"required",` + OneTool,
		Rules:   []Rule{{Is("tool_choice", `"required"`), 400, OpenAIError("Thinking mode does not support this tool_choice", "", "invalid_request_error")}},
		Calls:   2, Want: `"tool_choice":"auto",` + OneTool, Ignored: []string{"tool_choice"},
	},
	{
		Server: Other, Name: "Qwen forces no tool while it thinks", Source: "https://github.com/cloudwego/eino/issues/994",
		Members: `"tool_choice":{"type":"function","function":{"name":"answer"}},"enable_thinking":true,` + OneTool,
		Rules: []Rule{{Not(Is("tool_choice", `"auto"`)), 400, OpenAIError("<400> InternalError.Algo.InvalidParameter: The tool_choice parameter does not support "+
			"being set to required or object in thinking mode", "", "invalid_parameter_error")}},
		Calls: 3, Want: `"tool_choice":"auto","enable_thinking":true,` + OneTool, Ignored: []string{"tool_choice"},
	},
	{
		Server: Other, Name: "LiteLLM wraps an error in its own words", Source: "https://github.com/jekalmin/extended_openai_conversation/issues/428",
		Members: `"temperature":0.5,"top_p":0.9`,
		Rules: []Rule{{And(Has("temperature"), Has("top_p")), 400, `{"error":{"message":"litellm.BadRequestError: AnthropicException - {\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",` +
			`\"message\":\"temperature and top_p cannot both be specified for this model. Please use only one.\"}}. Received Model Group=x","type":null,"param":null,"code":"400"}}`}},
		Calls: 2, Want: `"temperature":0.5`, Ignored: []string{"top_p"},
	},
	{
		Server: Groq, Name: "Groq asks whether max_tokens was meant", Source: "https://github.com/AnswerDotAI/shell_sage/issues/9",
		Members: `"max_completion_tokens":9`,
		Rules:   []Rule{{Has("max_completion_tokens"), 400, OpenAIError("property 'max_completion_tokens' is unsupported, did you mean 'max_tokens'?", "", "")}},
		Calls:   2, Want: `"max_tokens":9`,
	},
	{
		Server: Other, Name: "Oracle has no logit_bias", Source: "https://github.com/helidon-io/helidon/issues/10601",
		Members: `"logit_bias":{"1":1}`,
		Rules:   []Rule{{Has("logit_bias"), 400, `{"code":"400","error":"Argument not supported: logit_bias"}`}},
		Calls:   2, Ignored: []string{"logit_bias"},
	},
	{
		Server: LMStudio, Name: "LM Studio has no named choice", Source: "https://github.com/lmstudio-ai/lmstudio-bug-tracker/issues/670",
		Members: `"tool_choice":{"type":"function","function":{"name":"answer"}},` + OneTool,
		Rules: []Rule{
			{Contains("tool_choice", "{"), 400, `{"error":"Invalid tool_choice type: 'object'. Supported string values: none, auto, required"}`},
		},
		Calls: 2, Want: `"tool_choice":"required",` + OneTool,
	},
	{
		Server: VLLM, Name: "a choice without tools", Source: "https://github.com/BerriAI/litellm/issues/34276",
		Members: `"tool_choice":"none"`,
		Rules: []Rule{{Has("tool_choice"), 400, `{"object":"error","message":"[{'type': 'value_error', 'loc': ('body',), 'msg': 'Value error, When using ` + "`tool_choice`, `tools`" +
			` must be set.', 'input': {'messages': [], 'tool_choice': 'none'}, 'ctx': {}}]","type":"BadRequestError","param":null,"code":400}`}},
		Calls: 2,
	},
	{
		Server: OpenAI, Name: "parallel_tool_calls without tools", Source: "https://github.com/openai/swarm/issues/30",
		Members: `"parallel_tool_calls":false`,
		Rules: []Rule{{Has("parallel_tool_calls"), 400, OpenAIError("Invalid value for 'parallel_tool_calls': 'parallel_tool_calls' is only allowed when 'tools' are specified.",
			"parallel_tool_calls", "")}},
		Calls: 2,
	},
	{
		Server: Anthropic, Name: "Claude takes one of two Samplers", Source: "https://github.com/iOfficeAI/AionUi/issues/912",
		Members: `"temperature":0.5,"top_p":0.9`,
		Rules: []Rule{{And(Has("temperature"), Has("top_p")), 400, OpenAIError("`temperature` and `top_p` cannot both be specified for this model. Please use only one.",
			"", "")}},
		Calls: 2, Want: `"temperature":0.5`, Ignored: []string{"top_p"},
	},
	{
		Server: OpenAI, Name: "a reasoning model without stop", Source: "https://github.com/langgenius/dify/issues/18971",
		Members: `"stop":["\n"]`,
		Rules:   []Rule{{Has("stop"), 400, OpenAIError("Unsupported parameter: 'stop' is not supported with this model.", "stop", "unsupported_parameter")}},
		Calls:   2, Ignored: []string{"stop"},
	},
	{
		Server: Other, Name: "a server that only streams", Source: "https://github.com/infiniflow/ragflow/issues/5912",
		Rules: []Rule{{Not(Is("stream", "true")), 400, OpenAIError("This model only support stream mode, please enable the stream parameter to access the model.", "", "invalid_parameter_error")}},
		Calls: 2, Want: `"stream":true`,
	},
	{
		Server: VLLM, Name: "FastAPI's own complaints", Source: "https://github.com/gpustack/gpustack/issues/429",
		Members: `"reasoning_effort":"low"`,
		Rules:   []Rule{{Has("reasoning_effort"), 422, `{"detail":[{"type":"extra_forbidden","loc":["body","reasoning_effort"],"msg":"Extra inputs are not permitted","input":"low"}]}`}},
		Calls:   2, Ignored: []string{"reasoning_effort"},
	},
	{
		Server: Other, Name: "a refusal under a status that says all is well", Source: "https://github.com/oobabooga/textgen/issues/7257",
		Members: `"logit_bias":{"50256":-100}`,
		Rules:   []Rule{{Has("logit_bias"), 200, `{"error":{"code":400,"message":"Field 'logit_bias' is not supported.","type":"invalid_request_error"}}`}},
		Calls:   2, Ignored: []string{"logit_bias"},
	},
	{
		Server: Mistral, Name: "an explicit null is nothing to report", Source: "https://github.com/partITech/php-mistral/issues/76",
		Members: `"service_tier":null`,
		Rules:   []Rule{{Has("service_tier"), 422, `{"detail":[{"type":"extra_forbidden","loc":["body","service_tier"],"msg":"Extra inputs are not permitted"}]}`}},
		Calls:   2,
	},
	{
		Server: Azure, Name: "Azure has no parallel_tool_calls", Source: "https://github.com/openai/openai-python/issues/1492",
		Members: `"parallel_tool_calls":false,` + OneTool,
		Rules:   []Rule{{Has("parallel_tool_calls"), 400, OpenAIError("Unknown parameter: 'parallel_tool_calls'.", "parallel_tool_calls", "unknown_parameter")}},
		Calls:   2, Want: OneTool, Ignored: []string{"parallel_tool_calls"},
	},
	{
		Server: Azure, Name: "Azure sends people to its support", Source: "https://github.com/Azure/azure-rest-api-specs/issues/29545",
		Members: `"parallel_tool_calls":false,` + OneTool,
		Rules: []Rule{{Has("parallel_tool_calls"), 400, OpenAIError("Unrecognized request argument supplied: parallel_tool_calls. Please contact us through an Azure support request at: "+
			"https://go.microsoft.com/fwlink/?linkid=2213926 for further questions.", "", "")}},
		Calls: 2, Want: OneTool, Ignored: []string{"parallel_tool_calls"},
	},
	{
		Server: Anthropic, Name: "newer Claude models have no temperature", Source: "https://github.com/github/copilot-sdk/issues/1557",
		Members: `"temperature":0.5,"max_tokens":9`,
		Rules:   []Rule{{Has("temperature"), 400, `{"type":"error","error":{"type":"invalid_request_error","message":"` + "`temperature`" + ` is deprecated for this model."}}`}},
		Calls:   2, Want: `"max_tokens":9`, Ignored: []string{"temperature"},
	},
	{
		Server: Ollama, Name: "Ollama calls reasoning_effort a think value", Source: "https://github.com/ollama/ollama/issues/12561",
		Members: `"reasoning_effort":"medium"`,
		Rules:   []Rule{{Has("reasoning_effort"), 400, `{"error":{"message":"think value \"medium\" is not supported for this model","type":"api_error","param":null,"code":null}}`}},
		Calls:   2, Ignored: []string{"reasoning_effort"},
	},
	{
		Server: LlamaServer, Name: "llama-server of old has no tool_choice, and says so with a 500", Source: "https://github.com/ggml-org/llama.cpp/issues/10920",
		Members: `"tool_choice":"auto"`,
		Rules:   []Rule{{Has("tool_choice"), 500, `{"error":{"code":500,"message":"Unsupported param: tool_choice","type":"server_error"}}`}},
		Calls:   2,
	},
	{
		Server: Together, Name: "a parameter that Together does not take, behind LiteLLM", Source: "https://github.com/BerriAI/litellm/pull/38265",
		Members: `"logit_bias":{"1":1}`,
		Rules: []Rule{{Has("logit_bias"), 400, OpenAIError("litellm.UnsupportedParamsError: together_ai does not support parameters: ['logit_bias'], for model=Qwen/Qwen3.7-Max. "+
			"To drop these, set `litellm.drop_params=True`", "", "400")}},
		Calls: 2, Ignored: []string{"logit_bias"},
	},
	{
		Server: OpenRouter, Name: "a parameter of the server behind OpenRouter", Source: "https://openrouter.ai/docs/api-reference/errors",
		Members: `"seed":1`,
		Rules: []Rule{{Has("seed"), 400, `{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":"{\"error\":{\"message\":\"Unsupported parameter: 'seed' is not supported with this model.\",` +
			`\"type\":\"invalid_request_error\",\"param\":\"seed\",\"code\":\"unsupported_parameter\"}}","provider_name":"OpenAI"}}}`}},
		Calls: 2, Ignored: []string{"seed"},
	},
}
