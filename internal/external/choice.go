package external

import (
	"encoding/json"
	"slices"
	"strconv"

	"hyperstudy-endpoint/internal/openai"
)

// plainToolChoice puts the mode in the place of a named or limited choice, and
// leaves the tools out that may not be called, so that it asks for the same.
func plainToolChoice(o *openai.Object) bool {
	choice, ok := member(o, "tool_choice")
	if !ok {
		return false
	}
	mode, names := openai.ChoiceRequired, []string{functionName(&choice)}
	if limited, ok := member(&choice, "allowed_tools"); ok {
		if text(limited.Get("mode")) == openai.ChoiceAuto {
			mode = openai.ChoiceAuto
		}
		names = nil
		for _, item := range list(limited.Get("tools")) {
			tool, _ := object(item)
			names = append(names, functionName(&tool))
		}
	}
	o.Set("tools", array(slices.DeleteFunc(list(o.Get("tools")), func(item json.RawMessage) bool {
		tool, _ := object(item)
		return !slices.Contains(names, functionName(&tool))
	})))
	o.Set("tool_choice", json.RawMessage(strconv.Quote(mode)))
	return true
}

// functionName returns the name in {"function": {"name": ...}}.
func functionName(o *openai.Object) string {
	f, _ := member(o, "function")
	return text(f.Get("name"))
}

// breaks reports whether an answer is not one that the choice of tools allows,
// although the server has accepted it as an object: llama-server takes every
// object for auto (https://github.com/ggml-org/llama.cpp/issues/26535).
func breaks(c *openai.ChatCompletion, req *openai.ChatCompletionRequest, sent *openai.Object) bool {
	if _, ok := member(sent, "tool_choice"); !ok {
		return false
	}
	answer := &c.Choices[0]
	if len(answer.Message.ToolCalls) == 0 {
		return req.ToolChoice.Forced() && answer.FinishReason == openai.FinishStop && answer.Message.Refusal == nil
	}
	return slices.ContainsFunc(answer.Message.ToolCalls, func(call openai.ToolCall) bool {
		return !slices.Contains(req.ToolChoice.Names, call.Function.Name)
	})
}
