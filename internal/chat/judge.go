package chat

import (
	"slices"
	"strings"

	"hyperstudy-endpoint/internal/openai"
	"hyperstudy-endpoint/internal/toolcall"
)

// A judge decides whether an answer keeps what the request asked for. Either
// calls or format is set, or neither: then any text is an answer.
type judge struct {
	calls  *toolcall.Judge
	format *toolcall.Format
}

// newJudge prepares the judgement of answers to req. The error is a 400 about
// a schema that cannot be judged by.
func newJudge(req *openai.ChatCompletionRequest) (judge, error) {
	if len(req.CallableTools()) > 0 {
		calls, err := toolcall.New(req)
		return judge{calls: calls}, err
	}
	if req.ResponseFormat.WantsJSON() {
		format, err := toolcall.NewFormat(req.ResponseFormat)
		return judge{format: format}, err
	}
	return judge{}, nil
}

// acceptsAll reports whether every answer is good.
func (j judge) acceptsAll() bool { return j.calls == nil && j.format == nil }

// judge judges the completion and puts what was mended in its place.
func (j judge) judge(completion *openai.ChatCompletion) verdict {
	choice := &completion.Choices[0]
	switch {
	case j.calls != nil:
		return j.judgeCalls(choice)
	case j.format != nil:
		return j.judgeFormat(choice)
	default:
		dropCalls(choice)
		return verdict{}
	}
}

func (j judge) judgeCalls(choice *openai.Choice) verdict {
	if choice.FinishReason == openai.FinishContentFilter {
		return verdict{problem: toolcall.NoToolCall}
	}
	v := j.calls.Judge(&choice.Message)
	if v.Problem != toolcall.None {
		return verdict{problem: v.Problem, calls: v.Calls}
	}
	if choice.FinishReason == openai.FinishLength && incomplete(choice, v.Mended) {
		return verdict{problem: toolcall.InvalidToolCall, calls: v.Calls}
	}
	if len(choice.Message.ToolCalls) == 0 {
		choice.Message.Content = nil // the call was written as text, and is not text any more
	}
	calls := make([]openai.ToolCall, len(v.Calls))
	for i, judged := range v.Calls {
		calls[i] = judged.Call
	}
	choice.Message.ToolCalls = calls
	choice.FinishReason = openai.FinishToolCalls
	return verdict{mended: v.Mended}
}

// incomplete reports whether a valid reading of an answer that was cut at a limit
// may be the beginning of another: a call whose arguments had not begun, and a
// call written as text, after which more was to come.
func incomplete(choice *openai.Choice, mended []string) bool {
	return len(choice.Message.ToolCalls) == 0 || slices.Contains(mended, toolcall.MendEmptyArguments)
}

func (j judge) judgeFormat(choice *openai.Choice) verdict {
	dropCalls(choice)
	if refused(choice) {
		return verdict{} // the refusal is the answer
	}
	text, mended, violations := j.format.Judge(content(choice))
	if len(violations) > 0 {
		return verdict{badJSON: violations}
	}
	if choice.FinishReason == openai.FinishLength && endsInDigit(text) {
		return verdict{badJSON: []toolcall.Violation{{Message: "may lack digits at its end"}}}
	}
	choice.Message.Content = &text
	return verdict{mended: mended}
}

// endsInDigit reports whether JSON is a bare number. Every other value shows
// where it ends; a number that was cut at a limit looks like a whole one.
func endsInDigit(text string) bool {
	text = strings.TrimSpace(text)
	return text != "" && text[len(text)-1] >= '0' && text[len(text)-1] <= '9'
}

// dropCalls takes away calls of tools that could not be called. A model that
// was offered none, or told to call none, sometimes writes one all the same.
func dropCalls(choice *openai.Choice) {
	if len(choice.Message.ToolCalls) == 0 {
		return
	}
	choice.Message.ToolCalls = nil
	if choice.FinishReason == openai.FinishToolCalls {
		choice.FinishReason = openai.FinishStop
	}
	if choice.Message.Content == nil {
		choice.Message.Content = new(string)
	}
}

// refused reports whether the model, or a filter in front of it, declined.
func refused(choice *openai.Choice) bool {
	return choice.FinishReason == openai.FinishContentFilter ||
		choice.Message.Refusal != nil && *choice.Message.Refusal != ""
}

func content(choice *openai.Choice) string {
	if choice.Message.Content == nil {
		return ""
	}
	return *choice.Message.Content
}

// A verdict is what was found about one answer. The zero verdict is a good one.
type verdict struct {
	mended  []string
	problem toolcall.Problem
	calls   []toolcall.Judged    // of a bad answer, with what is wrong with each
	badJSON []toolcall.Violation // of an answer that had to be JSON
}

func (v verdict) good() bool { return v.problem == toolcall.None && v.badJSON == nil }

// violations counts the broken rules.
func (v verdict) violations() int {
	n := len(v.badJSON)
	for _, c := range v.calls {
		n += len(c.Violations)
	}
	return n
}
