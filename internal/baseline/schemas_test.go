package baseline

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestSchemas(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/schemas/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no schemas: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".json"), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			drawMany(t, string(text), 200)
		})
	}
}

// TestReach checks that everything that a schema allows does come up.
func TestReach(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name   string
		schema string
		want   []string
	}{
		{"boolean", `{"type":"boolean"}`, []string{`true`, `false`}},
		{"null", `{"type":"null"}`, []string{`null`}},
		{"constant, as it was written", `{"const":{"b":1.0,"a":[1e2,"<é>"]}}`, []string{`{"b":1.0,"a":[1e2,"<é>"]}`}},
		{"options of all types", `{"enum":[1,"1",null,true,[],{}]}`, []string{`1`, `"1"`, `null`, `true`, `[]`, `{}`}},
		{"options that are valid", `{"enum":[1,2,3,"x"],"minimum":2}`, []string{`2`, `3`, `"x"`}},
		{"option given twice", `{"enum":["a","a","b"]}`, []string{`"a"`, `"b"`}},
		{"constant beside an enum", `{"const":2,"enum":[1,2]}`, []string{`2`}},
		{"integers", `{"type":"integer","minimum":-1,"maximum":1}`, []string{`-1`, `0`, `1`}},
		{"integers without the ends", `{"type":"integer","exclusiveMinimum":0,"exclusiveMaximum":3}`, []string{`1`, `2`}},
		{"integers between fractions", `{"type":"integer","minimum":0.5,"maximum":2.5}`, []string{`1`, `2`}},
		{"negative fractions", `{"type":"number","minimum":-0.3,"maximum":-0.1,"multipleOf":0.1}`, []string{`-0.3`, `-0.2`, `-0.1`}},
		{"tenths", `{"type":"number","minimum":7.1,"maximum":7.4,"multipleOf":0.1}`, []string{`7.1`, `7.2`, `7.3`, `7.4`}},
		{"quarters that are whole", `{"type":"integer","minimum":0,"maximum":2,"multipleOf":0.25}`, []string{`0`, `1`, `2`}},
		{"bounds that are one number", `{"type":"number","minimum":0.125,"maximum":0.125}`, []string{`0.125`}},
		{"branches", `{"anyOf":[{"const":1},{"const":2},false]}`, []string{`1`, `2`}},
		{"optional members", `{"properties":{"a":{"const":1},"b":{"const":2}}}`, []string{`{}`, `{"a":1}`, `{"b":2}`, `{"a":1,"b":2}`}},
		{"forbidden member", `{"properties":{"a":{"const":1},"b":false}}`, []string{`{}`, `{"a":1}`}},
		{"at least one member", `{"properties":{"a":{"const":1},"b":{"const":2}},"minProperties":1,"maxProperties":1}`, []string{`{"a":1}`, `{"b":2}`}},
		{"member without a schema", `{"type":"object","required":["z"],"properties":{"z":{"const":0}}}`, []string{`{"z":0}`}},
		{"dependent members", `{"properties":{"a":{"const":1},"b":{"const":2}},"dependentRequired":{"a":["b"]}}`, []string{`{}`, `{"b":2}`, `{"a":1,"b":2}`}},
		{"sets", `{"items":{"enum":["x","y"]},"uniqueItems":true}`, []string{`[]`, `["x"]`, `["y"]`, `["x","y"]`, `["y","x"]`}},
		{"lengths", `{"items":{"const":0},"minItems":1,"maxItems":3}`, []string{`[0]`, `[0,0]`, `[0,0,0]`}},
		{"pattern", `{"type":"string","pattern":"^(a|bc?)$"}`, []string{`"a"`, `"b"`, `"bc"`}},
		{"pattern of no letters", `{"type":"string","pattern":"^$"}`, []string{`""`}},
		{"letters outside of ASCII", `{"type":"string","pattern":"^[äöü]$"}`, []string{`"ä"`, `"ö"`, `"ü"`}},
		{"condition", `{"properties":{"a":{"enum":[1,2]},"b":{"enum":[3,4]}},"required":["a","b"],"if":{"properties":{"a":{"const":1}}},"then":{"properties":{"b":{"const":3}}}}`,
			[]string{`{"a":1,"b":3}`, `{"a":2,"b":3}`, `{"a":2,"b":4}`}},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			seen := map[string]bool{}
			for _, text := range drawMany(t, tc.schema, 400) {
				seen[text] = true
			}
			for _, want := range tc.want {
				if !seen[want] {
					t.Errorf("never drew %s", want)
				}
				delete(seen, want)
			}
			for got := range seen {
				t.Errorf("drew %s", got)
			}
		})
	}
}

// TestSchemaFaults checks that a schema that cannot be read says why.
func TestSchemaFaults(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name   string
		schema string
		want   error
	}{
		{"no JSON", `{"type":`, errNotJSON},
		{"two values", `{} {}`, errNotJSON},
		{"nested too deeply", strings.Repeat("[", 300) + strings.Repeat("]", 300), errTooDeep},
		{"array", `[]`, errNotSchema},
		{"number for a subschema", `{"items":1}`, errNotSchema},
		{"number within allOf", `{"allOf":[1]}`, errNotSchema},
		{"text for properties", `{"properties":"x"}`, keywordFault("properties")},
		{"unknown type", `{"type":"float"}`, keywordFault("type")},
		{"number for a type", `{"type":1}`, keywordFault("type")},
		{"number in required", `{"required":[1]}`, keywordFault("required")},
		{"object for enum", `{"enum":{}}`, keywordFault("enum")},
		{"object for anyOf", `{"anyOf":{}}`, keywordFault("anyOf")},
		{"text for minimum", `{"minimum":"1"}`, keywordFault("minimum")},
		{"negative length", `{"minLength":-1}`, keywordFault("minLength")},
		{"fraction of an item", `{"maxItems":1.5}`, keywordFault("maxItems")},
		{"step of nothing", `{"multipleOf":0}`, keywordFault("multipleOf")},
		{"number for a format", `{"format":1}`, keywordFault("format")},
		{"text for uniqueItems", `{"uniqueItems":"yes"}`, keywordFault("uniqueItems")},
		{"lookahead", `{"pattern":"^(?=a)"}`, errPattern},
		{"broken pattern", `{"patternProperties":{"(":{}}}`, errPattern},
		{"long pattern", `{"pattern":"` + strings.Repeat("a", maxPattern+1) + `"}`, errPattern},
		{"other document", `{"$ref":"https://example.org/schema.json"}`, errRef},
		{"missing definition", `{"$ref":"#/$defs/x"}`, errRef},
		{"item that is not there", `{"$ref":"#/allOf/3","allOf":[{}]}`, errRef},
		{"pointer into a text", `{"$ref":"#/title/x","title":"t"}`, errRef},
		{"missing anchor", `{"$ref":"#x"}`, errRef},
		{"broken escape", `{"$ref":"#%zz"}`, errRef},
		{"definition with a fault", `{"$ref":"#/$defs/x","$defs":{"x":{"type":1}}}`, keywordFault("type")},
		{"nothing is valid", `{"type":"string","minLength":3,"maxLength":2}`, errNoValue},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			text, err := drawValue(seeded(1), json.RawMessage(tc.schema))
			if !errors.Is(err, tc.want) {
				t.Errorf("got %q and error %v, want error %v", text, err, tc.want)
			}
		})
	}
}

// TestUnusedFaults checks that what is never referred to does no harm.
func TestUnusedFaults(t *testing.T) {
	t.Parallel()
	got, err := drawValue(seeded(1), json.RawMessage(`{"const":1,"$defs":{"x":{"type":"nonsense"}},"$comment":7}`))
	if err != nil || got != "1" {
		t.Errorf("got %q, %v", got, err)
	}
}
