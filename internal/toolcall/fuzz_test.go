package toolcall

import (
	"encoding/json"
	"errors"
	"net/http"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"hyperstudy-endpoint/internal/jsonschema"
	"hyperstudy-endpoint/internal/jsontree"
	"hyperstudy-endpoint/internal/openai"
)

// FuzzJudge judges any answer against any schema. A valid call stays byte for
// byte what it is, a mended one is valid and needs no more mending, an invalid
// one is not changed and says why, and nothing takes long.
func FuzzJudge(f *testing.F) {
	files, err := filepath.Glob("testdata/judge/*/*.json")
	if err != nil || len(files) == 0 {
		f.Fatalf("no cases: %v", err)
	}
	for _, file := range files {
		seed(f, file)
	}
	f.Fuzz(func(t *testing.T, schema, content, name, arguments string) {
		j, err := New(offering(schema))
		if err != nil {
			return
		}
		var calls [][2]string
		if name != "" {
			calls = append(calls, [2]string{name, arguments})
		}
		m := answer(&content, "", calls...)
		checkInvariants(t, j, m, judgeInTime(t, j, m))
	})
}

// seed adds the first call of a case, or its text.
func seed(f *testing.F, file string) {
	f.Helper()
	c := readCase(f, file)
	req := struct {
		Tools []struct {
			Function struct {
				Parameters json.RawMessage `json:"parameters"`
			} `json:"function"`
		} `json:"tools"`
	}{}
	if err := json.Unmarshal(c.Request, &req); err != nil {
		f.Fatal(err)
	}
	schema := string(req.Tools[len(req.Tools)-1].Function.Parameters)
	content := ""
	if c.Answer.Content != nil {
		content = *c.Answer.Content
	}
	call := [2]string{}
	if len(c.Answer.Calls) > 0 {
		call = c.Answer.Calls[0]
	}
	f.Add(schema, content, call[0], call[1])
}

func checkInvariants(t *testing.T, j *Judge, m *openai.AnswerMessage, v Verdict) {
	t.Helper()
	for _, judged := range v.Calls {
		valid := validAsItIs(j, judged.Call)
		if valid != (len(judged.Violations) == 0) {
			t.Fatalf("%+v: valid %v", judged, valid)
		}
		again := j.Judge(&openai.AnswerMessage{ToolCalls: []openai.ToolCall{judged.Call}})
		if valid && (again.Problem != None || len(again.Mended) > 0 || !reflect.DeepEqual(again.Calls[0].Call, judged.Call)) {
			t.Fatalf("%+v came out of a second judgement as %+v", judged, again)
		}
	}
	if len(m.ToolCalls) == 0 {
		return
	}
	came := m.ToolCalls[0]
	switch out := v.Calls[0]; {
	case validAsItIs(j, came) && (v.Problem != None || !reflect.DeepEqual(out.Call, came) || len(v.Mended) > 0):
		t.Fatalf("the valid call %+v came out as %+v", came, v)
	case len(out.Violations) > 0 && !reflect.DeepEqual(out.Call, came):
		t.Fatalf("the invalid call %+v came out as %+v", came, v)
	case !reflect.DeepEqual(out.Call, came) && len(v.Mended) == 0:
		t.Fatalf("the call %+v was changed to %+v without saying so", came, out.Call)
	}
}

// validAsItIs reports whether a call can be passed on without any mending.
func validAsItIs(j *Judge, call openai.ToolCall) bool {
	i := slices.IndexFunc(j.tools, func(t tool) bool { return t.name == call.Function.Name })
	if i < 0 || len(call.Function.Arguments) > maxAnswerBytes {
		return false
	}
	d, bad := jsontree.Parse(call.Function.Arguments, answerLimits)
	if bad != nil || d.Root.Kind != jsontree.Object {
		return false
	}
	b := &jsonschema.Budget{Steps: maxSteps}
	if !b.Spend(parsing(call.Function.Arguments)) {
		return false
	}
	wrong, ok := j.tools[i].schema.Validate(d.Root, b)
	return ok && len(wrong) == 0
}

// FuzzCompile offers any schema: it compiles, or the error is a 400 about it.
func FuzzCompile(f *testing.F) {
	for _, schema := range []string{
		``, `null`, `true`, `{}`, `{"type":"object"}`, `{"$ref":"#"}`, `{"$ref":"https://a.example"}`, `{"properties":{"a":{"pattern":"^(?=a)\\p{L}[^]{1,2000}$"}}}`,
		`{"$schema":"http://json-schema.org/draft-04/schema#","id":"x","items":[{}],"dependencies":{"a":["b"],"c":{}}}`,
		`{"$id":"a","$defs":{"b":{"$id":"c","$anchor":"d"}},"allOf":[{"$ref":"c#d"}],"unevaluatedProperties":false}`,
		`{"if":true,"then":{"required":["a"]},"propertyNames":{"maxLength":1e99},"enum":[{}],"const":{}}`, doubling(5), beliefs,
	} {
		f.Add(schema)
	}
	f.Fuzz(func(t *testing.T, schema string) {
		j, err := New(offering(schema))
		if err == nil {
			for _, arguments := range []string{`{}`, `{"a":1,"value":"x","b":[null,{"a":true}]}`} {
				m := answer(nil, "", [2]string{"submit_response", arguments})
				checkInvariants(t, j, m, judgeInTime(t, j, m))
			}
			return
		}
		var e *openai.Error
		if !errors.As(err, &e) || e.Status != http.StatusBadRequest || e.Param == "" {
			t.Fatalf("%+v", err)
		}
	})
}
