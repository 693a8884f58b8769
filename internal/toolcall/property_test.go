package toolcall

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"hyperstudy-endpoint/internal/jsontree"
)

// A drawn schema comes with a way to draw values that are valid, to spoil
// them beyond repair, and to write them in a form that has to be mended.
type drawn struct {
	schema string
	valid  func(r *rand.Rand) string
	// wrong is a value that is not valid and has no valid reading.
	wrong func(r *rand.Rand) string
	// misspell writes a valid value in another form. It returns "" if the schema
	// has none.
	misspell func(r *rand.Rand, valid string) string
}

// draw makes a random schema of at most so many levels.
func draw(r *rand.Rand, depth int) drawn {
	makers := []func(*rand.Rand, int) drawn{drawScale, drawInteger, drawOption, drawText, drawBoolean, drawNullable}
	if depth > 0 {
		makers = append(makers, drawArray, drawObject, drawObject)
	}
	return makers[r.IntN(len(makers))](r, depth-1)
}

func drawScale(r *rand.Rand, _ int) drawn {
	low, steps := r.IntN(50)-25, 1+r.IntN(100)
	tenths := func(n int) string { return strconv.FormatFloat(float64(n)/10, 'f', -1, 64) }
	return drawn{
		schema: fmt.Sprintf(`{"type":"number","minimum":%s,"maximum":%s,"multipleOf":0.1}`, tenths(low), tenths(low+steps)),
		valid:  func(r *rand.Rand) string { return tenths(low + r.IntN(steps+1)) },
		wrong: func(r *rand.Rand) string {
			return []string{tenths(low + steps + 1), tenths(low - 1), tenths(low) + "00001e1", `"about 3"`, `true`, `[]`, `null`, `"` + tenths(low-1) + `"`}[r.IntN(8)]
		},
		misspell: func(_ *rand.Rand, valid string) string { return `"` + valid + `"` },
	}
}

func drawInteger(r *rand.Rand, _ int) drawn {
	points := 2 + r.IntN(9)
	return drawn{
		schema: fmt.Sprintf(`{"type":"integer","minimum":1,"maximum":%d}`, points),
		valid:  func(r *rand.Rand) string { return strconv.Itoa(1 + r.IntN(points)) },
		wrong: func(r *rand.Rand) string {
			return []string{"0", strconv.Itoa(points + 1), "1.5", `"1.5"`, `"agree"`, `false`, `{}`}[r.IntN(7)]
		},
		misspell: func(r *rand.Rand, valid string) string {
			return []string{`"` + valid + `"`, valid + ".00000000000001"}[r.IntN(2)]
		},
	}
}

func drawOption(r *rand.Rand, _ int) drawn {
	options := []string{"Agree", "Disagree", "Not sure", "naïve", "2", "ὈΔΥΣΣΕΎΣ"}
	r.Shuffle(len(options), func(i, k int) { options[i], options[k] = options[k], options[i] })
	options = options[:2+r.IntN(4)]
	listed, err := json.Marshal(options)
	if err != nil {
		panic(err)
	}
	return drawn{
		schema: `{"type":"string","enum":` + string(listed) + `}`,
		valid:  func(r *rand.Rand) string { return strconv.Quote(options[r.IntN(len(options))]) },
		wrong: func(r *rand.Rand) string {
			return []string{`"Ag"`, `"naive"`, `"disagree!"`, `0`, `null`, `["Agree"]`, `""`, `true`}[r.IntN(8)]
		},
		misspell: func(r *rand.Rand, valid string) string {
			said := strings.Trim(valid, `"`)
			return strconv.Quote([]string{" " + said, said + "\n", strings.ToUpper(said) + " ", strings.ToLower(said) + " ", `"` + said + `"`}[r.IntN(5)])
		},
	}
}

func drawText(r *rand.Rand, _ int) drawn {
	least := r.IntN(4)
	return drawn{
		schema: fmt.Sprintf(`{"type":"string","minLength":%d,"maxLength":%d,"pattern":"^[^#]*$"}`, least, least+5),
		valid: func(r *rand.Rand) string {
			return `"` + strings.Repeat([]string{"é", `\n`, `\ud83d\ude00`, `\"`, "x", " ", "7"}[r.IntN(7)], least+r.IntN(6)) + `"`
		},
		wrong: func(r *rand.Rand) string {
			return []string{`"#"`, `"` + strings.Repeat("é", least+6) + `"`, `false`, `1234567890123`, `1e3`}[r.IntN(5)]
		},
		misspell: func(*rand.Rand, string) string { return "" },
	}
}

func drawBoolean(*rand.Rand, int) drawn {
	return drawn{
		schema:   `{"type":"boolean"}`,
		valid:    func(r *rand.Rand) string { return []string{"true", "false"}[r.IntN(2)] },
		wrong:    func(r *rand.Rand) string { return []string{`1`, `0`, `"yes"`, `"True"`, `null`, `[]`}[r.IntN(6)] },
		misspell: func(_ *rand.Rand, valid string) string { return `"` + valid + `"` },
	}
}

func drawNullable(r *rand.Rand, depth int) drawn {
	inner := drawScale(r, depth)
	return drawn{
		schema: `{"anyOf":[{"type":"null"},` + inner.schema + `]}`,
		valid: func(r *rand.Rand) string {
			if r.IntN(2) == 0 {
				return "null"
			}
			return inner.valid(r)
		},
		wrong: func(r *rand.Rand) string {
			for {
				if w := inner.wrong(r); w != "null" {
					return w
				}
			}
		},
		misspell: func(r *rand.Rand, valid string) string {
			if valid == "null" {
				return ""
			}
			return inner.misspell(r, valid)
		},
	}
}

func drawArray(r *rand.Rand, depth int) drawn {
	item := draw(r, depth)
	return drawn{
		schema: `{"type":"array","minItems":1,"maxItems":4,"items":` + item.schema + `}`,
		valid: func(r *rand.Rand) string {
			items := make([]string, 1+r.IntN(4))
			for i := range items {
				items[i] = item.valid(r)
			}
			return "[" + strings.Join(items, " , ") + "]"
		},
		wrong: func(r *rand.Rand) string {
			return []string{"[]", "{}", `"a, b"`, `null`, "[" + item.wrong(r) + "]", "[" + item.valid(r) + ",\t" + item.wrong(r) + "]"}[r.IntN(6)]
		},
		misspell: func(_ *rand.Rand, valid string) string { return encode(valid) },
	}
}

func encode(text string) string {
	raw, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	return string(raw)
}

// drawObject draws two required members and an optional one.
func drawObject(r *rand.Rand, depth int) drawn {
	a, b, c := draw(r, depth), draw(r, depth), drawScale(r, depth)
	member := func(name, value string) string { return ` "` + name + `" : ` + value }
	join := func(members ...string) string { return "{" + strings.Join(members, ",") + " }" }
	return drawn{
		schema: fmt.Sprintf(`{"type":"object","properties":{"a":%s,"b":%s,"c":%s},"required":["a","b"],"additionalProperties":false}`, a.schema, b.schema, c.schema),
		valid: func(r *rand.Rand) string {
			members := []string{member("a", a.valid(r)), member("b", b.valid(r)), member("c", c.valid(r))}
			members = members[:2+r.IntN(2)]
			r.Shuffle(len(members), func(i, k int) { members[i], members[k] = members[k], members[i] })
			return join(members...)
		},
		wrong: func(r *rand.Rand) string {
			va, vb := member("a", a.valid(r)), member("b", b.valid(r))
			return []string{
				join(va), join(vb, member("A", "1")), join(va, vb, member("d", "1")), join(member("a", a.wrong(r)), vb),
				join(va, member("b", b.wrong(r)), member("c", c.valid(r))), join(va, va, vb), "[" + join(va, vb) + "]",
			}[r.IntN(7)]
		},
		misspell: func(r *rand.Rand, valid string) string {
			inner := strings.TrimSuffix(valid, "}")
			if strings.Contains(valid, ` "c" :`) {
				return []string{inner + `, "reason":"x"}`, encode(valid)}[r.IntN(2)]
			}
			return []string{inner + `, "c":null}`, encode(valid)}[r.IntN(2)]
		},
	}
}

// checker validates with the schema library alone.
func checker(t *testing.T, schema string) func(arguments string) bool {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(schema))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("https://schema.invalid/", doc); err != nil {
		t.Fatal(err)
	}
	compiled, err := c.Compile("https://schema.invalid/")
	if err != nil {
		t.Fatal(err)
	}
	return func(arguments string) bool {
		v, err := jsonschema.UnmarshalJSON(strings.NewReader(arguments))
		if err != nil {
			return false
		}
		_, isObject := v.(map[string]any)
		return isObject && compiled.Validate(v) == nil
	}
}

// TestRandom draws schemas and answers: a valid answer comes out byte for byte,
// an answer in another form comes out with the value it had, and no invalid
// answer comes out.
func TestRandom(t *testing.T) {
	t.Parallel()
	const schemas, answers = 150, 8
	mended, misspelt := 0, 0
	for seed := range uint64(schemas) {
		r := rand.New(rand.NewPCG(seed, 1)) // the same draws every time
		d := draw(r, 3)
		schema := valueSchema(d.schema)
		isValid := checker(t, schema)
		j, err := New(offering(schema))
		if err != nil {
			t.Fatalf("%s: %v", schema, err)
		}
		judge := func(arguments string) Verdict {
			return j.Judge(answer(nil, "", [2]string{"submit_response", arguments}))
		}
		for range answers {
			value := d.valid(r)
			valid := `{"value":` + value + `}`
			if !isValid(valid) {
				t.Fatalf("seed %d: %s is not valid for %s", seed, valid, schema)
			}
			checkUntouched(t, judge(valid), valid, schema)
			checkRefused(t, judge, `{"value":`+d.wrong(r)+`}`, schema)
			checkRefused(t, judge, valid[:r.IntN(len(valid))], schema)
			if other := d.misspell(r, value); other != "" {
				misspelt++
				if checkMended(t, judge, isValid, `{"value":`+other+`}`, valid, schema) {
					mended++
				}
			}
		}
	}
	if misspelt < schemas || mended*100 < misspelt*95 {
		t.Errorf("%d of %d misspelt answers were mended", mended, misspelt)
	}
}

func checkUntouched(t *testing.T, v Verdict, valid, schema string) {
	t.Helper()
	if v.Problem != None || len(v.Mended) > 0 || len(v.Calls) != 1 || v.Calls[0].Call.Function.Arguments != valid {
		t.Errorf("%s\nvalid %s\ncame out as %+v", schema, valid, v)
	}
}

// checkRefused checks that an answer without a valid reading does not come out.
func checkRefused(t *testing.T, judge func(string) Verdict, wrong, schema string) {
	t.Helper()
	v := judge(wrong)
	if v.Problem != InvalidToolCall || v.Calls[0].Call.Function.Arguments != wrong || len(v.Calls[0].Violations) == 0 {
		t.Errorf("%s\nwrong %s\ncame out as %+v", schema, wrong, v)
	}
}

// checkMended checks what comes out of an answer that is valid in another form.
// It reports whether anything did.
func checkMended(t *testing.T, judge func(string) Verdict, isValid func(string) bool, misspelt, meant, schema string) bool {
	t.Helper()
	if isValid(misspelt) {
		return true
	}
	v := judge(misspelt)
	if v.Problem != None {
		return false
	}
	got := v.Calls[0].Call.Function.Arguments
	x, badX := jsontree.Parse(got, answerLimits)
	y, badY := jsontree.Parse(meant, answerLimits)
	if badX != nil || badY != nil || !jsontree.Equal(x.Root, y.Root) || !isValid(got) || len(v.Mended) == 0 {
		t.Errorf("%s\n%s means %s\ncame out as %s", schema, misspelt, meant, got)
	}
	checkUntouched(t, judge(got), got, schema)
	return true
}

// TestDeterministic judges an answer with many faults again and again: the
// library looks at objects in any order, and the list must not show it.
func TestDeterministic(t *testing.T) {
	t.Parallel()
	j, err := New(offering(`{"type":"object","properties":{"a":{"type":"string"},"b":{"minimum":3},"c":{"anyOf":[{"type":"null"},{"enum":[1]}]},"d":{"required":["x","y"]}},"required":["e","f"],"propertyNames":{"maxLength":1},"additionalProperties":false}`))
	if err != nil {
		t.Fatal(err)
	}
	m := answer(nil, "", [2]string{"submit_response", `{"a":1,"b":2,"c":3,"d":{},"long":1,"z":0,"y":0}`})
	first := mustMarshal(t, j.Judge(m))
	for range 50 {
		if again := mustMarshal(t, j.Judge(m)); !bytes.Equal(first, again) {
			t.Fatalf("%s\n%s", first, again)
		}
	}
}
