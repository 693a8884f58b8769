package chat

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"hyperstudy-endpoint/internal/openai"
)

// TestRetriesUntilTheEnd has an upstream recover shortly before the deadline:
// the long waits that a run of failures leads to must not be a reason to give up.
func TestRetriesUntilTheEnd(t *testing.T) {
	t.Parallel()
	for _, limit := range []time.Duration{3 * time.Second, 9 * time.Second, 57 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			p := &recovering{after: limit - time.Second, start: time.Now()}
			_, report, took, err := within(t, limit, completer(p, Options{}), rating(t, ""))
			if err != nil || took > limit {
				t.Errorf("limit %v: %v after %v and %d attempts", limit, err, took, report.Attempts)
			}
			if report.Attempts > 25 {
				t.Errorf("limit %v: %d attempts", limit, report.Attempts)
			}
		})
	}
}

// recovering is throttled for a while.
type recovering struct {
	start time.Time
	after time.Duration
}

func (r *recovering) Complete(context.Context, *openai.ChatCompletionRequest) (*openai.ChatCompletion, error) {
	if time.Since(r.start) < r.after {
		return nil, throttled
	}
	return submit(`{"value":1}`), nil
}
