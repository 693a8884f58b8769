package ceiling

import (
	"encoding/json"
	"fmt"
	"testing"
)

// A recorder is a test that keeps its error.
type recorder struct {
	testing.TB
	failed string
}

func (r *recorder) Helper() {}

func (r *recorder) Errorf(format string, args ...any) { r.failed = fmt.Sprintf(format, args...) }

var sink []byte

func TestAllocs(t *testing.T) {
	for _, tc := range []struct {
		allocations int
		most        float64
		fails       bool
	}{{0, 0, false}, {2, 2, false}, {2, 5, false}, {40, 2, true}} {
		r := &recorder{TB: t}
		Allocs(r, tc.most, func() {
			for range tc.allocations {
				sink = make([]byte, 64)
			}
		})
		if (r.failed != "") != tc.fails {
			t.Errorf("%d allocations of at most %v: %q", tc.allocations, tc.most, r.failed)
		}
	}
}

func TestRequest(t *testing.T) {
	t.Parallel()
	for _, size := range []int{0, 4 << 10, 1 << 20} {
		body := Request(size)
		if !json.Valid([]byte(body)) || len(body) > max(size, 1000) || len(body) < size*9/10 {
			t.Errorf("%d bytes for %d", len(body), size)
		}
	}
}
