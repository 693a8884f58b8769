package conformance

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

func TestViolations(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, schema, value, want string }{
		{"no schema", ``, `{"a":1}`, ""},
		{"true", `true`, `1`, ""},
		{"false", `false`, `1`, "the object is not allowed"},
		{"several types", `{"type":["string","null"]}`, `1`, "the object must be string or null, not number"},
		{"whole decimal", `{"type":"integer"}`, `5.0`, ""},
		{"exponent", `{"type":"integer"}`, `5e2`, ""},
		{"tenths in binary", `{"multipleOf":0.1}`, `0.3`, ""},
		{"many digits", `{"multipleOf":0.01,"maximum":1e20}`, `99999999999999999999.99`, ""},
		{"a hair too much", `{"maximum":1}`, `1.00000000000000000001`, "the object must be at most 1"},
		{"beyond all reason", `{"maximum":1}`, `1e999999999`, "the object is a number beyond all reason"},
		{"more than", `{"exclusiveMinimum":0.5}`, `0.5`, "the object must be more than 0.5"},
		{"reference into a list", `{"allOf":[{"maximum":3}],"properties":{"a":{"$ref":"#/allOf/0"},"b":{"$ref":"#/allOf/1"},"c":{"$ref":"#/allOf/0/maximum/x"}}}`,
			`{"a":4,"b":5,"c":6}`, "/a must be at most 3"},
		{"not judged, and so not held against", `{"not":{"contains":{}},"oneOf":[{"contains":{}},{"type":"array"}]}`, `[1]`, ""},
		{"not judged, and broken nevertheless", `{"oneOf":[{"contains":{},"maxItems":0},{"type":"string"}]}`, `[1]`, "the object must fit exactly one of 2 schemas, and fits 0"},
		{"no schema at all", `{"items":5}`, `[1]`, ""},
		{"code points", `{"maxLength":2}`, `"👩‍👩"`, "the object must have at most 2 characters"},
		{"surrogates", `{"maxLength":1,"minLength":1}`, `"\ud83d\ude00"`, ""},
		{"numbers are equal by value", `{"enum":[1.0]}`, `1`, ""},
		{"deep equality", `{"const":{"a":[1,{"b":null}]}}`, `{"a":[1.0,{"b":null}]}`, ""},
		{"equal items", `{"uniqueItems":true}`, `[1,{"a":1},{"a":1.0}]`, "the object must not hold an item twice"},
		{"equal items in other words", `{"uniqueItems":true}`, `[0.50e1,{"b":"\u00e9","a":[]},"5",{"a":[],"b":"é"}]`, "the object must not hold an item twice"},
		{"numbers in other words", `{"enum":[1200,-0.5,0]}`, `12e+2`, ""},
		{"a negative number in other words", `{"enum":[1200,-0.5,0]}`, `-5.0E-1`, ""},
		{"a negative zero", `{"enum":[1200,-0.5,0]}`, `-0.0e9`, ""},
		{"another number of the same digits", `{"enum":[1200,-0.5,0]}`, `0.5`, "the object must be one of the 3 options, to the letter"},
		{"a number beyond all reason", `{"const":1e+999999999999999999999}`, `1E+999999999999999999999`, "the object is a number beyond all reason"},
		{"a number as long as a book", `{"maximum":1}`, strings.Repeat("1", 100_000), "the object is a number beyond all reason"},
		{"false is not 0", `{"uniqueItems":true}`, `[0,false,"",null]`, ""},
		{"nullable is OpenAPI's", `{"properties":{"a":{"type":"string","nullable":true}}}`, `{"a":null}`, "/a must be string, not null"},
		{"all of", `{"allOf":[{"minimum":1},{"maximum":2}]}`, `3`, "the object must be at most 2"},
		{"not", `{"not":{"const":1}}`, `1`, "the object fits what is forbidden"},
		{"tuple of old", `{"items":[{"type":"string"}],"additionalItems":false}`, `["a",1]`, "/1 is not allowed"},
		{"schema for the rest", `{"properties":{"a":true},"additionalProperties":{"type":"number"}}`, `{"a":1,"b~/":"2"}`, "/b~0~1 must be number, not string"},
		{"patterns are not judged", `{"patternProperties":{"^x":{}},"additionalProperties":false}`, `{"x":1}`, ""},
		{"reference beside keywords", `{"$ref":"#/$defs/a%20b","minimum":5,"$defs":{"a b":{"maximum":9}}}`, `10`, "the object must be at most 9"},
		{"reference to itself", `{"$ref":"#"}`, `1`, ""},
		{"references in a circle", `{"anyOf":[{"$ref":"#"},{"$ref":"#/$defs/a"},{"type":"null"}],"$defs":{"a":{"oneOf":[{"$ref":"#"},{"$ref":"#/$defs/a"}]}}}`, `null`, ""},
		{"tree", `{"properties":{"next":{"$ref":"#"},"n":{"type":"integer"}}}`, `{"n":1,"next":{"n":2,"next":{"n":"3"}}}`, "/next/next/n must be integer, not string"},
		{"reference to nothing", `{"$ref":"#/$defs/none"}`, `1`, ""},
		{"in a fixed order", `{"required":["z","a"],"properties":{"c":{"type":"null"},"b":{"type":"null"}}}`, `{"b":1,"c":2}`,
			`the object lacks the property "z"|the object lacks the property "a"|/b must be null, not number|/c must be null, not number`},
		{"name in the address", `{"format":"email"}`, `"Ada <ada@example.org>"`, "the object must be an e-mail address"},
		{"no JSON", `{`, `1`, "the schema is not JSON"},
		{"values are not quoted", `{"enum":["secret"]}`, `"hidden"`, "the object must be one of the 1 option, to the letter"},
	} {
		value, err := decodeJSON([]byte(tc.value))
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(violations(json.RawMessage(tc.schema), value), "|"); got != tc.want {
			t.Errorf("%s: %q, want %q", tc.name, got, tc.want)
		}
	}
}

// TestLongAnswers judges answers as long as endpoints may give them. Whatever
// takes a time that grows with the square of their length does not come to an end.
func TestLongAnswers(t *testing.T) {
	t.Parallel()
	var items strings.Builder
	for i := range 50_000 {
		fmt.Fprintf(&items, `{"n":%d},`, i)
	}
	for name, tc := range map[string]struct{ value, want string }{
		"distinct items": {"[" + items.String() + "0]", ""},
		"the last twice": {"[" + items.String() + `{"n":0.0}]`, "the object must not hold an item twice"},
		"many digits":    {"[" + strings.Repeat("7", 3_000_000) + "]", "/0 is a number beyond all reason"},
	} {
		value, err := decodeJSON([]byte(tc.value))
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(violations(json.RawMessage(`{"uniqueItems":true,"items":{"multipleOf":0.5}}`), value), "|"); got != tc.want {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
	}
}

func TestNotJudged(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, schema, want string }{
		{"all known", `{"type":"object","title":"t","properties":{"format":{"type":"string","format":"email"}},"required":[]}`, ""},
		{"unknown keywords, deep and once", `{"properties":{"a":{"contains":{"if":{}}},"b":{"items":[{"minProperties":1}]}},"anyOf":[{"not":{"contains":1}}]}`, "contains, minProperties"},
		{"formats", `{"items":{"format":"date"}}`, "format date"},
		{"look-ahead", `{"pattern":"^(?=a)"}`, "pattern (with look-around or back-references)"},
		{"draft 4", `{"minimum":1,"exclusiveMinimum":true}`, "exclusiveMinimum (as in draft 4)"},
		{"references", `{"allOf":[{"$ref":"https://example.org/s.json"},{"$ref":"#/definitions/a"}],"definitions":{"a":{"propertyNames":true}}}`,
			"$ref (to another document, or to nothing), propertyNames"},
		{"no JSON", `{`, ""},
	} {
		if got := strings.Join(notJudged(json.RawMessage(tc.schema)), ", "); got != tc.want {
			t.Errorf("%s: %q, want %q", tc.name, got, tc.want)
		}
	}
}

// library is the schema as the library judges it that the endpoint uses.
func library(t *testing.T, schema json.RawMessage) *jsonschema.Schema {
	t.Helper()
	document, err := jsonschema.UnmarshalJSON(strings.NewReader(string(schema)))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if !slices.ContainsFunc(notJudged(schema), func(word string) bool { return strings.HasPrefix(word, "format") }) {
		c.AssertFormat()
	}
	if err := c.AddResource("mem:///schema.json", document); err != nil {
		t.Fatal(err)
	}
	compiled, err := c.Compile("mem:///schema.json")
	if err != nil {
		t.Fatalf("%v in %s", err, schema)
	}
	return compiled
}

// TestAgainstLibrary puts every value of the tests to every schema of the
// checks, and to the library too.
func TestAgainstLibrary(t *testing.T) {
	t.Parallel()
	var values []string
	for _, k := range kinds {
		values = append(values, k.example)
	}
	for _, b := range badValues {
		values = append(values, b.value)
	}
	broken := 0
	for _, k := range kinds {
		schema := k.tool().Parameters
		judge := library(t, schema)
		if words := notJudged(schema); len(words) > 0 {
			t.Errorf("%s: not judged: %v", k.id, words)
		}
		for _, value := range values {
			broken += compare(t, judge, schema, `{"value":`+value+`}`)
		}
		if args, err := decodeJSON([]byte(`{"value":` + k.example + `}`)); err != nil || len(violations(schema, args)) > 0 {
			t.Errorf("%s: the example is invalid: %v %v", k.id, err, violations(schema, args))
		}
	}
	if all := len(kinds) * len(values); broken < all/2 || broken > all-len(kinds) {
		t.Errorf("%d of %d values are invalid", broken, all)
	}
}

// compare holds arguments against a schema in both ways; 1 is invalid.
func compare(t *testing.T, judge *jsonschema.Schema, schema json.RawMessage, arguments string) int {
	t.Helper()
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(arguments))
	if err != nil {
		t.Fatal(err)
	}
	args, err := decodeJSON([]byte(arguments))
	if err != nil {
		t.Fatal(err)
	}
	ours, theirs := violations(schema, args), judge.Validate(value)
	if (len(ours) > 0) != (theirs != nil) {
		t.Errorf("%s\nfor %s\nis %v here, and by the library %v", arguments, schema, ours, theirs)
	}
	return min(len(ours), 1)
}

// TestAgainstExpectations takes the requests and arguments of the endpoint's own
// tests.
func TestAgainstExpectations(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../app/testdata/expectations/*.json")
	if err != nil || len(files) == 0 {
		t.Fatal("no expectations", err)
	}
	compared := 0
	for _, file := range files {
		var e struct {
			Tool            string
			Valid           []json.RawMessage
			Mended, Reasked []struct{ Arguments json.RawMessage }
		}
		if err := json.Unmarshal(read(t, file), &e); err != nil || e.Tool == "" {
			continue // other members hold what is no decision
		}
		tools, err := DecodeStudy(strings.NewReader(string(read(t, filepath.Join("../app/testdata/requests", filepath.Base(file))))))
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		i := slices.IndexFunc(tools, func(tool Tool) bool { return tool.Name == e.Tool })
		if i < 0 || tools[i].Parameters == nil {
			continue
		}
		judge := library(t, tools[i].Parameters)
		for _, list := range [][]struct{ Arguments json.RawMessage }{e.Mended, e.Reasked} {
			for _, one := range list {
				e.Valid = append(e.Valid, one.Arguments)
			}
		}
		for _, arguments := range e.Valid {
			if _, err := decodeJSON(arguments); err == nil {
				compare(t, judge, tools[i].Parameters, string(arguments))
				compared++
			}
		}
	}
	if compared < 50 {
		t.Errorf("only %d arguments were compared", compared)
	}
}

func read(t *testing.T, file string) []byte {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
