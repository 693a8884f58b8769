package toolcall

import (
	"hyperstudy-endpoint/internal/jsonschema"
	"hyperstudy-endpoint/internal/jsontree"
)

// declarations calls yield with every schema that a subschema applying to the
// arguments as a whole declares for the property, and says whether it is a
// declaration by name or one for any name.
func declarations(s *jsonschema.Schema, name string, yield func(sub *jsonschema.Schema, named bool)) {
	seen := map[*jsonschema.Schema]bool{}
	queue := []*jsonschema.Schema{s}
	for len(queue) > 0 {
		s := queue[0]
		queue = queue[1:]
		if seen[s] {
			continue
		}
		seen[s] = true
		queue = append(queue, s.InPlace()...)
		if sub := s.Properties[name]; sub != nil {
			yield(sub, true)
			continue
		}
		matched := false
		for _, p := range s.PatternProperties {
			if p.Pattern.MatchString(name) {
				yield(p.Schema, true)
				matched = true
			}
		}
		if s.AdditionalProperties != nil && !s.AdditionalProperties.Never && !matched {
			yield(s.AdditionalProperties, false)
		}
	}
}

// declares reports whether the arguments may have a property of that very name.
func declares(s *jsonschema.Schema, name string) bool {
	declared := false
	declarations(s, name, func(_ *jsonschema.Schema, named bool) { declared = declared || named })
	return declared
}

// propertyKinds returns the kinds of values that the property may have: every
// kind if nothing is said about it.
func propertyKinds(s *jsonschema.Schema, name string) jsontree.Kind {
	var kinds jsontree.Kind
	declarations(s, name, func(sub *jsonschema.Schema, _ bool) { kinds |= sub.Kinds })
	if kinds == 0 {
		return jsontree.Any
	}
	return kinds
}
