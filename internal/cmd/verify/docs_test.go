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
