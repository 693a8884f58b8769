package schematest

import (
	"errors"
	"net/url"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"hyperstudy-endpoint/internal/jsontree"
)

// reference compiles with github.com/santhosh-tekuri/jsonschema.
func reference(schema string) (judge, error) {
	v, err := decode(schema)
	if err != nil {
		return nil, err
	}
	all := places(v, draftOf(v), "")
	for _, p := range all {
		if o, ok := p.schema.(object); ok {
			adapt(o, p.draft)
		}
	}
	const base = "https://schema.invalid/"
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.AssertFormat()
	c.UseLoader(nothing{})
	if err := c.AddResource(base, v); err != nil {
		return nil, err
	}
	root, err := c.Compile(base)
	if err != nil {
		return nil, err
	}
	if err := refuse(root, v); err != nil {
		return nil, err
	}
	return func(value string) (verdict, error) {
		v, err := decode(value)
		if err != nil {
			return verdict{}, err
		}
		err = root.Validate(v)
		var wrong *jsonschema.ValidationError
		if !errors.As(err, &wrong) {
			return verdict{valid: err == nil}, err
		}
		return verdict{leaves: leaves(wrong), incomplete: hides(wrong)}, nil
	}, nil
}

// nothing is a loader that loads nothing.
type nothing struct{}

func (nothing) Load(string) (any, error) { return nil, errors.New("nothing is loaded") }

// hides reports whether a fault keeps the library from looking for others.
func hides(e *jsonschema.ValidationError) bool {
	if _, ok := e.ErrorKind.(*kind.Format); ok {
		return true
	}
	return slices.ContainsFunc(e.Causes, hides)
}

// leaves returns the violations that e consists of, in order and each once.
func leaves(e *jsonschema.ValidationError) []string {
	at := jsontree.Pointer(e.InstanceLocation...)
	var found []string
	switch k := e.ErrorKind.(type) {
	case *kind.Schema, *kind.Group, *kind.AllOf, *kind.Reference:
		for _, cause := range e.Causes {
			found = append(found, leaves(cause)...)
		}
	case *kind.AnyOf, *kind.OneOf:
		var branches [][]string
		for _, cause := range e.Causes {
			branches = append(branches, leaves(cause))
		}
		found = []string{union(at, k.KeywordPath()[0], branches)}
	case *kind.Required:
		found = each(k.Missing, func(name string) string { return at + " required " + name })
	case *kind.Dependency:
		found = each(k.Missing, func(name string) string { return at + " dependentRequired " + k.Prop + " " + name })
	case *kind.DependentRequired:
		found = each(k.Missing, func(name string) string { return at + " dependentRequired " + k.Prop + " " + name })
	case *kind.AdditionalProperties:
		found = each(k.Properties, func(name string) string {
			return jsontree.Pointer(append(slices.Clone(e.InstanceLocation), name)...) + " false"
		})
	case *kind.PropertyNames:
		found = []string{propertyName(k.Property)} // the library's path is one that it writes over later
	case *kind.FalseSchema:
		found = []string{at + " false"}
	case *kind.MinContains: // which we call contains if it is 1
		found = []string{at + " contains"}
	case *kind.Not:
		found = []string{at + " not"}
	default:
		found = []string{at + " " + k.KeywordPath()[0]}
	}
	return sorted(found)
}

func each(names []string, leaf func(string) string) []string {
	var found []string
	for _, name := range names {
		found = append(found, leaf(name))
	}
	return found
}

// refuse says what the library compiles and we do not: references that are
// resolved when a value is there; references to what is no schema, such as an
// array; and schemas that apply to a value again before they are done with it,
// which the library takes for a violation of the value.
func refuse(root *jsonschema.Schema, document any) error {
	queue, seen := []*jsonschema.Schema{root}, map[*jsonschema.Schema]bool{}
	for len(queue) > 0 {
		sch := queue[0]
		queue = queue[1:]
		if seen[sch] {
			continue
		}
		seen[sch] = true
		if sch.DynamicRef != nil || sch.RecursiveRef != nil {
			return errors.New("$dynamicRef or $recursiveRef")
		}
		if !isSchema(document, sch.Location) {
			return errors.New("a reference to what is no schema")
		}
		queue = append(append(queue, inPlace(sch)...), beneath(sch)...)
	}
	done := map[*jsonschema.Schema]bool{}
	for sch := range seen {
		if loops(sch, done, map[*jsonschema.Schema]bool{}) {
			return errors.New("applies to a value without end")
		}
	}
	return nil
}

// isSchema reports whether there can be a schema at the location in the document.
func isSchema(document any, location string) bool {
	_, fragment, _ := strings.Cut(location, "#")
	at, err := url.PathUnescape(fragment)
	if err != nil {
		return false
	}
	switch v := find(document, at); v.(type) {
	case object, bool:
		return true
	default:
		return false
	}
}

func loops(sch *jsonschema.Schema, done, open map[*jsonschema.Schema]bool) bool {
	if done[sch] || open[sch] {
		return open[sch]
	}
	open[sch] = true
	again := slices.ContainsFunc(inPlace(sch), func(sub *jsonschema.Schema) bool { return loops(sub, done, open) })
	delete(open, sch)
	done[sch] = true
	return again
}

// inPlace returns the subschemas that apply to the same value as sch.
func inPlace(sch *jsonschema.Schema) []*jsonschema.Schema {
	if sch.Ref != nil && sch.DraftVersion < 2019 { // the library sets what is beside it too
		return []*jsonschema.Schema{sch.Ref}
	}
	subs := slices.Concat([]*jsonschema.Schema{sch.Ref, sch.Not, sch.If, sch.Then, sch.Else}, sch.AllOf, sch.AnyOf, sch.OneOf)
	for _, sub := range sch.DependentSchemas {
		subs = append(subs, sub)
	}
	for _, sub := range sch.Dependencies {
		subs = appendSchema(subs, sub)
	}
	return without(subs)
}

// beneath returns the subschemas that apply to the parts of a value.
func beneath(sch *jsonschema.Schema) []*jsonschema.Schema {
	subs := slices.Concat([]*jsonschema.Schema{sch.PropertyNames, sch.Contains, sch.Items2020, sch.UnevaluatedItems, sch.UnevaluatedProperties}, sch.PrefixItems)
	for _, sub := range []any{sch.Items, sch.AdditionalItems, sch.AdditionalProperties} {
		subs = appendSchema(subs, sub)
	}
	for _, sub := range sch.Properties {
		subs = append(subs, sub)
	}
	for _, sub := range sch.PatternProperties {
		subs = append(subs, sub)
	}
	return without(subs)
}

func appendSchema(subs []*jsonschema.Schema, sub any) []*jsonschema.Schema {
	switch sub := sub.(type) {
	case *jsonschema.Schema:
		return append(subs, sub)
	case []*jsonschema.Schema:
		return append(subs, sub...)
	}
	return subs
}

func without(subs []*jsonschema.Schema) []*jsonschema.Schema {
	return slices.DeleteFunc(subs, func(sub *jsonschema.Schema) bool { return sub == nil })
}
