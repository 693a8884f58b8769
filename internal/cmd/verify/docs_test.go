package main

import (
	"os"
	"strings"
	"testing"

	"hyperstudy-endpoint/internal/conformance"
)

// TestOperationsExplainsEveryCheck checks that whatever verify names can be
// looked up by its name.
func TestOperationsExplainsEveryCheck(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	checks := conformance.Checks(conformance.Options{})
	if len(checks) < 50 {
		t.Fatalf("%d checks", len(checks))
	}
	for _, c := range checks {
		if !strings.Contains(string(text), "*"+c.Title+"*") {
			t.Errorf("docs/operations.md does not explain *%s* (%s)", c.Title, c.ID)
		}
	}
}

// TestHeadings checks that every group of checks has a heading for people.
func TestHeadings(t *testing.T) {
	t.Parallel()
	groups := map[string]bool{}
	for _, c := range conformance.Checks(conformance.Options{Study: make([]conformance.Tool, 1)}) {
		if groups[c.Group] = true; headings[c.Group] == "" {
			t.Errorf("group %s has no heading", c.Group)
		}
	}
	if len(groups) != len(headings) {
		t.Errorf("%d headings for %d groups", len(headings), len(groups))
	}
}
