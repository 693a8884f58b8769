package toolcall

import (
	"encoding/json"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"hyperstudy-endpoint/internal/openai"
)

const beliefs = `{"type":"object","properties":{
	"player":{"const":"Player 2"},"hopes":{"type":"array","items":{"type":"string"},"maxItems":2},"sure":{"type":"number","minimum":0,"maximum":1}
},"required":["player","hopes","sure"],"additionalProperties":false}`

var (
	anObject = openai.ResponseFormat{Type: openai.FormatJSONObject}
	bySchema = openai.ResponseFormat{Type: openai.FormatJSONSchema, Name: "beliefs", Schema: json.RawMessage(beliefs)}
	good     = `{"player":"Player 2", "hopes":[], "sure":0.50}`
	fenced   = []string{MendFencedJSON}
)

var formatTests = []struct {
	name       string
	format     openai.ResponseFormat
	content    string
	text       string // "" if there are violations
	mended     []string
	violations []Violation
}{
	{"object", anObject, ` {"a": 1.0}` + "\n", ` {"a": 1.0}` + "\n", nil, nil},
	{"fenced object", anObject, "\n```json\n{\"a\": 1.0}\n```\n ", `{"a": 1.0}`, fenced, nil},
	{"fence without language", anObject, "```\n{}\n```", `{}`, fenced, nil},
	{"long fence", anObject, "````json\r\n{\"a\":\"```\"}\r\n````", "{\"a\":\"```\"}", fenced, nil},
	{"fence in a string", anObject, "{\"a\":\"```json\\n{}\\n```\"}", "{\"a\":\"```json\\n{}\\n```\"}", nil, nil},
	{"array", anObject, `[{}]`, "", nil, []Violation{{"", "must be exactly one JSON object"}}},
	{"two objects", anObject, `{} {}`, "", nil, []Violation{{"", "must be valid JSON and nothing else"}}},
	{"text before", anObject, `Sure: {}`, "", nil, []Violation{{"", "must be valid JSON and nothing else"}}},
	{"text before the fence", anObject, "Sure:\n```\n{}\n```", "", nil, []Violation{{"", "must be valid JSON and nothing else"}}},
	{"text behind the fence", anObject, "```\n{}\n```\nThat is all.", "", nil, []Violation{{"", "must be valid JSON and nothing else"}}},
	{"two fences", anObject, "```\n{}\n```\n```\n{}\n```", "", nil, []Violation{{"", "must be valid JSON and nothing else"}}},
	{"cut", anObject, `{"a":"b`, "", nil, []Violation{{"", "must be complete JSON: the text ends before the JSON does"}}},
	{"empty", anObject, ``, "", nil, []Violation{{"", "must be valid JSON and nothing else"}}},
	{"name twice", anObject, `{"a":1,"a":1}`, "", nil, []Violation{{"/a", "must not be given twice"}}},
	{"invalid UTF-8", anObject, "{\"a\":\"\xff\"}", "", nil, []Violation{{"", "must be valid UTF-8"}}},
	{"too long", anObject, `{"a":"` + strings.Repeat("x", maxAnswerBytes) + `"}`, "", nil, []Violation{tooLong}},
	{"schema", bySchema, good, good, nil, nil},
	{"fenced by schema", bySchema, "```json\n" + good + "\n```", good, fenced, nil},
	{"out of range", bySchema, strings.Replace(good, "0.50", "2", 1), "", nil, []Violation{{"/sure", "must be at most 1"}}},
	{"fenced and out of range", bySchema, "```json\n" + strings.Replace(good, "0.50", "2", 1) + "\n```", "", nil, []Violation{{"/sure", "must be at most 1"}}},
	{"number as string", bySchema, strings.Replace(good, "0.50", `"0.5"`, 1), "", nil, []Violation{{"/sure", "must be of type number"}}},
	{"several", bySchema, `{"player":"player 2","hopes":["a","b","c"]}`, "", nil, []Violation{
		{"/hopes", "must hold at most 2 items"},
		{"/player", "must be the value that the schema fixes, exactly as written there"},
		{"/sure", "is required but missing"},
	}},
	{"any value", openai.ResponseFormat{Type: openai.FormatJSONSchema, Schema: json.RawMessage(`{"type":"array"}`)}, `[1]`, `[1]`, nil, nil},
	{"too costly", openai.ResponseFormat{Type: openai.FormatJSONSchema, Schema: json.RawMessage(doubling(40))}, `{}`, "", nil, []Violation{tooComplex}},
}

func TestFormat(t *testing.T) {
	t.Parallel()
	for _, tt := range formatTests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f, err := NewFormat(tt.format)
			if err != nil {
				t.Fatal(err)
			}
			text, mended, violations := f.Judge(tt.content)
			if !reflect.DeepEqual(violations, tt.violations) {
				t.Errorf("violations %+v, want %+v", violations, tt.violations)
			}
			if want := tt.text; want != "" && text != want || want == "" && text != tt.content {
				t.Errorf("text %q", text)
			}
			if !slices.Equal(mended, tt.mended) {
				t.Errorf("mended %q, want %q", mended, tt.mended)
			}
		})
	}
}

func TestNewFormatRefuses(t *testing.T) {
	t.Parallel()
	for _, schema := range []string{`{"type":"nothing"}`, `{"$ref":"https://schemas.example/"}`, `{"x":"` + strings.Repeat("x", maxSchemaBytes) + `"}`} {
		_, err := NewFormat(openai.ResponseFormat{Type: openai.FormatJSONSchema, Schema: json.RawMessage(schema)})
		if e := openai.AsError(err); e.Status != http.StatusBadRequest || e.Param != "response_format.json_schema.schema" {
			t.Errorf("%.40s: %+v", schema, e)
		}
	}
}
