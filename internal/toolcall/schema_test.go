package toolcall

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"hyperstudy-endpoint/internal/openai"
)

// offering is a request that offers wait and a tool with these parameters.
func offering(schema string) *openai.ChatCompletionRequest {
	return &openai.ChatCompletionRequest{Tools: []openai.Tool{
		{Name: "wait"},
		{Name: "submit_response", Parameters: json.RawMessage(schema)},
	}}
}

var refusedSchemas = []struct{ name, schema, want string }{
	{"cut JSON", `{"type":"object"`, "must be complete JSON"},
	{"string", `"object"`, "is not valid JSON Schema"},
	{"unknown type", `{"type":"objekt"}`, "at /type is not valid JSON Schema"},
	{"deep fault", `{"properties":{"a":{"items":{"minLength":-1}}}}`, "at /properties/*/items/minLength is not valid JSON Schema"},
	{"properties as array", `{"type":"object","properties":[]}`, "at /properties is not valid"},
	{"required as boolean", `{"properties":{"a":{"required":true}}}`, "/properties/*/required is not valid"},
	{"a name twice", `{"type":"object","type":"object"}`, "at /type must not be given twice"},
	{"remote reference", `{"$ref":"https://schemas.example/a.json"}`, "refers to another document"},
	{"reference to a file", `{"properties":{"a":{"$ref":"file:///etc/passwd"}}}`, "refers to another document"},
	{"relative reference", `{"$ref":"other.json#/a"}`, "refers to another document"},
	{"remote reference below an id", `{"$id":"https://schemas.example/a","$ref":"b"}`, "refers to another document"},
	{"reference to nothing", `{"$ref":"#/$defs/a"}`, "a reference to something it does not hold"},
	{"reference to no anchor", `{"$ref":"#a"}`, "a reference to something it does not hold"},
	{"loop", `{"$ref":"#"}`, "leads back to itself"},
	{"longer loop", `{"allOf":[{"$ref":"#/$defs/a"}],"$defs":{"a":{"anyOf":[{"type":"object"},{"not":{"$ref":"#"}}]}}}`, "leads back to itself"},
	{"dynamic reference", `{"$dynamicAnchor":"n","properties":{"a":{"$dynamicRef":"#n"}}}`, "$dynamicRef"},
	{"metaschema", `{"$ref":"https://json-schema.org/draft/2020-12/schema"}`, "refers to another document"},
	{"no object", `{"type":"array"}`, "accepts no object"},
	{"false", `false`, "accepts no object"},
	{"no object by option", `{"enum":[1,"a"]}`, "accepts no object"},
	{"no object by parts", `{"allOf":[{"type":["object","string"]},{"anyOf":[{"type":"string"},{"const":null}]}]}`, "accepts no object"},
	{"lookahead", `{"properties":{"a":{"pattern":"^(?=x)"}}}`, "lookahead or lookbehind, which is not supported"},
	{"backreference", `{"properties":{"a":{"pattern":"(x)\\1"}}}`, "a backreference, which is not supported"},
	{"bad pattern", `{"properties":{"a":{"pattern":"["}}}`, "not a valid regular expression"},
	{"bad property pattern", `{"patternProperties":{"[":{}}}`, "not a valid regular expression"},
	{"too deep", strings.Repeat(`{"not":`, 70) + `{}` + strings.Repeat(`}`, 70), "must not be nested so deeply"},
	{"too many options", `{"properties":{"a":{"enum":[` + strings.Repeat("0,", 2000) + `1]}}}`, "at /properties/*/enum has more than 2000 options"},
	{"too many subschemas", `{"allOf":[` + strings.Repeat("{},", 4000) + `{}]}`, "more than 4000 subschemas"},
	{"too many values", `{"examples":[` + strings.Repeat("0,", 30000) + `1]}`, "must not hold so many values"},
	{"one id for two", `{"allOf":[{"$id":"https://schemas.example/a"},{"$id":"https://schemas.example/a"}]}`, "is the id of another part"},
	{"one anchor for two", `{"allOf":[{"$anchor":"a"},{"$anchor":"a"}]}`, "is the name of another part"},
	{"huge number", `{"properties":{"a":{"maximum":1e999999999}}}`, "at /properties/*/maximum must not be a number that is so long or so large"},
	{"costly patterns", `{"properties":{` + costlyPatterns(90) + `}}`, "too long or too costly"},
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	for _, tt := range refusedSchemas {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := New(offering(tt.schema))
			var e *openai.Error
			if !errors.As(err, &e) {
				t.Fatalf("error %v", err)
			}
			if e.Status != http.StatusBadRequest || e.Param != "tools[1].function.parameters" || e.Code != openai.CodeInvalidValue {
				t.Errorf("error %+v", e)
			}
			if !strings.Contains(e.Message, tt.want) || !strings.Contains(e.Message, "'submit_response'") {
				t.Errorf("message %q, want %q in it", e.Message, tt.want)
			}
		})
	}
}

func costlyPatterns(n int) string {
	var parts []string
	for i := range n {
		parts = append(parts, fmt.Sprintf(`"p%d":{"pattern":"^%d[a-z]{0,400}x$"}`, i, i))
	}
	return strings.Join(parts, ",")
}

func TestNewAccepts(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, schema, arguments string }{
		{"absent", ``, `{}`},
		{"null", `null`, `{}`},
		{"empty", `{}`, `{"anything":1}`},
		{"true", `true`, `{"anything":1}`},
		{"recursive", `{"type":"object","properties":{"next":{"$ref":"#"}},"additionalProperties":false}`, `{"next":{"next":{}}}`},
		{"id and reference to it", `{"$id":"https://schemas.example/a","$defs":{"n":{"type":"number"}},"properties":{"v":{"$ref":"https://schemas.example/a#/$defs/n"}}}`, `{"v":1}`},
		{"anchor", `{"$defs":{"n":{"$anchor":"num","type":"number"}},"properties":{"v":{"$ref":"#num"}}}`, `{"v":1}`},
		{"reference into properties", `{"properties":{"a":{"type":"number"},"b":{"$ref":"#/properties/a"}}}`, `{"a":1,"b":2}`},
		{"reference to an unknown keyword", `{"parts":{"n":{"type":"number"}},"properties":{"v":{"$ref":"#/parts/n"}}}`, `{"v":1}`},
		{"property named like a keyword", `{"properties":{"$ref":{"type":"string"},"enum":{"type":"string"},"pattern":{"type":"number"}}}`, `{"$ref":"https://a.example","enum":"x","pattern":1}`},
		{"unknown keywords", `{"x-order":["b","a"],"properties":{"v":{"nullable":true,"widget":"slider"}}}`, `{"v":1}`},
		{"unknown format", `{"properties":{"v":{"format":"colour"}}}`, `{"v":"red"}`},
		{"other dialect below", `{"properties":{"v":{"$schema":"https://schemas.example/x","type":"number"}}}`, `{"v":1}`},
		{"draft-04 range", `{"$schema":"http://json-schema.org/draft-04/schema#","type":"object","properties":{"v":{"minimum":0,"exclusiveMinimum":true}}}`, `{"v":1}`},
		{"count beyond all limits", `{"properties":{"v":{"maxLength":1e30}}}`, `{"v":"x"}`},
		{"regex format", `{"properties":{"v":{"format":"regex"}}}`, `{"v":"(?=a)b"}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			j, err := New(offering(tt.schema))
			if err != nil {
				t.Fatal(err)
			}
			v := j.Judge(answer(nil, "", [2]string{"submit_response", tt.arguments}))
			if v.Problem != None || len(v.Mended) > 0 || v.Calls[0].Call.Function.Arguments != tt.arguments {
				t.Errorf("verdict %+v", v)
			}
		})
	}
}

// TestNewLoadsNothing offers a reference to a server that is there.
func TestNewLoadsNothing(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the schema was fetched") }))
	defer srv.Close()
	for _, schema := range []string{`{"$ref":"%s/a.json"}`, `{"$schema":"%s/meta","type":"object"}`, `{"$id":"%s/x","properties":{"a":{"$ref":"y"}}}`} {
		_, _ = New(offering(fmt.Sprintf(schema, srv.URL))) // some of these are fine without the document
	}
}

func TestNewLimitsRequests(t *testing.T) {
	t.Parallel()
	long := fmt.Sprintf(`{"type":"object","description":%q}`, strings.Repeat("x", maxSchemaBytes/2))
	req := &openai.ChatCompletionRequest{Tools: []openai.Tool{
		{Name: "a", Parameters: json.RawMessage(long)}, {Name: "b", Parameters: json.RawMessage(long)},
	}}
	_, err := New(req)
	if e := openai.AsError(err); e.Status != http.StatusBadRequest || e.Param != "tools" {
		t.Errorf("error %+v", e)
	}
	req.ToolChoice = openai.ToolChoice{Mode: openai.ChoiceRequired, Names: []string{"b"}}
	if _, err := New(req); err != nil {
		t.Errorf("one of the tools: %v", err)
	}
	req = &openai.ChatCompletionRequest{}
	for i := range 4 {
		req.Tools = append(req.Tools, openai.Tool{Name: fmt.Sprint("t", i), Parameters: json.RawMessage(`{"properties":{` + costlyPatterns(20+i) + `}}`)})
	}
	_, err = New(req)
	if e := openai.AsError(err); e.Status != http.StatusBadRequest || e.Param != "tools[3].function.parameters" {
		t.Errorf("error %+v", e)
	}
}

// TestErrorsKeepQuiet checks that no word of a schema is in the error about it.
func TestErrorsKeepQuiet(t *testing.T) {
	t.Parallel()
	const secret = "zebra"
	for _, schema := range []string{
		`{"type":"zebra"}`, `{"$ref":"https://zebra.example"}`, `{"$ref":"#/zebra"}`, `{"$ref":"#zebra"}`, `{"properties":{"a":{"pattern":"zebra["}}}`,
		`{"enum":["zebra"]}`, `{"$id":"::zebra","type":"object"}`, `{"$ref":"zebra%zz"}`, `{"$schema":"zebra"`, `{"patternProperties":{"(?=zebra)":{}}}`,
	} {
		if _, err := New(offering(schema)); err == nil || strings.Contains(err.Error(), secret) {
			t.Errorf("%s: %v", schema, err)
		}
	}
}

func TestErrorsDoNotNameProperties(t *testing.T) {
	t.Parallel()
	_, err := New(offering(`{"type":"object","properties":{"How sad?":{"type":"strong"}}}`))
	if err == nil || strings.Contains(err.Error(), "sad") || !strings.Contains(err.Error(), "/properties/*/type") {
		t.Errorf("%v", err)
	}
}
