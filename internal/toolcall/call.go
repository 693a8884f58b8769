package toolcall

import (
	"slices"
	"strings"

	"hyperstudy-endpoint/internal/jsonschema"
	"hyperstudy-endpoint/internal/jsontree"
	"hyperstudy-endpoint/internal/openai"
)

// Violations of an answer as a whole.
var (
	notAnObject = Violation{Message: "the arguments must be exactly one JSON object"}
	tooLong     = Violation{Message: "must not be so long"}
	tooComplex  = Violation{Message: "must not be so large or so deeply nested: it cannot be checked"}
	unknownTool = Violation{Message: "the called tool is not one of those offered"}
)

// judgeCall judges one call and mends it if there is exactly one way to. codes
// says what was mended.
func (j *Judge) judgeCall(call openai.ToolCall, b *jsonschema.Budget) (judged Judged, codes []string) {
	t, renamed := j.resolve(call.Function.Name)
	if t == nil {
		return Judged{Call: call, Violations: []Violation{unknownTool}}, nil
	}
	arguments, codes, violations, cut := t.judge(call.Function.Arguments, j.tools, b)
	if len(violations) > 0 {
		return Judged{Call: call, Violations: violations, Cut: cut}, nil
	}
	if renamed {
		codes = append(codes, MendToolName)
	}
	call.Function.Name, call.Function.Arguments = t.name, arguments
	return Judged{Call: call}, codes
}

// resolve finds the tool that a name means: the one of exactly that name, else
// the only one whose name differs in case, in - and _, or by a prefix that some
// models put in front.
func (j *Judge) resolve(name string) (t *tool, renamed bool) {
	for i := range j.tools {
		if j.tools[i].name == name {
			return &j.tools[i], false
		}
	}
	want := looseName(name)
	for i := range j.tools {
		if !strings.EqualFold(looseName(j.tools[i].name), want) {
			continue
		}
		if t != nil {
			return nil, false
		}
		t = &j.tools[i]
	}
	return t, true
}

// functionsPrefix is what some models put in front of a tool's name.
const functionsPrefix = "functions."

// looseName takes off the prefix and writes every hyphen as an underscore.
func looseName(name string) string {
	if n := len(functionsPrefix); len(name) > n && strings.EqualFold(name[:n], functionsPrefix) {
		name = name[n:]
	}
	return strings.ReplaceAll(name, "-", "_")
}

// A tool is one that may be called.
type tool struct {
	name   string
	bare   string // what a bare text has for it
	schema *jsonschema.Schema
}

// judge judges the arguments of a call. It returns them as they came if they
// are valid, and mended if that can be done; else it says what is wrong with
// them as they came, and whether they end before their JSON does. offered are the
// tools that the arguments may have been meant for.
func (t *tool) judge(arguments string, offered []tool, b *jsonschema.Budget) (valid string, codes []string, violations []Violation, cut bool) {
	if len(arguments) > maxAnswerBytes {
		return "", nil, []Violation{tooLong}, false
	}
	if !b.Spend(parsing(arguments)) {
		return "", nil, []Violation{tooComplex}, false
	}
	d, bad := jsontree.Parse(arguments, answerLimits)
	var wrong []*jsonschema.Violation
	switch {
	case strings.TrimSpace(arguments) == "":
		violations = []Violation{notAnObject}
	case bad != nil:
		violations = []Violation{unreadable(bad)}
		cut = bad.Cut
	case d.Root.Kind != jsontree.Object:
		violations = []Violation{notAnObject}
	default:
		var ok bool
		if wrong, ok = t.schema.Validate(d.Root, b); !ok {
			return "", nil, []Violation{tooComplex}, false
		}
		if len(wrong) == 0 {
			return arguments, nil, nil, false
		}
		violations = violationsOf(wrong, b)
	}
	if mended, codes, ok := t.mend(arguments, d, wrong, offered, b); ok {
		return mended, codes, nil, false
	}
	return "", nil, violations, cut
}

// mend looks for the one valid reading of arguments that are not valid. d is
// nil if they are no JSON, and wrong what the schema says of them if they are
// an object.
func (t *tool) mend(arguments string, d *jsontree.Document, wrong []*jsonschema.Violation, offered []tool, b *jsonschema.Budget) (string, []string, bool) {
	s := search{tool: t, schema: t.schema, offered: offered, budget: b}
	switch {
	case isEmpty(arguments, d):
		empty, _ := jsontree.Parse("{}", answerLimits)
		s.explore(empty, []string{MendEmptyArguments}, 0)
	case d == nil:
		return "", nil, false
	case d.Root.Kind == jsontree.Object:
		s.explain(d, wrong, nil, 0)
	case d.Root.Kind == jsontree.String:
		text, ok := undouble(d.Root.Text, jsontree.Object)
		if !ok {
			return "", nil, false
		}
		inner, bad := jsontree.Parse(text, answerLimits)
		if bad != nil {
			return "", nil, false
		}
		s.explore(inner, []string{MendDoubleEncoded}, 0)
	}
	return s.only()
}

// isEmpty reports whether arguments say that there are none.
func isEmpty(arguments string, d *jsontree.Document) bool {
	return strings.TrimSpace(arguments) == "" ||
		d != nil && (d.Root.Kind == jsontree.Null || d.Root.Kind == jsontree.String && strings.TrimSpace(d.Root.Text) == "")
}

const (
	maxRounds = 8  // of edits, one upon the other
	maxTrials = 24 // texts that are validated for one call
)

// A search tries out the ways to mend one text.
type search struct {
	tool    *tool
	schema  *jsonschema.Schema
	offered []tool // nil if no property may be dropped
	budget  *jsonschema.Budget
	trials  int
	found   []outcome // valid texts, each with another value
	gaveUp  bool      // not every way was tried
	wrapped bool      // the arguments were taken out of a wrapper
}

// An outcome is a valid text and the codes of what led to it.
type outcome struct {
	doc   *jsontree.Document
	codes []string
}

// only returns the outcome if there is exactly one.
func (s *search) only() (string, []string, bool) {
	if s.gaveUp || len(s.found) != 1 {
		return "", nil, false
	}
	return s.found[0].doc.Text, s.found[0].codes, true
}

// explore validates a text and looks further if it is not valid.
func (s *search) explore(d *jsontree.Document, codes []string, round int) {
	if s.trials++; s.trials > maxTrials || !s.budget.Spend(parsing(d.Text)) {
		s.gaveUp = true
	}
	if s.gaveUp {
		return
	}
	wrong, ok := s.schema.Validate(d.Root, s.budget)
	switch {
	case !ok:
		s.gaveUp = true
	case len(wrong) > 0:
		s.explain(d, wrong, codes, round)
	case !slices.ContainsFunc(s.found, func(o outcome) bool { return jsontree.Equal(o.doc.Root, d.Root) }):
		s.found = append(s.found, outcome{d, codes})
	}
}

// explain tries every way to answer what is wrong with a text.
func (s *search) explain(d *jsontree.Document, wrong []*jsonschema.Violation, codes []string, round int) {
	if round == maxRounds {
		s.gaveUp = true
		return
	}
	if inner, unwrapped := s.unwrap(d); inner != nil {
		s.wrapped = true
		s.explore(inner, append(slices.Clone(codes), unwrapped...), round+1)
		s.wrapped = false
	}
	m := mender{doc: d, budget: s.budget}
	ways := m.every(wrong)
	s.gaveUp = s.gaveUp || m.gaveUp
	for _, way := range ways {
		if s.gaveUp {
			return
		}
		if len(way) == 0 || way.drops(MendExtraProperty) && s.meansAnother(d) {
			continue
		}
		if next := way.apply(d, answerLimits); next != nil {
			s.explore(next, append(slices.Clone(codes), way.codes()...), round+1)
		}
	}
}

// meansAnother reports whether the arguments in d are those of another offered
// tool, which declares them all and accepts them as they are or mended. Without
// a list of tools it reports true.
func (s *search) meansAnother(d *jsontree.Document) bool {
	for i := range s.offered {
		t := &s.offered[i]
		if t == s.tool || len(d.Root.Members) == 0 {
			continue
		}
		known := declaredBy(t.schema, s.budget)
		if slices.ContainsFunc(d.Root.Members, func(m jsontree.Member) bool { return !known.has(m.Name) }) {
			continue
		}
		if _, _, violations, _ := t.judge(d.Text, nil, s.budget); len(violations) == 0 || s.budget.Steps == 0 {
			return true
		}
	}
	return s.offered == nil
}

// wrappers are the names under which models put the arguments once more.
var wrappers = []string{"arguments", "parameters", "input", "args"}

// unwrap returns what is in a wrapper around the arguments and the codes for
// that, and nil if there is none. It looks for one wrapper, not for wrappers in
// wrappers.
func (s *search) unwrap(d *jsontree.Document) (*jsontree.Document, []string) {
	if s.wrapped || d.Root.Kind != jsontree.Object || len(d.Root.Members) != 1 {
		return nil, nil
	}
	m := d.Root.Members[0]
	if !slices.Contains(wrappers, m.Name) || declaredBy(s.schema, s.budget).has(m.Name) {
		return nil, nil
	}
	text, codes := d.Text[m.Value.Start:m.Value.End], []string{MendWrapper}
	if m.Value.Kind == jsontree.String {
		text, codes = m.Value.Text, append(codes, MendDoubleEncoded)
	}
	text, ok := undouble(text, jsontree.Object)
	if !ok {
		return nil, nil
	}
	inner, bad := jsontree.Parse(text, answerLimits)
	if bad != nil {
		return nil, nil
	}
	return inner, codes
}
