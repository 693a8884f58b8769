package toolcall

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"hyperstudy-endpoint/internal/openai"
)

// listOf is arrayOf without the brackets.
func listOf(n int, item string) string { return strings.TrimSuffix(arrayOf(n, item)[1:], "]") }

// chainOf is a schema whose value goes through n definitions, each made from its
// index and from a reference to the next.
func chainOf(n int, link, last string) string {
	var b strings.Builder
	b.WriteString(`{"properties":{"value":{"$ref":"#/$defs/a0"}},"$defs":{`)
	for i := range n {
		fmt.Fprintf(&b, `"a%d":%s,`, i, strings.Replace(link, "NEXT", fmt.Sprintf(`{"$ref":"#/$defs/a%d"}`, i+1), 1))
	}
	fmt.Fprintf(&b, `"a%d":%s}}`, n, last)
	return b.String()
}

// allocated returns the bytes that f allocates, which are garbage to clear away
// even if they are not all held at once. Nothing else may run beside it. The race
// detector makes pools forget, so that more is allocated.
func allocated(f func()) int {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return int(after.TotalAlloc - before.TotalAlloc)
}

const (
	five    = `{"minimum":5,"exclusiveMinimum":5,"maximum":-5,"exclusiveMaximum":-5,"multipleOf":3}`
	scale   = `{"type":"number","minimum":#}`
	objects = `{"type":"object","properties":{"a":{"type":"string"}}}`
)

// hostileTests are schemas and answers of which each took seconds or gigabytes
// where some part of the work was not counted.
var hostileTests = []struct{ name, schema, arguments string }{
	{"required names", valueSchema(`{"items":{"required":` + arrayOf(20000, `"n#"`) + `}}`), `{"value":` + arrayOf(9900, "{}") + `}`},
	{"dependent names", valueSchema(`{"items":{"dependentRequired":{` + listOf(9000, `"n#":[]`) + `}}}`), `{"value":` + arrayOf(9900, `{}`) + `}`},
	{"missing names", valueSchema(`{"items":{"required":` + arrayOf(20000, `"n#"`) + `}}`), `{"value":[{},{},{},{}]}`},
	{"property patterns", `{"patternProperties":{` + listOf(3900, `"x#":{}`) + `}}`, `{` + listOf(9900, `"p#":1`) + `}`},
	{"a long step", valueSchema(`{"items":{"multipleOf":0.` + strings.Repeat("7", 500) + `e-400}}`), `{"value":` + arrayOf(9900, "0.12345678901#") + `}`},
	{"a long minimum", valueSchema(`{"items":{"minimum":` + strings.Repeat("7", 500) + `.7e-399}}`), `{"value":` + arrayOf(9900, "1") + `}`},
	{"unions in unions", chainOf(1900, `{"anyOf":[NEXT]}`, `{"type":"string"}`), `{"value":1}`},
	{"unions in unions, often", strings.Replace(chainOf(1900, `{"anyOf":[NEXT]}`, `{"type":"string"}`), `{"$ref":"#/$defs/a0"}`, `{"items":{"$ref":"#/$defs/a0"}}`, 1), `{"value":[1,2,3,4,5,6,7,8,9,10]}`},
	{"a wide union", valueSchema(`{"anyOf":[` + listOf(3900, scale) + `]}`), `{"value":"-5"}`},
	{"a wide union, often", valueSchema(`{"items":{"anyOf":[` + listOf(3900, scale) + `]}}`), `{"value":["-5","-5","-5","-5","-5"]}`},
	{"a wide union of many ways", `{"anyOf":[` + listOf(1900, `{"properties":{"p#":{"type":"number"}}}`) + `]}`, `{` + listOf(1900, `"p#":"5"`) + `}`},
	{"null in a wide union", valueSchema(`{"items":{"properties":{"a":{"anyOf":[` + listOf(3000, `{"type":"string"}`) + `]}}}}`), `{"value":` + arrayOf(5, `{"a":null}`) + `}`},
	{"an encoded value in a wide union", valueSchema(`{"anyOf":[` + listOf(3000, `{"type":"array","minItems":#}`) + `]}`), `{"value":` + encode(arrayOf(9900, `{"a":1}`)) + `}`},
	{"an option in a wide union", valueSchema(`{"anyOf":[` + listOf(90, `{"const":"a#"}`) + `]}`), `{"value":"` + strings.Repeat("e\u0301", 60000) + `"}`},
	{"properties that are false", valueSchema(`{"items":{"properties":{` + listOf(3900, `"p#":false`) + `},"additionalProperties":false}}`), `{"value":` + arrayOf(4900, `{"x":1}`) + `}`},
	{"long extra names", valueSchema(`{"items":{"properties":{"a":{}},"additionalProperties":false}}`), `{"value":` + arrayOf(120, `{"a":1,"`+strings.Repeat("é", 900)+`":1,"y":2}`) + `}`},
	{"a long name above many faults", `{"additionalProperties":{"items":{"type":"string"}}}`, `{"` + strings.Repeat("n", 200000) + `":` + arrayOf(5000, "true") + `}`},
	{"deep faults", `{"properties":{"value":{"$ref":"#/$defs/a"}},"$defs":{"a":{"items":{"$ref":"#/$defs/a"},"allOf":[` + five + `,` + five + `]}}}`, `{"value":` + strings.Repeat("[", 60) + listOf(9800, "1") + strings.Repeat("]", 60) + `}`},
	{"references above many faults", chainOf(3900, `NEXT`, `{"items":{"items":{"type":"string"}}}`), `{"value":[` + arrayOf(9900, "true") + `]}`},
	{"references around depth", chainOf(3900, `NEXT`, `{"items":{"$ref":"#/$defs/a0"}}`), `{"value":` + strings.Repeat("[", 60) + strings.Repeat("]", 60) + `}`},
	{"properties in regular expressions", valueSchema(`{"items":{"format":"regex"}}`), `{"value":` + arrayOf(100, `"[`+strings.Repeat(`\\p{L}`, 330)+`]#"`) + `}`},
	{"ranges without case in regular expressions", valueSchema(`{"items":{"format":"regex"}}`), `{"value":` + arrayOf(120, `"(?i)[`+strings.Repeat("b-\U00012000", 320)+`]#"`) + `}`},
	{"large repetitions in regular expressions", valueSchema(`{"items":{"format":"regex"}}`), `{"value":` + arrayOf(120, `"`+strings.Repeat(`a{1001}`, 280)+`#"`) + `}`},
	{"unevaluated in a wide union", `{"anyOf":[` + listOf(1900, `{"properties":{"p#":true}}`) + `],"unevaluatedProperties":false}`, `{` + listOf(9900, `"p#":1`) + `}`},
	{"long URI template", valueSchema(`{"format":"uri-template"}`), `{"value":"` + strings.Repeat("{a}", 80000) + `"}`},
	{"encoded objects", valueSchema(`{"items":` + objects + `}`), `{"value":` + arrayOf(9000, `"{\"a\":1}"`) + `}`},
}

func TestHostileAnswers(t *testing.T) {
	const most = 64 << 20 // half of the smallest function
	for _, tt := range hostileTests {
		t.Run(tt.name, func(t *testing.T) {
			if len(tt.schema) > maxSchemaBytes || len(tt.arguments) > maxAnswerBytes {
				t.Fatalf("%d bytes of schema and %d of an answer are refused for their length", len(tt.schema), len(tt.arguments))
			}
			j, err := New(offering(tt.schema))
			if err != nil {
				t.Fatal(err)
			}
			m := answer(nil, "", [2]string{"submit_response", tt.arguments})
			if n := allocated(func() { judgeInTime(t, j, m) }); n > most*raceFactor {
				t.Errorf("allocated %d MB", n>>20)
			}
		})
	}
}

// TestHostileOthers offers a second tool that takes long to rule out, and one
// whose parameters take long to look up.
func TestHostileOthers(t *testing.T) {
	wide := `{"patternProperties":{"^.*$":{}},"allOf":[` + listOf(3900, `{}`) + `]}`
	req := offering(valueSchema(`{}`))
	req.Tools = append(req.Tools, openai.Tool{Name: "other", Parameters: []byte(wide)})
	j, err := New(req)
	if err != nil {
		t.Fatal(err)
	}
	v := judgeInTime(t, j, answer(nil, "", [2]string{"submit_response", `{"value":1,` + listOf(9000, `"p#":1`) + `}`}))
	if v.Problem != InvalidToolCall {
		t.Errorf("verdict %+v", v.Problem)
	}
	var written strings.Builder
	for i := range 8000 {
		fmt.Fprintf(&written, "<parameter=p%d>1</parameter>", i)
	}
	content := "<function=other>" + written.String() + "</function>"
	judgeInTime(t, j, answer(&content, ""))
}

// TestHostileSchemas compiles what took seconds or hundreds of megabytes.
func TestHostileSchemas(t *testing.T) {
	classes := `"[` + strings.Repeat(`\\p{L}`, 330) + `]#"`
	for _, tt := range []struct{ name, schema string }{
		{"required names", `{"required":` + arrayOf(29000, `"n#"`) + `}`},
		{"a long name above many subschemas", `{"properties":{"` + strings.Repeat("n", 200000) + `":{"allOf":[` + listOf(3990, `{}`) + `]}}}`},
		{"a long id", `{"$id":"https://x.example/` + strings.Repeat("n/", 75000) + `","$defs":{"a":{"$id":"a"}},"allOf":[` + listOf(1900, `{"$ref":"a"}`) + `]}`},
		{"properties in one class", `{"allOf":[` + listOf(120, `{"pattern":`+classes+`}`) + `]}`},
		{"many properties", `{"allOf":[` + listOf(120, `{"pattern":"`+strings.Repeat(`\\p{L}`, 330)+`#"}`) + `]}`},
		{"ranges without case", `{"pattern":"(?i)[` + strings.Repeat("b-\U00012000", 320) + `]"}`},
		{"no space without case", `{"pattern":"(?i)` + strings.Repeat(`\\S`, 900) + `"}`},
		{"no space in classes without case", `{"pattern":"(?i)` + strings.Repeat(`[\\S]`, 400) + `"}`},
		{"millions of instructions", `{"pattern":"(?:` + strings.Repeat(`abcd`, 480) + `){1000}"}`},
		{"millions of instructions in parts", `{"pattern":"(?:` + strings.Repeat(`abcd`, 200) + `){4000}"}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if len(tt.schema) > maxSchemaBytes {
				t.Fatalf("%d bytes are refused for their length", len(tt.schema))
			}
			const allowed, most = 400 * time.Millisecond, 40 << 20
			start := time.Now()
			n := allocated(func() { _, _ = New(offering(tt.schema)) })
			if took := time.Since(start); took > allowed*raceFactor || n > most*raceFactor {
				t.Errorf("took %v and %d MB", took, n>>20)
			}
		})
	}
}
