package openai

import (
	"net/http"
	"strings"
	"testing"
)

func TestFindModel(t *testing.T) {
	t.Parallel()
	ids := []string{"first", "org/second:1"}
	for _, tc := range []struct {
		name string
		want int // -1: there is none
	}{
		{"", 0}, {"default", 0}, {"first", 0}, {"org/second:1", 1}, {"First", -1}, {"second", -1}, {" ", -1},
	} {
		at, err := FindModel(ids, tc.name)
		if tc.want >= 0 {
			if at != tc.want || err != nil {
				t.Errorf("%q: %d, %v", tc.name, at, err)
			}
			continue
		}
		if e := AsError(err); e.Status != http.StatusNotFound || e.Code != CodeModelNotFound || e.Param != "model" || !strings.Contains(e.Message, "'first', 'org/second:1'") {
			t.Errorf("%q: %+v", tc.name, e)
		}
	}
}
