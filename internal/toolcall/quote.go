package toolcall

import (
	"cmp"
	"slices"
	"strings"

	"hyperstudy-endpoint/internal/jsonschema"
	"hyperstudy-endpoint/internal/jsontree"
	"hyperstudy-endpoint/internal/lazyregexp"
	"hyperstudy-endpoint/internal/openai"
)

// separator keeps texts apart that nobody reads as one.
const separator = "\x00"

// requestTexts returns everything that the request says, bare and without
// [trailingZeros]: whatever a model may have read in it. Messages follow upon each
// other without a gap, for a call may have been spread over several.
func requestTexts(req *openai.ChatCompletionRequest) string {
	var contents, others strings.Builder
	other := func(texts ...string) {
		for _, text := range texts {
			others.WriteString(separator)
			others.WriteString(text)
		}
	}
	for i := range req.Messages {
		m := &req.Messages[i]
		contents.WriteString(m.Text())
		contents.WriteString(m.Refusal)
		other(m.Name)
		for _, call := range m.ToolCalls {
			other(call.Function.Arguments)
		}
	}
	for _, t := range req.Tools {
		other(t.Name, t.Description, string(t.Parameters))
	}
	other(req.ResponseFormat.Name, req.ResponseFormat.Description, string(req.ResponseFormat.Schema))
	return trailingZeros().ReplaceAllString(bare(contents.String())+bare(others.String()), "$1")
}

// quoted reports whether a call that is written as text may come from the
// request. A model that repeats what somebody put into its input does not decide
// anything, and it repeats it in words of its own: so one call in the texts of
// the request, whatever it says, is enough to take none. Earlier calls of the
// conversation do not count, unless it is the same call again.
func (j *Judge) quoted(w *writtenCall, b *jsonschema.Budget) bool {
	texts := j.texts()
	if j.holdsCall(texts) || strings.Contains(texts, trailingZeros().ReplaceAllString(bare(w.payload), "$1")) {
		return true
	}
	if holdsArguments(texts, w.arguments, b) || !strings.Contains(w.arguments, ":") && j.namesTool(texts, "{,") {
		return true // the latter if it says no more than a name
	}
	return slices.ContainsFunc(j.messages, func(m openai.Message) bool {
		return slices.ContainsFunc(m.ToolCalls, func(past openai.ToolCall) bool { return j.repeats(w, past.Function) })
	})
}

// holdsArguments reports whether a bare text holds all members of the arguments,
// in any order. Where the budget does not allow to find out it does.
func holdsArguments(text, arguments string, b *jsonschema.Budget) bool {
	d, bad := jsontree.Parse(arguments, answerLimits)
	if bad != nil {
		return false // they are none, or not valid
	}
	for _, m := range d.Root.Members {
		if !b.Spend(1 + len(text)/2048 + (m.Value.End-m.Start)/16) {
			return true
		}
		written := trailingZeros().ReplaceAllString(bare(arguments[m.Start:m.Value.End])+"}", "$1")
		if !strings.Contains(text, written) && !strings.Contains(text, strings.TrimSuffix(written, "}")+",") {
			return false
		}
	}
	return len(d.Root.Members) > 0
}

// trailingZeros matches, in a bare text, the decimals of an integer in JSON, and
// what follows.
var trailingZeros = lazyregexp.New(`\.0+([,}\]])`)

// repeats reports whether w calls the tool that was called before, with
// arguments that differ in form only.
func (j *Judge) repeats(w *writtenCall, past openai.FunctionCall) bool {
	was, _ := j.resolve(past.Name)
	is, _ := j.resolve(w.name)
	return was == is && loosely(past.Arguments) == loosely(w.arguments)
}

// loosely writes arguments in a form that is the same for all that read alike.
func loosely(arguments string) string {
	d, bad := jsontree.Parse(arguments, answerLimits)
	if bad != nil {
		return cmp.Or(bare(arguments), "{}")
	}
	var b strings.Builder
	writeLoosely(&b, d.Root)
	return b.String()
}

func writeLoosely(b *strings.Builder, n *jsontree.Node) {
	switch {
	case n.Kind == jsontree.Number || n.Kind == jsontree.String && jsontree.IsNumber(n.Text):
		b.WriteString(jsontree.Normal(n.Text))
	case n.Kind == jsontree.Array:
		b.WriteByte('[')
		for _, item := range n.Items {
			writeLoosely(b, item)
			b.WriteByte(',')
		}
		b.WriteByte(']')
	case n.Kind == jsontree.Object:
		members := make([]string, 0, len(n.Members))
		for _, m := range n.Members {
			var one strings.Builder
			writeLoosely(&one, m.Value)
			members = append(members, bare(m.Name)+":"+one.String())
		}
		slices.Sort(members)
		b.WriteString("{" + strings.Join(members, ",") + "}")
	default:
		b.WriteString(bare(n.Text))
	}
}

// callMark matches, in a bare text, what opens or closes a call in any of the
// formats that models write: not only in those that are read.
var callMark = lazyregexp.New(`</?\|?tool_?call|\[/?tool_?call|tool▁call|</?function|</?invoke|</?parameter`)

// argumentsKey matches, in a bare text, the member of a call that holds its arguments.
var argumentsKey = lazyregexp.New(`[{,](?:arguments|parameters|input|args):`)

// holdsCall reports whether a bare text holds a call, complete or not: a mark of
// a format, or an object that names an offered tool and has arguments.
func (j *Judge) holdsCall(text string) bool {
	return callMark().MatchString(text) || argumentsKey().MatchString(text) && j.namesTool(text, "{,")
}

// namesTool reports whether a bare text gives an offered tool as a "name". The
// character before that is one of those in before, if there are any.
func (j *Judge) namesTool(text, before string) bool {
	const key = "name:"
	for {
		i := strings.Index(text, key)
		if i < 0 {
			return false
		}
		fits := before == "" || i > 0 && strings.IndexByte(before, text[i-1]) >= 0
		text = text[i+len(key):]
		name := strings.TrimPrefix(text, functionsPrefix)
		if fits && slices.ContainsFunc(j.tools, func(t tool) bool { return strings.HasPrefix(name, t.bare) }) {
			return true
		}
	}
}
