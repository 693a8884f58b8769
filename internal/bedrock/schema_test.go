package bedrock

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
)

// deepSchema nests further than any schema needs to.
func deepSchema() string {
	const depth = 40
	return strings.Repeat(`{"type":"object","properties":{"a":`, depth) + `{}` + strings.Repeat(`}}`, depth)
}

// schemaBomb is small, and huge once its references are resolved.
func schemaBomb() string {
	bomb := `{"type":"object","$defs":{"a0":{"enum":["` + strings.Repeat("x", 100) + `"]}`
	for i := 1; i < 20; i++ {
		bomb += fmt.Sprintf(`,"a%d":{"anyOf":[{"$ref":"#/$defs/a%d"},{"$ref":"#/$defs/a%d"}]}`, i, i-1, i-1)
	}
	return bomb + `},"properties":{"x":{"$ref":"#/$defs/a19"}}}`
}

var toolSchemas = []struct {
	name         string
	in           string
	claude, nova string // the schema sent; empty: the fault
	fault        error
}{
	{name: "none", in: ``, claude: emptySchema, nova: emptySchema},
	{name: "null", in: ` null `, claude: emptySchema, nova: emptySchema},
	{name: "empty", in: `{}`, claude: emptySchema, nova: emptySchema},
	{
		name: "order and digits", in: `{"required":["z"],"type":"object","properties":{"z":{"multipleOf":0.10},"a":{"maximum":1e400}}}`,
		claude: `{"required":["z"],"type":"object","properties":{"z":{"multipleOf":0.10},"a":{"maximum":1e400}}}`,
		nova:   `{"required":["z"],"type":"object","properties":{"z":{"multipleOf":0.10},"a":{"maximum":1e400}}}`,
	},
	{
		name: "nullable object", in: `{"type":["object","null"],"description":"d"}`,
		claude: `{"type":"object","description":"d","properties":{}}`, nova: emptySchema,
	},
	{
		name: "properties that are named like keywords", in: `{"type":"object","properties":{"$ref":{"type":"string"},"required":{"type":"boolean"},"additionalProperties":{}}}`,
		nova: `{"type":"object","properties":{"$ref":{"type":"string"},"required":{"type":"boolean"},"additionalProperties":{}}}`,
	},
	{
		name: "boolean subschemas", in: `{"properties":{"a":true,"b":{"items":false,"additionalProperties":{"type":"string"}}}}`,
		claude: `{"type":"object","properties":{"a":true,"b":{"items":false,"additionalProperties":{"type":"string"}}}}`,
		nova:   `{"type":"object","properties":{"a":true,"b":{}}}`,
	},
	{
		name: "chain of references", in: `{"definitions":{"a b":{"$ref":"#/definitions/c~1d"},"c/d":{"type":"null"}},"properties":{"x":{"$ref":"#/definitions/a%20b","title":"t"}}}`,
		claude: "", nova: `{"type":"object","properties":{"x":{"type":"null","title":"t"}}}`,
	},
	{
		name: "reference to the root", in: `{"type":"object","properties":{"next":{"$ref":"#"}}}`,
		claude: `{"type":"object","properties":{"next":{"$ref":"#"}}}`, nova: `{"type":"object","properties":{"next":{"type":"object","properties":{"next":{}}}}}`,
	},
	{
		name: "reference into a list", in: `{"properties":{"t":{"prefixItems":[{"type":"null"}]},"x":{"$ref":"#/properties/t/prefixItems/0"}}}`,
		nova: `{"type":"object","properties":{"t":{"prefixItems":[{"type":"null"}]},"x":{"type":"null"}}}`,
	},
	{name: "reference past a list", in: `{"properties":{"t":{"prefixItems":[{}]},"x":{"$ref":"#/properties/t/prefixItems/1"}}}`, fault: errReference},
	{name: "array", in: `[]`, fault: errNoSchema},
	{name: "string", in: `{"type":"string"}`, fault: errNoObject},
	{name: "alternatives without an object", in: `{"anyOf":[{"type":"string"},{"type":"null"}]}`, fault: errNoObject},
	{name: "all of a string", in: `{"allOf":[{"type":"string"}]}`, fault: errNoObject},
	{name: "remote reference", in: `{"properties":{"a":{"$ref":"https://example.com/a"}}}`, fault: errReference},
	{name: "reference to nothing", in: `{"$ref":"#/$defs/a"}`, fault: errReference},
	{name: "reference to itself", in: `{"$ref":"#"}`, fault: errDepth},
	{name: "too deep", in: deepSchema(), fault: errDepth},
	{name: "too large for families without references", in: schemaBomb(), fault: errSize},
	{name: "unknown type", in: `{"properties":{"a":{"type":"any"}}}`, fault: errKeyword},
	{name: "type twice", in: `{"properties":{"a":{"type":["null","null"]}}}`, fault: errKeyword},
	{name: "required of numbers", in: `{"required":[1]}`, fault: errKeyword},
	{name: "properties list", in: `{"properties":[]}`, fault: errKeyword},
	{name: "schema is a number", in: `{"properties":{"a":1}}`, fault: errKeyword},
	{name: "empty list of alternatives", in: `{"properties":{"a":{"anyOf":[]}}}`, fault: errKeyword},
	{name: "negative length", in: `{"properties":{"a":{"minLength":-1}}}`, fault: errKeyword},
	{name: "length of a half", in: `{"properties":{"a":{"minLength":0.5}}}`, fault: errKeyword},
	{name: "step of nothing", in: `{"properties":{"a":{"multipleOf":0}}}`, fault: errKeyword},
	{name: "limit in quotes", in: `{"properties":{"a":{"minimum":"1"}}}`, fault: errKeyword},
	{name: "title is a number", in: `{"properties":{"a":{"title":1}}}`, fault: errKeyword},
	{name: "enum is no list", in: `{"properties":{"a":{"enum":"x"}}}`, fault: errKeyword},
}

func TestToolSchema(t *testing.T) {
	t.Parallel()
	for _, tt := range toolSchemas {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for d, want := range map[dialect]string{draft2020: tt.claude, plain: tt.nova} {
				got, err := toolSchema(json.RawMessage(tt.in), d)
				switch {
				case errors.Is(tt.fault, errSize) && d == draft2020: // references stay
				case tt.fault != nil && !errors.Is(err, tt.fault):
					t.Errorf("dialect %d: error %v, want %v", d, err, tt.fault)
				case want != "" && (err != nil || string(got) != want):
					t.Errorf("dialect %d: %v\ngot  %s\nwant %s", d, err, got, want)
				}
			}
		})
	}
}

func TestStructuredSchema(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, in string
		want     string // empty: structured outputs cannot say it
	}{
		{"closed as it is", `{"type":"object","properties":{"a":{"type":"string","format":"date"}},"required":["a"],"additionalProperties":false}`, `{"type":"object","properties":{"a":{"type":"string","format":"date"}},"required":["a"],"additionalProperties":false}`},
		{"closes objects", `{"type":"object","properties":{"a":{"type":"object","properties":{}}}}`, `{"type":"object","properties":{"a":{"type":"object","properties":{},"additionalProperties":false}},"additionalProperties":false}`},
		{"limits become words", `{"type":"object","properties":{"a":{"description":"d","type":"array","items":{"type":"number"},"minItems":2,"format":"x"}}}`, `{"type":"object","properties":{"a":{"description":"d Constraints: {\"minItems\":2,\"format\":\"x\"}","type":"array","items":{"type":"number"}}},"additionalProperties":false}`},
		{"references and alternatives", `{"$schema":"x","type":"object","$defs":{"p":{"oneOf":[{"const":1},{"type":["null","string"]}]}},"properties":{"a":{"$ref":"#/$defs/p"}}}`, `{"type":"object","properties":{"a":{"anyOf":[{"const":1},{"type":["null","string"]}]}},"additionalProperties":false}`},
		{"open object", `{"type":"object","properties":{"a":{}},"additionalProperties":true}`, ""},
		{"map", `{"type":"object","additionalProperties":{"type":"number"}}`, ""},
		{"any object", `{"type":"object"}`, ""},
		{"any value", `{"type":"object","properties":{"a":{}}}`, ""},
		{"any items", `{"type":"object","properties":{"a":{"type":"array"}}}`, ""},
		{"boolean", `{"type":"object","properties":{"a":true}}`, ""},
		{"recursive", `{"type":"object","properties":{"a":{"$ref":"#"}}}`, ""},
		{"not", `{"type":"object","properties":{"a":{"not":{"type":"null"}}}}`, ""},
		{"all of", `{"type":"object","allOf":[{"properties":{}}],"properties":{}}`, ""},
		{"both alternatives", `{"type":"object","properties":{"a":{"oneOf":[{"type":"null"}],"anyOf":[{"type":"null"}]}}}`, ""},
		{"enum of objects", `{"type":"object","properties":{"a":{"enum":[{}]}}}`, ""},
		{"no object", `{"type":"array","items":{"type":"null"}}`, ""},
		{"invalid", `{"type":"object","properties":{"a":{"type":"any"}}}`, ""},
		{"tuple", `{"type":"object","properties":{"a":{"type":"array","prefixItems":[{"type":"null"}],"items":{"type":"null"}}}}`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, ok := structuredSchema(json.RawMessage(tt.in))
			if ok != (tt.want != "") || string(got) != tt.want {
				t.Errorf("%v\ngot  %s\nwant %s", ok, got, tt.want)
			}
			if strict := isStrict(json.RawMessage(tt.in)); strict != (tt.in == tt.want) {
				t.Errorf("strict %v", strict)
			}
		})
	}
}
