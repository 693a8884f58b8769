package baseline

import (
	"math/big"
)

// maxInPlace bounds how deep schemas that apply to parts of a value, or to the
// same one, may be nested while it is checked. References may run in circles.
const maxInPlace = 500

// An evaluation records which members and items of a value schemas have had a
// say in, for unevaluatedProperties and unevaluatedItems.
type evaluation struct {
	names map[string]bool
	items map[int]bool
}

func newEvaluation() *evaluation {
	return &evaluation{names: map[string]bool{}, items: map[int]bool{}}
}

func (e *evaluation) name(name string) {
	if e != nil {
		e.names[name] = true
	}
}

func (e *evaluation) item(i int) {
	if e != nil {
		e.items[i] = true
	}
}

func (e *evaluation) add(o *evaluation) {
	if e == nil {
		return
	}
	for name := range o.names {
		e.name(name)
	}
	for i := range o.items {
		e.item(i)
	}
}

// validAll reports whether a value is valid for all of the schemas.
func (d *drawer) validAll(schemas []*schema, v any) bool {
	for _, s := range schemas {
		if !d.valid(s, v, nil) {
			return false
		}
	}
	return true
}

// valid reports whether a value is valid for a schema; an absent one allows
// anything. What it evaluates is added to seen, which may be nil.
func (d *drawer) valid(s *schema, v any, seen *evaluation) bool {
	if s == nil {
		return true
	}
	if d.inPlace++; d.inPlace > maxInPlace {
		d.fail(errTooDeep)
	}
	defer func() { d.inPlace-- }()
	if !d.spend(1) || s.never {
		return false
	}
	// What an invalid schema has evaluated does not count.
	var own *evaluation
	if seen != nil || s.unevaluatedProps != nil || s.unevaluatedItems != nil {
		own = newEvaluation()
	}
	if s.types&typeOf(v) == 0 || s.hasEnum && !s.optionKeys[identity(v)] ||
		!d.validKind(s, v, own) || !d.validLogic(s, v, own) || !d.validRest(s, v, own) {
		return false
	}
	seen.add(own)
	return true
}

// validKind checks the keywords that apply to one type only.
func (d *drawer) validKind(s *schema, v any, seen *evaluation) bool {
	switch v := v.(type) {
	case number:
		return s.validNumber(v)
	case string:
		length := characters(v)
		return length >= s.minLength && (s.maxLength < 0 || length <= s.maxLength) && (s.pattern == nil || d.matches(s.pattern, v))
	case []any:
		return d.validArray(s, v, seen)
	case *object:
		return d.validObject(s, v, seen)
	}
	return true
}

func (s *schema) validNumber(n number) bool {
	switch {
	case s.minimum == nil && s.maximum == nil && s.multipleOf == nil:
		return true
	case n.rat == nil, !s.minimum.holds(n.rat, 1), !s.maximum.holds(n.rat, -1):
		return false
	}
	return s.multipleOf == nil || new(big.Rat).Quo(n.rat, s.multipleOf).IsInt()
}

// holds reports whether a number lies on the inward side of a limit, if any.
func (l *limit) holds(n *big.Rat, inward int) bool {
	if l == nil {
		return true
	}
	c := n.Cmp(l.value) * inward
	return c > 0 || c == 0 && !l.exclusive
}

func (d *drawer) validArray(s *schema, items []any, seen *evaluation) bool {
	if len(items) < s.minItems || s.maxItems >= 0 && len(items) > s.maxItems {
		return false
	}
	for i, v := range items {
		if of := s.item(i); of != nil {
			if !d.valid(of, v, nil) {
				return false
			}
			seen.item(i)
		}
	}
	if s.uniqueItems && !d.distinct(items) {
		return false
	}
	if s.contains == nil {
		return true
	}
	found := 0
	for i, v := range items {
		if d.valid(s.contains, v, nil) {
			seen.item(i)
			found++
		}
	}
	return found >= s.minContains && (s.maxContains < 0 || found <= s.maxContains)
}

func (d *drawer) distinct(items []any) bool {
	known := make(map[string]bool, len(items))
	for _, v := range items {
		known[identity(v)] = true
	}
	return d.spend(len(items)) && len(known) == len(items)
}

func (d *drawer) validObject(s *schema, o *object, seen *evaluation) bool {
	if len(o.names) < s.minProps || s.maxProps >= 0 && len(o.names) > s.maxProps {
		return false
	}
	for _, name := range s.required {
		if !o.has(name) {
			return false
		}
	}
	for _, name := range o.names {
		for _, needed := range s.dependentRequired[name] {
			if !o.has(needed) {
				return false
			}
		}
		if s.propertyNames != nil && !d.valid(s.propertyNames, name, nil) {
			return false
		}
		schemas := d.member(s, name)
		if !d.validAll(schemas, o.values[name]) {
			return false
		}
		if len(schemas) > 0 {
			seen.name(name)
		}
	}
	return true
}

// member returns the schemas that s has for the member of an object.
func (d *drawer) member(s *schema, name string) []*schema {
	var found []*schema
	if p, ok := s.properties[name]; ok {
		found = append(found, p)
	}
	for _, p := range s.patterns {
		if d.matches(p.name, name) {
			found = append(found, p.schema)
		}
	}
	if len(found) == 0 && s.additional != nil {
		found = append(found, s.additional)
	}
	return found
}

// validLogic checks the keywords that apply other schemas to the same value.
func (d *drawer) validLogic(s *schema, v any, seen *evaluation) bool {
	for _, ref := range s.refs {
		if target := d.resolve(ref); target == nil || !d.valid(target, v, seen) {
			return false
		}
	}
	for _, sub := range s.allOf {
		if !d.valid(sub, v, seen) {
			return false
		}
	}
	for _, c := range s.choices {
		matches := 0
		for _, sub := range c.branches {
			if d.valid(sub, v, seen) {
				matches++
			}
		}
		if matches == 0 || matches > 1 && c.exactlyOne {
			return false
		}
	}
	for _, c := range s.conditions {
		next := c.otherwise
		if d.valid(c.when, v, seen) {
			next = c.then
		}
		if !d.valid(next, v, seen) {
			return false
		}
	}
	return s.not == nil || !d.valid(s.not, v, nil)
}

// validRest checks what no other keyword has evaluated.
func (d *drawer) validRest(s *schema, v any, seen *evaluation) bool {
	switch v := v.(type) {
	case []any:
		for i, item := range v {
			if s.unevaluatedItems != nil && !seen.items[i] && !d.valid(s.unevaluatedItems, item, nil) {
				return false
			}
			if s.unevaluatedItems != nil {
				seen.item(i)
			}
		}
	case *object:
		for _, name := range v.names {
			if s.unevaluatedProps != nil && !seen.names[name] && !d.valid(s.unevaluatedProps, v.values[name], nil) {
				return false
			}
			if s.unevaluatedProps != nil {
				seen.name(name)
			}
		}
	}
	return true
}
