package schematest

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hyperstudy-endpoint/internal/jsonschema"
)

const valuesPerSchema = 8

// TestDrawn makes schemas and values up and compares what the validators say. It
// draws the same ones at each run; FuzzDrawn draws others.
func TestDrawn(t *testing.T) {
	t.Parallel()
	const count = 2000
	var s statistics
	for i := range count {
		drawn(t, uint64(i), &s)
		if t.Failed() {
			return
		}
	}
	// What is compared has to be worth it: schemas that are nearly all refused, or
	// values that are nearly all valid, would show little.
	if s.compiled < count*3/5 || s.compiled == count || s.valid < s.invalid/3 || s.invalid < s.valid/3 || s.compared < s.invalid*2/3 {
		t.Errorf("%d schemas: %+v", count, s)
	}
}

// FuzzDrawn is TestDrawn with other seeds.
func FuzzDrawn(f *testing.F) {
	f.Add(uint64(1 << 32))
	f.Fuzz(func(t *testing.T, seed uint64) { drawn(t, seed, &statistics{}) })
}

type statistics struct {
	compiled, valid, invalid int
	compared                 int // invalid values whose violations were compared too
}

func drawn(t *testing.T, seed uint64, s *statistics) {
	r := rand.New(rand.NewPCG(seed, 0))
	schema := newSchema(r)
	m := valueMaker{r, schema}
	values := make([]any, valuesPerSchema)
	for i := range values {
		values[i] = m.value(schema, 5)
	}
	agree(t, fmt.Sprintf("seed %d", seed), schema, values, s)
}

// TestRequests compares the validators on the schemas of the endpoint's sample
// requests and on values made up for them.
func TestRequests(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.FromSlash("../app/testdata/requests/*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no requests: %v", err)
	}
	var s statistics
	for _, file := range files {
		for i, schema := range schemasIn(t, file) {
			r := rand.New(rand.NewPCG(uint64(i), 1))
			m := valueMaker{r, schema}
			values := make([]any, 300)
			for i := range values {
				values[i] = m.value(schema, 6)
			}
			agree(t, fmt.Sprintf("%s, schema %d", filepath.Base(file), i), schema, values, &s)
		}
	}
	if s.compiled < len(files)/2 || s.valid == 0 || s.invalid == 0 {
		t.Errorf("%d requests: %+v", len(files), s)
	}
}

// schemasIn returns the schemas that a request has.
func schemasIn(t *testing.T, file string) []any {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var request struct {
		Tools []struct {
			Function struct{ Parameters any }
		}
		ResponseFormat struct {
			JSONSchema struct{ Schema any } `json:"json_schema"`
		} `json:"response_format"`
	}
	d := json.NewDecoder(strings.NewReader(string(raw)))
	d.UseNumber()
	if err := d.Decode(&request); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	schemas := []any{request.ResponseFormat.JSONSchema.Schema}
	for _, tool := range request.Tools {
		schemas = append(schemas, tool.Function.Parameters)
	}
	return slices.DeleteFunc(schemas, func(schema any) bool { return schema == nil })
}

// agree reports the first difference about a schema and its values, made small.
func agree(t *testing.T, name string, schema any, values []any, s *statistics) {
	t.Helper()
	p := compileBoth(schema)
	if p.compiled() {
		s.compiled++
	}
	for _, value := range values {
		d := p.about(value, s)
		if d.kind == "" {
			continue
		}
		schema, value = shrink(schema, value, func(schema, value any) bool {
			return compileBoth(schema).about(value, &statistics{}).kind == d.kind
		})
		d = compileBoth(schema).about(value, &statistics{})
		t.Errorf("%s: %s\nschema %s\nvalue  %s\n%s", name, d.kind, encode(schema), encode(value), d.what)
		return
	}
}

// A difference is one between what two validators say. Its kind is empty if there is none.
type difference struct{ kind, what string }

// A pair is a schema compiled by both validators.
type pair struct {
	ours, reference       judge
	oursErr, referenceErr error
	// unevaluated marks a schema with unevaluatedItems or unevaluatedProperties. What
	// is evaluated by keywords that fail is for nobody to know, and each validator
	// has its own opinion.
	unevaluated bool
	excused     bool // it may be a schema to one of them only
}

func compileBoth(schema any) (p pair) {
	text := string(encode(schema))
	p.ours, p.oursErr = ours(text)
	p.reference, p.referenceErr = reference(text)
	excuse := mayRefuse
	if p.oursErr != nil {
		excuse = mayAccept
	}
	p.excused = slices.ContainsFunc(places(schema, draftOf(schema), ""), excuse)
	p.unevaluated = strings.Contains(text, `"unevaluated`)
	return p
}

func (p pair) compiled() bool { return p.oursErr == nil && p.referenceErr == nil }

// several reports whether there is more than one violation, be it in a branch.
func several(leaves []string) bool { return len(leaves) != 1 || strings.Contains(leaves[0], "{") }

// reason is an error without the place, so that shrink keeps to one.
func reason(ours, reference error) string {
	if e := (*jsonschema.Error)(nil); errors.As(ours, &e) {
		return "ours does not: " + e.Reason
	}
	text := reference.Error()
	return "the reference does not: " + text[strings.LastIndex(text, "': ")+1:]
}

// mayRefuse reports whether a subschema is one that the reference may refuse although
// it is none to refuse: in draft-04 true and false, which came with draft-06 and are no
// harm before; and parts of another dialect, in which it looks for faults as if they
// were not.
func mayRefuse(at place) bool {
	if _, ok := at.schema.(bool); ok && at.draft == 4 {
		return !strings.Contains(at.fragment[strings.LastIndex(at.fragment, "/")+1:], "additional")
	}
	o, _ := at.schema.(object)
	return at.fragment != "" && o["$schema"] != nil
}

// mayAccept reports whether a subschema is one that the reference may accept although
// it is none: the metaschema of draft-06 forgot examples at first.
func mayAccept(at place) bool {
	o, _ := at.schema.(object)
	_, has := o["examples"]
	return at.draft == 6 && has
}

// about compares what the validators say about the schema and a value.
func (p pair) about(value any, s *statistics) difference {
	if !p.compiled() {
		if (p.oursErr == nil) != (p.referenceErr == nil) && !p.excused {
			return difference{"only one compiles it, " + reason(p.oursErr, p.referenceErr), fmt.Sprintf("ours: %v\nreference: %v", p.oursErr, p.referenceErr)}
		}
		return difference{}
	}
	text := string(encode(value))
	our, ourErr := p.ours(text)
	other, otherErr := p.reference(text)
	switch {
	case ourErr != nil || otherErr != nil:
		return difference{"a value is not judged", fmt.Sprintf("ours: %v\nreference: %v", ourErr, otherErr)}
	case our.valid != other.valid:
		return difference{"only one finds it valid", fmt.Sprintf("ours: %t %q\nreference: %t %q", our.valid, our.leaves, other.valid, other.leaves)}
	case our.valid:
		s.valid++
		return difference{}
	}
	s.invalid++
	if other.incomplete || p.unevaluated && (several(our.leaves) || several(other.leaves)) {
		return difference{}
	}
	s.compared++
	if !slices.Equal(our.leaves, other.leaves) {
		return difference{"different violations", fmt.Sprintf("ours: %q\nreference: %q", our.leaves, other.leaves)}
	}
	return difference{}
}
