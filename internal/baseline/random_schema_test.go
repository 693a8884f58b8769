package baseline

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
)

// A schemaMaker makes schemas up, most of which have valid values.
type schemaMaker struct{ *rand.Rand }

// TestRandomSchemas draws from made-up schemas. Whatever is drawn has to be
// valid, and nearly all of the schemas have to give something.
func TestRandomSchemas(t *testing.T) {
	t.Parallel()
	const count = 1000
	refused := 0
	for i := range count {
		m := schemaMaker{rand.New(rand.NewPCG(7, uint64(i)))}
		text, err := json.Marshal(m.schema(3))
		if err != nil {
			t.Fatal(err)
		}
		s := compile(t, string(text))
		for seed := range 3 {
			v, err := drawValue(seeded(seed), text)
			if err != nil {
				if !errors.Is(err, errNoValue) {
					t.Errorf("schema %d: %v: %s", i, err, text)
				}
				refused++
				break
			}
			if err := judge(s, v); err != nil {
				t.Fatalf("schema %d %s: drew %s: %v", i, text, v, err)
			}
		}
	}
	if refused > count/50 {
		t.Errorf("%d of %d schemas were refused", refused, count)
	}
}

type dict = map[string]any

func (m schemaMaker) schema(depth int) any {
	switch n := m.IntN(20); {
	case n == 0:
		return true
	case n == 1:
		return dict{"enum": []any{"a", 1, 1.5, nil, true, dict{"k": []any{1}}}[:1+m.IntN(6)]}
	case n == 2:
		return dict{"const": []any{"x", -3, nil, []any{}, dict{}}[m.IntN(5)]}
	case n < 6 && depth > 0:
		return m.combination(depth - 1)
	case n < 10 && depth > 0:
		return m.array(depth - 1)
	case n < 14 && depth > 0:
		return m.object(depth - 1)
	case n < 17:
		return m.number()
	case n == 19:
		return dict{"type": []any{"null", "boolean", "integer", "string"}[m.IntN(3):]}
	default:
		return m.text()
	}
}

func (m schemaMaker) maybe(s dict, keyword string, value any) {
	if m.IntN(2) == 0 {
		s[keyword] = value
	}
}

func (m schemaMaker) number() any {
	s := dict{"type": []string{"number", "integer"}[m.IntN(2)]}
	low := m.IntN(200) - 100
	m.maybe(s, "minimum", low)
	m.maybe(s, "maximum", low+10+m.IntN(100))
	if m.IntN(3) == 0 {
		s["exclusiveMinimum"] = json.Number(fmt.Sprintf("%d.5", low))
	}
	if m.IntN(2) == 0 {
		s["multipleOf"] = json.Number([]string{"0.1", "0.5", "2", "0.25", "3", "1e-3"}[m.IntN(6)])
	}
	return s
}

func (m schemaMaker) text() any {
	s := dict{"type": "string"}
	switch m.IntN(4) {
	case 0:
		all := []string{"^[A-Z]{2}-[0-9]{3}$", "a+b", "^(yes|no|maybe)$", `^\d{1,3}(\.\d)?$`, "[^a-z]$", `^\p{Lu}\w*$`, "^$|^x", "é"}
		s["pattern"] = all[m.IntN(len(all))]
	case 1:
		all := []string{"date", "time", "date-time", "email", "uuid", "ipv4", "ipv6", "uri", "hostname", "duration", "json-pointer", "regex", "iri", "idn-email"}
		s["format"] = all[m.IntN(len(all))]
	default:
		low := m.IntN(30)
		m.maybe(s, "minLength", low)
		m.maybe(s, "maxLength", low+m.IntN(30))
	}
	return s
}

func (m schemaMaker) array(depth int) any {
	s := dict{"type": "array"}
	low := m.IntN(3)
	m.maybe(s, "minItems", low)
	m.maybe(s, "maxItems", low+m.IntN(4))
	switch m.IntN(4) {
	case 0:
		s["items"] = dict{"enum": []any{"p", "q", "r", "s", 1, nil}}
		s["uniqueItems"] = true
	case 1:
		s["prefixItems"] = []any{m.schema(depth), m.schema(depth)}
		s["items"] = m.schema(depth)
	case 2:
		s["items"] = dict{"type": "integer", "minimum": 0, "maximum": 9}
		s["contains"] = dict{"minimum": 5}
		s["maxItems"] = 6
		m.maybe(s, "minContains", m.IntN(3))
		m.maybe(s, "maxContains", 3)
	default:
		s["items"] = m.schema(depth)
	}
	return s
}

func (m schemaMaker) object(depth int) any {
	properties := dict{}
	required := []string{}
	for _, name := range []string{"a", "b", "c", "d e", "ü"}[:m.IntN(6)] {
		properties[name] = m.schema(depth)
		if m.IntN(2) == 0 {
			required = append(required, name)
		}
	}
	s := dict{"type": "object", "properties": properties, "required": required}
	m.maybe(s, "additionalProperties", false)
	if m.IntN(4) == 0 {
		s["additionalProperties"] = m.schema(0)
		m.maybe(s, "minProperties", 3+m.IntN(4))
		m.maybe(s, "propertyNames", dict{"maxLength": 12})
	}
	if m.IntN(4) == 0 {
		s["patternProperties"] = dict{"^x_[a-z]{3}$": m.schema(0)}
	}
	if m.IntN(4) == 0 && len(properties) > 1 {
		s["dependentRequired"] = dict{"a": []string{"b"}}
	}
	return s
}

func (m schemaMaker) combination(depth int) any {
	kinds := dict{"type": "object", "properties": dict{"kind": dict{"enum": []any{"p", "q"}}, "n": m.number()}, "required": []any{"kind"}}
	isP := dict{"properties": dict{"kind": dict{"const": "p"}}}
	switch m.IntN(7) {
	case 0:
		return dict{"anyOf": []any{m.schema(depth), m.schema(depth)}}
	case 1:
		return dict{"oneOf": []any{dict{"type": "null"}, m.number(), dict{"type": "string", "maxLength": 5}}}
	case 2:
		return dict{"allOf": []any{dict{"type": "integer", "minimum": 3}, dict{"maximum": 30}, dict{"multipleOf": 2}}}
	case 3:
		return dict{"not": dict{"type": []any{"string", "array", "null"}[m.IntN(3)]}}
	case 4:
		kinds["if"], kinds["then"], kinds["else"] = isP, dict{"required": []any{"n"}}, dict{"properties": dict{"n": false}}
		return kinds
	case 5:
		return dict{"$defs": dict{"x": m.schema(depth)}, "type": "object", "properties": dict{"v": m.schema(depth), "w": dict{"type": "boolean"}},
			"unevaluatedProperties": false, "required": []any{"w"}}
	default:
		return dict{"allOf": []any{kinds, dict{"oneOf": []any{isP, dict{"properties": dict{"kind": dict{"const": "q"}}}}}}, "minProperties": m.IntN(3)}
	}
}
