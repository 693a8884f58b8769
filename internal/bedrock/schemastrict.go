package bedrock

import (
	"bytes"
	"encoding/json"
	"slices"

	"hyperstudy-endpoint/internal/openai"
)

// A structuredSchema is of the subset that structured outputs take, as the
// Amazon Bedrock User Guide has it: https://docs.aws.amazon.com/bedrock/latest/userguide/structured-output.html

// kept are the keywords of that subset.
var kept = []string{"type", "properties", "required", "additionalProperties", "items", "enum", "const", "anyOf", "format", "minItems", "title", "description", "default"}

// hinted are constraints outside of it that are given to the model in words, in
// the description, and otherwise left to whoever judges the answer.
var hinted = []string{
	"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength", "pattern",
	"format", "minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties",
}

var formats = []string{"date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"}

// structuredSchema returns the copy of a schema for structured outputs, and
// whether there is one: what cannot be said in the subset must not be lost.
func structuredSchema(raw json.RawMessage) (json.RawMessage, bool) {
	raw = compact(raw)
	if !isObject(raw) || tooDeep(raw) {
		return nil, false
	}
	s := &schema{root: raw, dialect: plain} // plain: references are inlined
	o, err := openai.SplitObject(raw)
	if err != nil {
		return nil, false
	}
	if _, err := s.object(o, nil); err != nil || string(o.Get("type")) != `"object"` {
		return nil, false
	}
	return s.structured(raw, nil)
}

// isStrict reports whether a schema is of the subset as it is.
func isStrict(raw json.RawMessage) bool {
	same, ok := structuredSchema(raw)
	return ok && bytes.Equal(same, compact(raw))
}

func (s *schema) structured(raw json.RawMessage, path []string) (json.RawMessage, bool) {
	o, err := openai.SplitObject(raw)
	if err != nil {
		return nil, false
	}
	refs := len(path)
	recursive := o.Has("$ref") && slices.Contains(path, string(o.Get("$ref")))
	o, path, err = s.inline(modern(o), path)
	if err != nil || recursive || len(path) > refs && o.Has("$ref") {
		return nil, false
	}
	if o.Has("oneOf") {
		if o.Has("anyOf") {
			return nil, false
		}
		o = renamed(o, "oneOf", "anyOf")
	}
	var out openai.Object
	var hints openai.Object
	for _, m := range o.Members() {
		switch {
		case slices.Contains(hinted, m.Name) && !inSubset(m):
			hints.Set(m.Name, m.Value)
		case slices.Contains(kept, m.Name):
			value, ok := s.structuredValue(m, path)
			if !ok {
				return nil, false
			}
			out.Set(m.Name, value)
		case slices.Contains(references, m.Name), m.Name == "$defs", m.Name == "definitions", keywords[m.Name] == text, m.Name == "examples":
		default:
			return nil, false
		}
	}
	if !closed(&out) || !hint(&out, hints) {
		return nil, false
	}
	encoded, err := encode(out)
	s.size += len(encoded)
	return encoded, err == nil && s.size <= maxSchema
}

// inSubset reports whether a keyword that is only partly supported has a value
// that is.
func inSubset(m openai.Member) bool {
	var format string
	switch m.Name {
	case "minItems":
		return string(m.Value) == "0" || string(m.Value) == "1"
	case "format":
		return json.Unmarshal(m.Value, &format) == nil && slices.Contains(formats, format)
	}
	return false
}

func (s *schema) structuredValue(m openai.Member, path []string) (json.RawMessage, bool) {
	switch m.Name {
	case "properties":
		o, err := openai.SplitObject(m.Value)
		if err != nil {
			return nil, false
		}
		for _, p := range o.Members() {
			value, ok := s.structured(p.Value, path)
			if !ok {
				return nil, false
			}
			o.Set(p.Name, value)
		}
		encoded, err := encode(o)
		return encoded, err == nil
	case "anyOf":
		list := listOf(m.Value)
		for i := range list {
			value, ok := s.structured(list[i], path)
			if !ok {
				return nil, false
			}
			list[i] = value
		}
		return array(list), true
	case "items":
		return s.structured(m.Value, path)
	case "enum":
		return m.Value, !slices.ContainsFunc(listOf(m.Value), func(v json.RawMessage) bool { return isObject(v) || v[0] == '[' })
	case "additionalProperties":
		return m.Value, string(m.Value) == "false"
	}
	return m.Value, true
}

// closed completes a schema's object form, and reports whether the schema says
// what a value looks like at all.
func closed(o *openai.Object) bool {
	types := stringsOf(o.Get("type"))
	switch {
	case string(o.Get("type")) == `"object"`, slices.Contains(types, "object"), o.Has("properties"):
		if !o.Has("properties") && !o.Has("additionalProperties") {
			return false // any object would do
		}
		o.Set("additionalProperties", json.RawMessage("false"))
		return true
	case string(o.Get("type")) == `"array"`, slices.Contains(types, "array"):
		return o.Has("items")
	}
	return o.Has("type") || o.Has("enum") || o.Get("const") != nil || o.Has("anyOf")
}

// hint puts constraints into the description.
func hint(o *openai.Object, hints openai.Object) bool {
	if len(hints.Members()) == 0 {
		return true
	}
	constraints, err := encode(hints)
	if err != nil {
		return false
	}
	var description string
	if o.Has("description") {
		if json.Unmarshal(o.Get("description"), &description) != nil {
			return false
		}
		description += " "
	}
	encoded, err := openai.Marshal(description + "Constraints: " + string(constraints))
	o.Set("description", encoded)
	return err == nil
}

// renamed returns the object with a member under another name.
func renamed(o openai.Object, from, to string) openai.Object {
	var out openai.Object
	for _, m := range o.Members() {
		if m.Name == from {
			m.Name = to
		}
		out.Set(m.Name, m.Value)
	}
	return out
}
