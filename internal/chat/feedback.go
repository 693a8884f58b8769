package chat

import (
	"encoding/json"
	"slices"
	"strings"

	"hyperstudy-endpoint/internal/openai"
	"hyperstudy-endpoint/internal/toolcall"
)

// reask returns the request that puts a bad answer back to the model: the
// conversation so far, the model's own answer, and what is wrong with it. The
// wording names broken rules and never a value to give.
func reask(req *openai.ChatCompletionRequest, completion *openai.ChatCompletion, v verdict) (*openai.ChatCompletionRequest, error) {
	choice := &completion.Choices[0]
	next, err := req.WithMessages(exchange(req, choice, v)...)
	if err != nil {
		return nil, err
	}
	if v.problem == toolcall.NoToolCall && mayForce(req, completion) {
		return next.WithForcedTool()
	}
	return next, nil
}

// maxReplayed is how many calls of one answer are put back to the model: enough
// to see that it made too many.
const maxReplayed = 16

// maxReplayedBytes is the longest answer that is put back to the model. No
// screen asks for one as long.
const maxReplayedBytes = 256 << 10

// tooLong reports whether an answer is too long to be put back to the model.
func tooLong(completion *openai.ChatCompletion) bool {
	m := &completion.Choices[0].Message
	n := len(content(&completion.Choices[0]))
	for _, call := range m.ToolCalls[:min(len(m.ToolCalls), maxReplayed)] {
		n += len(call.Function.Name) + len(call.Function.Arguments)
	}
	return n > maxReplayedBytes
}

// exchange is the model's answer and the feedback to it as messages: a tool
// result for every call that was made, user text where none was.
func exchange(req *openai.ChatCompletionRequest, choice *openai.Choice, v verdict) []openai.Message {
	var messages []openai.Message
	text := content(choice)
	calls := choice.Message.ToolCalls
	calls = calls[:min(len(calls), maxReplayed)]
	if v.problem == toolcall.None {
		calls = nil // a JSON answer: its feedback is about the text
	}
	if text != "" || len(calls) > 0 {
		answer := openai.TextMessage(openai.RoleAssistant, text)
		if text == "" {
			answer.Content = nil
		}
		for _, call := range calls {
			answer.ToolCalls = append(answer.ToolCalls, replayable(call))
		}
		messages = append(messages, answer)
	}
	if len(calls) == 0 {
		return append(messages, openai.TextMessage(openai.RoleUser, textFeedback(req, v)))
	}
	for _, call := range calls {
		result := openai.TextMessage(openai.RoleTool, callFeedback(req, call, v))
		result.ToolCallID = call.ID
		messages = append(messages, result)
	}
	return messages
}

// replayable returns the call in a form that upstreams accept in a
// conversation: many refuse a history whose arguments are not an object or
// whose function names are not names.
func replayable(call openai.ToolCall) openai.ToolCall {
	var object map[string]json.RawMessage
	if json.Unmarshal([]byte(call.Function.Arguments), &object) != nil || object == nil {
		if quoted, err := openai.Marshal(map[string]string{"invalid_arguments": call.Function.Arguments}); err == nil {
			call.Function.Arguments = string(quoted)
		}
	}
	call.Function.Name = openai.ToName(call.Function.Name, 64, "_-")
	if call.Function.Name == "" {
		call.Function.Name = "unnamed"
	}
	return call
}

// callFeedback says what is wrong with one of the calls.
func callFeedback(req *openai.ChatCompletionRequest, call openai.ToolCall, v verdict) string {
	if v.problem == toolcall.SeveralToolCalls {
		return "Not accepted: more than one tool was called. " + instruction(req)
	}
	for _, judged := range v.calls {
		if judged.Call.ID == call.ID && len(judged.Violations) > 0 {
			return "Not accepted:\n" + list(judged.Violations) + instruction(req)
		}
	}
	return "Not accepted together with the other call. " + instruction(req)
}

// textFeedback says what is wrong with an answer that made no call.
func textFeedback(req *openai.ChatCompletionRequest, v verdict) string {
	if v.badJSON != nil {
		return "Not accepted:\n" + list(v.badJSON) + "Answer again with the JSON alone: no other text and no code fence."
	}
	for _, judged := range v.calls { // a call that was written as text
		if len(judged.Violations) > 0 {
			return "Not accepted:\n" + list(judged.Violations) + instruction(req)
		}
	}
	return "Not accepted: no tool was called. " + instruction(req)
}

func list(violations []toolcall.Violation) string {
	var b strings.Builder
	for _, v := range violations {
		b.WriteString("- ")
		if v.Pointer != "" {
			b.WriteString(v.Pointer + ": ")
		}
		b.WriteString(v.Message + "\n")
	}
	return b.String()
}

// instruction names all tools in the order of the request, so that none of
// them is suggested.
func instruction(req *openai.ChatCompletionRequest) string {
	var names []string
	for _, t := range req.CallableTools() {
		names = append(names, t.Name)
	}
	how := "exactly one"
	if p := req.ParallelToolCalls; p != nil && *p {
		how = "one or more"
	}
	return "Answer again by calling " + how + " of the tools: " + strings.Join(names, ", ") + "."
}

// mayForce reports whether the next attempt may demand a tool call. Where
// nothing could be called in order to do nothing, forcing a call would take
// away the choice not to act. Models that reason refuse a forced call.
func mayForce(req *openai.ChatCompletionRequest, completion *openai.ChatCompletion) bool {
	idle := req.ToolChoice.Forced() || slices.ContainsFunc(req.CallableTools(), doesNothing)
	return idle && !reasons(req, completion)
}

// doesNothing reports whether a tool takes no arguments, as HyperStudy's wait does.
func doesNothing(t openai.Tool) bool {
	var schema struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	return len(t.Parameters) == 0 || json.Unmarshal(t.Parameters, &schema) == nil && len(schema.Properties) == 0
}

// reasons reports whether the model thinks before it answers.
func reasons(req *openai.ChatCompletionRequest, completion *openai.ChatCompletion) bool {
	return completion.Choices[0].Message.ReasoningContent != "" ||
		completion.Usage.ReasoningTokens() > 0 ||
		req.ReasoningEffort != "" && req.ReasoningEffort != "none" && req.ReasoningEffort != "minimal"
}
