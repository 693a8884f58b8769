package openai

import (
	"strings"
	"testing"
)

func TestNames(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		in   string
		is   bool
		name string
	}{
		{"send_chat-2", true, "send_chat-2"},
		{"", false, ""},
		{"a b", false, "a_b"},
		{"naïve", false, "na_ve"},
		{"a\nb", false, "a_b"},
		{strings.Repeat("x", 64), true, strings.Repeat("x", 64)},
		{strings.Repeat("x", 65), false, strings.Repeat("x", 64)},
	} {
		if got := IsName(tc.in, 64, "_-"); got != tc.is {
			t.Errorf("IsName(%q) = %v", tc.in, got)
		}
		if got := ToName(tc.in, 64, "_-"); got != tc.name {
			t.Errorf("ToName(%q) = %q, want %q", tc.in, got, tc.name)
		}
	}
}
