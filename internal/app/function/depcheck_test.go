package function

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// TestModelsLinksNoProvider fixes what the models function is made of. What it
// links, it loads and initializes at every start: the schema validator alone
// doubles the time.
func TestModelsLinksNoProvider(t *testing.T) {
	t.Parallel()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "-tags", "lambda.norpc", "hyperstudy-endpoint/functions/models").Output()
	if err != nil {
		t.Fatal(err)
	}
	const self = "hyperstudy-endpoint/internal/"
	linked := strings.Fields(string(out))
	if !slices.Contains(linked, self+"api") {
		t.Fatalf("the list is not that of the function: %v", linked)
	}
	for _, unwanted := range []string{
		self + "app", self + "baseline", self + "bedrock", self + "chat", self + "external", self + "toolcall",
		self + "jsonschema", "github.com/aws/aws-sdk-go-v2/service", "golang.org/x/text",
	} {
		for _, pkg := range linked {
			if pkg != self+"app/function" && (pkg == unwanted || strings.HasPrefix(pkg, unwanted+"/")) {
				t.Errorf("it links %s", pkg)
			}
		}
	}
}
