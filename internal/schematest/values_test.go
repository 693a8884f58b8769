package schematest

import (
	"encoding/json"
	"math/big"
	"math/rand/v2"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

var (
	numbers = []string{"0", "1", "2", "3", "-1", "1.0", "1e0", "0.1", "2.5", "10", "1e1", "100", "-0", "0.3", "12345678901234567890", "12345678901234567890.0", "1e-2", "1e30", "1.5e300"}
	texts   = []string{"", "a", "b", "é", "e\u0301", "😀", "😀a", "abc", "AB-123", "1", "yes", "x-1", "null", "a.b", "ab cd"}
)

// newValue makes up any value.
func newValue(r *rand.Rand, depth int) any {
	n := r.IntN(12)
	if depth == 0 {
		n = r.IntN(8)
	}
	switch {
	case n < 2:
		return json.Number(pick(r, numbers))
	case n == 2:
		return anyNumber(r)
	case n < 5:
		return pick(r, texts)
	case n == 5:
		return nil
	case n == 6:
		return r.IntN(2) == 0
	case n == 7:
		return pick(r, []any{[]any{}, object{}, []any{json.Number("1")}, object{"a": json.Number("1")}})
	case n < 10:
		list := []any{}
		for range r.IntN(4) {
			list = append(list, newValue(r, depth-1))
		}
		return list
	}
	o := object{}
	for range r.IntN(4) {
		o[names[min(r.IntN(len(names)), r.IntN(len(names)))]] = newValue(r, depth-1)
	}
	return o
}

// A valueMaker makes up values for a schema that are valid, or nearly so.
type valueMaker struct {
	*rand.Rand
	root any
}

// value makes up a value for the schema. Steps bounds how far it goes.
func (m *valueMaker) value(schema any, steps int) any {
	o, ok := schema.(object)
	if !ok || steps <= 0 || m.IntN(12) == 0 {
		return newValue(m.Rand, min(steps, 2))
	}
	if v, ok := m.aside(o, steps); ok {
		return v
	}
	switch m.typeFor(o) {
	case "object":
		return m.object(o, steps-1)
	case "array":
		return m.array(o, steps-1)
	case "string":
		return m.text(o)
	case "number", "integer":
		return m.number(o)
	case "boolean":
		return m.IntN(2) == 0
	case "null":
		return nil
	}
	return newValue(m.Rand, min(steps, 2))
}

// aside takes the value from a keyword that says it all, or from a subschema
// that applies in the same place.
func (m *valueMaker) aside(o object, steps int) (any, bool) {
	if c, ok := o["const"]; ok && m.IntN(4) > 0 {
		return c, true
	}
	if list, ok := o["enum"].([]any); ok && len(list) > 0 && m.IntN(4) > 0 {
		return pick(m.Rand, list), true
	}
	var subs []any
	for _, keyword := range []string{"allOf", "anyOf", "oneOf"} {
		list, _ := o[keyword].([]any)
		subs = append(subs, list...)
	}
	for _, keyword := range []string{"if", "then", "else", "not"} {
		if sub, ok := o[keyword]; ok {
			subs = append(subs, sub)
		}
	}
	if ref, ok := o["$ref"].(string); ok {
		if at, err := url.PathUnescape(strings.TrimPrefix(ref, "#")); err == nil && (at == "" || at[0] == '/') {
			target := find(m.root, at)
			subs = append(subs, target, target)
		}
	}
	if len(subs) == 0 || m.IntN(3) == 0 {
		return nil, false
	}
	v := m.value(pick(m.Rand, subs), steps-1)
	inner, isObject := v.(object)
	if _, more := o["properties"].(object); isObject && more {
		merged := m.object(o, steps-1)
		for name, value := range inner {
			if merged[name] == nil || m.IntN(2) == 0 {
				merged[name] = value
			}
		}
		return merged, true
	}
	return v, true
}

// kindOf says which type a keyword is about.
var kindOf = map[string][]string{
	"object": {"properties", "required", "patternProperties", "additionalProperties", "propertyNames", "minProperties", "maxProperties", "dependencies", "dependentRequired", "dependentSchemas", "unevaluatedProperties"},
	"array":  {"items", "prefixItems", "contains", "minItems", "maxItems", "uniqueItems", "unevaluatedItems"},
	"string": {"minLength", "maxLength", "pattern", "format"},
	"number": {"minimum", "maximum", "multipleOf", "exclusiveMinimum", "exclusiveMaximum"},
}

func (m *valueMaker) typeFor(o object) string {
	switch t := o["type"].(type) {
	case string:
		return t
	case []any:
		if len(t) > 0 {
			name, _ := pick(m.Rand, t).(string)
			return name
		}
	}
	var fitting []string
	for _, kind := range []string{"object", "array", "string", "number"} {
		if slices.ContainsFunc(kindOf[kind], func(keyword string) bool { return o[keyword] != nil }) {
			fitting = append(fitting, kind)
		}
	}
	if len(fitting) == 0 {
		return ""
	}
	return pick(m.Rand, fitting)
}

func (m *valueMaker) object(o object, steps int) object {
	v := object{}
	properties, _ := o["properties"].(object)
	for _, name := range sortedKeys(properties) {
		if m.IntN(4) > 0 {
			v[name] = m.value(properties[name], steps)
		}
	}
	required, _ := o["required"].([]any)
	for _, name := range required {
		if name, ok := name.(string); ok && v[name] == nil && m.IntN(6) > 0 {
			v[name] = m.value(properties[name], steps)
		}
	}
	byPattern, _ := o["patternProperties"].(object)
	for _, pattern := range sortedKeys(byPattern) {
		if list := patterns[pattern]; len(list) > 0 && m.IntN(2) == 0 {
			v[pick(m.Rand, list)] = m.value(byPattern[pattern], steps)
		}
	}
	for _, keyword := range []string{"additionalProperties", "unevaluatedProperties"} {
		if sub, ok := o[keyword]; ok && m.IntN(2) == 0 {
			v[pick(m.Rand, names)] = m.value(sub, steps)
		}
	}
	for _, keyword := range []string{"dependentRequired", "dependencies", "dependentSchemas"} {
		dependent, _ := o[keyword].(object)
		for _, name := range sortedKeys(dependent) {
			if sub := dependent[name]; m.IntN(2) == 0 {
				v[name] = newValue(m.Rand, 1)
				if inner, ok := m.value(sub, steps).(object); ok && m.IntN(2) == 0 {
					for key, value := range inner {
						v[key] = value
					}
				}
			}
		}
	}
	if m.IntN(6) == 0 {
		v[pick(m.Rand, names)] = newValue(m.Rand, 1)
	}
	return v
}

func (m *valueMaker) array(o object, steps int) any {
	prefix, ok := o["prefixItems"].([]any)
	rest := o["items"]
	if list, isList := rest.([]any); isList && !ok {
		prefix, rest = list, o["additionalItems"]
	}
	n := m.IntN(4)
	if most, ok := o["minItems"].(json.Number); ok {
		f, _ := most.Float64()
		n = max(n, int(f)-m.IntN(2))
	}
	v := []any{}
	for i := range min(max(n, len(prefix)-m.IntN(2)), 6) {
		switch {
		case i < len(prefix):
			v = append(v, m.value(prefix[i], steps))
		case o["contains"] != nil && m.IntN(2) == 0:
			v = append(v, m.value(o["contains"], steps))
		case rest != nil:
			v = append(v, m.value(rest, steps))
		default:
			v = append(v, newValue(m.Rand, 1))
		}
	}
	if o["uniqueItems"] != nil && m.IntN(3) == 0 {
		for i := range 10 { // many, which are told apart in another way than few
			v = append(v, []any{json.Number(strconv.Itoa(i)), newValue(m.Rand, 2)})
		}
		if m.IntN(2) == 0 {
			v = append(v, []any{json.Number("30e-1"), find(v, "/"+strconv.Itoa(len(v)-7)+"/1")}) // the same as the fourth of them
		}
	}
	if len(v) > 0 && m.IntN(6) == 0 {
		v = append(v, pick(m.Rand, v)) // once more the same
	}
	return v
}

func (m *valueMaker) text(o object) any {
	if pattern, ok := o["pattern"].(string); ok && len(patterns[pattern]) > 0 && m.IntN(4) > 0 {
		return pick(m.Rand, patterns[pattern])
	}
	if name, ok := o["format"].(string); ok {
		if samples := formats[name][m.IntN(4)/3]; len(samples) > 0 {
			return pick(m.Rand, samples)
		}
	}
	return strings.Repeat(pick(m.Rand, []string{"a", "é", "😀", "x"}), m.IntN(5))
}

func (m *valueMaker) number(o object) any {
	var candidates []json.Number
	for _, keyword := range kindOf["number"] {
		text, ok := o[keyword].(json.Number)
		bound, parsed := new(big.Rat).SetString(text.String())
		if !ok || !parsed {
			continue
		}
		for _, step := range []*big.Rat{big.NewRat(0, 1), big.NewRat(1, 1), big.NewRat(-1, 1), big.NewRat(1, 10), big.NewRat(-1, 1000)} {
			candidates = append(candidates, json.Number(new(big.Rat).Add(bound, step).FloatString(3)))
		}
		candidates = append(candidates, text, json.Number(new(big.Rat).Mul(bound, big.NewRat(3, 1)).FloatString(4)))
	}
	if len(candidates) == 0 || m.IntN(6) == 0 {
		return json.Number(pick(m.Rand, numbers))
	}
	return pick(m.Rand, candidates)
}
