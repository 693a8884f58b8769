package app_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// TestRequestsOfTheBaseline puts every request to the null agent, whose answers
// nobody can foresee: they have to be valid, and the same for the same seed.
func TestRequestsOfTheBaseline(t *testing.T) {
	t.Parallel()
	const seeds = 4
	d := deploy(t, "agent=baseline:random")
	for _, f := range fixtures(t) {
		t.Run(f.name, func(t *testing.T) {
			for seed := range seeds {
				body := with(t, f.body, `"seed":`+strconv.Itoa(seed))
				a := d.post(t, body)
				if f.Kind == "error" && a.status != 200 {
					a.failed(t, f.Error.Status, f.Error.Code, f.Error.Param)
					continue
				}
				d.checkDrawn(t, &f, a)
				if again := d.post(t, body); content(t, again) != content(t, a) {
					t.Errorf("seed %d gives two answers:\n%s\n%s", seed, a.body, again.body)
				}
			}
		})
	}
	if n := len(d.upstream.all()) + len(d.aws.Requests()); n > 0 {
		t.Errorf("the baseline made %d upstream calls", n)
	}
}

// checkDrawn checks one answer of the null agent.
func (d *deployment) checkDrawn(t *testing.T, f *fixture, a answer) {
	t.Helper()
	c := a.completion(t)
	if !strings.Contains(c.Model, "baseline") {
		t.Errorf("model %q does not name itself", c.Model)
	}
	switch f.Kind {
	case "json":
		var format struct {
			ResponseFormat struct {
				JSONSchema struct{ Schema json.RawMessage } `json:"json_schema"`
			} `json:"response_format"`
		}
		if err := json.Unmarshal(f.body, &format); err != nil {
			t.Fatal(err)
		}
		validate(t, format.ResponseFormat.JSONSchema.Schema, c.text(t))
	case "text":
		c.text(t)
	default: // a decision, or one that only a real model can fail at
		name, arguments := c.call(t)
		schema, ok := f.offered(t)[name]
		if !ok || f.Tools != nil && !slices.Contains(f.Tools, name) {
			t.Errorf("tool %q", name)
		}
		validate(t, schema, arguments)
	}
}

// content is what an answer says, without what differs from answer to answer.
func content(t *testing.T, a answer) string {
	t.Helper()
	m := a.completion(t).Choices[0].Message
	text := ""
	if m.Content != nil {
		text = *m.Content
	}
	for _, call := range m.ToolCalls {
		text += " " + call.Function.Name + call.Function.Arguments
	}
	return text
}

// validate holds JSON to a schema.
func validate(t *testing.T, schema json.RawMessage, text string) {
	t.Helper()
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	if err := compile(t, schema).Validate(value); err != nil {
		t.Errorf("%s: %v", text, err)
	}
}

// compile compiles a schema; no schema is one that any object satisfies.
func compile(t *testing.T, schema json.RawMessage) *jsonschema.Schema {
	t.Helper()
	if schema == nil {
		schema = json.RawMessage(`{"type":"object"}`)
	}
	parsed, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	if err := compiler.AddResource("mem:schema", parsed); err != nil {
		t.Fatal(err)
	}
	compiled, err := compiler.Compile("mem:schema")
	if err != nil {
		t.Fatal(err)
	}
	return compiled
}
