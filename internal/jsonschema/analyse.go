package jsonschema

import "hyperstudy-endpoint/internal/jsontree"

// analyse refuses references that never end and finds out what kinds of values
// each subschema may accept.
func (c *compiler) analyse() *Error {
	done, open := map[*Schema]bool{}, map[*Schema]bool{}
	for _, p := range c.used {
		if loops(p.schema, done, open) {
			return &Error{Reason: "has a reference that leads back to itself without going deeper into the value"}
		}
	}
	known := map[*Schema]bool{}
	for _, p := range c.used {
		p.schema.findKinds(known)
	}
	return nil
}

// loops reports whether s applies to a value again before it is done with it.
func loops(s *Schema, done, open map[*Schema]bool) bool {
	if done[s] || open[s] {
		return open[s]
	}
	open[s] = true
	for _, sub := range s.InPlace() {
		if loops(sub, done, open) {
			return true
		}
	}
	delete(open, s)
	done[s] = true
	return false
}

// findKinds sets s.Kinds, and before it those of the subschemas that it depends on.
func (s *Schema) findKinds(known map[*Schema]bool) jsontree.Kind {
	if known[s] {
		return s.Kinds
	}
	known[s] = true
	s.Kinds = s.ownKinds()
	if s.Ref != nil {
		s.Kinds &= s.Ref.findKinds(known)
	}
	for _, sub := range s.AllOf {
		s.Kinds &= sub.findKinds(known)
	}
	for _, union := range [][]*Schema{s.AnyOf, s.OneOf} {
		var either jsontree.Kind
		for _, sub := range union {
			either |= sub.findKinds(known)
		}
		if len(union) > 0 {
			s.Kinds &= either
		}
	}
	return s.Kinds
}

// ownKinds are the kinds of values that the schema's own keywords may accept.
func (s *Schema) ownKinds() jsontree.Kind {
	kinds := jsontree.Any
	if s.Never {
		kinds = 0
	}
	if s.Types.Names != nil {
		kinds &= s.Types.Kinds
	}
	if s.Enum != nil {
		kinds &= KindsOf(s.Enum)
	}
	if s.Const != nil {
		kinds &= s.Const.Kind
	}
	return kinds
}

// KindsOf returns the kinds of some values.
func KindsOf(values []*jsontree.Node) (kinds jsontree.Kind) {
	for _, v := range values {
		kinds |= v.Kind
	}
	return kinds
}
