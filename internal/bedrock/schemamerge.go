package bedrock

import (
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
	if err := s.spend(len(raw)); err != nil {
		return openai.Object{}, err
	}
	o, err := openai.SplitObject(raw)
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
	properties := newAlternatives()
	if err := properties.add(out); err != nil {
		return err
	}
	required := stringsOf(out.Get("required"))
	have, demands := map[string]bool{}, map[string]int{}
	for _, name := range required {
		have[name] = true
	}
	var names []string
	for i := range parts {
		if err := properties.add(&parts[i]); err != nil {
			return err
		}
		seen := map[string]bool{}
		for _, name := range stringsOf(parts[i].Get("required")) {
			if !seen[name] {
				seen[name] = true
				demands[name]++
				names = append(names, name)
			}
		}
	}
	for _, name := range names {
		if !have[name] && (!alternatives || demands[name] == len(parts)) {
			have[name] = true
			required = append(required, name)
		}
	}
	encoded, err := properties.encode()
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

// propertyAlternatives are the different schemas of each property, of which any
// may hold.
type propertyAlternatives struct {
	names   []string
	schemas map[string][]json.RawMessage
	seen    map[string]bool // name and schema
}

func newAlternatives() *propertyAlternatives {
	return &propertyAlternatives{schemas: map[string][]json.RawMessage{}, seen: map[string]bool{}}
}

// add adds the properties of a schema.
func (p *propertyAlternatives) add(part *openai.Object) error {
	if !part.Has("properties") {
		return nil
	}
	more, err := openai.SplitObject(part.Get("properties"))
	if err != nil {
		return errKeyword
	}
	for _, m := range more.Members() {
		key := m.Name + "\x00" + string(m.Value)
		if p.seen[key] {
			continue
		}
		p.seen[key] = true
		if p.schemas[m.Name] == nil {
			p.names = append(p.names, m.Name)
		}
		p.schemas[m.Name] = append(p.schemas[m.Name], m.Value)
	}
	return nil
}

// encode is the object of the properties.
func (p *propertyAlternatives) encode() (json.RawMessage, error) {
	var properties openai.Object
	for _, name := range p.names {
		schemas := p.schemas[name]
		if len(schemas) == 1 {
			properties.Set(name, schemas[0])
			continue
		}
		properties.Set(name, slices.Concat([]byte(`{"anyOf":`), array(schemas), []byte("}")))
	}
	return encode(properties)
}
