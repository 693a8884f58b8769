package upstreamtest

// A Reply is how a server answers, and what of it the caller gets.
type Reply struct {
	Server, Name, Source string

	Status   int    // 0 means 200
	Body     string // one JSON document or an event stream
	Deciding bool   // to a request with OneTool

	Content, Reasoning, Arguments string
	Finish                        string
}

// Replies are the manners of servers whose replies are mended in form.
var Replies = []Reply{
	{
		Server: OpenAI, Name: "stop beside a call", Source: "https://github.com/ollama/ollama/pull/7963", Deciding: true,
		Body:      `{"id":"chatcmpl-1","object":"chat.completion","created":1739386062,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function","function":{"name":"answer","arguments":"{\"x\":1}"}}]},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2}}`,
		Arguments: `{"x":1}`, Finish: "tool_calls",
	},
	{
		Server: Azure, Name: "a chunk about the prompt's filter first", Source: "https://learn.microsoft.com/en-us/azure/ai-foundry/openai/concepts/content-streaming",
		Body: Events(`{"id":"","object":"","created":0,"model":"","prompt_filter_results":[{"prompt_index":0,"content_filter_results":{"hate":{"filtered":false,"severity":"safe"}}}],"choices":[],"usage":null}`,
			`{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1760000000,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":"Yes."},"finish_reason":null}]}`,
			`{"id":"","object":"","created":0,"model":"","choices":[{"index":0,"finish_reason":null,"content_filter_offsets":{"check_offset":1},"content_filter_results":{},"delta":{}}]}`,
			`{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1760000000,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`, "[DONE]"),
		Content: "Yes.", Finish: "stop",
	},
	{
		Server: Anthropic, Name: "fields that are always empty", Source: "https://docs.anthropic.com/en/api/openai-sdk",
		Body:    `{"id":"msg_1","choices":[{"finish_reason":"stop","index":0,"message":{"content":"Yes.","role":"assistant"}}],"created":1760000000,"model":"m","object":"chat.completion","usage":{"completion_tokens":1,"prompt_tokens":1,"total_tokens":2}}`,
		Content: "Yes.", Finish: "stop",
	},
	{
		Server: Google, Name: "an empty id, and stop", Source: "https://github.com/microsoft/autogen/issues/4878", Deciding: true,
		Body: `{"id":null,"choices":[{"finish_reason":"stop","index":0,"logprobs":null,"message":{"content":null,"refusal":null,"role":"assistant","audio":null,"function_call":null,` +
			`"tool_calls":[{"id":"","function":{"arguments":"{\"x\":1}","name":"answer"},"type":"function"}]}}],"created":1737330953,"model":"m","object":"chat.completion",` +
			`"service_tier":null,"system_fingerprint":null,"usage":{"completion_tokens":6,"prompt_tokens":50,"total_tokens":56}}`,
		Arguments: `{"x":1}`, Finish: "tool_calls",
	},
	{
		Server: Google, Name: "a delta without an index", Source: "https://github.com/THU-MAIC/OpenMAIC/issues/1556", Deciding: true,
		Body: Events(`{"choices":[{"delta":{"role":"assistant","tool_calls":[{"function":{"arguments":"{\"x\":1}","name":"answer"},"id":"call_297140","type":"function"}]},"index":0}],"model":"m","object":"chat.completion.chunk"}`,
			`{"choices":[{"delta":{"role":"assistant"},"finish_reason":"stop","index":0}],"model":"m","object":"chat.completion.chunk"}`, "[DONE]"),
		Arguments: `{"x":1}`, Finish: "tool_calls",
	},
	{
		Server: Mistral, Name: "thinking as a part of the content", Source: "https://docs.mistral.ai/capabilities/reasoning/",
		Body: `{"id":"1","object":"chat.completion","created":1760000000,"model":"m","choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","tool_calls":null,` +
			`"content":[{"type":"thinking","thinking":[{"type":"text","text":"Hm."}]},{"type":"text","text":"Yes."}]}}],"usage":{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3}}`,
		Content: "Yes.", Reasoning: "Hm.", Finish: "stop",
	},
	{
		Server: OpenRouter, Name: "comments, and reasoning told twice", Source: "https://github.com/spring-projects/spring-ai/issues/5265",
		Body: ": OPENROUTER PROCESSING\n\n: OPENROUTER PROCESSING\n\n" + Events(
			`{"id":"gen-1","provider":"Google","model":"m","object":"chat.completion.chunk","created":1768528898,"choices":[{"index":0,"delta":{"role":"assistant","content":"",`+
				`"reasoning":"Hm.","reasoning_details":[{"index":0,"type":"reasoning.text","text":"Hm.","format":"google-gemini-v1"}],"annotations":[]},"finish_reason":null,"native_finish_reason":null,"logprobs":null}]}`,
			`{"id":"gen-1","choices":[{"index":0,"delta":{"role":"assistant","content":"Yes."},"finish_reason":"stop","native_finish_reason":"STOP"}],"usage":{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3}}`, "[DONE]"),
		Content: "Yes.", Reasoning: "Hm.", Finish: "stop",
	},
	{
		Server: Groq, Name: "a call that it could not read, as an error", Source: "https://github.com/groq/groq-typescript/issues/103", Deciding: true, Status: 400,
		Body: `{"error":{"message":"Failed to call a function. Please adjust your prompt. See 'failed_generation' for more details.","type":"invalid_request_error","code":"tool_use_failed",` +
			`"failed_generation":"<function=answer>{\"x\":1}</function>"}}`,
		Arguments: `{"x":1}`, Finish: "tool_calls",
	},
	{
		Server: Together, Name: "another name for stop", Source: "https://github.com/openai/openai-dotnet/pull/267",
		Body:    `{"id":"1","object":"chat.completion","created":1760000000,"model":"m","prompt":[],"choices":[{"finish_reason":"eos","seed":17,"logprobs":null,"index":0,"message":{"role":"assistant","content":"Yes.","tool_calls":[]}}],"usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2}}`,
		Content: "Yes.", Finish: "stop",
	},
	{
		Server: Together, Name: "reasoning in a field of its own", Source: "https://github.com/togethercomputer/openapi/pull/132",
		Body:    `{"id":"1","object":"chat.completion","created":1760000000,"model":"m","choices":[{"finish_reason":"stop","index":0,"message":{"role":"assistant","content":"Yes.","reasoning":"Hm.","tool_calls":[]}}],"usage":{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3}}`,
		Content: "Yes.", Reasoning: "Hm.", Finish: "stop",
	},
	{
		Server: VLLM, Name: "stop beside a forced call", Source: "https://github.com/vllm-project/vllm/pull/25054", Deciding: true,
		Body: `{"id":"chatcmpl-1","object":"chat.completion","created":1760000000,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"","reasoning_content":"Hm.","tool_calls":[{"id":"chatcmpl-tool-1","type":"function",` +
			`"function":{"name":"answer","arguments":"{\"x\": 1}"}}]},"logprobs":null,"finish_reason":"stop","stop_reason":null}],"usage":{"prompt_tokens":1,"total_tokens":3,"completion_tokens":2},"prompt_logprobs":null}`,
		Reasoning: "Hm.", Arguments: `{"x": 1}`, Finish: "tool_calls",
	},
	{
		Server: LlamaServer, Name: "arguments as an object", Source: "https://github.com/ggml-org/llama.cpp/issues/20198", Deciding: true,
		Body:      `{"choices":[{"finish_reason":"tool","index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"type":"function","function":{"name":"answer","arguments":{"x": 1.0}}}]}}],"created":1760000000,"model":"m","object":"chat.completion","usage":{"completion_tokens":1,"prompt_tokens":1,"total_tokens":2}}`,
		Arguments: `{"x": 1.0}`, Finish: "tool_calls",
	},
	{
		Server: Ollama, Name: "empty finish reasons on the way", Source: "https://github.com/ollama/ollama/issues/4357",
		Body: Events(`{"id":"chatcmpl-693","object":"chat.completion.chunk","created":1715427619,"model":"m","system_fingerprint":"fp_ollama","choices":[{"index":0,"delta":{"role":"assistant","content":"Ye"},"finish_reason":""}]}`,
			`{"id":"chatcmpl-693","object":"chat.completion.chunk","created":1715427619,"model":"m","system_fingerprint":"fp_ollama","choices":[{"index":0,"delta":{"role":"assistant","content":"s."},"finish_reason":""}]}`,
			`{"id":"chatcmpl-693","object":"chat.completion.chunk","created":1715427619,"model":"m","system_fingerprint":"fp_ollama","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":"stop"}]}`, "[DONE]"),
		Content: "Yes.", Finish: "stop",
	},
	{
		Server: Ollama, Name: "several calls of one index", Source: "https://github.com/ollama/ollama/issues/15457", Deciding: true,
		Body: Events(`{"choices":[{"index":0,"delta":{"role":"assistant","content":"","tool_calls":[{"id":"call_a","index":0,"type":"function","function":{"name":"answer","arguments":"{\"x\":1}"}}]},"finish_reason":null}]}`,
			`{"choices":[{"index":0,"delta":{"role":"assistant","content":"","tool_calls":[{"id":"call_b","index":0,"type":"function","function":{"name":"answer","arguments":"{\"x\":1}"}}]},"finish_reason":null}]}`,
			`{"choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":"tool_calls"}]}`, "[DONE]"),
		Arguments: `{"x":1}`, Finish: "tool_calls", // identical calls are one
	},
}

// Events is an event stream of these events.
func Events(events ...string) string {
	stream := ""
	for _, e := range events {
		stream += "data: " + e + "\n\n"
	}
	return stream
}

// A Failure is how a server fails, and what the caller is told.
type Failure struct {
	Server, Name, Source string

	Members string // of the request, beside model and messages, as JSON
	Status  int
	Body    string

	WantStatus         int
	WantCode, WantWord string // a code of the API's, and a word of the message
}

// Failures are the errors of servers that no other request would avoid.
var Failures = []Failure{
	{
		Server: Google, Name: "a bad key is a 400", Source: "https://github.com/cequence-io/openai-scala-client/issues/109", Status: 400,
		Body:       `[{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"API_KEY_INVALID","domain":"googleapis.com"}]}}]`,
		WantStatus: 502, WantCode: "model_access_denied", WantWord: "key_secret of",
	},
	{
		Server: Ollama, Name: "a model without tools", Source: "https://github.com/ollama/ollama/issues/6027", Members: OneTool, Status: 400,
		Body:       `{"error":{"message":"stablelm2:latest does not support tools","type":"api_error","param":null,"code":null}}`,
		WantStatus: 400, WantCode: "unsupported_parameter", WantWord: "tools",
	},
	{
		Server: LlamaServer, Name: "no tools, as a 500", Source: "https://github.com/defilantech/LLMKube/issues/126", Members: OneTool, Status: 500,
		Body:       `{"error":{"code":500,"message":"tools param requires --jinja flag","type":"server_error"}}`,
		WantStatus: 400, WantCode: "unsupported_parameter", WantWord: "tools",
	},
	{
		Server: Groq, Name: "a limit above the model's", Source: "https://github.com/skapadia3214/groq-moa/issues/8", Members: `"max_tokens":9000`, Status: 400,
		Body:       `{"error":{"message":"max_tokens for ` + "`llama-3.1-8b-instant`" + ` must be less than or equal to 8000","type":"invalid_request_error"}}`,
		WantStatus: 400, WantCode: "invalid_value", WantWord: "8000",
	},
	{
		Server: Other, Name: "DeepSeek's range", Source: "https://github.com/Backtthefuture/chatlogwebUI/issues/7", Members: `"max_tokens":9000`, Status: 400,
		Body:       OpenAIError("Invalid max_tokens value, the valid range of max_tokens is [1, 8192]", "", "invalid_request_error"),
		WantStatus: 400, WantCode: "invalid_value", WantWord: "from 1 to 8192",
	},
	{
		Server: LMStudio, Name: "an error that is a text", Source: "https://github.com/willmiao/ComfyUI-Lora-Manager/issues/1033", Status: 400,
		Body:       `{"error":"something else"}`,
		WantStatus: 400, WantCode: "invalid_value", WantWord: "",
	},
}
