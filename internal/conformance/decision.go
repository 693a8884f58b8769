package conformance

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"hyperstudy-endpoint/internal/wording"
)

// A fault is how the form of a decision can be wrong; each has a check of its
// own, which looks at all decisions of the run and is named here.
type fault string

const (
	noCall       fault = "decision.call"
	severalCalls fault = "decision.one"
	wrongName    fault = "decision.name"
	badArguments fault = "decision.arguments"
	badForm      fault = "decision.form"
)

// A decision is an answer to a request that offered tools.
type decision struct {
	*answer
	tools []Tool
	// faults are what is wrong with the form: what the decision was answered with.
	faults map[fault]string
	// refusal is set when the model declined.
	refusal bool

	tool string // the tool called, "" if the form is too wrong to tell
	args any    // its arguments
	// violations are the rules of the schema that the arguments break.
	violations []string
}

// valid reports whether HyperStudy can carry the decision out.
func (d *decision) valid() bool {
	return d.tool != "" && len(d.violations) == 0 && d.faults[severalCalls] == ""
}

// decide asks for a decision and judges it; nil if the answer is an error or no
// completion.
func (s *session) decide(ctx context.Context, b body, r request) (*decision, *Exchange) {
	if b.Model == "" {
		b.Model = s.model(ctx)
	}
	a, x := s.complete(ctx, b, r)
	if a == nil || a.problem != "" {
		return nil, x
	}
	d := judge(a, b.Tools)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.decisions = append(s.decisions, d)
	return d, x
}

// judge looks at the form of a decision and at its arguments.
func judge(a *answer, tools []Tool) *decision {
	d := &decision{answer: a, tools: tools, faults: map[fault]string{}}
	c := a.completion.Choices[0]
	finish, _ := text(c.FinishReason)
	if len(c.Message.ToolCalls) == 0 {
		d.judgeWithoutCall(c.Message, finish)
		return d
	}
	if n := len(c.Message.ToolCalls); n > 1 {
		d.faults[severalCalls] = wording.Count(n, "tool call") + " where one action is decided"
	}
	call := c.Message.ToolCalls[0]
	if problem := c.callProblem(); problem != "" {
		d.faults[badForm] = problem
	}
	name, isText := text(call.Function.Name)
	if !isText {
		d.faults[wrongName] = "a call without a name"
		return d
	}
	i := slices.IndexFunc(tools, func(t Tool) bool { return t.Name == name })
	if i < 0 {
		d.faults[wrongName] = fmt.Sprintf("a call of %q, which was not offered", shorten(name))
		return d
	}
	args, problem := readArguments(call.Function.Arguments)
	if problem != "" {
		if finish == "length" {
			problem += ", cut off at a limit of tokens"
		}
		d.faults[badArguments] = "a call whose arguments " + problem
		return d
	}
	d.tool, d.args = name, args
	d.violations = violations(tools[i].Parameters, args)
	return d
}

func (d *decision) judgeWithoutCall(m *answerMessage, finish string) {
	said, _ := text(m.Content)
	refusal, _ := text(m.Refusal)
	switch {
	case refusal != "" || finish == "content_filter":
		d.refusal = true
	case finish == "length":
		d.faults[noCall] = "what a limit of tokens left, without a tool call"
	case strings.TrimSpace(said) == "":
		d.faults[noCall] = "neither text nor a tool call"
	case looksLikeCall(said, d.tools):
		d.faults[noCall] = "a call written as text instead of a tool call"
	default:
		d.faults[noCall] = "text instead of a tool call"
	}
}

// looksLikeCall reports whether a text holds JSON and the name of an offered tool.
func looksLikeCall(said string, tools []Tool) bool {
	return strings.Contains(said, "{") && slices.ContainsFunc(tools, func(t Tool) bool { return strings.Contains(said, t.Name) })
}

// readArguments reads the JSON object that a call's arguments hold as a string.
func readArguments(raw json.RawMessage) (args any, problem string) {
	inside, isText := text(raw)
	switch {
	case absent(raw):
		return nil, "are missing"
	case !isText:
		return nil, "are not a string but the JSON itself"
	case strings.TrimSpace(inside) == "":
		return nil, "are empty, where an empty object would be {}"
	}
	args, problem = readJSON([]byte(inside))
	if problem != "" {
		return nil, "are " + problem
	}
	switch args.(type) {
	case map[string]any:
		return args, ""
	case string:
		return nil, "are encoded twice"
	}
	return nil, "are not an object"
}
