package bedrock

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"hyperstudy-endpoint/internal/openai"
)

// namesOf are the property names of a request with one tool.
func namesOf(t *testing.T, f *family, schema string) *propertyNames {
	t.Helper()
	tool := `"tools":[{"type":"function","function":{"name":"rate","parameters":` + schema + `}}]`
	return newPropertyNames(f, decodeRequest(t, ask(claude45, tool)))
}

// TestPropertyNames: every name is sent in a form that is taken, unlike any
// other, always the same, and comes back.
func TestPropertyNames(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 66)
	names := []string{
		"ok", "a.b-c_9", "Wie traurig?", "Wie traurig!", "怒り", "喜び", "", " ", "  ", "\t", "🙂", "🙁", "a\u0000b", "\ufffd", "é", "e\u0301", "a/b", "a~b", "a b", "a_b",
		`"quoted"`, "<b>", strings.Repeat("y", 64), long + "a", long + "b", "$ref", "-", ".", strings.Repeat("長い", 500), strings.Repeat("z ", 40),
	}
	var properties openai.Object
	for _, name := range names {
		properties.Set(name, json.RawMessage("true"))
	}
	raw, err := encode(properties)
	if err != nil {
		t.Fatal(err)
	}
	schema := `{"type":"object","properties":` + string(raw) + `}`
	n, again := namesOf(t, familyOf(claude45), schema), namesOf(t, familyOf(claude45), schema)
	seen := map[string]bool{}
	for _, name := range names {
		sent := n.send(name)
		if !n.form.takes(sent) || seen[sent] || n.form.takes(name) && sent != name {
			t.Errorf("%q is sent as %q", name, sent)
		}
		seen[sent] = true
		if other := again.send(name); other != sent {
			t.Errorf("%q is sent as %q and as %q", name, sent, other)
		}
		quoted, err := openai.Marshal(map[string]int{name: 1})
		if err != nil {
			t.Fatal(err)
		}
		upstream := string(n.arguments(quoted))
		if back := n.restore(upstream); back != string(quoted) || upstream != `{"`+sent+`":1}` {
			t.Errorf("%s is sent as %s and comes back as %s", quoted, upstream, back)
		}
	}
	copied := n.schema(json.RawMessage(schema))
	var sent struct {
		Properties map[string]struct{ Description string }
	}
	if err := json.Unmarshal(blank(copied), &sent); err != nil || !utf8.Valid(copied) {
		t.Fatalf("%v\n%s", err, copied)
	}
	for _, name := range names {
		if p := sent.Properties[n.send(name)]; n.send(name) != name && p.Description != "Name: "+quotedName(t, name)+"." {
			t.Errorf("%q is described as %q", name, p.Description)
		}
	}
}

// blank turns the schemas true into empty ones.
func blank(schema []byte) []byte { return []byte(strings.ReplaceAll(string(schema), ":true", ":{}")) }

func quotedName(t *testing.T, name string) string {
	t.Helper()
	raw, err := openai.Marshal(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// TestPropertyNamesCollide: a replacement that is in the schemas already, as
// whatever, is not taken, nor the next one.
func TestPropertyNamesCollide(t *testing.T) {
	t.Parallel()
	taken := ""
	seen := map[string]bool{}
	for range 5 {
		schema := `{"properties":{"a b":{},"c":{"enum":["x"` + taken + `]}},"required":["a b"]}`
		sent := namesOf(t, familyOf(claude45), schema).send("a b")
		if seen[sent] {
			t.Fatalf("%q is in %s", sent, schema)
		}
		seen[sent] = true
		taken += fmt.Sprintf(",%q", sent)
	}
}

// TestPropertyNamesUntouched: families that take any name, schemas without a
// refused one, and what is no schema, stay the bytes they are.
func TestPropertyNamesUntouched(t *testing.T) {
	t.Parallel()
	odd := `{"type":"object", "properties":{"怒り":{"description":"a\u00fc"}},"required":["怒り"]}`
	plain := `{"type":"object", "properties":{"a":{"const":{"怒り": 1.0}}},"required":["怒り"]}`
	for i := range families {
		f := &families[i]
		schemas := []string{plain, `{}`, `{"properties":[1,"x",null,{"a b":1}],"required":{"a b":1},"$ref":1}`}
		if propertyNameForms[f.dialect] == nil {
			schemas = append(schemas, odd)
		}
		for _, s := range schemas {
			n := namesOf(t, f, s)
			if got := n.schema(json.RawMessage(s)); string(got) != s || string(n.arguments([]byte(s))) != s || n.restore(s) != s {
				t.Errorf("%s: %s became %s", f.name, s, got)
			}
		}
		if n := namesOf(t, f, odd); (n.send("怒り") != "怒り") != strings.HasPrefix(f.name, "claude") {
			t.Errorf("%s: sent as %q", f.name, n.send("怒り"))
		}
	}
}

// TestPropertyNamesTold: the description says the name, whatever is there before.
func TestPropertyNamesTold(t *testing.T) {
	t.Parallel()
	for schema, want := range map[string]string{
		`true`:                              `{"description":"Name: \"é\"."}`,
		`false`:                             `false`,
		`{}`:                                `{"description":"Name: \"é\"."}`,
		`{"description":" "}`:               `{"description":"Name: \"é\"."}`,
		`{"description":null,"a":1}`:        `{"description":"Name: \"é\".","a":1}`,
		`{"description":"<b>\n","x":1.0}`:   `{"description":"Name: \"é\". <b>\n","x":1.0}`,
		`{"$ref":"#/$defs/a"}`:              `{"$ref":"#/$defs/a","description":"Name: \"é\"."}`,
		`{"type":"null","description":"d"}`: `{"type":"null","description":"Name: \"é\". d"}`,
	} {
		if got := told(json.RawMessage(schema), "é"); string(got) != want {
			t.Errorf("%s became %s, want %s", schema, got, want)
		}
	}
}

// TestPropertyNamesReferences: pointers are followed through names that change,
// and those alone.
func TestPropertyNamesReferences(t *testing.T) {
	t.Parallel()
	n := namesOf(t, familyOf(claude45), `{"properties":{"a b":{},"c/d":{},"e~f":{},"é":{},"properties":{}},"$defs":{"a b":{}}}`)
	ab := n.send("a b")
	for ref, want := range map[string]string{
		"#":                                    "#",
		"#/properties/a b":                     "#/properties/" + ab,
		"#/properties/a%20b/items":             "#/properties/" + ab + "/items",
		"#/$defs/a%20b/properties/a b":         "#/$defs/" + ab + "/properties/" + ab,
		"#/properties/c~1d":                    "#/properties/" + n.send("c/d"),
		"#/properties/e~0f":                    "#/properties/" + n.send("e~f"),
		"#/properties/%C3%A9":                  "#/properties/" + n.send("é"),
		"#/properties/é":                       "#/properties/" + n.send("é"),
		"#/properties/properties/not":          "#/properties/properties/not",
		"#/anyOf/0/properties/a b/allOf/1":     "#/anyOf/0/properties/" + ab + "/allOf/1",
		"#/patternProperties/a b":              "#/patternProperties/a b",
		"#/x-own/a b":                          "#/x-own/a b",
		"#/properties/100%":                    "#/properties/100%",
		"https://example.com/properties/a%20b": "https://example.com/properties/a%20b",
	} {
		var got string
		if err := json.Unmarshal(n.reference(json.RawMessage(quotedName(t, ref))), &got); err != nil || got != want {
			t.Errorf("%s became %s, want %s (%v)", ref, got, want, err)
		}
	}
}

// TestPropertyNamesMean: what fits a schema fits its copy once the names are
// replaced, and nothing else does.
func TestPropertyNamesMean(t *testing.T) {
	t.Parallel()
	rating := `{"type":"object","properties":{"Wie traurig?":{"type":"number"},"怒り":{"$ref":"#/$defs/a scale"},"ok":true,"":false},
		"required":["Wie traurig?","怒り"],"additionalProperties":false,"$defs":{"a scale":{"anyOf":[{"type":"number"},{"type":"null"}]}}}`
	entries := `{"type":"array","prefixItems":[{"const":{"a b":1}}],"items":{"type":"object","properties":{"a b":{"$ref":"#/items/properties/c~1d"},"c/d":{"type":"integer"}},
		"dependentRequired":{"a b":["c/d"]},"if":{"required":["c/d"]},"then":{"properties":{"c/d":{"minimum":1}}},"propertyNames":{"enum":["a b","c/d"]}}}`
	for _, tt := range []struct {
		schema, instance string
		fits             bool
	}{
		{rating, `{"Wie traurig?":1,"怒り":null}`, true},
		{rating, `{"Wie traurig?":1,"怒り":2,"ok":"怒り"}`, true},
		{rating, `{"Wie traurig?":1}`, false},
		{rating, `{"Wie traurig?":1,"怒り":"2"}`, false},
		{rating, `{"Wie traurig?":1,"怒り":2,"喜び":3}`, false},
		{rating, `{"Wie traurig?":1,"怒り":2,"":3}`, false},
		{entries, `[{"a b":1},{"a b":2,"c/d":3},{"c/d":1}]`, true},
		{entries, `[{"a b":2}]`, false},
		{entries, `[{"a b":1},{"a b":2}]`, false},
		{entries, `[{"a b":1},{"a b":"2","c/d":3}]`, false},
		{entries, `[{"a b":1},{"c/d":0}]`, false},
		{entries, `[{"a b":1},{"e f":1}]`, false},
	} {
		n := namesOf(t, familyOf(claude45), tt.schema)
		sent := n.schema(json.RawMessage(tt.schema))
		upstream := string(n.arguments(json.RawMessage(tt.instance)))
		if got := fits(t, tt.schema, tt.instance); got != tt.fits {
			t.Errorf("%s fits the schema: %v", tt.instance, got)
		}
		if got := fits(t, string(sent), upstream); got != tt.fits {
			t.Errorf("%s fits the copy: %v\n%s", upstream, got, sent)
		}
		if back := n.restore(upstream); back != tt.instance {
			t.Errorf("%s came back as %s", tt.instance, back)
		}
	}
}

// fits reports whether an instance is valid under a schema.
func fits(t *testing.T, schema, instance string) bool {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(schema))
	if err != nil {
		t.Fatal(err)
	}
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(instance))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("schema.json", doc); err != nil {
		t.Fatal(err)
	}
	compiled, err := compiler.Compile("schema.json")
	if err != nil {
		t.Fatalf("%v\n%s", err, schema)
	}
	return compiled.Validate(value) == nil
}
