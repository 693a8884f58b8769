package toolcall

import (
	"hyperstudy-endpoint/internal/jsonschema"
	"hyperstudy-endpoint/internal/jsontree"
)

// declared are the schemas that declare the properties of the arguments.
type declared struct {
	schemas []*jsonschema.Schema // all that apply to the arguments as a whole
	budget  *jsonschema.Budget
}

func declaredBy(s *jsonschema.Schema, b *jsonschema.Budget) declared {
	known := map[*jsonschema.Schema]bool{s: true}
	schemas := []*jsonschema.Schema{s}
	for i := 0; i < len(schemas) && b.Tick(); i++ {
		for _, sub := range schemas[i].InPlace() {
			if !known[sub] {
				known[sub] = true
				schemas = append(schemas, sub)
			}
		}
	}
	return declared{schemas, b}
}

// property calls yield with every declaration of the property, and says whether
// it is one by name or one for any name. It reports false if the budget did not
// last.
func (d declared) property(name string, yield func(sub *jsonschema.Schema, named bool)) bool {
	for _, s := range d.schemas {
		if !d.budget.Tick() {
			return false
		}
		if sub := s.Properties[name]; sub != nil {
			yield(sub, true)
			continue
		}
		matched := false
		for _, p := range s.PatternProperties {
			if !d.budget.Spend(p.Pattern.Steps(len(name))) {
				return false
			}
			if p.Pattern.MatchString(name) {
				yield(p.Schema, true)
				matched = true
			}
		}
		if s.AdditionalProperties != nil && !s.AdditionalProperties.Never && !matched {
			yield(s.AdditionalProperties, false)
		}
	}
	return true
}

// has reports whether the arguments may have a property of that very name. It is
// true as well if the budget did not last.
func (d declared) has(name string) bool {
	has := false
	lasted := d.property(name, func(_ *jsonschema.Schema, named bool) { has = has || named })
	return has || !lasted
}

// kinds returns the kinds of values that the property may have: every kind if
// nothing is said about it. ok is false if the budget did not last.
func (d declared) kinds(name string) (kinds jsontree.Kind, ok bool) {
	ok = d.property(name, func(sub *jsonschema.Schema, _ bool) { kinds |= sub.Kinds })
	if kinds == 0 {
		kinds = jsontree.Any
	}
	return kinds, ok
}
