package jsonschema

import (
	"slices"
	"strings"
	"testing"

	"hyperstudy-endpoint/internal/jsontree"
)

var testLimits = jsontree.Limits{Depth: 64, Values: 10000}

func mustCompile(tb testing.TB, schema string) *Schema {
	tb.Helper()
	s, err := Compile(schema)
	if err != nil {
		tb.Fatalf("%s: %v", schema, err)
	}
	return s
}

func mustParse(tb testing.TB, value string) *jsontree.Node {
	tb.Helper()
	d, bad := jsontree.Parse(value, testLimits)
	if bad != nil {
		tb.Fatalf("%s: %+v", value, bad)
	}
	return d.Root
}

// outline writes violations as "pointer keyword names", those of branches in brackets.
func outline(violations []*Violation) string {
	var parts []string
	for _, v := range violations {
		part := strings.TrimSpace(strings.Join(append([]string{jsontree.Pointer(v.Path...), v.Keyword}, v.Names...), " "))
		if v.Given != "" {
			part += " for " + v.Given
		}
		for _, branch := range v.Branches {
			part += " [" + outline(branch) + "]"
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, ", ")
}

const (
	d4 = `"$schema":"http://json-schema.org/draft-04/schema#",`
	d7 = `"$schema":"http://json-schema.org/draft-07/schema#",`
	d9 = `"$schema":"https://json-schema.org/draft/2019-09/schema",`
)

var validateTests = []struct{ schema, value, want string }{
	{`true`, `1`, ""},
	{`false`, `1`, "false"},
	{`{"type":"integer"}`, `1.0`, ""},
	{`{"type":"integer"}`, `100e-2`, ""},
	{`{"type":"integer"}`, `1.5`, "type"},
	{`{"type":["integer","number"]}`, `1.5`, ""},
	{`{"type":["integer","string"],"minimum":9}`, `true`, "type"},
	{`{"const":{"a":[1,2.0]}}`, `{"a":[1.0,2]}`, ""},
	{`{"type":"number","const":1,"enum":[2],"minimum":9}`, `3`, "const"},
	{`{"enum":["a",1,null],"minLength":9}`, `"b"`, "enum"},
	{`{"enum":[]}`, `1`, "enum"},
	{`{"minimum":1,"maximum":0,"multipleOf":0.1}`, `0.55`, "minimum, maximum, multipleOf"},
	{`{"multipleOf":0.1}`, `7.3`, ""},
	{`{"exclusiveMinimum":1,"exclusiveMaximum":1}`, `1`, "exclusiveMinimum, exclusiveMaximum"},
	{`{` + d4 + `"exclusiveMinimum":true,"minimum":1,"maximum":1,"exclusiveMaximum":false}`, `1`, "exclusiveMinimum"},
	{`{"minLength":2,"maxLength":2}`, `"😀é"`, ""},
	{`{"minLength":3,"maxLength":1,"pattern":"x"}`, `"ab"`, "minLength, maxLength, pattern"},
	{`{"maxLength":0}`, `"a"`, "maxLength"},
	{`{"minLength":3,"format":"date"}`, `"x"`, "minLength, format"},
	{`{"format":"regex"}`, `"(?=a)"`, ""},
	{`{"format":"regex"}`, `"("`, "format"},
	{`{"minProperties":2,"maxProperties":0,"required":["b","c"]}`, `{"a":1}`, "minProperties, maxProperties, required b c"},
	{`{"properties":{"a":{"type":"string"},"b":false},"additionalProperties":false}`, `{"c":1,"a":1,"b":2,"d":3}`, "/a type, /b false, additionalProperties c d"},
	{`{"patternProperties":{"^a":{"minimum":5},"b$":{"maximum":0}},"additionalProperties":{"type":"null"}}`, `{"ab":1,"x":1}`, "/ab minimum, /ab maximum, /x type"},
	{`{"propertyNames":{"maxLength":1}}`, `{"ab":1,"a":2}`, "/ab propertyNames"},
	{`{"dependentRequired":{"a":["b","c"],"z":["y"]},"dependentSchemas":{"a":{"required":["d"]}}}`, `{"a":1,"b":1}`, "dependentRequired c for a, required d"},
	{`{` + d7 + `"dependencies":{"a":["b"],"c":{"minProperties":9}}}`, `{"a":1,"c":1}`, "dependentRequired b for a, minProperties"},
	{`{"prefixItems":[{"type":"string"}],"items":{"type":"number"},"minItems":5,"maxItems":1}`, `[1,"a",2]`, "minItems, maxItems, /0 type, /1 type"},
	{`{"prefixItems":[true],"items":false}`, `[1,2,3]`, "/1 false, /2 false"},
	{`{` + d7 + `"items":[true],"additionalItems":false}`, `[1,2,3]`, "additionalItems"},
	{`{` + d9 + `"items":[true],"additionalItems":{"type":"null"}}`, `[1,2,null]`, "/1 type"},
	{`{` + d7 + `"items":{"type":"null"},"additionalItems":false}`, `[null,1]`, "/1 type"},
	{`{"uniqueItems":true}`, `[1,{"a":1,"b":[2]},{"b":[2.0],"a":1}]`, "uniqueItems"},
	{`{"uniqueItems":true}`, `[1,2,3,4,5,6,7,8,9,"1",true,null,[1],10,1e1]`, "uniqueItems"},
	{`{"uniqueItems":true}`, `[1,2,3,4,5,6,7,8,9,"1",true,null,[1],{"1":1},["1"],[[1]],"",{}]`, ""},
	{`{"contains":{"type":"null"}}`, `[1,2]`, "contains"},
	{`{"contains":{"type":"null"},"minContains":2,"maxContains":3}`, `[null]`, "minContains"},
	{`{"contains":{"type":"null"},"minContains":0,"maxContains":0}`, `[null]`, "maxContains"},
	{`{"contains":{"type":"null"},"minContains":0}`, `[]`, ""},
	{`{"allOf":[{"minimum":5},{"$ref":"#/$defs/a"}],"$defs":{"a":{"multipleOf":2}}}`, `3`, "minimum, multipleOf"},
	{`{"anyOf":[{"type":"string"},{"minimum":5}]}`, `3`, "anyOf [type] [minimum]"},
	{`{"oneOf":[{"type":"string"},{"minimum":5,"multipleOf":2}]}`, `3`, "oneOf [type] [minimum, multipleOf]"},
	{`{"oneOf":[{"type":"number"},{"minimum":1}]}`, `3`, "oneOf"},
	{`{"oneOf":[{"type":"number"},{"minimum":9}]}`, `3`, ""},
	{`{"not":{"type":"number"}}`, `3`, "not"},
	{`{"if":{"minimum":5},"then":{"multipleOf":2},"else":{"type":"string"}}`, `7`, "multipleOf"},
	{`{"if":{"minimum":5},"then":{"multipleOf":2},"else":{"type":"string"}}`, `3`, "type"},
	{`{"if":{"minimum":5},"else":{"type":"string"}}`, `7`, ""},
	{`{"$ref":"#/$defs/a","maximum":1,"$defs":{"a":{"minimum":5}}}`, `3`, "minimum, maximum"},
	{`{` + d7 + `"$ref":"#/definitions/a","maximum":1,"definitions":{"a":{"minimum":5}}}`, `3`, "minimum"},
	{`{"properties":{"a":{"$ref":"#"}},"additionalProperties":false}`, `{"a":{"a":{"b":1}}}`, "/a/a additionalProperties b"},
	{`{"$id":"https://schemas.example/r","$defs":{"a":{"$id":"s/t","$defs":{"b":{"$anchor":"x","type":"null"}}}},"$ref":"s/t#x"}`, `1`, "type"},
	{`{` + d7 + `"definitions":{"a":{"$id":"#x","type":"null"}},"allOf":[{"$ref":"#x"}]}`, `1`, "type"},
	{`{` + d4 + `"id":"https://schemas.example/r","definitions":{"a":{"id":"s","type":"null"}},"allOf":[{"$ref":"s"}]}`, `1`, "type"},
	{`{"x":[{"type":"null"}],"$ref":"#/x/0"}`, `1`, "type"},
	{`{"$ref":"#/$defs/a/x/b","$defs":{"a":{"$id":"a","x":{"b":{"$ref":"#/$defs/c"}},"$defs":{"c":{"type":"null"}}}}}`, `1`, "type"},
	{`{"$id":"urn:x:y","$ref":"#a","$defs":{"b":{"$anchor":"a","type":"null"}}}`, `1`, "type"},
	{`{"$id":"a/b","$ref":"../a/./b#/%24defs/c%20d","$defs":{"c d":{"type":"null"}}}`, `1`, "type"},
	{`{"$defs":{"a/b~c%":{"type":"null"}},"$ref":"#/$defs/a~1b~0c%25"}`, `1`, "type"},
}

func TestValidate(t *testing.T) {
	t.Parallel()
	for _, tt := range slices.Concat(validateTests, unevaluatedTests) {
		violations, ok := mustCompile(t, tt.schema).Validate(mustParse(t, tt.value), &Budget{Steps: 1000})
		if got := outline(violations); got != tt.want || !ok {
			t.Errorf("%s of %s: %q, want %q", tt.value, tt.schema, got, tt.want)
		}
	}
}

var unevaluatedTests = []struct{ schema, value, want string }{
	{`{"properties":{"a":true},"unevaluatedProperties":false}`, `{"a":1,"b":2}`, "/b false"},
	{`{"allOf":[{"properties":{"a":true}}],"unevaluatedProperties":{"type":"null"}}`, `{"a":1,"b":2}`, "/b type"},
	{`{"anyOf":[{"properties":{"a":{"const":1}}},{"properties":{"b":true}}],"unevaluatedProperties":false}`, `{"a":1,"b":2}`, ""},
	{`{"anyOf":[{"properties":{"a":{"const":9}}},{"properties":{"b":true}}],"unevaluatedProperties":false}`, `{"a":1,"b":2}`, "/a false"},
	{`{"not":{"not":{"properties":{"a":true}}},"unevaluatedProperties":false}`, `{"a":1}`, "/a false"},
	{`{"if":{"properties":{"a":{"const":1}}},"then":{"properties":{"b":true}},"unevaluatedProperties":false}`, `{"a":1,"b":2}`, ""},
	{`{"if":{"properties":{"a":{"const":1}}},"then":{"properties":{"b":true}},"unevaluatedProperties":false}`, `{"a":2,"b":2}`, "/a false, /b false"},
	{`{"$ref":"#/$defs/a","$defs":{"a":{"patternProperties":{"^a":true}}},"unevaluatedProperties":false}`, `{"a":2,"b":2}`, "/b false"},
	{`{"dependentSchemas":{"a":{"properties":{"b":true}}},"properties":{"a":true},"unevaluatedProperties":false}`, `{"a":2,"b":2}`, ""},
	{`{"allOf":[{"properties":{"a":true},"unevaluatedProperties":true}],"unevaluatedProperties":false}`, `{"a":2,"b":2}`, ""},
	{`{"allOf":[{"properties":{"a":{"type":"null"}}}],"unevaluatedProperties":false}`, `{"a":2}`, "/a type"},
	{`{"properties":{"a":{"properties":{"b":true}}},"unevaluatedProperties":false}`, `{"a":{"c":1}}`, ""},
	{`{"prefixItems":[true],"unevaluatedItems":false}`, `[1,2]`, "/1 false"},
	{`{"contains":{"type":"null"},"unevaluatedItems":{"type":"string"}}`, `[null,"a",1]`, "/2 type"},
	{`{` + d9 + `"contains":{"type":"null"},"unevaluatedItems":{"type":"string"}}`, `[null,"a"]`, "/0 type"},
	{`{"allOf":[{"items":true}],"unevaluatedItems":false}`, `[1]`, ""},
	{`{"oneOf":[{"prefixItems":[{"const":1}]},{"prefixItems":[true,{"const":2}]}],"unevaluatedItems":false}`, `[3,2]`, ""},
}

// TestViolation checks what a violation knows besides its keyword.
func TestViolation(t *testing.T) {
	t.Parallel()
	s := mustCompile(t, `{"properties":{"a":{"items":{"enum":["x","y"]}},"b":{"enum":[1],"const":2}}}`)
	violations, _ := s.Validate(mustParse(t, `{"a":["x","z"],"b":1}`), &Budget{Steps: 1000})
	if len(violations) != 2 {
		t.Fatalf("%s", outline(violations))
	}
	v := violations[0]
	if v.Value.Text != "z" || v.Schema != s.Properties["a"].Items || !slices.Equal(v.Path, []string{"a", "1"}) || len(v.Options()) != 2 {
		t.Errorf("%+v", v)
	}
	if o := violations[1].Options(); len(o) != 1 || o[0].Text != "2" {
		t.Errorf("options %+v", o)
	}
}

// TestBudget stops a validation that a small schema makes endless.
func TestBudget(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString(`{"$ref":"#/$defs/a0","$defs":{"a40":{}`)
	for i := range 40 {
		next := `{"$ref":"#/$defs/a` + string(rune('0'+(i+1)/10)) + string(rune('0'+(i+1)%10)) + `"}`
		b.WriteString(`,"a` + string(rune('0'+i/10)) + string(rune('0'+i%10)) + `":{"allOf":[` + next + `,` + next + `]}`)
	}
	s := mustCompile(t, strings.Replace(b.String(), "a0\"", "a00\"", 1)+`}}`)
	budget := &Budget{Steps: 10000}
	if violations, ok := s.Validate(mustParse(t, `{}`), budget); ok || len(violations) > 0 || budget.Steps > 0 {
		t.Errorf("violations %v, ok %v, %d steps left", violations, ok, budget.Steps)
	}
	before := Budget{Steps: 10000}
	after := before
	if _, ok := mustCompile(t, `{"items":{"type":"number"}}`).Validate(mustParse(t, `[1,2,3]`), &after); !ok || after.Steps >= before.Steps {
		t.Errorf("ok %v, %d steps left", ok, after.Steps)
	}
}

// FuzzValidate: no schema and no value makes it fail, and the answer is always the same.
func FuzzValidate(f *testing.F) {
	for _, tt := range slices.Concat(validateTests, unevaluatedTests) {
		f.Add(tt.schema, tt.value)
	}
	f.Fuzz(func(t *testing.T, schema, value string) {
		s, err := Compile(schema)
		if err != nil {
			return
		}
		d, bad := jsontree.Parse(value, testLimits)
		if bad != nil {
			return
		}
		violations, ok := s.Validate(d.Root, &Budget{Steps: 20000})
		again, okAgain := s.Validate(d.Root, &Budget{Steps: 20000})
		if ok != okAgain || ok && outline(violations) != outline(again) {
			t.Errorf("%q, then %q", outline(violations), outline(again))
		}
		if ok && len(violations) == 0 && s.Kinds&d.Root.Kind == 0 {
			t.Errorf("valid, though no %v is", d.Root.Kind.Names())
		}
	})
}
