package schematest

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
)

// names are those of properties: few, so that values have them, and some that
// pointers and keywords have to be told apart from.
var names = []string{"a", "b", "c", "x-1", "é", "a/b", "m~n", "", "$ref", "properties", "1"}

func (m *schemaMaker) name() string { return names[min(m.IntN(len(names)), m.IntN(len(names)))] }

func (m *schemaMaker) properties(o object, depth int) {
	if !m.chance(4) {
		subs := object{}
		for range 1 + m.IntN(3) {
			subs[m.name()] = m.schema(depth)
		}
		o["properties"] = subs
	}
	if m.chance(3) {
		o["patternProperties"] = object{pick(m.Rand, patternList): m.schema(depth)}
	}
	if m.chance(3) {
		o["additionalProperties"] = m.schemaOrBool(depth)
	}
	if m.chance(2) {
		o["required"] = m.nameList()
	}
	if m.chance(5) {
		o["propertyNames"] = m.schema(0)
	}
}

// nameList is a list of names, none twice, which draft-04 does not let be empty.
func (m *schemaMaker) nameList() any {
	list := []any{m.name()}
	if other := m.name(); m.chance(3) && other != list[0] {
		list = append(list, other)
	}
	return list
}

// schemaOrBool is for keywords that take a boolean in all dialects.
func (m *schemaMaker) schemaOrBool(depth int) any {
	if m.chance(3) {
		return m.chance(3)
	}
	return m.schema(depth)
}

func (m *schemaMaker) schemas(depth int) []any {
	list := []any{m.schema(depth)}
	for range m.IntN(3) {
		list = append(list, m.schema(depth))
	}
	return list
}

func (m *schemaMaker) items(o object, depth int) {
	switch {
	case m.chance(4): // what is said about items by others only
	case m.draft < 2020 && m.chance(2):
		o["items"] = m.schemas(depth)
		m.maybe(o, "additionalItems", func() any { return m.schemaOrBool(depth) })
	case m.draft < 2020 || m.chance(2):
		o["items"] = m.schema(depth)
		if m.chance(8) {
			o["additionalItems"] = m.schemaOrBool(depth)
		}
	default:
		o["prefixItems"] = m.schemas(depth)
		m.maybe(o, "items", func() any { return m.schema(depth) })
	}
	if m.chance(3) {
		o["uniqueItems"] = !m.chance(4)
	}
	if o["items"] == nil && o["prefixItems"] == nil || m.chance(4) {
		o["contains"] = m.schema(min(depth, 1))
		m.maybe(o, "minContains", func() any { return json.Number(pick(m.Rand, []string{"0", "1", "2", "2.0"})) })
		m.maybe(o, "maxContains", m.count)
	}
	if m.chance(4) {
		o["minItems"] = m.count()
	}
}

func (m *schemaMaker) combination(o object, depth int) {
	switch m.IntN(6) {
	case 0:
		o["allOf"] = m.schemas(depth)
	case 1:
		o["anyOf"] = m.schemas(depth)
	case 2:
		o["oneOf"] = m.schemas(depth)
	case 3:
		o["not"] = m.schema(depth)
	default:
		o["if"] = m.schema(depth)
		m.maybe(o, "then", func() any { return m.schema(depth) })
		m.maybe(o, "else", func() any { return m.schema(depth) })
		if m.chance(8) {
			delete(o, "if") // then and else mean nothing without it
		}
	}
}

func (m *schemaMaker) dependent(o object, depth int) {
	switch m.IntN(3) {
	case 0:
		o["dependentRequired"] = object{m.name(): m.nameList()}
	case 1:
		o["dependentSchemas"] = object{m.name(): m.schema(depth)}
	default:
		o["dependencies"] = object{m.name(): m.nameList()}
		if m.chance(2) {
			o["dependencies"] = object{m.name(): m.schema(depth), "b": m.nameList()}
		}
	}
}

// unevaluated adds one of the keywords that are about the rest, and others beside it
// that look at some of what there is.
func (m *schemaMaker) unevaluated(o object, depth int) {
	keyword, looking := "unevaluatedProperties", m.properties
	if m.chance(2) {
		keyword, looking = "unevaluatedItems", m.items
	}
	o[keyword] = m.schemaOrBool(depth)
	if m.chance(2) {
		o[keyword] = false
	}
	if m.chance(2) {
		looking(o, depth)
	}
	branch := func() any {
		sub := object{}
		looking(sub, depth)
		return sub
	}
	switch m.IntN(6) {
	case 0:
		o["allOf"] = []any{branch(), branch()}
	case 1:
		o["anyOf"] = []any{branch(), branch(), branch()}
	case 2:
		o["oneOf"] = []any{branch(), branch()}
	case 3:
		o["if"], o["then"], o["else"] = branch(), branch(), branch()
	case 4:
		o["dependentSchemas"] = object{m.name(): branch()}
	default:
		m.reference(o)
	}
}

// reference adds a $ref, nearly always to something that there is.
func (m *schemaMaker) reference(o object) {
	switch {
	case m.chance(60):
		o["$ref"] = pick(m.Rand, []string{"#/nowhere", "#nowhere", "https://example.org/elsewhere", "#/$defs/one/~2", "#/%zz", "one", "root.json", "0#at-0"})
	case m.chance(30):
		o["$ref"] = pick(m.Rand, []string{"#/properties/a", "#/items", "#/allOf/0", "#/properties/a/properties/b", "#/anyOf/0/not"})
	default:
		if target := pick(m.Rand, m.places); target != "#" || m.chance(3) { // which is a circle too often
			o["$ref"] = target
		}
	}
}

// spoil puts something in a random place of a schema that does not belong there.
// Up to draft-07 that is never beside a $ref: what is there is ignored, but the
// library checks it.
func spoil(r *rand.Rand, o object, draft int) {
	if _, ok := o["$ref"].(string); ok && draft <= 7 || len(o) == 0 {
		return
	}
	key := pick(r, sortedKeys(o))
	if sub, ok := o[key].(object); ok && r.IntN(2) == 0 {
		spoil(r, sub, draft)
		return
	}
	value := newValue(r, 1)
	if r.IntN(2) == 0 {
		value = mustDecode(pick(r, odd))
	}
	switch r.IntN(3) {
	case 0:
		o[key] = value
	case 1:
		o[pick(r, keywords)] = value
	default:
		if list, ok := o[key].([]any); ok && len(list) > 0 {
			list = slices.Clone(list)
			list[r.IntN(len(list))] = value
			o[key] = list
		}
	}
}

// odd are texts of values that some keyword takes and others do not.
var odd = []string{
	`-1`, `1.5`, `0`, `3`, `true`, `false`, `"string"`, `"integer"`, `"("`, `"(?=a)"`, `"[a-"`, `"a{2,1}"`, `"#"`, `"#a"`, `"http://example.org/0"`, `"date"`,
	`["a","b"]`, `["a","a"]`, `[{}]`, `[true]`, `["string","null"]`, `{"a":{}}`, `{"a":["b"]}`, `{"(":{}}`, `{"a":1}`,
}

var keywords = []string{
	"$anchor", "$defs", "$id", "$ref", "$schema", "additionalItems", "additionalProperties", "allOf", "anyOf", "const", "contains", "contentSchema", "default",
	"definitions", "dependencies", "dependentRequired", "dependentSchemas", "deprecated", "description", "else", "enum", "examples", "exclusiveMaximum",
	"exclusiveMinimum", "format", "id", "if", "items", "maxContains", "maxItems", "maxLength", "maxProperties", "maximum", "minContains", "minItems", "minLength",
	"minProperties", "minimum", "multipleOf", "not", "oneOf", "pattern", "patternProperties", "prefixItems", "properties", "propertyNames", "readOnly", "required",
	"then", "title", "type", "unevaluatedItems", "unevaluatedProperties", "uniqueItems", "$comment", "unknown",
}
