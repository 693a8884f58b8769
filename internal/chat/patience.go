package chat

import (
	"math"
	"time"

	"hyperstudy-endpoint/internal/openai"
)

const (
	// maxUnusable is how many replies that are of no use are followed by another
	// attempt. Each may be paid for, and an upstream or a model that always fails
	// does not get better.
	maxUnusable = 5
	// awhile is for how long an upstream that nobody answers for is tried: servers
	// and containers that are started again listen within some seconds. After the
	// last attempt, which may take 5 s more to connect, HyperStudy's connection test
	// still has some of its 30 s left to show the reason.
	awhile = 15 * time.Second

	untilTheEnd = time.Duration(math.MaxInt64)
)

// A patience counts what was borne with while one answer was worked on.
type patience struct {
	unusable  int
	misset    int
	deafSince time.Time // when the first of the attempts in a row began that nobody listened to; zero if the last was listened to
}

// answered notes that an attempt has brought an answer.
func (p *patience) answered() { p.deafSince = time.Time{} }

// left returns for how long after the fault of an attempt, which began at began,
// another one may begin; zero or less means that none may. An upstream that is
// proven has answered before: its settings are right, so what keeps it from being
// reached passes, and in the middle of an experiment every decision is worth the wait.
func (p *patience) left(fault *openai.Error, began time.Time, proven bool) time.Duration {
	if fault.Patience != openai.ForAWhile {
		p.deafSince = time.Time{}
	}
	switch fault.Patience {
	case openai.UntilTheEnd:
	case openai.ForAWhile:
		if proven {
			break
		}
		if p.deafSince.IsZero() {
			p.deafSince = began
		}
		return awhile - time.Since(p.deafSince)
	case openai.AFewTimes:
		if p.unusable++; p.unusable > maxUnusable {
			return 0
		}
	case openai.OnceMore:
		if p.misset++; p.misset > 1 && !proven {
			return 0
		}
	}
	return untilTheEnd
}
