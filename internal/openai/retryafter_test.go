package openai

import (
	"net/http"
	"testing"
	"time"
)

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	tests := []struct {
		name, seconds, ms string
		want              time.Duration
	}{
		{"nothing", "", "", 0},
		{"seconds", "3", "", 3 * time.Second},
		{"part of a second", "0.25", "", 250 * time.Millisecond},
		{"spaces", " 3 ", "", 3 * time.Second},
		{"negative", "-3", "", 0},
		{"a word", "soon", "", 0},
		{"no number", "NaN", "", 0},
		{"more than a day", "86401", "", maxRetryAfter},
		{"more than a duration", "9223372036", "", maxRetryAfter},
		{"more than 64 bits", "99999999999999999999", "", maxRetryAfter},
		{"more than a float", "1e999", "", maxRetryAfter},
		{"less than a float", "-1e999", "", 0},
		{"a date", "Fri, 02 Jan 2026 03:04:15 GMT", "", 10 * time.Second},
		{"a date that has passed", "Fri, 02 Jan 2026 03:04:00 GMT", "", 0},
		{"a date that is far away", "Fri, 31 Dec 9999 23:59:59 GMT", "", maxRetryAfter},
		{"milliseconds", "", "1500", 1500 * time.Millisecond},
		{"milliseconds come first", "3", "1500", 1500 * time.Millisecond},
		{"milliseconds that are none", "3", "soon", 3 * time.Second},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h := http.Header{}
			h.Set("Retry-After", tt.seconds)
			h.Set("Retry-After-Ms", tt.ms)
			if got := RetryAfter(h, now); got != tt.want {
				t.Errorf("%v, want %v", got, tt.want)
			}
		})
	}
}
