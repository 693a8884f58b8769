package jsonschema

import (
	"slices"
	"strings"
	"unicode/utf8"

	"hyperstudy-endpoint/internal/jsontree"
)

// A Violation is a rule of a schema that a value breaks.
type Violation struct {
	Path    []string // names and indexes that lead to the value
	Value   *jsontree.Node
	Schema  *Schema // the subschema that has the rule
	Keyword string  // what the rule is called; "false" for the schema false
	// Names are the properties that are missing (required, dependentRequired) or not
	// allowed (additionalProperties).
	Names []string
	// Given is the property that demands the missing ones (dependentRequired).
	Given string
	// Branches are, for anyOf and oneOf, the violations of each branch. There are
	// none if several branches of oneOf match.
	Branches [][]*Violation
}

// Options returns the values that the schema of the violation lists: the one of
// const, if that is broken or all there is, or those of enum; nil if it lists none.
func (v *Violation) Options() []*jsontree.Node {
	if v.Schema.Const != nil && (v.Keyword == "const" || v.Schema.Enum == nil) {
		return []*jsontree.Node{v.Schema.Const}
	}
	return v.Schema.Enum
}

// Validate returns what is wrong with the value: all rules it breaks, in a fixed
// order, none if it is valid. A subschema that refuses a value as a whole says so and
// no more: of the schema false, type, const and enum, in this order, the first that is
// broken is reported alone, without the subschema's other keywords and all that is
// within them. Other subschemas for the same value are not affected. ok is false if
// the budget did not last; then nothing is known.
func (s *Schema) Validate(n *jsontree.Node, b *Budget) (violations []*Violation, ok bool) {
	v := validator{budget: b}
	v.apply(s, n, nil)
	if v.spent {
		return nil, false
	}
	return v.found, true
}

// A validator validates one value.
type validator struct {
	budget *Budget
	spent  bool         // the budget is used up
	found  []*Violation // so far, of what has to be put right
	path   []string     // to the value at hand
	here   []string     // a copy of path that the violations of that value share, once there is one
	quiet  int          // above 0, nobody wants to know what is wrong, only whether something is
}

// quietly is what stands for any violation that nobody wants to know.
var quietly = &Violation{}

func (v *validator) spend(steps int) { v.spent = v.spent || !v.budget.Spend(steps) }

// report adds a violation of the value at hand.
func (v *validator) report(s *Schema, n *jsontree.Node, keyword string) *Violation {
	found := quietly
	if v.quiet == 0 {
		v.spend(1)
		if v.here == nil {
			v.spend(len(v.path) / 16)
			v.here = append([]string{}, v.path...)
		}
		found = &Violation{Path: v.here, Value: n, Schema: s, Keyword: keyword}
	}
	v.found = append(v.found, found)
	return found
}

// enter makes the value of a member or an item the one at hand. What it returns
// is for leave.
func (v *validator) enter(token string) (outside []string) {
	outside, v.here = v.here, nil
	v.path = append(v.path, token)
	return outside
}

func (v *validator) leave(outside []string) { v.path, v.here = v.path[:len(v.path)-1], outside }

// below applies a schema to the value of a member or to an item.
func (v *validator) below(sub *Schema, token string, n *jsontree.Node) {
	outside := v.enter(token)
	v.apply(sub, n, nil)
	v.leave(outside)
}

// accepts reports whether a schema accepts a value.
func (v *validator) accepts(sub *Schema, n *jsontree.Node) bool {
	v.quiet++
	found := v.attempt(sub, n, nil)
	v.quiet--
	return len(found) == 0
}

// attempt applies a schema that the value may satisfy. What is found does not count.
func (v *validator) attempt(sub *Schema, n *jsontree.Node, seen *evaluated) []*Violation {
	before := len(v.found)
	v.apply(sub, n, seen)
	found := slices.Clone(v.found[before:])
	v.found = v.found[:before]
	return found
}

// apply applies s to n and adds the violations. seen learns which members and items
// were evaluated; it may be nil.
func (v *validator) apply(s *Schema, n *jsontree.Node, seen *evaluated) {
	if v.spend(s.cost(n)); v.spent {
		return
	}
	a := application{validator: v, s: s, n: n, seen: seen}
	if keyword := s.mismatch(n); keyword != "" {
		a.fail(keyword)
		return
	}
	if s.UnevaluatedItems != nil || s.UnevaluatedProperties != nil {
		a.seen = newEvaluated(n)
	}
	if s.Ref != nil {
		a.must(s.Ref)
	}
	switch n.Kind {
	case jsontree.Number:
		a.number()
	case jsontree.String:
		a.text()
	case jsontree.Array:
		a.array()
	case jsontree.Object:
		a.object()
	default: // has nothing more to it
	}
	a.combinations()
	if s.Format != nil && n.Kind == jsontree.String && !s.Format.valid(n.Text) {
		a.fail("format")
	}
	a.unevaluated()
	seen.merge(a.seen)
}

// An application is one use of a schema on one value.
type application struct {
	*validator
	s    *Schema
	n    *jsontree.Node
	seen *evaluated
}

func (a *application) fail(keyword string) *Violation { return a.report(a.s, a.n, keyword) }

// mismatch names the first rule about the value as a whole that it breaks.
func (s *Schema) mismatch(n *jsontree.Node) string {
	switch {
	case s.Never:
		return "false"
	case s.Types.Names != nil && (s.Types.Kinds&n.Kind == 0 || s.Types.whole && n.Kind == jsontree.Number && !isInteger(n)):
		return "type"
	case s.Const != nil && !jsontree.Equal(n, s.Const):
		return "const"
	case s.Enum != nil && !slices.ContainsFunc(s.Enum, func(option *jsontree.Node) bool { return jsontree.Equal(n, option) }):
		return "enum"
	}
	return ""
}

// isInteger reports whether a number is one, however it is written.
func isInteger(n *jsontree.Node) bool {
	return !strings.ContainsAny(n.Text, ".eE") || n.Rat().IsInt()
}

// must applies a subschema that the value has to satisfy. What it evaluates counts
// even if it fails: the value is invalid then, and what is wrong with a member need
// not be said twice.
func (a *application) must(sub *Schema) { a.apply(sub, a.n, a.seen) }

// try applies a subschema that the value may satisfy, and returns what is wrong.
func (a *application) try(sub *Schema) []*Violation {
	if a.seen == nil {
		return a.attempt(sub, a.n, nil)
	}
	seen := newEvaluated(a.n)
	found := a.attempt(sub, a.n, seen)
	if len(found) == 0 {
		a.seen.merge(seen)
	}
	return found
}

// matches is try for when nobody wants to know what is wrong.
func (a *application) matches(sub *Schema) bool {
	a.quiet++
	defer func() { a.quiet-- }()
	return len(a.try(sub)) == 0
}

// combinations applies the keywords that combine subschemas.
func (a *application) combinations() {
	s := a.s
	for _, sub := range s.AllOf {
		a.must(sub)
	}
	if len(s.AnyOf) > 0 {
		a.anyOf()
	}
	if len(s.OneOf) > 0 {
		a.oneOf()
	}
	if s.Not != nil && a.accepts(s.Not, a.n) { // what the opposite evaluates does not count
		a.fail("not")
	}
	switch {
	case s.If == nil:
	case a.matches(s.If):
		if s.Then != nil {
			a.must(s.Then)
		}
	case s.Else != nil:
		a.must(s.Else)
	}
}

func (a *application) anyOf() {
	var branches [][]*Violation
	for _, sub := range a.s.AnyOf {
		found := a.try(sub)
		if len(found) > 0 {
			branches = append(branches, found)
			continue
		}
		if a.seen == nil {
			return
		}
	}
	if len(branches) == len(a.s.AnyOf) {
		a.failUnion("anyOf", branches)
	}
}

func (a *application) oneOf() {
	var branches [][]*Violation
	matched := false
	for _, sub := range a.s.OneOf {
		if matched {
			if a.matches(sub) {
				a.fail("oneOf")
				return
			}
			continue
		}
		if found := a.try(sub); len(found) > 0 {
			branches = append(branches, found)
		} else {
			matched = true
		}
	}
	if !matched {
		a.failUnion("oneOf", branches)
	}
}

func (a *application) failUnion(keyword string, branches [][]*Violation) {
	if found := a.fail(keyword); found != quietly {
		found.Branches = branches
	}
}

func (a *application) number() {
	s := a.s
	if s.Minimum == nil && s.Maximum == nil && s.ExclusiveMinimum == nil && s.ExclusiveMaximum == nil && s.MultipleOf == nil {
		return
	}
	r := a.n.Rat()
	if s.Minimum != nil && r.Cmp(s.Minimum) < 0 {
		a.fail("minimum")
	}
	if s.Maximum != nil && r.Cmp(s.Maximum) > 0 {
		a.fail("maximum")
	}
	if s.ExclusiveMinimum != nil && r.Cmp(s.ExclusiveMinimum) <= 0 {
		a.fail("exclusiveMinimum")
	}
	if s.ExclusiveMaximum != nil && r.Cmp(s.ExclusiveMaximum) >= 0 {
		a.fail("exclusiveMaximum")
	}
	if s.MultipleOf != nil && !r.Quo(r, s.MultipleOf).IsInt() {
		a.fail("multipleOf")
	}
}

func (a *application) text() {
	s := a.s
	if s.MinLength != noLimit || s.MaxLength != noLimit {
		a.limit(utf8.RuneCountInString(a.n.Text), s.MinLength, s.MaxLength, "minLength", "maxLength")
	}
	if s.Pattern != nil && !s.Pattern.MatchString(a.n.Text) {
		a.fail("pattern")
	}
}

// limit checks a count against its limits.
func (a *application) limit(n, least, most int, leastKeyword, mostKeyword string) {
	if n < least {
		a.fail(leastKeyword)
	}
	if most != noLimit && n > most {
		a.fail(mostKeyword)
	}
}
