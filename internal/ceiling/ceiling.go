// Package ceiling keeps what requests cost from growing unnoticed. It counts
// allocations, which are the same on every machine, where times are not.
package ceiling

import (
	"fmt"
	"strings"
	"testing"
)

// Allocs fails the test if f makes more than most allocations, on average over a
// few runs. The test must not be parallel. Under the race detector, which
// allocates for itself, factor times as many pass.
func Allocs(tb testing.TB, most float64, f func()) {
	tb.Helper()
	if n := testing.AllocsPerRun(20, f); n > most*factor {
		tb.Errorf("%v allocations, the ceiling is %v: find out what made it more, or raise the ceiling and say why", n, most*factor)
	}
}

// Request returns a chat completion request of about size bytes that offers two
// tools, as HyperStudy's do.
func Request(size int) string {
	const line = `Participant C: <participant>i was \"close\" to tears — really</participant>\n`
	body := `{"model":"agent","messages":[{"role":"system","content":"Call one of your tools."},{"role":"user","content":"%s"}],"temperature":0.7,"max_tokens":300,` +
		`"tools":[{"type":"function","function":{"name":"submit_response","description":"Answer.","parameters":{"type":"object","properties":{"value":{"type":"number","minimum":0,"maximum":100,"multipleOf":0.5,"description":"Your answer."}},"required":["value"],"additionalProperties":false}}},` +
		`{"type":"function","function":{"name":"wait","description":"Let this turn pass.","parameters":{"type":"object","properties":{}}}}],"tool_choice":"auto"}`
	return fmt.Sprintf(body, strings.Repeat(line, max(0, size-len(body))/len(line)))
}
