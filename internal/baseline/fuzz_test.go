package baseline

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// FuzzSchema checks that whatever is drawn from any schema is valid, by the
// judgement of the library if it can compile the schema.
func FuzzSchema(f *testing.F) {
	files, err := filepath.Glob("testdata/schemas/*.json")
	if err != nil || len(files) == 0 {
		f.Fatalf("no schemas: %v", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, schemaText []byte) {
		text, err := drawValue(seeded(1), schemaText)
		if err != nil || strings.Contains(string(schemaText), "$") { // references and drafts may be read differently
			return
		}
		doc, err := jsonschema.UnmarshalJSON(strings.NewReader(string(schemaText)))
		if err != nil {
			t.Fatalf("drew %s from what is not JSON: %v", text, err)
		}
		c := jsonschema.NewCompiler()
		if c.AddResource("mem:///s", doc) != nil {
			return
		}
		s, err := c.Compile("mem:///s")
		if err != nil {
			return
		}
		if err := judge(s, text); err != nil {
			t.Errorf("drew %s: %v", text, err)
		}
	})
}
