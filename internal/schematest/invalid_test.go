package schematest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestDefinitions takes the values that the suite holds against the metaschemas for
// what they are: schemas, of which the valid ones compile.
func TestDefinitions(t *testing.T) {
	t.Parallel()
	valid, invalid := 0, 0
	for _, s := range suites[:2] {
		folder := filepath.Join(moduleFolder(t, s.module), filepath.FromSlash(s.folder))
		for _, dialect := range s.dialects {
			file := "definitions.json"
			if strings.Contains(dialect, "-") {
				file = "defs.json"
			}
			for _, g := range readGroups(t, filepath.Join(folder, dialect, file)) {
				for _, c := range g.Tests {
					_, err := ours(ofDialect(string(c.Data), dialects[dialect]))
					if (err == nil) != c.Valid {
						t.Errorf("%s: %s: valid %t, but: %v", dialect, c.Description, c.Valid, err)
					}
					if c.Valid {
						valid++
					} else {
						invalid++
					}
				}
			}
		}
	}
	if valid < 5 || invalid < 5 {
		t.Errorf("%d valid schemas and %d invalid ones", valid, invalid)
	}
}

// TestInvalidSchemas has the schemas that the library says are none.
func TestInvalidSchemas(t *testing.T) {
	t.Parallel()
	const module = "github.com/santhosh-tekuri/jsonschema/v6"
	raw, err := os.ReadFile(filepath.Join(moduleFolder(t, module), "testdata", "invalid_schemas.json"))
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Description string
		Schema      json.RawMessage
		Errors      []string // none if it is a schema
	}
	if err := json.Unmarshal(raw, &cases); err != nil {
		t.Fatal(err)
	}
	invalid := 0
	for _, c := range cases {
		if strings.Contains(string(c.Schema), `"$schema": "http://remotes`) {
			continue // an unknown dialect is the newest one to us
		}
		_, err := ours(string(c.Schema))
		if (err != nil) != (len(c.Errors) > 0) {
			t.Errorf("%s: errors %v, but: %v", c.Description, c.Errors, err)
		}
		if err != nil {
			invalid++
		}
	}
	if invalid < 10 {
		t.Errorf("only %d invalid schemas", invalid)
	}
}
