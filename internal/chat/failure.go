package chat

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"hyperstudy-endpoint/internal/openai"
	"hyperstudy-endpoint/internal/toolcall"
)

// final returns why a bad answer is not asked for again, and nil if it may be.
// A refusal is an answer about the model. An answer that was cut at the
// caller's limit would be cut there again; the deployment's own can be lifted.
func (r *run) final(completion *openai.ChatCompletion, req *openai.ChatCompletionRequest, v verdict) *openai.Error {
	switch {
	case refused(&completion.Choices[0]):
		return serverError(openai.CodeModelRefusal, "The model declined to answer, or a content filter or guardrail stopped it. It was not asked again: a refusal is a result.")
	case !r.ownLimit && cut(completion, req, v):
		return cutOff(completion.Usage, req)
	}
	return nil
}

// cut reports whether an answer ended at a limit of tokens. Some upstreams give
// another finish reason beside arguments that are cut; then it counts whether
// the limit has been used up.
func cut(completion *openai.ChatCompletion, req *openai.ChatCompletionRequest, v verdict) bool {
	if completion.Choices[0].FinishReason == openai.FinishLength {
		return true
	}
	return req.MaxTokens != nil && completion.Usage.CompletionTokens >= *req.MaxTokens &&
		slices.ContainsFunc(v.calls, func(c toolcall.Judged) bool { return c.Cut })
}

// cutOff is the failure of an answer that ended at a limit of tokens.
func cutOff(usage openai.Usage, req *openai.ChatCompletionRequest) *openai.Error {
	used := fmt.Sprintf("%d completion tokens were used", usage.CompletionTokens)
	if n := usage.ReasoningTokens(); n > 0 {
		used += fmt.Sprintf(", %d of them for reasoning", n)
	}
	e := &openai.Error{Status: http.StatusBadRequest, Type: openai.TypeInvalidRequest, Param: "max_tokens", Code: openai.CodeMaxTokensReached}
	if req.MaxTokens == nil {
		e.Message = fmt.Sprintf("The model reached its own limit on output before its answer was complete (%s). Ask for a shorter answer or use another model.", used)
		return e
	}
	e.Param = req.MaxTokensParam
	e.Message = fmt.Sprintf("The answer was cut off at %s = %d before it was complete (%s). Raise %s.", req.MaxTokensParam, *req.MaxTokens, used, req.MaxTokensParam)
	return e
}

// exhausted is the failure of a bad answer that would be asked for again if
// there were attempts or time left.
func exhausted(completion *openai.ChatCompletion, req *openai.ChatCompletionRequest, v verdict) *openai.Error {
	if cut(completion, req, v) {
		return cutOff(completion.Usage, req)
	}
	return v.failure()
}

// failure is the error for an answer that stayed bad.
func (v verdict) failure() *openai.Error {
	if v.badJSON != nil {
		return serverError(openai.CodeInvalidJSONAnswer, "The model did not answer with the JSON that response_format asks for. Try a more capable model or a simpler schema.")
	}
	switch v.problem {
	case toolcall.SeveralToolCalls:
		return serverError(openai.CodeSeveralToolCalls, "The model called several different tools at once where exactly one decision is wanted. None of them was picked for it.")
	case toolcall.InvalidToolCall:
		return serverError(openai.CodeInvalidToolCall, "The model's tool call does not satisfy the schema of the tool it called, or names a tool that was not offered. Try a more capable model.")
	case toolcall.NoToolCall, toolcall.None:
	}
	return serverError(openai.CodeNoToolCall, "The model answered without calling one of the tools it was offered. Try a more capable model, or deploy with TOOL_CHOICE=required.")
}

// worded adds to the message how often the model was asked.
func (r *run) worded(e *openai.Error) *openai.Error {
	if n := r.report.Attempts; n == 1 {
		e.Message += " (1 attempt)"
	} else {
		e.Message += fmt.Sprintf(" (%d attempts)", n)
	}
	return e
}

func serverError(code, message string) *openai.Error {
	return &openai.Error{Status: http.StatusBadGateway, Type: openai.TypeServer, Code: code, Message: message}
}

// outOfTime is the failure of a request whose context has ended. A caller that
// is throttled to the end is told so; anything else that ran out of time is a
// timeout.
func outOfTime(ctx context.Context, last *openai.Error) error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return fmt.Errorf("chat: the caller went away: %w", ctx.Err())
	}
	if last.Status == http.StatusTooManyRequests {
		return last
	}
	return &openai.Error{
		Status: http.StatusGatewayTimeout, Type: openai.TypeServer, Code: openai.CodeTimeout, Err: last,
		Message: "The model did not answer within the endpoint's time limit. Use a faster model, or raise the time limit in HyperStudy and REQUEST_TIMEOUT_SECONDS of this deployment to the same value.",
	}
}
