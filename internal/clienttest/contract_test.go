package clienttest

import (
	"reflect"
	"strings"
	"testing"

	"github.com/openai/openai-go/v3"
)

// TestContract checks that docs/contract.md says of every parameter that the
// client knows what becomes of it.
func TestContract(t *testing.T) {
	t.Parallel()
	_, table, found := strings.Cut(string(readFile(t, "../../docs/contract.md")), "## Fields of a request\n")
	table, _, _ = strings.Cut(table, "Within `messages`")
	if !found {
		t.Fatal("the page has no list of fields")
	}
	params := reflect.TypeFor[openai.ChatCompletionNewParams]()
	names := 0
	for i := range params.NumField() {
		name, _, _ := strings.Cut(params.Field(i).Tag.Get("json"), ",")
		if name == "" || name == "-" {
			continue
		}
		names++
		if !strings.Contains(table, "`"+name+"`") {
			t.Errorf("the page does not list %s", name)
		}
	}
	if names < 30 {
		t.Errorf("the client has %d parameters only", names)
	}
}
