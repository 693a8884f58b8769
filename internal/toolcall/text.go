package toolcall

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"hyperstudy-endpoint/internal/jsonschema"
	"hyperstudy-endpoint/internal/jsontree"
	"hyperstudy-endpoint/internal/lazyregexp"
	"hyperstudy-endpoint/internal/openai"
)

// Marks of the formats in which models write calls as text.
const (
	tagOpen      = "<tool_call>"
	tagClose     = "</tool_call>"
	bracketOpen  = "[TOOL_CALLS]"
	functionOpen = "<function="
	functionEnd  = "</function>"
	paramOpen    = "<parameter="
	paramEnd     = "</parameter>"
)

// A writtenCall is a call that stands in a text.
type writtenCall struct {
	name      string
	arguments string
	code      string
	payload   string // the part of the text that says it
	before    string // the text around that
	behind    string
}

// within adds the text around the call, if there is a call.
func (w *writtenCall) within(before, behind string) *writtenCall {
	if w != nil {
		w.before, w.behind = before, behind
	}
	return w
}

// textCall finds the call in a text: the only one, complete, of an offered tool,
// and not one that may come from the request. code is empty if there is none.
func (j *Judge) textCall(content string, b *jsonschema.Budget) (call openai.ToolCall, code string) {
	if len(content) > maxAnswerBytes || !utf8.ValidString(content) {
		return openai.ToolCall{}, ""
	}
	w := j.written(withoutReasoning(content), b)
	if w == nil || strings.Contains(w.payload, gap) {
		return openai.ToolCall{}, ""
	}
	if t, _ := j.resolve(w.name); t == nil || j.saysMore(w.before, w.behind) || j.quoted(w, b) {
		return openai.ToolCall{}, ""
	}
	call.ID, call.Type = newID(), "function"
	call.Function = openai.FunctionCall{Name: w.name, Arguments: w.arguments}
	return call, w.code
}

// newID returns an id for a call that came without one.
func newID() string {
	var random [12]byte
	_, _ = rand.Read(random[:]) // never fails: crypto/rand ends the process instead
	return "call_" + hex.EncodeToString(random[:])
}

func (j *Judge) written(text string, b *jsonschema.Budget) *writtenCall {
	tags, brackets, functions := strings.Count(text, tagOpen), strings.Count(text, bracketOpen), strings.Count(text, functionOpen)
	switch {
	case tags == 1 && brackets == 0:
		before, rest, _ := strings.Cut(text, tagOpen)
		inner, behind, complete := strings.Cut(rest, tagClose)
		inner = strings.TrimSpace(inner)
		switch {
		case !complete:
			return nil
		case functions == 0:
			return readCall(inner, MendTaggedCall).within(before, behind)
		case functions == 1 && strings.HasPrefix(inner, functionOpen) && strings.HasSuffix(inner, functionEnd):
			return j.readFunction(inner, b).within(before, behind)
		}
	case brackets == 1 && tags+functions == 0:
		before, rest, _ := strings.Cut(text, bracketOpen)
		return readBracketed(before, rest)
	case functions == 1 && tags+brackets == 0:
		before, rest, _ := strings.Cut(text, functionOpen)
		_, behind, _ := strings.Cut(rest, functionEnd)
		behind = strings.TrimPrefix(strings.TrimSpace(behind), tagClose) // some models forget the opening one
		return j.readFunction(functionOpen+rest, b).within(before, behind)
	case tags+brackets+functions == 0:
		if inner, fenced := unfence(text); fenced {
			return readCall(inner, MendFencedCall)
		}
		return readCall(strings.TrimSpace(text), MendJSONCall)
	}
	return nil
}

// readCall reads {"name": ..., "arguments": ...} and the like, and nothing else.
func readCall(text, code string) *writtenCall {
	d, bad := jsontree.Parse(text, answerLimits)
	if bad != nil {
		return nil
	}
	w := &writtenCall{code: code, payload: text}
	if !w.fill(d, d.Root) {
		return nil
	}
	return w
}

// fill takes the name and the arguments from the object n, which may hold
// them in a member "function" as tool_calls do.
func (w *writtenCall) fill(d *jsontree.Document, n *jsontree.Node) bool {
	if n.Kind != jsontree.Object {
		return false
	}
	var inner *jsontree.Node
	arguments := 0
	for _, m := range n.Members {
		switch m.Name {
		case "id", "type":
		case "name":
			w.name = m.Value.Text
			if m.Value.Kind != jsontree.String {
				return false
			}
		case "function":
			inner = m.Value
		case "arguments", "parameters", "input", "args":
			arguments++
			w.arguments = d.Text[m.Value.Start:m.Value.End]
			if m.Value.Kind == jsontree.String { // as tool_calls have them
				w.arguments = m.Value.Text
			}
		default:
			return false
		}
	}
	if inner != nil {
		return w.name == "" && arguments == 0 && inner.Get("function") == nil && w.fill(d, inner)
	}
	return w.name != "" && arguments <= 1
}

// readBracketed reads an array of one call. It takes none if more JSON follows.
func readBracketed(before, text string) *writtenCall {
	dec := json.NewDecoder(strings.NewReader(text))
	var items []json.RawMessage
	if dec.Decode(&items) != nil || len(items) != 1 {
		return nil
	}
	behind := text[dec.InputOffset():]
	if strings.ContainsAny(inventedResult().ReplaceAllString(behind, gap), "[{") {
		return nil
	}
	return readCall(string(bytes.TrimSpace(items[0])), MendBracketedCall).within(before, behind)
}

var functionHead = lazyregexp.New(`^<function=([^<>\s]+)>`)

// readFunction reads <function=name>, its parameters or a JSON object, and
// </function>.
func (j *Judge) readFunction(text string, b *jsonschema.Budget) *writtenCall {
	head := functionHead().FindStringSubmatch(text)
	if head == nil || strings.Count(text, functionEnd) != 1 {
		return nil
	}
	inner, _, _ := strings.Cut(text[len(head[0]):], functionEnd)
	w := &writtenCall{name: head[1], code: MendXMLCall, payload: head[0] + inner + functionEnd}
	t, _ := j.resolve(w.name)
	if t == nil {
		return nil
	}
	body := strings.TrimSpace(inner)
	if strings.HasPrefix(body, "{") {
		w.arguments = body
		return w
	}
	var ok bool
	w.arguments, ok = readParameters(declaredBy(t.schema, b), body)
	if !ok {
		return nil
	}
	return w
}

var parameterHead = lazyregexp.New(`^<parameter=([^<>\s]+)>`)

// readParameters makes a JSON object of <parameter=k>v</parameter> elements.
func readParameters(known declared, text string) (string, bool) {
	if strings.Count(text, paramOpen) != strings.Count(text, paramEnd) {
		return "", false // some value holds a tag
	}
	var b strings.Builder
	b.WriteByte('{')
	for text = strings.TrimSpace(text); text != ""; text = strings.TrimSpace(text) {
		head := parameterHead().FindStringSubmatch(text)
		if head == nil {
			return "", false
		}
		value, rest, found := strings.Cut(text[len(head[0]):], paramEnd)
		if !found || strings.Contains(value, paramOpen) {
			return "", false
		}
		text = rest
		kinds, known := known.kinds(head[1])
		if !known {
			return "", false
		}
		encoded, ok := encodeParameter(value, kinds)
		name, err := openai.Marshal(head[1])
		if !ok || err != nil {
			return "", false
		}
		if b.Len() > 1 {
			b.WriteByte(',')
		}
		b.Write(name)
		b.WriteByte(':')
		b.WriteString(encoded)
	}
	b.WriteByte('}')
	return b.String(), true
}

// encodeParameter writes a parameter's text as the JSON that the declared kinds
// make of it: a string as it stands, less the line breaks that the format puts
// around it; anything else by reading it as JSON. It reports false where both
// are possible.
func encodeParameter(text string, kinds jsontree.Kind) (string, bool) {
	literal := strings.TrimSpace(text)
	d, bad := jsontree.Parse(literal, answerLimits)
	asJSON := bad == nil && d.Root.Kind != jsontree.String && d.Root.Kind&kinds != 0
	if kinds&jsontree.String != 0 {
		if asJSON {
			return "", false
		}
	} else if bad == nil {
		return literal, true
	}
	text = strings.TrimSuffix(strings.TrimPrefix(text, "\n"), "\n")
	encoded, err := openai.Marshal(text)
	return string(encoded), err == nil
}

var fence = lazyregexp.New("^(`{3,})[ \t]*[a-zA-Z0-9_+.-]*[ \t]*\r?\n?")

// unfence takes off a code fence that encloses the whole text. Whatever else
// the text is, it is not touched.
func unfence(text string) (string, bool) {
	text = strings.TrimSpace(text)
	head := fence().FindStringSubmatch(text)
	if head == nil {
		return text, false
	}
	inner, closed := strings.CutSuffix(text[len(head[0]):], head[1])
	if !closed {
		return text, false
	}
	return strings.TrimSpace(inner), true
}
