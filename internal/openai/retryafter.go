package openai

import (
	"errors"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// maxRetryAfter is the longest wait that is believed.
const maxRetryAfter = 24 * time.Hour

// RetryAfter reads from the header of a refusal how long the upstream asks to be
// left alone: Retry-After in seconds or as a date, as RFC 9110 section 10.2.3 has
// it, or Retry-After-Ms, which is OpenAI's and Azure's. It is 0 for a header that
// says nothing of the kind, and never more than a day.
func RetryAfter(h http.Header, now time.Time) time.Duration {
	if wait, ok := waitOf(h.Get("Retry-After-Ms"), time.Millisecond); ok {
		return wait
	}
	value := h.Get("Retry-After")
	if wait, ok := waitOf(value, time.Second); ok {
		return wait
	}
	if at, err := http.ParseTime(strings.TrimSpace(value)); err == nil {
		return min(max(0, at.Sub(now)), maxRetryAfter)
	}
	return 0
}

// waitOf reads a number of units, and reports whether it is one.
func waitOf(number string, unit time.Duration) (time.Duration, bool) {
	n, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if math.IsNaN(n) || err != nil && !errors.Is(err, strconv.ErrRange) {
		return 0, false // what is out of range is infinite, and a long wait
	}
	return time.Duration(min(max(0, n*float64(unit)), float64(maxRetryAfter))), true
}
