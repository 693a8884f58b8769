package app_test

import (
	"strings"
	"testing"
)

// TestMetrics has CloudWatch make metrics of what asks a model and of refused
// keys, and of nothing else.
func TestMetrics(t *testing.T) {
	t.Parallel()
	d := deploy(t, "agent=baseline:random")
	decision := request(t, "rating")
	d.post(t, decision)
	d.do(t, "GET", "/models", nil)
	d.do(t, "GET", "/models/nobody", nil)
	d.do(t, "POST", "/nowhere", decision, "Authorization", "none")
	d.do(t, "POST", "/chat/completions", decision, "Authorization", "Bearer wrong")
	d.do(t, "GET", "/models", nil, "Authorization", "Bearer wrong")
	d.post(t, []byte("{"))
	counts := map[string]int{}
	for _, line := range d.logs() {
		switch {
		case !strings.Contains(line, `"msg":"request"`):
		case !strings.Contains(line, `"_aws":{"Timestamp":`):
			counts["none"]++
		case !strings.Contains(line, `"Namespace":"`+namespace+`"`):
			t.Errorf("another namespace: %s", line)
		case strings.Contains(line, `"refused_keys":1`):
			counts["refused keys"]++
		case strings.Contains(line, `"failed":1`):
			counts["failed"]++
		case strings.Contains(line, `"failed":0`) && strings.Contains(line, `"model":"agent"`):
			counts["answered"]++
		}
	}
	for name, want := range map[string]int{"answered": 1, "failed": 1, "refused keys": 2, "none": 3} {
		if counts[name] != want {
			t.Errorf("%d lines of the class %s, want %d: %s", counts[name], name, want, lines(d.logs()))
		}
	}
}
