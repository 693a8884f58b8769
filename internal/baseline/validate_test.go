package baseline

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"hyperstudy-endpoint/internal/openai"
)

// compile compiles a schema with the library that tool calls are judged by,
// formats included, so that the package's own check is not its own judge.
func compile(t *testing.T, schemaText string) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(schemaText))
	if err != nil {
		t.Fatalf("schema %s: %v", schemaText, err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("mem:///schema.json", doc); err != nil {
		t.Fatalf("schema %s: %v", schemaText, err)
	}
	s, err := c.Compile("mem:///schema.json")
	if err != nil {
		t.Fatalf("schema %s: %v", schemaText, err)
	}
	return s
}

// judge returns what is wrong with a text that should be one JSON value, valid
// for a schema.
func judge(s *jsonschema.Schema, text string) error {
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		return err
	}
	return s.Validate(v)
}

// seeded returns a random source that is the same for the same number.
func seeded(n int) *source {
	return newSource(&openai.ChatCompletionRequest{Seed: json.Number(fmt.Sprint(n)), Body: bodyWithSeed(n)})
}

func bodyWithSeed(n int) openai.Object {
	var body openai.Object
	body.Set("seed", fmt.Append(nil, n))
	return body
}

// drawMany draws values from a schema, one for each seed, and checks them.
func drawMany(t *testing.T, schemaText string, count int) []string {
	t.Helper()
	s := compile(t, schemaText)
	drawn := make([]string, count)
	for i := range drawn {
		text, err := drawValue(seeded(i), json.RawMessage(schemaText))
		if err != nil {
			t.Fatalf("seed %d: %v", i, err)
		}
		if err := judge(s, text); err != nil {
			t.Fatalf("seed %d drew %s: %v", i, text, err)
		}
		drawn[i] = text
	}
	return drawn
}
