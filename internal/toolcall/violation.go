package toolcall

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"unicode/utf8"

	"hyperstudy-endpoint/internal/jsonschema"
	"hyperstudy-endpoint/internal/jsontree"
)

// maxViolations is how many violations of one answer are listed.
const maxViolations = 100

// A Violation is one rule that an answer breaks. It names the rule and its
// bound, and never a value that would keep it. It may hold words of the model
// (names of properties it made up), so it is for the model and not for a log.
type Violation struct {
	Pointer string // JSON pointer to the value in question; empty for the answer as a whole
	Message string // such as "must be at most 100"
}

// Limits of what is kept of an answer with thousands of faults or very long names.
const (
	maxListed  = 1000
	maxPointer = 1000 // bytes
	maxToken   = 200  // bytes, in a pointer
)

// unreadable is the violation of a text that cannot be read.
func unreadable(bad *jsontree.Fault) Violation {
	return Violation{shorten(bad.Pointer, maxPointer), bad.Message}
}

// violationsOf lists what the schema found, by pointer and then by keyword.
func violationsOf(wrong []*jsonschema.Violation, b *jsonschema.Budget) []Violation {
	l := lister{budget: b, numbers: map[numberRule]string{}}
	l.list(wrong)
	slices.SortFunc(l.found, func(a, b listed) int {
		return cmp.Or(cmp.Compare(a.Pointer, b.Pointer), cmp.Compare(a.keyword, b.keyword), cmp.Compare(a.Message, b.Message))
	})
	found := slices.Compact(l.found)
	violations := make([]Violation, 0, len(found))
	for i, v := range found {
		if i == maxViolations {
			least := ""
			if l.full() {
				least = "at least "
			}
			violations = append(violations, Violation{Message: fmt.Sprintf("and %s%d more", least, len(found)-i)})
			break
		}
		violations = append(violations, v.Violation)
	}
	return violations
}

// A lister words violations.
type lister struct {
	found   []listed
	budget  *jsonschema.Budget
	numbers map[numberRule]string // what was worded before: a limit may be a long number
}

// A listed violation knows the keyword that it is about, to be put in order.
type listed struct {
	Violation
	keyword string
}

// A numberRule is a limit of a number.
type numberRule struct {
	schema  *jsonschema.Schema
	keyword string
}

func (l *lister) full() bool { return len(l.found) >= maxListed }

func (l *lister) add(pointer, keyword, message string) {
	l.found = append(l.found, listed{Violation{pointer, message}, keyword})
}

func (l *lister) list(violations []*jsonschema.Violation) {
	for _, v := range violations {
		if l.full() {
			return
		}
		at := pointer(v.Path)
		switch {
		case v.Branches != nil:
			l.union(v, at)
		case v.Names != nil:
			for _, name := range v.Names[:min(len(v.Names), maxListed)] {
				l.add(at+pointer([]string{name}), v.Keyword, wordProperty(v, at))
			}
		default:
			l.add(at, v.Keyword, l.word(v))
		}
	}
}

// pointer writes a path as a JSON pointer, and a very long one in part.
func pointer(path []string) string {
	var b strings.Builder
	for _, token := range path {
		if b.Len() > maxPointer {
			b.WriteString("/" + ellipsis)
			break
		}
		b.WriteString(jsontree.Pointer(shorten(token, maxToken)))
	}
	return b.String()
}

const ellipsis = "…"

// shorten cuts a text off that is longer than so many bytes.
func shorten(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	for !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit] + ellipsis
}

// union lists what is wrong with a value that matches no branch of a union: the
// violations of the one branch that its type, and its fixed values, point to;
// else the types that are wanted; else only that no branch matches.
func (l *lister) union(v *jsonschema.Violation, at string) {
	var meant [][]*jsonschema.Violation
	wanted, whole, allByType := jsontree.Kind(0), true, true
	for _, branch := range v.Branches {
		only := onlyAt(branch, v.Value, l.budget)
		if allByType = allByType && only && rejectsType(branch, v.Value, l.budget); only && len(branch) == 1 && branch[0].Keyword == "type" {
			types := branch[0].Schema.Types
			wanted |= types.Kinds
			whole = whole && !slices.Contains(types.Names, "number")
			continue
		}
		allByType = false
		if !otherVariant(branch, v.Value) {
			meant = append(meant, branch)
		}
	}
	switch {
	case allByType:
		names := wanted.Names()
		if i := slices.Index(names, "number"); i >= 0 && whole {
			names[i] = "integer"
		}
		l.add(at, "type", "must be of type "+join(names, "or"))
	case len(meant) == 1:
		l.list(meant[0])
	default:
		l.add(at, v.Keyword, l.word(v))
	}
}

// otherVariant reports whether a branch asks for another fixed value at a
// member of the value, as the variants of a tagged union do.
func otherVariant(branch []*jsonschema.Violation, n *jsontree.Node) bool {
	return slices.ContainsFunc(branch, func(v *jsonschema.Violation) bool { return v.Keyword == "const" && v.Value != n })
}

// join writes "a", "a or b", "a, b or c".
func join(words []string, last string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	n := len(words) - 1
	return strings.Join(words[:n], ", ") + " " + last + " " + words[n]
}

// wordProperty says what is wrong with the properties that a violation at the
// pointer names.
func wordProperty(v *jsonschema.Violation, at string) string {
	switch v.Keyword {
	case "required":
		return "is required but missing"
	case "dependentRequired":
		return "is required together with " + at + pointer([]string{v.Given}) + " but missing"
	default:
		return "is not a property that the schema allows"
	}
}

// word says what the broken rule asks for.
func (l *lister) word(v *jsonschema.Violation) string {
	switch v.Keyword {
	case "type":
		return "must be of type " + join(v.Schema.Types.Names, "or")
	case "enum":
		return "must be one of the options listed in the schema, exactly as written there"
	case "const":
		return "must be the value that the schema fixes, exactly as written there"
	case "format":
		return "must be a valid " + v.Schema.Format.Name
	case "pattern":
		return "must match the pattern in the schema"
	case "false":
		return "is not allowed"
	case "not":
		return "must not match what the schema excludes"
	case "anyOf":
		return "must match at least one of the alternatives in the schema"
	case "oneOf":
		if v.Branches == nil {
			return "must match exactly one of the alternatives in the schema, and matches several"
		}
		return "must match exactly one of the alternatives in the schema"
	case "uniqueItems":
		return "must not hold the same item twice"
	case "propertyNames":
		return "has a name that the schema does not allow"
	case "contains":
		return "must hold an item of the kind that the schema asks for"
	case "additionalItems":
		return "must not hold more items than the schema lists"
	}
	return cmp.Or(l.wordNumber(v), wordCount(v))
}

func (l *lister) wordNumber(v *jsonschema.Violation) string {
	rule := numberRule{v.Schema, v.Keyword}
	said, known := l.numbers[rule]
	if !known {
		said = wordNumber(v)
		l.numbers[rule] = said
	}
	return said
}

func wordNumber(v *jsonschema.Violation) string {
	switch s := v.Schema; v.Keyword {
	case "minimum":
		return "must be at least " + bound(s.Minimum)
	case "maximum":
		return "must be at most " + bound(s.Maximum)
	case "exclusiveMinimum":
		return "must be greater than " + bound(s.ExclusiveMinimum)
	case "exclusiveMaximum":
		return "must be less than " + bound(s.ExclusiveMaximum)
	case "multipleOf":
		return "must be a multiple of " + bound(s.MultipleOf)
	}
	return ""
}

func wordCount(v *jsonschema.Violation) string {
	switch s := v.Schema; v.Keyword {
	case "minLength":
		return "must be at least " + count(s.MinLength, "character") + " long"
	case "maxLength":
		return "must be at most " + count(s.MaxLength, "character") + " long"
	case "minItems":
		return "must hold at least " + count(s.MinItems, "item")
	case "maxItems":
		return "must hold at most " + count(s.MaxItems, "item")
	case "minContains":
		return "must hold at least " + count(s.MinContains, "item") + " of the kind that the schema asks for"
	case "maxContains":
		return "must hold at most " + count(s.MaxContains, "item") + " of the kind that the schema names"
	case "minProperties":
		return "must have at least " + count(s.MinProperties, "member")
	case "maxProperties":
		return "must have at most " + count(s.MaxProperties, "member")
	}
	return "must match the schema"
}

func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// bound writes a limit: exactly where that is short, else with 17 digits.
func bound(r *big.Rat) string {
	const maxShown = 40
	if s, ok := decimal(r); ok && len(s) <= maxShown {
		return s
	}
	const bits, digits = 64, 17
	return new(big.Float).SetPrec(bits).SetRat(r).Text('g', digits)
}
