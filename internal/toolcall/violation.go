package toolcall

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
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

// violationsOf lists what the library found, by pointer and then by keyword.
func violationsOf(s *schema, wrong *jsonschema.ValidationError, d *document) []Violation {
	l := lister{schema: s, doc: d}
	l.list(wrong)
	slices.SortFunc(l.found, func(a, b listed) int {
		return cmp.Or(cmp.Compare(a.Pointer, b.Pointer), cmp.Compare(a.keyword, b.keyword), cmp.Compare(a.Message, b.Message))
	})
	found := slices.Compact(l.found)
	violations := make([]Violation, 0, len(found))
	for i, v := range found {
		if i == maxViolations {
			violations = append(violations, Violation{Message: fmt.Sprintf("and %d more", len(found)-i)})
			break
		}
		violations = append(violations, v.Violation)
	}
	return violations
}

// A lister turns the library's tree of errors into a list.
type lister struct {
	schema *schema
	doc    *document
	found  []listed
}

// A listed violation knows the keyword that it is about, to be put in order.
type listed struct {
	Violation
	keyword string
}

func (l *lister) add(path []string, keyword, format string, args ...any) {
	l.found = append(l.found, listed{Violation{pointer(path), fmt.Sprintf(format, args...)}, keyword})
}

func (l *lister) list(e *jsonschema.ValidationError) {
	switch k := e.ErrorKind.(type) {
	case *kind.Schema, *kind.Group, *kind.AllOf, *kind.Reference:
		for _, cause := range e.Causes {
			l.list(cause)
		}
	case *kind.AnyOf:
		l.union(e, "anyOf", "must match at least one of the alternatives in the schema")
	case *kind.OneOf:
		if len(k.Subschemas) > 0 {
			l.add(e.InstanceLocation, "oneOf", "must match exactly one of the alternatives in the schema, and matches several")
			return
		}
		l.union(e, "oneOf", "must match exactly one of the alternatives in the schema")
	case *kind.Required:
		for _, name := range k.Missing {
			l.add(append(slices.Clone(e.InstanceLocation), name), "required", "is required but missing")
		}
	case *kind.Dependency:
		l.dependent(e.InstanceLocation, k.Prop, k.Missing)
	case *kind.DependentRequired:
		l.dependent(e.InstanceLocation, k.Prop, k.Missing)
	case *kind.AdditionalProperties:
		for _, name := range k.Properties {
			l.add(append(slices.Clone(e.InstanceLocation), name), "additionalProperties", "is not a property that the schema allows")
		}
	default:
		keyword, message := word(e.ErrorKind)
		l.add(e.InstanceLocation, keyword, "%s", message)
	}
}

func (l *lister) dependent(path []string, given string, missing []string) {
	for _, name := range missing {
		l.add(append(slices.Clone(path), name), "dependentRequired", "is required together with %s but missing", pointer(append(slices.Clone(path), given)))
	}
}

// union lists what is wrong with a value that matches no branch of a union: the
// violations of the one branch that its type, and its fixed values, point to;
// else the types that are wanted; else only that no branch matches.
func (l *lister) union(e *jsonschema.ValidationError, keyword, message string) {
	n := l.doc.root.find(e.InstanceLocation)
	if n == nil {
		l.add(e.InstanceLocation, keyword, "%s", message)
		return
	}
	at := pointer(e.InstanceLocation)
	var meant []*jsonschema.ValidationError
	wanted, allByType := valueKind(0), true
	for _, branch := range e.Causes {
		if !rejectsType(branch, edit{at: at, target: n}) || !onlyAt(branch, at) {
			allByType = false
		}
		if t, ok := branch.ErrorKind.(*kind.Type); ok && onlyAt(branch, at) {
			wanted |= namedKinds(t.Want)
			continue
		}
		allByType = false
		if !otherVariant(branch, at) {
			meant = append(meant, branch)
		}
	}
	switch {
	case allByType && len(e.Causes) > 0:
		l.add(e.InstanceLocation, "type", "must be of type %s", join(kindList(wanted), "or"))
	case len(meant) == 1:
		l.list(meant[0])
	default:
		l.add(e.InstanceLocation, keyword, "%s", message)
	}
}

// otherVariant reports whether a branch asks for another fixed value at a
// member of the value at the pointer, as the variants of a tagged union do.
func otherVariant(e *jsonschema.ValidationError, at string) bool {
	if _, ok := e.ErrorKind.(*kind.Const); ok {
		return pointer(e.InstanceLocation) != at
	}
	switch e.ErrorKind.(type) {
	case *kind.Schema, *kind.Group, *kind.AllOf, *kind.Reference:
		return slices.ContainsFunc(e.Causes, func(c *jsonschema.ValidationError) bool { return otherVariant(c, at) })
	}
	return false
}

func kindList(kinds valueKind) []string {
	var names []string
	for _, name := range []string{"null", "boolean", "number", "string", "array", "object"} {
		if kinds&kindNames[name] != 0 {
			names = append(names, name)
		}
	}
	return names
}

// join writes "a", "a or b", "a, b or c".
func join(words []string, last string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	n := len(words) - 1
	return strings.Join(words[:n], ", ") + " " + last + " " + words[n]
}

// word names the keyword that is broken and says what it asks for.
func word(k jsonschema.ErrorKind) (keyword, message string) {
	switch k := k.(type) {
	case *kind.Type:
		return "type", "must be of type " + join(k.Want, "or")
	case *kind.Enum:
		return "enum", "must be one of the options listed in the schema, exactly as written there"
	case *kind.Const:
		return "const", "must be the value that the schema fixes, exactly as written there"
	case *kind.Format:
		return "format", "must be a valid " + k.Want
	case *kind.Pattern:
		return "pattern", "must match the pattern in the schema"
	case *kind.FalseSchema:
		return "false", "is not allowed"
	case *kind.Not:
		return "not", "must not match what the schema excludes"
	case *kind.UniqueItems:
		return "uniqueItems", "must not hold the same item twice"
	case *kind.PropertyNames:
		return "propertyNames", "has a name that the schema does not allow"
	case *kind.Contains:
		return "contains", "must hold an item of the kind that the schema asks for"
	case *kind.AdditionalItems:
		return "additionalItems", "must not hold more items than the schema lists"
	case *kind.RefCycle:
		return "$ref", "cannot be checked"
	}
	if keyword, message = wordNumber(k); keyword != "" {
		return keyword, message
	}
	return wordCount(k)
}

func wordNumber(k jsonschema.ErrorKind) (keyword, message string) {
	switch k := k.(type) {
	case *kind.Minimum:
		return "minimum", "must be at least " + bound(k.Want)
	case *kind.Maximum:
		return "maximum", "must be at most " + bound(k.Want)
	case *kind.ExclusiveMinimum:
		return "exclusiveMinimum", "must be greater than " + bound(k.Want)
	case *kind.ExclusiveMaximum:
		return "exclusiveMaximum", "must be less than " + bound(k.Want)
	case *kind.MultipleOf:
		return "multipleOf", "must be a multiple of " + bound(k.Want)
	}
	return "", ""
}

func wordCount(k jsonschema.ErrorKind) (keyword, message string) {
	switch k := k.(type) {
	case *kind.MinLength:
		return "minLength", "must be at least " + count(k.Want, "character") + " long"
	case *kind.MaxLength:
		return "maxLength", "must be at most " + count(k.Want, "character") + " long"
	case *kind.MinItems:
		return "minItems", "must hold at least " + count(k.Want, "item")
	case *kind.MaxItems:
		return "maxItems", "must hold at most " + count(k.Want, "item")
	case *kind.MinContains:
		return "minContains", "must hold at least " + count(k.Want, "item") + " of the kind that the schema asks for"
	case *kind.MaxContains:
		return "maxContains", "must hold at most " + count(k.Want, "item") + " of the kind that the schema names"
	case *kind.MinProperties:
		return "minProperties", "must have at least " + count(k.Want, "member")
	case *kind.MaxProperties:
		return "maxProperties", "must have at most " + count(k.Want, "member")
	}
	return "", "must match the schema"
}

func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// bound writes a limit: exactly where that is short, else as a float.
func bound(r *big.Rat) string {
	const maxShown = 40
	if s, ok := decimal(r); ok && len(s) <= maxShown {
		return s
	}
	f, _ := r.Float64()
	return strconv.FormatFloat(f, 'g', -1, 64)
}
