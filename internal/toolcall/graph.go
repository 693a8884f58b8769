package toolcall

import (
	"encoding/json"
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// prepare goes through the compiled schema: it refuses what cannot be bounded
// in time, and makes the library report every format and property name it
// finds fault with at its right place.
func (s *schema) prepare() error {
	queue := []*jsonschema.Schema{s.root}
	for len(queue) > 0 {
		sch := queue[0]
		queue = queue[1:]
		if s.byLocation[sch.Location] != nil {
			continue
		}
		s.byLocation[sch.Location] = sch
		if sch.DynamicRef != nil || sch.RecursiveRef != nil {
			return &schemaError{reason: "has a $dynamicRef or $recursiveRef, which is not supported; use $ref"}
		}
		assertLast(sch)
		queue = append(queue, inPlace(sch)...)
		queue = append(queue, beneath(sch)...)
	}
	done := map[*jsonschema.Schema]bool{}
	for _, sch := range s.byLocation {
		if loops(sch, done, map[*jsonschema.Schema]bool{}) {
			return &schemaError{reason: "has a reference that leads back to itself without going deeper into the value"}
		}
	}
	for _, sch := range s.byLocation {
		s.types(sch)
	}
	return nil
}

// takesObjects reports whether an object can be valid.
func (s *schema) takesObjects() bool { return s.kinds[s.root]&kindObject != 0 }

// inPlace returns the subschemas that apply to the same value as sch.
func inPlace(sch *jsonschema.Schema) []*jsonschema.Schema {
	subs := []*jsonschema.Schema{sch.Ref, sch.Not, sch.If, sch.Then, sch.Else}
	subs = slices.Concat(subs, sch.AllOf, sch.AnyOf, sch.OneOf)
	for _, sub := range sch.DependentSchemas {
		subs = append(subs, sub)
	}
	for _, d := range sch.Dependencies {
		if sub, ok := d.(*jsonschema.Schema); ok {
			subs = append(subs, sub)
		}
	}
	return slices.DeleteFunc(subs, func(sub *jsonschema.Schema) bool { return sub == nil })
}

// beneath returns the subschemas that apply to members, items or names.
func beneath(sch *jsonschema.Schema) []*jsonschema.Schema {
	subs := slices.Concat(forItems(sch), sch.PrefixItems)
	subs = append(subs, propertyNames(sch), sch.UnevaluatedProperties, sch.ContentSchema)
	if sub, ok := sch.AdditionalProperties.(*jsonschema.Schema); ok {
		subs = append(subs, sub)
	}
	for _, sub := range sch.Properties {
		subs = append(subs, sub)
	}
	for _, sub := range sch.PatternProperties {
		subs = append(subs, sub)
	}
	if list, ok := sch.Items.([]*jsonschema.Schema); ok {
		subs = append(subs, list...)
	}
	return slices.DeleteFunc(subs, func(sub *jsonschema.Schema) bool { return sub == nil })
}

// forItems returns the subschemas that may apply to an item at any index.
func forItems(sch *jsonschema.Schema) []*jsonschema.Schema {
	subs := []*jsonschema.Schema{sch.Contains, sch.Items2020, sch.UnevaluatedItems}
	for _, items := range []any{sch.Items, sch.AdditionalItems} {
		if sub, ok := items.(*jsonschema.Schema); ok {
			subs = append(subs, sub)
		}
	}
	return slices.DeleteFunc(subs, func(sub *jsonschema.Schema) bool { return sub == nil })
}

// loops reports whether sch applies to a value again before it is done with it.
// The library reports that as a violation; it is a fault of the schema.
func loops(sch *jsonschema.Schema, done, open map[*jsonschema.Schema]bool) bool {
	if done[sch] {
		return false
	}
	if open[sch] {
		return true
	}
	open[sch] = true
	for _, sub := range inPlace(sch) {
		if loops(sub, done, open) {
			return true
		}
	}
	done[sch] = true
	return false
}

// types returns the kinds of values that sch may accept. What it leaves out is
// certainly invalid; what it holds may still be. The answers are kept in
// s.kinds, which nobody writes to any more once the schema is compiled.
func (s *schema) types(sch *jsonschema.Schema) valueKind {
	if accepted, ok := s.kinds[sch]; ok {
		return accepted
	}
	accepted := ownTypes(sch)
	if sch.Ref != nil {
		accepted &= s.types(sch.Ref)
	}
	for _, sub := range sch.AllOf {
		accepted &= s.types(sub)
	}
	for _, union := range [][]*jsonschema.Schema{sch.AnyOf, sch.OneOf} {
		var either valueKind
		for _, sub := range union {
			either |= s.types(sub)
		}
		if len(union) > 0 {
			accepted &= either
		}
	}
	s.kinds[sch] = accepted
	return accepted
}

func ownTypes(sch *jsonschema.Schema) valueKind {
	accepted := anyKind
	if sch.Bool != nil && !*sch.Bool {
		accepted = 0
	}
	if sch.Types != nil && !sch.Types.IsEmpty() {
		accepted &= namedKinds(sch.Types.ToStrings())
	}
	if sch.Enum != nil {
		accepted &= kindsOf(sch.Enum.Values)
	}
	if sch.Const != nil {
		accepted &= kindsOf([]any{*sch.Const})
	}
	return accepted
}

var kindNames = map[string]valueKind{
	"null": kindNull, "boolean": kindBoolean, "number": kindNumber, "integer": kindNumber,
	"string": kindString, "array": kindArray, "object": kindObject,
}

func namedKinds(names []string) (kinds valueKind) {
	for _, name := range names {
		kinds |= kindNames[name]
	}
	return kinds
}

func kindsOf(values []any) (kinds valueKind) {
	for _, v := range values {
		kinds |= kindOf(v)
	}
	return kinds
}

func kindOf(v any) valueKind {
	switch v.(type) {
	case nil:
		return kindNull
	case bool:
		return kindBoolean
	case json.Number:
		return kindNumber
	case string:
		return kindString
	case []any:
		return kindArray
	default:
		return kindObject
	}
}

// properties calls yield with every schema that a subschema applying to the
// arguments as a whole declares for the property, and says whether it is a
// declaration by name or one for any name.
func (s *schema) properties(name string, yield func(sub *jsonschema.Schema, named bool)) {
	seen := map[*jsonschema.Schema]bool{}
	queue := []*jsonschema.Schema{s.root}
	for len(queue) > 0 {
		sch := queue[0]
		queue = queue[1:]
		if seen[sch] {
			continue
		}
		seen[sch] = true
		queue = append(queue, inPlace(sch)...)
		if sub := sch.Properties[name]; sub != nil {
			yield(sub, true)
			continue
		}
		matched := false
		for re, sub := range sch.PatternProperties {
			if re.MatchString(name) {
				yield(sub, true)
				matched = true
			}
		}
		if sub, ok := sch.AdditionalProperties.(*jsonschema.Schema); ok && !matched {
			yield(sub, false)
		}
	}
}

// declares reports whether the arguments may have a property of that very name.
func (s *schema) declares(name string) bool {
	declared := false
	s.properties(name, func(_ *jsonschema.Schema, named bool) { declared = declared || named })
	return declared
}

// propertyKinds returns the kinds of values that the property may have: every
// kind if nothing is said about it.
func (s *schema) propertyKinds(name string) valueKind {
	var kinds valueKind
	s.properties(name, func(sub *jsonschema.Schema, _ bool) { kinds |= s.kinds[sub] })
	if kinds == 0 {
		return anyKind
	}
	return kinds
}
