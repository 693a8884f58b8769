package toolcall

import (
	"errors"
	"regexp"
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// A lateCheck is the part of a schema that the library would check in a way
// that hides other violations (format) or misplaces its own (propertyNames).
type lateCheck struct {
	format *jsonschema.Format
	names  *jsonschema.Schema
}

// assertLast moves format and propertyNames of sch into a lateCheck.
func assertLast(sch *jsonschema.Schema) {
	if sch.Format == nil && sch.PropertyNames == nil {
		return
	}
	check := &lateCheck{sch.Format, sch.PropertyNames}
	if sch.Format != nil && sch.Format.Name == regexFormat.Name {
		check.format = &regexFormat
	}
	sch.Extensions = append(sch.Extensions, check)
	sch.Format, sch.PropertyNames = nil, nil
}

// regexFormat is the format of regular expressions that an answer holds. Unlike
// those of a schema they are not run, so what cannot be run is valid too.
var regexFormat = jsonschema.Format{Name: "regex", Validate: func(v any) error {
	if s, ok := v.(string); ok {
		if err := checkPattern(s); errors.Is(err, errPatternSyntax) {
			return err
		}
	}
	return nil
}}

const clock = `[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]+)?(?:[zZ]|[+-][0-9]{2}:[0-9]{2})$`

// formatSyntax holds what formats ask for and the library does not look at: RFC
// 3339 and RFC 2673 have no signs within numbers, RFC 3986 and RFC 3987 no
// spaces, and a URI no letters beyond ASCII.
var formatSyntax = map[string]func() *regexp.Regexp{
	"time":          lazily(`^` + clock),
	"date-time":     lazily(`^[0-9]{4}-[0-9]{2}-[0-9]{2}[tT]` + clock),
	"ipv4":          lazily(`^[0-9.]+$`),
	"uri":           lazily(`^[!#-;=?-\[\]_a-z~]*$`),
	"uri-reference": lazily(`^[!#-;=?-\[\]_a-z~]*$`),
	"iri":           lazily("^[^\\s<>\"{}|\\\\^`]*$"),
	"iri-reference": lazily("^[^\\s<>\"{}|\\\\^`]*$"),
}

// propertyNames returns the schema for property names that assertLast moved.
func propertyNames(sch *jsonschema.Schema) *jsonschema.Schema {
	for _, e := range sch.Extensions {
		if check, ok := e.(*lateCheck); ok {
			return check.names
		}
	}
	return nil
}

// formatted reports whether v has the format. All formats are about strings.
func (c *lateCheck) formatted(v any) bool {
	s, ok := v.(string)
	if !ok {
		return true
	}
	syntax := formatSyntax[c.format.Name]
	return (syntax == nil || syntax().MatchString(s)) && c.format.Validate(v) == nil
}

// Validate implements [jsonschema.SchemaExt].
func (c *lateCheck) Validate(ctx *jsonschema.ValidatorContext, v any) {
	if c.format != nil && !c.formatted(v) {
		ctx.AddError(&kind.Format{Want: c.format.Name})
	}
	object, ok := v.(map[string]any)
	if c.names == nil || !ok {
		return
	}
	for name := range object {
		if c.names.Validate(name) != nil {
			ctx.AddErr(&jsonschema.ValidationError{
				InstanceLocation: append(slices.Clone(ctx.ValueLocation()), name),
				ErrorKind:        &kind.PropertyNames{Property: name},
			})
		}
	}
}
