package chat

import (
	"testing"
	"testing/synctest"
	"time"
)

func TestPaceSettlesAboveTheMiddle(t *testing.T) {
	t.Parallel()
	p := &pace{}
	if p.usual() != 0 {
		t.Errorf("%v before the first answer", p.usual())
	}
	for i := range 1000 { // half take 10 s, half 20 s
		p.answered(time.Duration(10+10*(i%2)) * time.Second)
	}
	if got := p.usual(); got < 16*time.Second || got > 19*time.Second {
		t.Errorf("%v", got)
	}
	for range 60 { // the model has become fast
		p.answered(2 * time.Second)
	}
	if got := p.usual(); got > 3*time.Second {
		t.Errorf("%v after 60 answers of 2 s", got)
	}
}

// TestLastRetryLeavesTimeToAnswer throttles a model that is known to be slow: no
// retry begins that could not be answered any more.
func TestLastRetryLeavesTimeToAnswer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const limit = 57 * time.Second
		p := &script{replies: []reply{{after: 12 * time.Second, completion: submit(`{"value":1}`)}, {err: throttled}}}
		c := completer(p, Options{})
		if _, _, _, err := within(t, limit, c, rating(t, "")); err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		_, report, _, err := within(t, limit, c, rating(t, ""))
		if err == nil || report.Attempts < 5 {
			t.Fatalf("%v after %d attempts", err, report.Attempts)
		}
		if last := p.at[len(p.at)-1].Sub(start); last > limit-12*time.Second {
			t.Errorf("the last retry began after %v", last)
		}
	})
}

// TestPaceNeverTakesMostOfTheTime has one answer take nearly all of the time:
// the next request is retried for two thirds of its own all the same.
func TestPaceNeverTakesMostOfTheTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const limit = 57 * time.Second
		p := &script{replies: []reply{{after: 55 * time.Second, completion: submit(`{"value":1}`)}, {err: throttled}}}
		c := completer(p, Options{})
		if _, _, _, err := within(t, limit, c, rating(t, "")); err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		if _, _, _, err := within(t, limit, c, rating(t, "")); err == nil {
			t.Fatal("no error")
		}
		if last := p.at[len(p.at)-1].Sub(start); last < limit/2 {
			t.Errorf("the last retry began after %v of %v", last, limit)
		}
	})
}
