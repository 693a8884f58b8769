package toolcall

import (
	"fmt"
	"strings"
	"testing"

	"hyperstudy-endpoint/internal/jsontree"
)

// TestDrops drops every set of members of an object and checks the rest.
func TestDrops(t *testing.T) {
	t.Parallel()
	const text = ` { "a" : 1 , "b":[2], "c" :{} ,"d":"x" } `
	d, bad := jsontree.Parse(text, answerLimits)
	if bad != nil {
		t.Fatal(bad)
	}
	for set := range 16 {
		r := repair{}
		var want []string
		for i, m := range d.Root.Members {
			if set>>i&1 == 0 {
				want = append(want, fmt.Sprintf("%q:%s", m.Name, d.Text[m.Value.Start:m.Value.End]))
				continue
			}
			r[m.Value] = edit{target: m.Value, drop: true, parent: d.Root, index: i}
		}
		got := r.apply(d, answerLimits)
		if got == nil {
			t.Errorf("set %04b: no JSON is left", set)
			continue
		}
		kept, bad := jsontree.Parse("{"+strings.Join(want, ",")+"}", answerLimits)
		if bad != nil || !jsontree.Equal(got.Root, kept.Root) {
			t.Errorf("set %04b: %s, want %s", set, got.Text, want)
		}
	}
}
