package lambdatest

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestGoSettings checks that they are the template's.
func TestGoSettings(t *testing.T) {
	t.Parallel()
	template, err := os.ReadFile("../../template.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, setting := range GoSettings {
		name, value, _ := strings.Cut(setting, "=")
		line := regexp.MustCompile(`(?m)^        ` + name + `: "?` + regexp.QuoteMeta(value) + `"?$`)
		if !line.Match(template) {
			t.Errorf("template.yaml does not set %s", setting)
		}
	}
}
