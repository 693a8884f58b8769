package toolcall

import (
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"hyperstudy-endpoint/internal/jsonschema"
	"hyperstudy-endpoint/internal/jsontree"
	"hyperstudy-endpoint/internal/openai"
)

// A Judge judges answers to one request. It is safe for concurrent use.
type Judge struct {
	tools    []tool // that may be called
	parallel bool   // the request asked for several calls in so many words
	messages []openai.Message
	texts    func() string // see requestTexts
}

// New prepares the judgement of answers to req, which must be the caller's own
// request: what it holds is not taken for a call when a model repeats it. The
// error is an *[openai.Error] with status 400 whose Param names the tool whose
// schema cannot be judged by.
func New(req *openai.ChatCompletionRequest) (*Judge, error) {
	j := &Judge{
		parallel: req.ParallelToolCalls != nil && *req.ParallelToolCalls,
		messages: req.Messages,
		texts:    sync.OnceValue(func() string { return requestTexts(req) }),
	}
	bytes, patterns := 0, 0
	for _, offered := range req.CallableTools() {
		raw := offered.Parameters
		if isAbsent(raw) {
			raw = noParameters
		}
		if bytes += len(raw); bytes > maxSchemaBytes {
			return nil, openai.InvalidValue("tools", "The schemas of the tools are larger than %d bytes together. Offer fewer tools or simpler ones.", maxSchemaBytes)
		}
		s, err := compileParameters(raw)
		if err != nil {
			return nil, invalidSchema(req, offered.Name, err)
		}
		if patterns += s.PatternEffort; patterns > jsonschema.MaxPatternEffort {
			return nil, invalidSchema(req, offered.Name, &jsonschema.Error{Reason: "has patterns that are too long or too costly, together with those of the tools before it"})
		}
		j.tools = append(j.tools, tool{offered.Name, bare(looseName(offered.Name)), s})
	}
	return j, nil
}

// compileParameters compiles the schema of a tool's arguments.
func compileParameters(raw json.RawMessage) (*jsonschema.Schema, error) {
	s, err := compiled.compile(raw)
	if err == nil && s.Kinds&jsontree.Object == 0 {
		err = &jsonschema.Error{Reason: "accepts no object, and the arguments of a call are always an object"}
	}
	return s, err
}

// isAbsent reports whether a tool comes without parameters.
func isAbsent(raw json.RawMessage) bool {
	return len(raw) == 0 || string(raw) == "null"
}

// invalidSchema is the 400 about a tool's schema. It names the tool if the name
// can be told apart from other text in a message.
func invalidSchema(req *openai.ChatCompletionRequest, name string, err error) *openai.Error {
	i := slices.IndexFunc(req.Tools, func(t openai.Tool) bool { return t.Name == name })
	param := fmt.Sprintf("tools[%d].function.parameters", i)
	if openai.IsName(name, 64, "_-") {
		return openai.InvalidValue(param, "Invalid parameters of the tool '%s' (%s): %s.", name, param, err)
	}
	return openai.InvalidValue(param, "Invalid '%s': %s.", param, err)
}

// A Verdict is what a [Judge] finds about one answer.
type Verdict struct {
	// Calls are the calls of the answer, in order. If Problem is [None] they are
	// what to pass on.
	Calls []Judged
	// Mended names what was mended in the valid calls, sorted, each kind once.
	Mended []string
	// Problem is why the answer cannot be passed on.
	Problem Problem
}

// A Judged is a call and what is wrong with it.
type Judged struct {
	// Call is the call byte for byte as it came if it is valid, or if it is
	// invalid and cannot be mended; otherwise it is the mended call.
	Call openai.ToolCall
	// Violations lists what is wrong, in a fixed order. It is empty for a valid call.
	Violations []Violation
	// Cut marks arguments that end before their JSON does, as they do when the
	// model ran into its limit of tokens.
	Cut bool
}

// A Problem is a reason not to pass an answer on.
type Problem int

// The problems of answers.
const (
	None             Problem = iota
	NoToolCall               // the model called no tool
	InvalidToolCall          // a call is not offered, or its arguments are invalid
	SeveralToolCalls         // different calls where one was asked for
)

// maxCalls is how many calls of one answer are looked at.
const maxCalls = 64

// Judge judges the answer m. It does not change m. A call that the model wrote
// as text is judged like any other; it comes back with a fresh id. If it is
// invalid the problem is [InvalidToolCall] although m has no tool calls.
func (j *Judge) Judge(m *openai.AnswerMessage) Verdict {
	var v Verdict
	b := &jsonschema.Budget{Steps: maxSteps}
	calls := m.ToolCalls
	if len(calls) == 0 && m.Content != nil {
		if call, code := j.textCall(*m.Content, b); code != "" {
			calls, v.Mended = []openai.ToolCall{call}, []string{code}
		}
	}
	if len(calls) == 0 {
		return Verdict{Problem: NoToolCall}
	}
	if !j.parallel {
		var once bool
		if calls, once = collapse(calls); !once {
			v.Mended = append(v.Mended, MendIdenticalCalls)
		}
	}
	tooMany := len(calls) > maxCalls && !j.parallel
	if tooMany {
		calls = calls[:maxCalls] // enough to say what is wrong
	}
	invalid := false
	for _, call := range calls {
		judged, codes := j.judgeCall(call, b)
		if !j.parallel && len(v.Calls) == 1 && same(v.Calls[0].Call.Function, judged.Call.Function, b) {
			v.Mended = append(v.Mended, MendIdenticalCalls)
			continue
		}
		v.Calls = append(v.Calls, judged)
		v.Mended = append(v.Mended, codes...)
		invalid = invalid || len(judged.Violations) > 0
	}
	switch {
	case tooMany, len(v.Calls) > 1 && !j.parallel:
		v.Problem = SeveralToolCalls
	case invalid:
		v.Problem = InvalidToolCall
	}
	if v.Problem != None {
		v.Mended = nil
	}
	slices.Sort(v.Mended)
	v.Mended = slices.Compact(v.Mended)
	return v
}

// collapse leaves out calls that repeat an earlier one to the letter. once
// reports that there were none.
func collapse(calls []openai.ToolCall) (rest []openai.ToolCall, once bool) {
	seen := make(map[openai.FunctionCall]bool, len(calls))
	for _, call := range calls {
		if !seen[call.Function] {
			seen[call.Function] = true
			rest = append(rest, call)
		}
	}
	return rest, len(rest) == len(calls)
}

// same reports whether two calls are of the same tool with the same JSON value
// as arguments. Where the budget does not allow to find out they are not.
func same(a, b openai.FunctionCall, left *jsonschema.Budget) bool {
	if a.Name != b.Name || a.Arguments == b.Arguments {
		return a == b
	}
	if !left.Spend(parsing(a.Arguments) + parsing(b.Arguments)) {
		return false
	}
	x, bad := jsontree.Parse(a.Arguments, answerLimits)
	if bad != nil {
		return false
	}
	y, bad := jsontree.Parse(b.Arguments, answerLimits)
	return bad == nil && jsontree.Equal(x.Root, y.Root)
}
