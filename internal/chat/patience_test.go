package chat

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"hyperstudy-endpoint/internal/openai"
)

// faultOf is a temporary fault that is worth so much patience.
func faultOf(p openai.Patience) *openai.Error {
	return &openai.Error{Status: 502, Type: openai.TypeServer, Code: openai.CodeUpstream, Temporary: true, Patience: p}
}

var (
	misset   = faultOf(openai.OnceMore)
	unusable = faultOf(openai.AFewTimes)
	deaf     = faultOf(openai.ForAWhile)
)

// TestPatience has an upstream fail in one way for ever: what no time mends is
// told while HyperStudy's connection test still waits for it, and what may pass
// gets all the time there is.
func TestPatience(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name     string
		reply    reply
		attempts int // 0: as many as the time allows
		least    time.Duration
		most     time.Duration
	}{
		{"a wrong setting", reply{err: misset}, 2, 0, time.Second},
		{"replies that are of no use", reply{err: unusable, after: time.Second}, 1 + maxUnusable, 0, 20 * time.Second},
		{"nobody listens", reply{err: deaf}, 0, awhile, awhile},
		{"nobody answers the first packet", reply{err: deaf, after: 5 * time.Second}, 0, awhile, awhile + 5*time.Second},
		{"lost connections", reply{err: broken}, 0, 50 * time.Second, 57 * time.Second},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				p := &script{replies: []reply{tc.reply}}
				_, report, took, err := within(t, 57*time.Second, completer(p, Options{}), rating(t, ""))
				if !errors.Is(err, tc.reply.err) {
					t.Errorf("%v, want the upstream's fault", err)
				}
				if tc.attempts > 0 && report.Attempts != tc.attempts || tc.attempts == 0 && report.Attempts < 3 || took < tc.least || took > tc.most {
					t.Errorf("%d attempts in %v", report.Attempts, took)
				}
			})
		})
	}
}

// TestPatienceIsEnough has an upstream recover in time.
func TestPatienceIsEnough(t *testing.T) {
	t.Parallel()
	good := reply{completion: submit(`{"value":1}`)}
	for _, tc := range []struct {
		name    string
		replies []reply
	}{
		{"a host that was not found once", []reply{{err: misset}, good}},
		{"a garbled reply", []reply{{err: unusable}, good}},
		{"a restart of ten seconds", []reply{{err: deaf, after: 5 * time.Second}, {err: deaf, after: 5 * time.Second}, good}},
		{"restarts with an answer between", []reply{
			{err: deaf}, {after: 8 * time.Second, completion: submit(`{"value":140}`)},
			{err: deaf}, {after: 8 * time.Second, completion: submit(`{"value":140}`)}, {err: deaf}, good,
		}},
		{"a restart, during which a balancer answers", []reply{{err: deaf}, {err: broken, after: 20 * time.Second}, {err: deaf}, good}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				_, report, _, err := within(t, 57*time.Second, completer(&script{replies: tc.replies}, Options{MaxReasks: 2}), rating(t, ""))
				if err != nil || report.Attempts != len(tc.replies) {
					t.Errorf("%v after %d attempts", err, report.Attempts)
				}
			})
		})
	}
}

// TestPatienceWithTheProven has an upstream that has answered go away for most of
// the time limit, as a server does that is deployed again: nothing is lost.
func TestPatienceWithTheProven(t *testing.T) {
	t.Parallel()
	good := reply{completion: submit(`{"value":1}`), after: time.Second}
	for _, tc := range []struct {
		name string
		away reply
		lost bool
	}{
		{"nobody listens", reply{err: deaf}, false},
		{"its name is gone", reply{err: misset}, false},
		{"replies that are of no use", reply{err: unusable}, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				p := &script{replies: []reply{good, tc.away}}
				c := completer(p, Options{})
				if _, _, _, err := within(t, 57*time.Second, c, rating(t, "")); err != nil {
					t.Fatal(err)
				}
				time.AfterFunc(40*time.Second, func() { p.say(good) })
				_, report, took, err := within(t, 57*time.Second, c, rating(t, ""))
				if (err != nil) != tc.lost || !tc.lost && took < 40*time.Second {
					t.Errorf("%v after %d attempts in %v", err, report.Attempts, took)
				}
			})
		})
	}
}

// TestUnusableRepliesCountTogether has the model asked again for a better answer:
// that is no reason to pay for as many useless replies once more.
func TestUnusableRepliesCountTogether(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		replies := []reply{{err: unusable}, {err: unusable}, {completion: submit(`{"value":140}`)}, {err: unusable}}
		_, report, _, err := within(t, time.Minute, completer(&script{replies: replies}, Options{MaxReasks: 5}), rating(t, ""))
		if !errors.Is(err, unusable) || report.Attempts != 1+maxUnusable+1 {
			t.Errorf("%v after %d attempts", err, report.Attempts)
		}
	})
}

// TestFallbackIsAskedWhateverThePatience has the fallback step in as soon as its
// model is given up.
func TestFallbackIsAskedWhateverThePatience(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		main *openai.Error
		most time.Duration // before the fallback is asked
	}{
		{"a wrong setting", misset, time.Second},
		{"replies that are of no use", unusable, 15 * time.Second},
		{"nobody listens", deaf, awhile},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				spare := &script{replies: []reply{{err: misset}, {completion: submit(`{"value":1}`)}}}
				c := New([]Model{
					{Alias: "fast", Provider: &script{replies: []reply{{err: tc.main}}}, Fallback: "spare"},
					{Alias: "spare", Provider: spare},
				}, Options{})
				_, report, took, err := within(t, 57*time.Second, c, rating(t, ""))
				if err != nil || report.Fallback != "spare" || took > tc.most+firstWait {
					t.Errorf("%v after %v, report %+v", err, took, report)
				}
			})
		})
	}
}
