package baseline

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
)

// nested wraps a text so many times.
func nested(before, inner, after string, times int) string {
	return strings.Repeat(before, times) + inner + strings.Repeat(after, times)
}

// manyProperties is a schema of an object with so many required properties.
func manyProperties(count int, schema string) string {
	var names, members []string
	for i := range count {
		names = append(names, fmt.Sprintf(`"p%d"`, i))
		members = append(members, fmt.Sprintf(`"p%d":%s`, i, schema))
	}
	return fmt.Sprintf(`{"type":"object","properties":{%s},"required":[%s]}`, strings.Join(members, ","), strings.Join(names, ","))
}

// manyOptions is an enum of so many strings.
func manyOptions(count int) string {
	list := make([]string, count)
	for i := range list {
		list[i] = fmt.Sprintf(`"option %d"`, i)
	}
	return `{"enum":[` + strings.Join(list, ",") + `]}`
}

// nastySchemas are hard or impossible to satisfy.
var nastySchemas = []struct {
	name   string
	schema string
	fails  bool
}{
	{"endless recursion", `{"$ref":"#/$defs/a","$defs":{"a":{"type":"object","properties":{"a":{"$ref":"#/$defs/a"}},"required":["a"]}}}`, true},
	{"reference to itself", `{"$ref":"#"}`, true},
	{"references in a circle", `{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}}}`, true},
	{"circle through anyOf", `{"anyOf":[{"$ref":"#"},{"$ref":"#"}]}`, true},
	{"bushy tree", `{"type":"object","properties":{"a":{"$ref":"#"},"b":{"$ref":"#"},"c":{"$ref":"#"},"d":{"$ref":"#"},"e":{"$ref":"#"}},"additionalProperties":false}`, false},
	{"bushy list", `{"type":"array","items":{"$ref":"#"},"maxItems":10}`, false},
	{"expression", `{"anyOf":[{"type":"number"},{"type":"object","properties":{"l":{"$ref":"#"},"r":{"$ref":"#"}},"required":["l","r"]}]}`, false},
	{"expression that mostly grows", `{"oneOf":[{"type":"object","properties":{"l":{"$ref":"#"},"r":{"$ref":"#"},"m":{"$ref":"#"}},"required":["l","r","m"],"maxProperties":3},{"type":"object","properties":{"v":{"type":"integer"}},"required":["v"],"additionalProperties":false}]}`, false},
	{"huge array", `{"type":"array","minItems":1000000000}`, true},
	{"huge arrays in each other", nested(`{"type":"array","minItems":100,"items":`, `{}`, `}`, 6), true},
	{"huge text", `{"type":"string","minLength":1000000000}`, true},
	{"many long texts", `{"type":"array","minItems":2000,"items":{"type":"string","minLength":60000}}`, true},
	{"deep nesting", nested(`{"type":"array","minItems":1,"items":`, `{}`, `}`, 150), true},
	{"deeper nesting", nested(`{"not":`, `{}`, `}`, 5000), true},
	{"rather deep nesting", nested(`{"type":"object","required":["a"],"properties":{"a":`, `{"type":"integer"}`, `}}`, 60), false},
	{"impossible item", `{"type":"array","minItems":3,"items":{"type":"string","pattern":"^a$","minLength":3}}`, true},
	{"impossible in many places", nested(`{"type":"object","required":["a"],"properties":{"a":`, `{"type":"integer","not":{}}`, `}}`, 40), true},
	{"too few different items", `{"type":"array","items":{"type":"boolean"},"uniqueItems":true,"minItems":5}`, true},
	{"contradicting ranges", `{"type":"number","minimum":5,"maximum":4}`, true},
	{"no multiple in the range", `{"type":"number","minimum":1,"maximum":2,"multipleOf":7}`, true},
	{"contradicting types", `{"allOf":[{"type":"string"},{"type":"number"}]}`, true},
	{"empty enum", `{"enum":[]}`, true},
	{"enum of another type", `{"type":"string","enum":[1,2]}`, true},
	{"nothing", `false`, true},
	{"pattern with a huge repetition", `{"type":"string","pattern":"^(([a-z]{1,30}){1,30})$"}`, false},
	{"pattern of many letters", `{"type":"string","pattern":"^.{900,1000}$"}`, false},
	{"pattern of optional parts", `{"type":"string","pattern":"^(a?b?c?d?){100}$","minLength":100}`, false},
	{"pattern of a star of stars", `{"type":"string","pattern":"^((a*)*b*)*$","minLength":10}`, false},
	{"long text by pattern", `{"type":"string","pattern":"^[a-z ]+$","minLength":2000}`, false},
	{"very long text by pattern", `{"type":"string","pattern":"^[a-z ]+$","minLength":60000}`, true},
	{"many heavy patterns", manyProperties(300, `{"type":"string","pattern":"^(a?b?c?d?){90}[0-9]{90}$"}`), true},
	{"huge exponent", `{"type":"number","multipleOf":1e-100000000}`, true},
	{"huge range", `{"type":"number","minimum":-1e308,"maximum":1e308}`, false},
	{"tiny range", `{"type":"number","exclusiveMinimum":0,"exclusiveMaximum":1e-300}`, false},
	{"huge constant", `{"const":1e1000000000}`, false},
	{"many options", manyOptions(9000), false},
	{"many uses of many options", `{"$defs":{"o":` + manyOptions(900) + `},"type":"array","minItems":300,"maxItems":300,"uniqueItems":true,"items":{"$ref":"#/$defs/o"}}`, false},
	{"many properties", manyProperties(2000, `{"type":"number","minimum":0}`), false},
	{"many branches", `{"anyOf":[` + strings.TrimSuffix(strings.Repeat(`{"type":"object","properties":{"a":{"type":"string"}}},`, 2000), ",") + `]}`, false},
	{"many exclusive branches", `{"oneOf":[` + strings.TrimSuffix(strings.Repeat(`{"type":"object","properties":{"a":{"type":"string"}}},`, 500), ",") + `]}`, true},
	{"too large", `{"description":"` + strings.Repeat("x", maxSchemaBytes) + `"}`, true},
}

// TestNastySchemas checks that each draw ends soon, with JSON or with an error.
func TestNastySchemas(t *testing.T) {
	// Tens of milliseconds are usual. The limit leaves room for the race detector
	// and a busy machine; what it is there to find takes many seconds.
	const limit = 2 * time.Second
	for _, tc := range nastySchemas {
		t.Run(tc.name, func(t *testing.T) {
			for seed := range 3 {
				start := time.Now()
				text, err := drawValue(seeded(seed), json.RawMessage(tc.schema))
				if took := time.Since(start); took > limit {
					t.Errorf("seed %d took %v", seed, took)
				}
				if (err != nil) != tc.fails {
					t.Fatalf("seed %d: got error %v and %d bytes", seed, err, len(text))
				}
				if len(text) > 1<<20 {
					t.Errorf("seed %d gave %d bytes", seed, len(text))
				}
				if tc.fails {
					continue
				}
				if !json.Valid([]byte(text)) {
					t.Errorf("seed %d drew what is not JSON", seed)
				}
			}
		})
	}
}
