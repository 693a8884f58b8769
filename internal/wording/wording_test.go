package wording

import (
	"testing"
	"time"
)

func TestWording(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ got, want string }{
		{Count(1, "check"), "1 check"}, {Count(0, "check"), "0 checks"}, {Count(2, "address"), "2 addresses"}, {Count(2000, "token"), "2,000 tokens"},
		{Thousands(7), "7"}, {Thousands(999), "999"}, {Thousands(1000), "1,000"}, {Thousands(1234567), "1,234,567"},
		{Seconds(0), "less than 0.001 s"}, {Seconds(499 * time.Microsecond), "less than 0.001 s"}, {Seconds(500 * time.Microsecond), "0.001 s"},
		{Seconds(12345 * time.Microsecond), "0.012 s"}, {Seconds(400 * time.Millisecond), "0.4 s"}, {Seconds(999700 * time.Microsecond), "1 s"},
		{Seconds(1234 * time.Millisecond), "1.23 s"}, {Seconds(12345 * time.Millisecond), "12.3 s"}, {Seconds(time.Minute), "60 s"},
		{Seconds(300 * time.Second), "300 s"}, {Seconds(1234567 * time.Millisecond), "1235 s"},
		{Capital("ärger"), "Ärger"}, {Capital("Up"), "Up"}, {Capital(""), ""},
	} {
		if tc.got != tc.want {
			t.Errorf("got %q, want %q", tc.got, tc.want)
		}
	}
}
