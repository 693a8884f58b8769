package bedrock

import (
	"bytes"
	"encoding/json"
	"slices"

	"hyperstudy-endpoint/internal/openai"
)

// combinators say that other schemas hold too.
var combinators = []string{"$ref", "allOf", "anyOf", "oneOf"}

// merge returns a schema without combinators at its top, which tools must not
// have there. What several schemas say of a property is kept as alternatives; what
// only one alternative requires is no longer required. The copy allows more than
// the original therefore, and never less.
func (s *schema) merge(raw json.RawMessage, depth int) (openai.Object, error) {
	const maxDepth = 16 // a reference may lead back to its own schema
	o, err := openai.ParseObject(raw)
	if err != nil {
		return o, errNoSchema
	}
	if !slices.ContainsFunc(combinators, o.Has) {
		return modern(o), nil
	}
	if depth > maxDepth {
		return o, errDepth
	}
	var out openai.Object
	rest := modern(o)
	for _, m := range rest.Members() {
		if !slices.Contains(combinators, m.Name) && m.Name != "additionalProperties" && m.Name != "unevaluatedProperties" {
			out.Set(m.Name, m.Value)
		}
	}
	for _, name := range combinators {
		if !o.Has(name) {
			continue
		}
		if err := checkKeyword(name, o.Get(name)); err != nil {
			return o, err
		}
		parts, err := s.parts(name, o.Get(name), depth)
		if err != nil {
			return o, err
		}
		if err := absorb(&out, parts, name == "anyOf" || name == "oneOf"); err != nil {
			return o, err
		}
	}
	return out, nil
}

// parts are the schemas that a combinator names. An alternative that no object
// can fulfil is left out.
func (s *schema) parts(name string, value json.RawMessage, depth int) ([]openai.Object, error) {
	list := listOf(value)
	if name == "$ref" {
		target := s.lookup(value)
		if target == nil {
			return nil, errReference
		}
		list = []json.RawMessage{target}
	}
	var parts []openai.Object
	for _, raw := range list {
		if isBoolean(raw) {
			continue
		}
		part, err := s.merge(raw, depth+1)
		if err != nil {
			return nil, err
		}
		objects := !part.Has("type") || string(part.Get("type")) == `"object"` || slices.Contains(stringsOf(part.Get("type")), "object")
		switch {
		case objects:
			parts = append(parts, part)
		case name == "$ref" || name == "allOf":
			return nil, errNoObject
		}
	}
	if len(parts) == 0 && (name == "anyOf" || name == "oneOf") {
		return nil, errNoObject
	}
	return parts, nil
}

// absorb adds the properties of parts to a schema, and what they require: of
// alternatives what all of them require.
func absorb(out *openai.Object, parts []openai.Object, alternatives bool) error {
	var properties openai.Object
	if out.Has("properties") {
		p, err := openai.ParseObject(out.Get("properties"))
		if err != nil {
			return errKeyword
		}
		properties = p
	}
	required := stringsOf(out.Get("required"))
	for i := range parts {
		if err := absorbProperties(&properties, &parts[i]); err != nil {
			return err
		}
		for _, name := range stringsOf(parts[i].Get("required")) {
			everywhere := !alternatives || !slices.ContainsFunc(parts, func(p openai.Object) bool {
				return !slices.Contains(stringsOf(p.Get("required")), name)
			})
			if everywhere && !slices.Contains(required, name) {
				required = append(required, name)
			}
		}
	}
	encoded, err := encode(properties)
	if err != nil {
		return err
	}
	out.Set("properties", encoded)
	if len(required) > 0 {
		if encoded, err = openai.Marshal(required); err != nil {
			return err
		}
		out.Set("required", encoded)
	}
	return nil
}

// absorbProperties adds the properties of one part. Where there is one of the
// same name, either may hold.
func absorbProperties(properties, part *openai.Object) error {
	if !part.Has("properties") {
		return nil
	}
	more, err := openai.ParseObject(part.Get("properties"))
	if err != nil {
		return errKeyword
	}
	for _, m := range more.Members() {
		have := properties.Get(m.Name)
		switch {
		case have == nil:
			properties.Set(m.Name, m.Value)
		case !bytes.Equal(have, m.Value):
			properties.Set(m.Name, slices.Concat([]byte(`{"anyOf":`), array([]json.RawMessage{have, m.Value}), []byte("}")))
		}
	}
	return nil
}
