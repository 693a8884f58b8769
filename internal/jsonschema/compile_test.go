package jsonschema

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// TestCompileRefuses has a schema for every way in which one can be none.
func TestCompileRefuses(t *testing.T) {
	t.Parallel()
	const (
		draft4 = `"$schema":"http://json-schema.org/draft-04/schema#",`
		draft7 = `"$schema":"http://json-schema.org/draft-07/schema#",`
	)
	for _, tt := range []struct{ schema, pointer, reason string }{
		{`{"type":`, "", "complete JSON"},
		{`[]`, "", "an object or a boolean"},
		{`{"type":"objekt"}`, "/type", "the name of a type"},
		{`{"type":[]}`, "/type", "the name of a type"},
		{`{"type":["string","string"]}`, "/type", "the name of a type"},
		{`{"type":["string",null]}`, "/type", "the name of a type"},
		{`{"type":{}}`, "/type", "the name of a type"},
		{`{"enum":"a"}`, "/enum", "of type array"},
		{`{"enum":[` + strings.Repeat("0,", maxEnum) + `1]}`, "/enum", "has more than 2000 options"},
		{`{"minLength":-1}`, "/minLength", "an integer of at least 0"},
		{`{"maxItems":1.5}`, "/maxItems", "an integer of at least 0"},
		{`{"minContains":"1"}`, "/minContains", "an integer of at least 0"},
		{`{"minimum":"0"}`, "/minimum", "of type number"},
		{`{"exclusiveMaximum":true}`, "/exclusiveMaximum", "of type number"},
		{`{` + draft4 + `"exclusiveMaximum":5}`, "/exclusiveMaximum", "of type boolean"},
		{`{"multipleOf":0}`, "/multipleOf", "greater than 0"},
		{`{"multipleOf":-0.5}`, "/multipleOf", "greater than 0"},
		{`{"uniqueItems":1}`, "/uniqueItems", "of type boolean"},
		{`{"pattern":1}`, "/pattern", "of type string"},
		{`{"pattern":"("}`, "/pattern", "not a valid regular expression"},
		{`{"patternProperties":{"(?=a)":{}}}`, "/patternProperties/(?=a)", "lookahead"},
		{`{"format":1}`, "/format", "of type string"},
		{`{"required":true}`, "/required", "of type array"},
		{`{"required":["a","a"]}`, "/required", "an array of different strings"},
		{`{"required":[1]}`, "/required", "an array of different strings"},
		{`{"dependentRequired":{"a":[1]}}`, "/dependentRequired/a", "an array of different strings"},
		{`{"dependentRequired":[]}`, "/dependentRequired", "of type object"},
		{`{"properties":[]}`, "/properties", "of type object"},
		{`{"properties":{"a/b":1}}`, "/properties/a~1b", "an object or a boolean"},
		{`{"$defs":{"unused":{"type":"x"}}}`, "/$defs/unused/type", "the name of a type"},
		{`{"allOf":{}}`, "/allOf", "an array of schemas"},
		{`{"anyOf":[]}`, "/anyOf", "an array of schemas"},
		{`{"oneOf":[{},null]}`, "/oneOf/1", "an object or a boolean"},
		{`{"not":"a"}`, "/not", "an object or a boolean"},
		{`{"items":[{}]}`, "/items", "an object or a boolean"},
		{`{` + draft7 + `"items":[{},1]}`, "/items/1", "an object or a boolean"},
		{`{"title":1}`, "/title", "of type string"},
		{`{"deprecated":"yes"}`, "/deprecated", "of type boolean"},
		{`{"examples":{}}`, "/examples", "of type array"},
		{`{"$ref":1}`, "/$ref", "of type string"},
		{`{"$ref":"#/a"}`, "/$ref", "a reference to something it does not hold"},
		{`{"$ref":"#a"}`, "/$ref", "a reference to something it does not hold"},
		{`{"$ref":"#/x/0/a","x":[1]}`, "/$ref", "a reference to something it does not hold"},
		{`{"$ref":"#/x","x":1}`, "/x", "an object or a boolean"},
		{`{"$ref":"https://schemas.example/a"}`, "/$ref", "refers to another document"},
		{`{"$ref":"a%zz"}`, "/$ref", "a reference"},
		{`{"$defs":{"unused":{"$ref":"a%zz"}}}`, "/$defs/unused/$ref", "a reference"},
		{`{"$id":"::"}`, "/$id", "a URI"},
		{`{"$id":5}`, "/$id", "of type string"},
		{`{` + draft4 + `"id":5}`, "/id", "of type string"},
		{`{"$id":"https://schemas.example/a#b"}`, "/$id", "a URI without a fragment"},
		{`{"$anchor":""}`, "/$anchor", "a plain name"},
		{`{"$dynamicAnchor":"a b"}`, "/$dynamicAnchor", "a plain name"},
		{`{"$anchor":"1a"}`, "/$anchor", "a plain name"},
		{`{"allOf":[{"$anchor":"a"},{"$anchor":"a"}]}`, "/allOf/1/$anchor", "the name of another part"},
		{`{"allOf":[{"$id":"a"},{"$id":"a"}]}`, "/allOf/1/$id", "the id of another part"},
		{`{"$dynamicRef":"#a"}`, "/$dynamicRef", "is not supported; use $ref"},
		{`{"$schema":"https://json-schema.org/draft/2019-09/schema","$recursiveRef":"#"}`, "/$recursiveRef", "is not supported; use $ref"},
		{`{"properties":{"a":{"allOf":[{"$ref":"#/properties/a"}]}}}`, "", "leads back to itself"},
		{`{"allOf":[` + strings.Repeat("{},", maxSubschemas) + `{}]}`, "", "more than 4000 subschemas"},
		{`{"minimum":1e401}`, "/minimum", "a number that is so long or so large"},
	} {
		_, err := Compile(tt.schema)
		var e *Error
		if !errors.As(err, &e) {
			t.Errorf("%.60s: error %v", tt.schema, err)
			continue
		}
		if e.Pointer != tt.pointer || !strings.Contains(e.Reason, tt.reason) {
			t.Errorf("%.60s: %s %s; want %s %s", tt.schema, e.Pointer, e.Reason, tt.pointer, tt.reason)
		}
	}
}

// TestCompileIgnores has what a dialect does not know, or what says nothing.
func TestCompileIgnores(t *testing.T) {
	t.Parallel()
	for _, schema := range []string{
		`{"then":{},"else":{},"minContains":5,"x-order":1,"$vocabulary":{}}`,
		`{"format":"colour","contentEncoding":"base64","contentSchema":{"type":"object"}}`,
		`{"$schema":"http://json-schema.org/draft-07/schema","$ref":"#/definitions/a","type":5,"definitions":{"a":{}}}`,
		`{"$schema":"http://json-schema.org/draft-07/schema#","prefixItems":5,"$defs":5,"dependentRequired":5,"deprecated":5}`,
		`{"$schema":"http://json-schema.org/draft-04/schema#","const":1,"contains":5,"if":5,"$id":5,"propertyNames":5,"examples":5,"readOnly":5,"$comment":5}`,
		`{"$schema":"https://json-schema.org/draft/2019-09/schema","prefixItems":5,"$dynamicRef":5}`,
		`{"$recursiveRef":5,"additionalItems":5,"id":5}`,
		`{"$defs":{"unused":{"allOf":[{"$ref":"https://schemas.example/a"},{"$ref":"#/x"},{"$dynamicRef":"#x"}]},"loop":{"$ref":"#/$defs/loop"}}}`,
		`{"then":{"$ref":"#/x"},"else":{"$ref":"#/x"},"contentSchema":{"$ref":"#/x"}}`,
		`{"$schema":"http://json-schema.org/draft-07/schema#","additionalItems":{"$ref":"#/x"},"allOf":[{"$ref":"#/definitions/a","items":{"$ref":"#/x"}}],"definitions":{"a":{}}}`,
	} {
		if _, err := Compile(schema); err != nil {
			t.Errorf("%s: %v", schema, err)
		}
	}
}

// TestErrorsDoNotNameProperties: the names in a schema may be the words of a question.
func TestErrorsDoNotNameProperties(t *testing.T) {
	t.Parallel()
	for pointer, want := range map[string]string{
		"": "", "/type": "/type", "/properties/How sad?/type": "/properties/*/type",
		"/properties/properties/properties/a~1b": "/properties/*/properties/*", "/$defs/x/items/0": "/$defs/*/items/0",
	} {
		if got := anonymous(pointer); got != want {
			t.Errorf("anonymous(%q) = %q, want %q", pointer, got, want)
		}
	}
	_, err := Compile(`{"properties":{"How sad?":{"type":"strong"}}}`)
	if want := "the schema at /properties/*/type is not valid JSON Schema: it must be the name of a type or an array of different ones"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

func TestKinds(t *testing.T) {
	t.Parallel()
	for schema, want := range map[string]string{
		`true`: "null boolean number string array object", `false`: "", `{}`: "null boolean number string array object",
		`{"type":"integer"}`: "number", `{"type":["null","object"]}`: "null object", `{"enum":[1,"a",[]]}`: "number string array", `{"const":null}`: "null",
		`{"allOf":[{"type":["string","null"]},{"type":["string","array"]}]}`:              "string",
		`{"anyOf":[{"type":"string"},{"$ref":"#/$defs/a"}],"$defs":{"a":{"const":true}}}`: "boolean string",
		`{"oneOf":[false,{"type":"array"}]}`:                                              "array",
		`{"properties":{"a":{"$ref":"#"}},"type":"object"}`:                               "object",
	} {
		s, err := Compile(schema)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(s.Kinds.Names(), " "); got != want {
			t.Errorf("%s: %s, want %s", schema, got, want)
		}
	}
}

// TestPatternEffort adds up the patterns of a schema, each once, and refuses too many.
func TestPatternEffort(t *testing.T) {
	t.Parallel()
	one, err := Compile(`{"pattern":"^[a-z]+x$"}`)
	if err != nil {
		t.Fatal(err)
	}
	twice, err := Compile(`{"pattern":"^[a-z]+x$","properties":{"a":{"pattern":"^[a-z]+x$"}}}`)
	if err != nil || one.PatternEffort == 0 || twice.PatternEffort != one.PatternEffort {
		t.Errorf("sizes %d and %d, error %v", one.PatternEffort, twice.PatternEffort, err)
	}
	var costly []string
	for i := range 100 {
		costly = append(costly, fmt.Sprintf(`"p%d":{"pattern":"^%d[a-z]{0,400}x$"}`, i, i))
	}
	if _, err := Compile(`{"properties":{` + strings.Join(costly, ",") + `}}`); err == nil || !strings.Contains(err.Error(), "too costly") {
		t.Errorf("%v", err)
	}
}
