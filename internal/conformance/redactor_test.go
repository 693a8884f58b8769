package conformance

import (
	"strings"
	"testing"
)

func TestRedactor(t *testing.T) {
	t.Parallel()
	const key = "sk-Pilot/2027-0123456789"
	r := newRedactor(key)
	for _, tc := range []struct{ name, text, want string }{
		{"as it is", "key " + key + ".", "key [API key]."},
		{"twice", key + key, "[API key][API key]"},
		{"cut short", "no such key: " + key[:len(key)-1], "no such key: [API key]"},
		{"in another case", strings.ToUpper(key), "[API key]"},
		{"with escaped slashes", strings.ReplaceAll(key, "/", `\/`), "[API key]"},
		{"where a text was shortened", "xxx" + key[:10] + "…", "xxx[API key]…"},
		{"only a few letters of it", "sk-Pil", "sk-Pil"},
		{"not there", "an İ and sk-Other/2027", "an İ and sk-Other/2027"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if got := r.replace(tc.text); got != tc.want {
				t.Errorf("%q, want %q", got, tc.want)
			}
		})
	}
	repeating := newRedactor("sk/Pilot-2027-0123456789")
	if got := repeating.replace(strings.Repeat("sk/Pilot ", 500_000)); got != strings.Repeat("[API key] ", 500_000) {
		t.Errorf("%d bytes that begin %.80q", len(got), got)
	}
	if got := newRedactor("short").replace("a short word"); got != "a short word" {
		t.Errorf("%q", got)
	}
}
