package schematest

import (
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	_ "cuelang.org/go/encoding"                    // so that go.mod has the module with most of the suite
	_ "github.com/google/jsonschema-go/jsonschema" // and the one with its newest cases
)

// The dialects by their folders in the suite.
var dialects = map[string]string{
	"draft4":       "http://json-schema.org/draft-04/schema#",
	"draft6":       "http://json-schema.org/draft-06/schema#",
	"draft7":       "http://json-schema.org/draft-07/schema#",
	"draft2019-09": "https://json-schema.org/draft/2019-09/schema",
	"draft2020-12": "https://json-schema.org/draft/2020-12/schema",
}

// suites are the copies of the suite in other modules: from each, the folder
// with the dialects in it. The last one is of the library's own cases.
var suites = []struct {
	module, folder string
	dialects       []string
}{
	{"cuelang.org/go", "encoding/jsonschema/testdata/external/tests", []string{"draft4", "draft6", "draft7", "draft2019-09", "draft2020-12"}},
	{"github.com/google/jsonschema-go", "jsonschema/testdata", []string{"draft7", "draft2020-12"}},
	{"github.com/santhosh-tekuri/jsonschema/v6", "testdata/Extra-Test-Suite/tests", []string{"draft4", "draft7", "draft2019-09", "draft2020-12"}},
}

// A group of the suite is a schema and values for it.
type group struct {
	Description string
	Schema      json.RawMessage
	Tests       []struct {
		Description string
		Data        json.RawMessage
		Valid       bool
	}
}

// TestSuite runs every case of the suites. What is done otherwise by choice is in the
// tables of exceptions, all of which have to be true of something, and of all that
// they are about.
func TestSuite(t *testing.T) {
	t.Parallel()
	r := runner{TB: t, used: map[*exception]bool{}}
	for _, s := range suites {
		folder := filepath.Join(moduleFolder(t, s.module), filepath.FromSlash(s.folder))
		for _, dialect := range s.dialects {
			for _, file := range jsonFiles(t, filepath.Join(folder, dialect)) {
				for _, g := range readGroups(t, filepath.Join(folder, dialect, file)) {
					r.run(dialect, file, &g)
				}
			}
		}
	}
	for _, list := range [][]exception{refused, otherwise} {
		for i := range list {
			if e := &list[i]; !r.used[e] {
				t.Errorf("nothing is excepted by %+v", *e)
			}
		}
	}
	// TestSuite would pass with half of the cases missing.
	const leastCases = 9_000
	if r.cases < leastCases {
		t.Errorf("only %d cases", r.cases)
	}
}

// A runner runs groups of the suite.
type runner struct {
	testing.TB
	used  map[*exception]bool
	cases int
}

func (r *runner) run(dialect, file string, g *group) {
	r.Helper()
	name := dialect + "/" + file + ": " + g.Description
	judge, err := ours(ofDialect(string(g.Schema), dialects[dialect]))
	if excepted := r.use(excepted(refused, dialect, file, g.Description, "", false)); excepted != (err != nil) {
		r.Errorf("%s: refused for a reason: %t; but: %v", name, excepted, err)
	}
	r.cases += len(g.Tests)
	if err != nil {
		return
	}
	for _, c := range g.Tests {
		v, err := judge(string(c.Data))
		if err != nil {
			r.Errorf("%s: %s: %v", name, c.Description, err)
			continue
		}
		want := c.Valid != r.use(excepted(otherwise, dialect, file, g.Description, c.Description, c.Valid))
		if v.valid != want {
			r.Errorf("%s: %s: want valid %t, violations %v", name, c.Description, want, v.leaves)
		}
	}
}

// use marks exceptions as used and reports whether there are any.
func (r *runner) use(exceptions []*exception) bool {
	for _, e := range exceptions {
		r.used[e] = true
	}
	return len(exceptions) > 0
}

func readGroups(t *testing.T, file string) (groups []group) {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(raw, &groups)
	}
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	for _, g := range groups {
		if len(g.Schema) == 0 || len(g.Tests) == 0 {
			t.Errorf("%s: %q is not a group as expected", file, g.Description)
		}
	}
	if len(groups) == 0 {
		t.Errorf("%s has no groups", file)
	}
	return groups
}

// ofDialect returns the schema with the dialect's name in it, unless it names one.
func ofDialect(schema, dialect string) string {
	var members map[string]json.RawMessage
	if json.Unmarshal([]byte(schema), &members) != nil || members["$schema"] != nil {
		return schema
	}
	rest := strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(schema), "{"))
	if rest != "}" {
		rest = "," + rest
	}
	return `{"$schema":"` + dialect + `"` + rest
}

// moduleFolder returns where the module is that go.mod names.
func moduleFolder(t *testing.T, module string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", module).Output()
	folder := strings.TrimSpace(string(out))
	if err != nil || folder == "" {
		t.Fatalf("where is the module %s? %v", module, err)
	}
	return folder
}

// jsonFiles returns the names of the JSON files in the folder and beneath it.
func jsonFiles(t *testing.T, folder string) []string {
	t.Helper()
	var files []string
	err := fs.WalkDir(os.DirFS(folder), ".", func(name string, _ fs.DirEntry, err error) error {
		if strings.HasSuffix(name, ".json") {
			files = append(files, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Fatalf("%s has no files", folder)
	}
	return files
}
