package toolcall

import (
	"strings"
	"testing"
)

// TestWords are violations that are easily said wrong.
func TestWords(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("n", 5000)
	for _, tt := range []struct{ name, schema, arguments, pointer, message string }{
		{"a tiny step", valueSchema(`{"multipleOf":0.` + strings.Repeat("7", 50) + `e-350}`), `{"value":1}`, "/value", "must be a multiple of 7.7777777777777778e-351"},
		{"a huge bound", valueSchema(`{"minimum":` + strings.Repeat("7", 50) + `e250}`), `{"value":1}`, "/value", "must be at least 7.7777777777777778e+299"},
		{"integer or null", valueSchema(`{"anyOf":[{"type":"integer"},{"type":"null"}]}`), `{"value":"x"}`, "/value", "must be of type null or integer"},
		{"integer or number", valueSchema(`{"anyOf":[{"type":"integer"},{"type":"number"}]}`), `{"value":"x"}`, "/value", "must be of type number"},
		{"a long name", `{"additionalProperties":{"type":"null"}}`, `{"` + long + `":1}`, "/" + long[:maxToken] + ellipsis, "must be of type null"},
		{"a long name of many bytes", `{"properties":{"a":{}},"additionalProperties":false}`, `{"x` + strings.Repeat("é", 500) + `":1}`, "/x" + strings.Repeat("é", 99) + ellipsis, "is not a property that the schema allows"},
		{"a long name twice", `{}`, `{"` + long + `":1,"` + long + `":1}`, "/" + long[:maxPointer-1] + ellipsis, "must not be given twice"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			j, err := New(offering(tt.schema))
			if err != nil {
				t.Fatal(err)
			}
			v := j.Judge(answer(nil, "", [2]string{"submit_response", tt.arguments}))
			if len(v.Calls) != 1 || len(v.Calls[0].Violations) != 1 || v.Calls[0].Violations[0] != (Violation{tt.pointer, tt.message}) {
				t.Errorf("%.300v", v.Calls)
			}
		})
	}
}

func TestMoreViolationsThanAreKept(t *testing.T) {
	t.Parallel()
	j, err := New(offering(valueSchema(`{"items":{"minimum":5}}`)))
	if err != nil {
		t.Fatal(err)
	}
	v := j.Judge(answer(nil, "", [2]string{"submit_response", `{"value":` + arrayOf(3000, "1") + `}`}))
	found := v.Calls[0].Violations
	if len(found) != maxViolations+1 || found[maxViolations].Message != "and at least 900 more" {
		t.Errorf("%d violations, the last %+v", len(found), found[len(found)-1])
	}
}
