package app_test

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// chain is a schema in which each definition names the next one twice, so that
// what it stands for doubles with every step.
func chain(steps int) string {
	var b strings.Builder
	b.WriteString(`{"type":"object","properties":{"value":{"$ref":"#/$defs/d0"}},"$defs":{`)
	for i := range steps {
		fmt.Fprintf(&b, `"d%d":{"allOf":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]},`, i, i+1, i+1)
	}
	fmt.Fprintf(&b, `"d%d":{"type":"number"}}}`, steps)
	return b.String()
}

// nested repeats opening and closing around a middle.
func nested(n int, opening, middle, closing string) string {
	return strings.Repeat(opening, n) + middle + strings.Repeat(closing, n)
}

// hostile are requests and answers that are made to take long, or too much.
func hostile() []hostileCase {
	value := func(schema string) string { return `{"type":"object","properties":{"value":` + schema + `}}` }
	object := func(v string) string { return `{"value":` + v + `}` }
	return []hostileCase{
		{"huge exponent", value(`{"type":"number","minimum":0,"maximum":100,"multipleOf":0.1}`), object(`1e999999999`)},
		{"huge negative exponent", value(`{"type":"number","multipleOf":0.1}`), object(`1e-999999999`)},
		{"huge exponent as text", value(`{"type":"number","maximum":100}`), object(`"1e999999999"`)},
		{"huge exponent for an integer", value(`{"type":"integer"}`), object(`1e99999999`)},
		{"huge exponent among options", value(`{"enum":[1,2,1e99999999]}`), object(`1e99999998`)},
		{"huge exponent as a constant", value(`{"const":1e999999999}`), object(`2`)},
		{"huge limit", value(`{"type":"number","maximum":1e999999999}`), object(`2`)},
		{"tiny step", value(`{"type":"number","multipleOf":1e-99999999}`), object(`2`)},
		{"long number", value(`{"type":"number","multipleOf":0.1}`), object(strings.Repeat("7", 200_000))},
		{"long number as text", value(`{"type":"number","multipleOf":0.1}`), object(`"` + strings.Repeat("7", 200_000) + `"`)},
		{"doubling references", chain(40), object(`2`)},
		{"reference to itself", value(`{"$ref":"#/properties/value"}`), object(`2`)},
		{"references in a circle", `{"type":"object","properties":{"value":{"$ref":"#/$defs/a"}},"$defs":{"a":{"$ref":"#/$defs/b"},"b":{"anyOf":[{"$ref":"#/$defs/a"}]}}}`, object(`2`)},
		{"deep schema", value(nested(3000, `{"items":`, `{}`, `}`)), object(nested(3000, `[`, ``, `]`))},
		{"deep value", value(`{}`), object(nested(9000, `[`, `1`, `]`))},
		{"deeper value", value(`{}`), object(nested(200_000, `[`, `1`, `]`))},
		{"deep recursion", `{"type":"object","properties":{"value":{"$ref":"#/$defs/n"}},"$defs":{"n":{"type":"array","items":{"$ref":"#/$defs/n"}}}}`, object(nested(5000, `[`, ``, `]`))},
		{"costly pattern", value(`{"type":"string","pattern":"^(a+)+$"}`), object(`"` + strings.Repeat("a", 100_000) + `b"`)},
		{"repeated pattern", value(`{"type":"string","pattern":"((((a{0,1000}){0,1000}){0,1000}){0,1000})"}`), object(`"a"`)},
		{"long pattern", value(`{"type":"string","pattern":"` + strings.Repeat("(a|b)*", 20_000) + `"}`), object(`"a"`)},
		{"unique items", value(`{"type":"array","uniqueItems":true}`), object(`[` + strings.TrimSuffix(strings.Repeat(`{"a":[1,2,3]},`, 20_000), ",") + `]`)},
		{"different items", value(`{"type":"array","uniqueItems":true,"items":{"type":"string"}}`), object(manyStrings(20_000))},
		{"many options", value(`{"type":"string","enum":` + manyStrings(20_000) + `}`), object(`"NOBODY"`)},
		{"many mistakes", value(`{"type":"array","items":{"type":"string"}}`), object(`[` + strings.TrimSuffix(strings.Repeat("1,", 100_000), ",") + `]`)},
		{"many alternatives", value(`{"anyOf":[` + strings.TrimSuffix(strings.Repeat(`{"type":"array","items":{"type":"string"}},`, 500), ",") + `]}`), object(`[` + strings.TrimSuffix(strings.Repeat("1,", 5000), ",") + `]`)},
		{"encoded again and again", value(`{"type":"object"}`), `"` + strings.Repeat(`\\`, 50_000) + `"`},
		{"many names that are missing", value(`{"type":"array","items":{"required":` + manyStrings(9000) + `}}`), object(`[` + strings.TrimSuffix(strings.Repeat(`{},`, 9000), ",") + `]`)},
		{"a wide union of numbers", value(`{"anyOf":[` + strings.TrimSuffix(strings.Repeat(`{"type":"number","minimum":9},`, 3000), ",") + `]}`), object(`"5"`)},
		{"a long name above many mistakes", `{"type":"object","additionalProperties":{"items":{"type":"string"}}}`, `{"` + strings.Repeat("n", 200_000) + `":[` + strings.TrimSuffix(strings.Repeat("1,", 9000), ",") + `]}`},
		{"a large repetition", value(`{"type":"string","pattern":"(?:` + strings.Repeat("abcd", 480) + `){1000}"}`), object(`"a"`)},
		{"large classes", value(`{"type":"string","pattern":"[` + strings.Repeat(`\\p{L}`, 330) + `]"}`), object(`"a"`)},
		{"a long step", value(`{"type":"array","items":{"type":"number","multipleOf":0.` + strings.Repeat("7", 500) + `}}`), object(`[` + strings.TrimSuffix(strings.Repeat("0.12345678901,", 9000), ",") + `]`)},
		{"many tags", value(`{"type":"number"}`), strings.Repeat("<tool_call>{", 50_000)},
	}
}

type hostileCase struct{ name, schema, arguments string }

// reply is the answer of the case, as a call where the upstream has a way to
// make it.
func (h *hostileCase) reply(b *backend) step {
	asText := !strings.HasPrefix(h.arguments, `{`) && !strings.HasPrefix(h.arguments, `"`)
	if asText || !b.isExternal() && strings.HasPrefix(h.name, "deeper") {
		return says(h.arguments)
	}
	return submits(h.arguments)
}

// TestHostileRequests puts each of them to one function: it answers soon, stays
// small, and goes on to work.
func TestHostileRequests(t *testing.T) {
	t.Parallel()
	for _, b := range []backend{both[0], both[1], {"baseline", "baseline:random", false}} {
		t.Run(b.name, func(t *testing.T) {
			t.Parallel()
			s := on(t, b)
			for _, tc := range hostile() {
				t.Run(tc.name, func(t *testing.T) { s.survives(t, &tc) })
			}
		})
	}
}

func (s *stage) survives(t *testing.T, h *hostileCase) {
	t.Helper()
	body := `{"model":"agent","messages":[{"role":"user","content":"x"}],"tools":[{"type":"function","function":{"name":"submit_response","parameters":` + h.schema + `}}]}`
	start := time.Now()
	a := s.ask(t, []byte(body), h.reply(&s.backend))
	if took := time.Since(start); took > 20*time.Second { // it takes a hundredth of that on a machine at rest
		t.Errorf("answered after %v", took)
	}
	if a.status != 200 {
		if e := a.failure(t); e.code == "internal_error" || e.code == "timeout" {
			t.Errorf("%+v", e)
		}
	}
	s.ask(t, request(t, "rating"), submits(answered)).completion(t)
	all := s.chat.Invocations()
	last := all[len(all)-1]
	if last.Environment != 1 {
		t.Errorf("the function did not live on: %s", lines(s.logs()))
	}
	if last.PeakRSS > 200<<20 {
		t.Errorf("%d MB of memory", last.PeakRSS>>20)
	}
}

// manyStrings is an array of n different strings.
func manyStrings(n int) string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf(`"option %d"`, i)
	}
	return "[" + strings.Join(list, ",") + "]"
}
