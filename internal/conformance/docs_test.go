package conformance

import (
	"fmt"
	"strings"
	"testing"
)

// TestDocs holds the list of checks in the documentation against the checks.
func TestDocs(t *testing.T) {
	t.Parallel()
	_, documented, found := strings.Cut(string(read(t, "../../docs/conformance.md")), "\n## Checks\n")
	if !found {
		t.Fatal("docs/conformance.md has no section Checks")
	}
	var rows strings.Builder
	rows.WriteString("| check | title | | requirement |\n|---|---|---|---|\n")
	for _, c := range Checks(Options{}) {
		quick := ""
		if c.Quick {
			quick = "q"
		}
		fmt.Fprintf(&rows, "| `%s` | %s | %s | %s |\n", c.ID, c.Title, quick, c.Requirement)
	}
	if !strings.HasSuffix(documented, "\n"+rows.String()) {
		t.Errorf("the table of checks in docs/conformance.md should be:\n%s", rows.String())
	}
}
