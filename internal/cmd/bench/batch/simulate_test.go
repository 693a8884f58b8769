package batch

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// simulate plays a scenario in virtual time; a quota of 0 is none.
func simulate(t *testing.T, s Scenario, tokensPerMinute float64, retries bool) (r *Result, q *Quota) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		if tokensPerMinute == 0 {
			tokensPerMinute = math.MaxFloat64
		}
		q = NewQuota(tokensPerMinute)
		var err error
		if r, err = Simulate(t.Context(), s, q, 1, retries); err != nil {
			t.Fatal(err)
		}
	})
	return r, q
}

// need is how many tokens a minute a scenario uses where nothing limits it.
func need(t *testing.T, s Scenario) float64 {
	t.Helper()
	r, q := simulate(t, s, 0, true)
	return q.taken / r.Took.Minutes()
}

func scenario(t *testing.T, name string) Scenario {
	t.Helper()
	s, ok := Find(name)
	if !ok {
		t.Fatalf("no scenario %s", name)
	}
	return s
}

// TestScenarios plays each batch without a quota: every call is made and answered,
// except by the reasoning model of F and H, one in a few hundred of whose answers
// takes longer than the time limit.
func TestScenarios(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]struct {
		calls     int
		longest   time.Duration
		mostAtOnc int
	}{
		"A": {8, 30 * time.Second, 8}, "B": {90, 4 * time.Minute, 6}, "C": {4000, 17 * time.Minute, 40}, "D": {6000, 11 * time.Minute, 80},
		"E": {48000, 22 * time.Minute, 240}, "F": {6000, 20 * time.Minute, 180}, "G": {36000, 14 * time.Minute, 260}, "H": {80000, 34 * time.Minute, 1400}, "I": {4000, 3 * time.Minute, 400},
		"J": {6000, 11 * time.Minute, 80},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := scenario(t, name)
			r, _ := simulate(t, s, 0, true)
			mayLose := 0
			if s.Median > 10*time.Second {
				mayLose = want.calls / 200
			}
			if s.Calls() != want.calls || r.Calls != want.calls || r.Lost() > mayLose || r.Stopped != 0 {
				t.Errorf("%d calls, of which %d were answered, %d lost", s.Calls(), r.Answered, r.Lost())
			}
			if r.Took > want.longest || r.Peak > want.mostAtOnc {
				t.Errorf("took %v, %d at once", r.Took, r.Peak)
			}
		})
	}
}

// TestHalfTheQuota gives batches half of the tokens a minute that they need. The
// quota is used up while anybody waits for it, and nearly every call that it
// lets through is answered in time, except where the model itself takes half of
// the time limit.
func TestHalfTheQuota(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]struct {
		answered float64 // share of the calls that the quota let through
		lost     float64 // share of the batch
	}{
		"D": {0.99, 0.015}, "G": {0.99, 0.005}, "I": {0.99, 0.005}, "J": {0.99, 0.015}, "F": {0.85, 0.3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := scenario(t, name)
			half := need(t, s) / 2
			r, q := simulate(t, s, half, true)
			without, _ := simulate(t, s, half, false)
			if used := q.Used(); used < 0.99 {
				t.Errorf("%.1f %% of the quota were used", 100*used)
			}
			let := q.taken / float64(s.Tokens())
			if share := float64(r.Answered) / let; share < want.answered {
				t.Errorf("%.1f %% of the %.0f calls that the quota let through were answered", 100*share, let)
			}
			if share := float64(r.Lost()) / float64(s.Calls()); share > want.lost {
				t.Errorf("%.1f %% of the calls were lost", 100*share)
			}
			if r.Lost()*2 > without.Lost() {
				t.Errorf("%d calls were lost, %d without retries", r.Lost(), without.Lost())
			}
		})
	}
}

func TestQuota(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := NewQuota(600) // 10 a second
		for range 6 {
			if !q.Take(100) {
				t.Fatal("a full bucket refused")
			}
		}
		if q.Take(100) || q.Throttled() != 1 {
			t.Error("an empty bucket let a call through")
		}
		time.Sleep(5 * time.Second)
		if q.Take(100) {
			t.Error("50 tokens were enough for 100")
		}
		time.Sleep(5 * time.Second)
		if !q.Take(100) || q.Take(1) {
			t.Error("the bucket is not refilled at its rate")
		}
		if used := q.Used(); used < 0.99 || used > 1 {
			t.Errorf("used %v", used)
		}
	})
	if !(*Quota)(nil).Take(1 << 40) {
		t.Error("no quota refused")
	}
}

// TestStoppedAgents lets every call fail: an agent is stopped by its fifth
// failure, and what it would have asked is counted.
func TestStoppedAgents(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := scenario(t, "B")
		r := Play(t.Context(), s, 1, func(context.Context, Call) error { return errors.New("no") })
		if r.Stopped != 6 || r.Failed != 6*failuresInARow || r.Unmade != 90-r.Failed || r.Lost() != 90 {
			t.Errorf("%+v", r)
		}
	})
}

func TestLatency(t *testing.T) {
	t.Parallel()
	s := scenario(t, "D")
	random := rand.New(rand.NewPCG(1, 1))
	var all []time.Duration
	for range 10000 {
		all = append(all, s.Latency(random))
	}
	slices.Sort(all)
	if p50, p95 := all[5000], all[9500]; p50 < 1500*time.Millisecond || p50 > 1700*time.Millisecond || p95 < 3700*time.Millisecond || p95 > 4300*time.Millisecond {
		t.Errorf("median %v, 95th percentile %v", p50, p95)
	}
}
