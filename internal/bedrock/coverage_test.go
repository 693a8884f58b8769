package bedrock

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// restrictions are how many restrictions of Bedrock have a number (see
// internal/awstest/restrictions.go).
const restrictions = 48

// caseNames are the names of all cases.
func caseNames(t *testing.T) []string {
	t.Helper()
	entries, err := os.ReadDir("testdata/cases")
	if err != nil || len(entries) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
	}
	return names
}

// caseName is what testdata/README.md says a name is: rules, a reported fault, or
// both, and then words.
var caseName = regexp.MustCompile(`^((?:(?:r\d\d|s\d)-)*)((?:bug-[a-z0-9-]+-\d+-)*)[a-z0-9-]+$`)

// TestRulesAreShown: every restriction of Bedrock and every part of the
// translation has a case that is named after it.
func TestRulesAreShown(t *testing.T) {
	t.Parallel()
	shown := map[string]bool{}
	for _, name := range caseNames(t) {
		parts := caseName.FindStringSubmatch(name)
		if parts == nil || parts[1]+parts[2] == "" {
			t.Errorf("%s names neither a rule nor a reported fault", name)
			continue
		}
		for rule := range strings.SplitSeq(strings.TrimSuffix(parts[1], "-"), "-") {
			shown[rule] = true
		}
	}
	for n := 1; n <= restrictions; n++ {
		if rule := fmt.Sprintf("r%02d", n); !shown[rule] {
			t.Errorf("no case is named after restriction %s", rule)
		}
	}
	for _, part := range []string{"s1", "s2", "s3", "s5", "s6", "s7", "s8", "s9"} {
		if !shown[part] {
			t.Errorf("no case is named after part %s of the translation", part)
		}
	}
}

// TestReportsAreShown: every fault in testdata/bugs.md is named by a case, or has
// a test, and every case that is named after a fault finds it there.
func TestReportsAreShown(t *testing.T) {
	t.Parallel()
	table, err := os.ReadFile("testdata/bugs.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := regexp.MustCompile("(?m)^\\| `(bug-[a-z0-9-]+)` \\| [^|]+ \\| \\[[^|]+\\]\\(https://github\\.com/[^|]+\\) \\| (?:`(Test\\w+)`)? ?\\|$").FindAllSubmatch(table, -1)
	if lines := bytes.Count(table, []byte("\n| `")); len(rows) == 0 || len(rows) != lines {
		t.Fatalf("%d of %d rows of testdata/bugs.md can be read", len(rows), lines)
	}
	names, tests := caseNames(t), testSources(t)
	var known []string
	for _, row := range rows {
		bug, test := string(row[1]), string(row[2])
		known = append(known, bug)
		shown := slices.ContainsFunc(names, func(name string) bool { return strings.Contains(name, bug+"-") })
		switch {
		case test == "" && !shown:
			t.Errorf("no case is named after %s", bug)
		case test != "" && !strings.Contains(tests, "func "+test+"(") || test != "" && !strings.Contains(tests, bug):
			t.Errorf("%s has no test %s that speaks of it", bug, test)
		}
	}
	slices.SortFunc(known, func(a, b string) int { return len(b) - len(a) })
	for _, name := range names {
		rest := name
		for _, bug := range known {
			rest = strings.ReplaceAll(rest, bug+"-", "")
		}
		if strings.Contains(rest, "bug-") {
			t.Errorf("%s: the fault is not in testdata/bugs.md", name)
		}
	}
}

// testSources are the tests of this package.
func testSources(t *testing.T) string {
	t.Helper()
	paths, err := filepath.Glob("*_test.go")
	if err != nil || len(paths) == 0 {
		t.Fatal("no tests")
	}
	var all bytes.Buffer
	for _, path := range paths {
		source, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(source)
	}
	return all.String()
}

// TestFamiliesAreShown: every row of the family table has a case that is named
// after it, which shows what the row does to one and the same request.
func TestFamiliesAreShown(t *testing.T) {
	t.Parallel()
	for _, f := range everyFamily() {
		raw := read(t, "testdata/cases/s8-"+f.name, "request.json")
		if raw == nil {
			t.Errorf("no case is named s8-%s", f.name)
			continue
		}
		if req := decodeRequest(t, string(raw)); familyOf(req.Model) != f {
			t.Errorf("s8-%s asks %s, which is of family %s", f.name, req.Model, familyOf(req.Model).name)
		}
	}
}

// TestSourcesAreListed: every row of the family table says where it comes from,
// by numbers of the list above the table.
func TestSourcesAreListed(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("family.go")
	if err != nil {
		t.Fatal(err)
	}
	used := map[string]bool{}
	for _, f := range families {
		for number := range strings.FieldsSeq(f.sources) {
			used[number] = true
			if !regexp.MustCompile(`(?m)^//\t` + number + ` +\S`).Match(source) {
				t.Errorf("%s: no source has the number %s", f.name, number)
			}
		}
	}
	for _, listed := range regexp.MustCompile(`(?m)^//\t(\d+) `).FindAllSubmatch(source, -1) {
		if !used[string(listed[1])] {
			t.Errorf("source %s is used by no row", listed[1])
		}
	}
}
