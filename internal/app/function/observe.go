package function

import (
	"context"
	"slices"

	"hyperstudy-endpoint/internal/api"
	"hyperstudy-endpoint/internal/openai"
	"hyperstudy-endpoint/internal/telemetry"
)

// knownTools are the tools of HyperStudy's contract. Any other name may say
// something about the study and is logged as "other", unless AllTools is set.
var knownTools = []string{"submit_response", "respond", "send_chat", "wait"}

// observe logs one exchange. It takes counts and codes from it, and nothing
// that anybody wrote.
func (f *Function) observe(ctx context.Context, x *api.Exchange) {
	r := &telemetry.Record{
		RequestID: x.RequestID, Kind: x.Kind, Key: x.Key, Status: x.Status,
		BodyBytes: x.BodyBytes, Duration: x.Duration,
	}
	if x.Error != nil {
		r.Code = x.Error.Code
		r.RefusedKey = r.Code == openai.CodeInvalidAPIKey
		r.Cause = cause(x.Error.Err)
	}
	if req := x.Request; req != nil {
		r.Messages, r.Tools, r.Stream, r.Images = len(req.Messages), len(req.Tools), req.Stream, images(req)
	}
	if report := x.Report; report != nil {
		r.Model, r.ModelID, r.Fallback = report.Model, report.ModelID, report.Fallback
		r.FinishReason, r.Upstream = report.FinishReason, report.Upstream
		r.Attempts, r.Retries, r.Reasks, r.Violations = report.Attempts, report.Retries, report.Reasks, report.Violations
		r.Mended, r.Ignored = report.Mended, known(report.Ignored)
		r.PromptTokens, r.CompletionTokens = report.Usage.PromptTokens, report.Usage.CompletionTokens
		r.CachedTokens, r.ReasoningTokens = report.Usage.CachedTokens(), report.Usage.ReasoningTokens()
	}
	if x.Completion != nil {
		r.Tool = f.tool(x.Completion)
	}
	f.log.Request(ctx, r)
	if x.Stack != nil {
		f.log.Panic(ctx, x.RequestID, x.Stack)
	}
}

// knownParameters are parameters of the API and of well-known servers. Any
// other name is the caller's own and is logged as "other".
var knownParameters = []string{
	"chat_template_kwargs", "extra_body", "frequency_penalty", "logit_bias", "max_completion_tokens", "max_tokens",
	"metadata", "min_p", "mirostat", "mirostat_eta", "mirostat_tau", "modalities", "parallel_tool_calls", "prediction",
	"presence_penalty", "prompt_cache_key", "reasoning", "reasoning_effort", "repeat_last_n", "repeat_penalty",
	"repetition_penalty", "response_format", "safety_identifier", "samplers", "seed", "service_tier", "stop", "store",
	"stream_options", "strict", "temperature", "thinking", "tool_choice", "top_a", "top_k", "top_logprobs", "top_p",
	"typical_p", "user", "verbosity", "web_search_options",
}

func known(names []string) []string {
	var list []string
	for _, name := range names {
		if !slices.Contains(knownParameters, name) {
			name = "other"
		}
		list = append(list, name)
	}
	return slices.Compact(list)
}

// tool names the tool that was called, if its name is one that may be logged.
func (f *Function) tool(c *openai.ChatCompletion) string {
	calls := c.Choices[0].Message.ToolCalls
	switch {
	case len(calls) == 0:
		return ""
	case f.AllTools, slices.Contains(knownTools, calls[0].Function.Name):
		return calls[0].Function.Name
	default:
		return "other"
	}
}

func images(req *openai.ChatCompletionRequest) int {
	n := 0
	for _, m := range req.Messages {
		for _, p := range m.Content {
			if p.Type == openai.PartImageURL {
				n++
			}
		}
	}
	return n
}
