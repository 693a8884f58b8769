package jsonschema

import (
	"strings"
	"testing"
)

// TestErrorsAreAnonymous puts a participant's word wherever a schema may hold
// names of its own, and looks for it in what is said about the schema.
func TestErrorsAreAnonymous(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ schema, want string }{
		{`{"properties":{"Bob":{"type":"x"}}}`, "/properties/*/type "},
		{`{"properties":{"properties":{"Bob":1}},"type":"Bob"}`, "/type "},
		{`{"properties":{"properties":{"properties":{"Bob":1}}}}`, "/properties/*/properties/* "},
		{`{"Bob":{"type":"x"},"$ref":"#/Bob"}`, "/*/type "},
		{`{"x":{"Bob":{"items":{"minLength":-1}}},"$ref":"#/x/Bob"}`, "/*/*/items/minLength "},
		{`{"default":{"Bob":1,"Bob":2}}`, "/default/* "},
		{`{"const":{"Bob":{"Bob":"\ud800"}}}`, "/const/*/* "},
		{`{"Bob":1,"Bob":2}`, "at /* "},
		{`{"dependentRequired":{"Bob":["Bob","Bob"]}}`, "/dependentRequired/* "},
		{`{"dependentSchemas":{"Bob":{"patternProperties":{"Bob(":{}}}}}`, "/dependentSchemas/*/patternProperties/* "},
		{`{"$defs":{"Bob":{"$id":"https://x.example/Bob#Bob"}}}`, "/$defs/*/$id "},
		{`{"$ref":"Bob"}`, "/$ref "},
		{`{"properties":{"Bob":{"$anchor":"Bob"},"b":{"$anchor":"Bob"}}}`, "/properties/*/$anchor "},
		{`{"default":{"20741":{"a":1,"a":2}}}`, "/default/*/* "},
		{`{"allOf":[{},{"anyOf":[{"Bob":1},{"required":["a","a"]}]}]}`, "/allOf/1/anyOf/1/required "},
		{`{"type":["string","Bob"]}`, "/type "},
	} {
		_, err := Compile(tt.schema)
		if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "Bob") {
			t.Errorf("%s: %v, want %q in it", tt.schema, err, tt.want)
		}
	}
}

// TestMemory: what little text stands for counts, not its length.
func TestMemory(t *testing.T) {
	t.Parallel()
	small := mustCompile(t, `{"type":"object"}`).Memory
	for _, schema := range []string{
		`{"allOf":[` + strings.Repeat(`{},`, 1000) + `{}]}`,
		`{"pattern":"^[a-z]{0,900}x$"}`,
		`{"enum":[` + strings.Repeat(`1,`, 1000) + `1]}`,
	} {
		if got := mustCompile(t, schema).Memory; small < 1 || got < 20*small {
			t.Errorf("%.40s takes up %d bytes, and the smallest schema %d", schema, got, small)
		}
	}
}
