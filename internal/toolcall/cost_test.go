package toolcall

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"hyperstudy-endpoint/internal/openai"
)

// doubling is a schema in which every level applies the next one twice.
func doubling(levels int) string {
	var b strings.Builder
	b.WriteString(`{"$ref":"#/$defs/a0","$defs":{`)
	for i := range levels {
		fmt.Fprintf(&b, `"a%d":{"allOf":[{"$ref":"#/$defs/a%d"},{"$ref":"#/$defs/a%d"}]},`, i, i+1, i+1)
	}
	fmt.Fprintf(&b, `"a%d":{"type":"object"}}}`, levels)
	return b.String()
}

func valueSchema(schema string) string {
	return `{"type":"object","properties":{"value":` + schema + `},"required":["value"],"additionalProperties":false}`
}

// arrayOf is a JSON array of n items, each made from its index.
func arrayOf(n int, item string) string {
	items := make([]string, n)
	for i := range items {
		items[i] = strings.ReplaceAll(item, "#", fmt.Sprint(i))
	}
	return "[" + strings.Join(items, ",") + "]"
}

// TestSlowAnswers judges what would take long without limits: 64 KB of the
// worst. The time allowed is far above the 100 ms that are promised only because
// the tests run beside others, and under the race detector.
func TestSlowAnswers(t *testing.T) {
	const scale = `{"type":"array","items":{"type":"number","minimum":0,"multipleOf":0.1}}`
	options := arrayOf(2000, `"option #"`)
	for _, tt := range []struct{ name, schema, arguments string }{
		{"numbers", valueSchema(scale), `{"value":` + arrayOf(9000, "#") + `}`},
		{"numbers as strings", valueSchema(scale), `{"value":` + arrayOf(6000, `"#"`) + `}`},
		{"numbers off the step", valueSchema(scale), `{"value":` + arrayOf(9000, "0.01") + `}`},
		{"too many numbers", valueSchema(scale), `{"value":` + arrayOf(30000, "1") + `}`},
		{"large exponents", valueSchema(scale), `{"value":` + arrayOf(9000, "1e-400") + `}`},
		{"small exponents", valueSchema(scale), `{"value":` + arrayOf(9000, "1e-399") + `}`},
		{"long numbers", valueSchema(scale), `{"value":` + arrayOf(125, strings.Repeat("7", 500)) + `}`},
		{"unique items", valueSchema(`{"uniqueItems":true}`), `{"value":` + arrayOf(9000, "#") + `}`},
		{"options", valueSchema(`{"items":{"enum":` + options + `}}`), `{"value":` + arrayOf(4000, `"option 1999"`) + `}`},
		{"options to match", valueSchema(`{"items":{"enum":` + options + `}}`), `{"value":` + arrayOf(100, `" OPTION # "`) + `}`},
		{"number options", valueSchema(`{"items":{"enum":` + arrayOf(2000, "#") + `}}`), `{"value":` + arrayOf(9000, `1999`) + `}`},
		{"many readings", valueSchema(`{"items":{"anyOf":[{"const":"Yes"},{"const":"YES"}]}}`), `{"value":` + arrayOf(7000, `"yes"`) + `}`},
		{"extra properties", valueSchema(`{}`), `{"value":1,` + strings.Trim(arrayOf(6000, `"p#":1`), "[]") + `}`},
		{"null properties", `{"type":"object","additionalProperties":{"type":"string"}}`, `{` + strings.Trim(arrayOf(4500, `"p#":null`), "[]") + `}`},
		{"unevaluated properties", `{"type":"object","allOf":[{"properties":{"a":{}}}],"unevaluatedProperties":false}`, `{` + strings.Trim(arrayOf(6000, `"p#":1`), "[]") + `}`},
		{"contains", valueSchema(`{"contains":{"minLength":4},"items":{"maxLength":0}}`), `{"value":` + arrayOf(9000, `"1"`) + `}`},
		{"nesting", valueSchema(`{}`), `{"value":` + strings.Repeat("[", 30000) + strings.Repeat("]", 30000) + `}`},
		{"nesting in a string", valueSchema(`{"type":"array"}`), `{"value":"` + strings.Repeat("[", 60000) + `"}`},
		{"doubling", doubling(60), `{}`},
		{
			"doubling with depth", `{"properties":{"x":{"anyOf":[{"$ref":"#"},{"allOf":[{"$ref":"#"},{"$ref":"#"}]}]}}}`,
			strings.Repeat(`{"x":`, 60) + `{}` + strings.Repeat(`}`, 60),
		},
		{"costly pattern", valueSchema(`{"pattern":"^(a?b?c?){0,900}$"}`), `{"value":"` + strings.Repeat("abc", 20000) + `"}`},
		{"nested repetition", valueSchema(`{"pattern":"(x+x+)+y"}`), `{"value":"` + strings.Repeat("x", 64000) + `"}`},
		{"costly names", `{"type":"object","patternProperties":{"^(a?b?){0,500}$":{}}}`, `{` + strings.Trim(arrayOf(5000, `"ab#":1`), "[]") + `}`},
		{"regular expressions", valueSchema(`{"items":{"format":"regex"}}`), `{"value":` + arrayOf(3000, `"(a{0,#}b{0,900}){1}"`) + `}`},
		{"malformed", valueSchema(scale), `{"value":` + strings.Repeat(`[{"a":`, 10000)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			j, err := New(offering(tt.schema))
			if err != nil {
				t.Fatal(err)
			}
			m := answer(nil, "", [2]string{"submit_response", tt.arguments})
			judgeInTime(t, j, m)
		})
	}
}

// judgeInTime judges the answer and fails if that takes too long. One slow run
// may be another process's fault; three are not.
func judgeInTime(tb testing.TB, j *Judge, m *openai.AnswerMessage) Verdict {
	tb.Helper()
	const allowed = 400 * time.Millisecond
	var v Verdict
	var took time.Duration
	for range 3 {
		start := time.Now()
		v = j.Judge(m)
		if took = time.Since(start); took < allowed*raceFactor {
			return v
		}
	}
	tb.Errorf("took %v", took)
	return v
}

// TestSeveralSlowCalls shares one budget among the calls of an answer.
func TestSeveralSlowCalls(t *testing.T) {
	j, err := New(offering(valueSchema(`{"items":{"type":"number","minimum":5}}`)))
	if err != nil {
		t.Fatal(err)
	}
	var calls [][2]string
	for i := range 60 {
		calls = append(calls, [2]string{"submit_response", `{"value":` + arrayOf(400, fmt.Sprint(i)) + `}`})
	}
	v := judgeInTime(t, j, answer(nil, "", calls...))
	if v.Problem != SeveralToolCalls {
		t.Errorf("problem %v", v.Problem)
	}
}

func TestTooComplexIsInvalid(t *testing.T) {
	t.Parallel()
	j, err := New(offering(doubling(40)))
	if err != nil {
		t.Fatal(err)
	}
	v := j.Judge(answer(nil, "", [2]string{"submit_response", `{}`}))
	if v.Problem != InvalidToolCall || len(v.Calls) != 1 || v.Calls[0].Violations[0] != tooComplex {
		t.Errorf("verdict %+v", v)
	}
	j, err = New(offering(`{}`))
	if err != nil {
		t.Fatal(err)
	}
	v = j.Judge(answer(nil, "", [2]string{"submit_response", `{"a":"` + strings.Repeat("x", maxAnswerBytes) + `"}`}))
	if v.Problem != InvalidToolCall || v.Calls[0].Violations[0] != tooLong {
		t.Errorf("verdict %+v", v.Problem)
	}
}

// TestManyViolations lists no more than anybody reads.
func TestManyViolations(t *testing.T) {
	t.Parallel()
	j, err := New(offering(valueSchema(`{"items":{"minimum":5}}`)))
	if err != nil {
		t.Fatal(err)
	}
	v := j.Judge(answer(nil, "", [2]string{"submit_response", `{"value":` + arrayOf(300, "1") + `}`}))
	found := v.Calls[0].Violations
	if len(found) != maxViolations+1 || found[maxViolations].Message != "and 200 more" {
		t.Errorf("%d violations, the last %+v", len(found), found[len(found)-1])
	}
}

// TestSeveralLongCalls judges calls whose texts alone take long to read.
func TestSeveralLongCalls(t *testing.T) {
	j, err := New(offering(valueSchema(`{"type":"array"}`)))
	if err != nil {
		t.Fatal(err)
	}
	long := `{"value":` + arrayOf(9000, "1234567890123456789") + `}`
	for _, tt := range []struct {
		name string
		call func(i int) string
		want Problem
	}{
		{"all alike", func(int) string { return long }, None},
		{"all but the first alike", func(i int) string { return long + strings.Repeat(" ", min(i, 1)) }, None},
		{"spaced differently", func(i int) string { return long + strings.Repeat(" ", i) }, SeveralToolCalls},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var calls [][2]string
			for i := range maxCalls {
				calls = append(calls, [2]string{"submit_response", tt.call(i)})
			}
			m := answer(nil, "", calls...)
			if v := judgeInTime(t, j, m); v.Problem != tt.want {
				t.Errorf("problem %v, want %v", v.Problem, tt.want)
			}
		})
	}
}
