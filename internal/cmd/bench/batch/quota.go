package batch

import (
	"sync"
	"time"
)

// A Quota is a model's limit on tokens a minute: a bucket that holds a minute's
// tokens and is refilled all the time. A nil Quota is none.
type Quota struct {
	perMinute float64

	mu     sync.Mutex
	tokens float64
	at     time.Time

	taken     float64   // tokens of calls let through
	throttled int       // calls refused
	first     time.Time // refusal
	last      time.Time
	between   float64 // tokens taken from the first refusal on, up to the last
	sinceLast float64 // tokens taken since the last refusal
}

// NewQuota returns a full bucket.
func NewQuota(tokensPerMinute float64) *Quota {
	return &Quota{perMinute: tokensPerMinute, tokens: tokensPerMinute, at: time.Now()}
}

// Take reports whether a call of n tokens is let through.
func (q *Quota) Take(n int) bool {
	if q == nil {
		return true
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	now := time.Now()
	q.tokens = min(q.perMinute, q.tokens+q.perMinute*now.Sub(q.at).Minutes())
	q.at = now
	if q.tokens < float64(n) {
		q.refuse(now)
		return false
	}
	q.tokens -= float64(n)
	q.taken += float64(n)
	q.sinceLast += float64(n)
	return true
}

func (q *Quota) refuse(now time.Time) {
	q.throttled++
	if q.first.IsZero() {
		q.first, q.sinceLast = now, 0
	}
	q.between += q.sinceLast
	q.sinceLast, q.last = 0, now
}

// Throttled is how many calls were refused.
func (q *Quota) Throttled() int {
	if q == nil {
		return 0
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.throttled
}

// Used is the share of the quota that was used between the first refusal and
// the last: 1 if no token of it was left lying while somebody waited for one.
func (q *Quota) Used() float64 {
	q.mu.Lock()
	defer q.mu.Unlock()
	allowed := q.perMinute * q.last.Sub(q.first).Minutes()
	if allowed == 0 {
		return 1
	}
	return min(1, q.between/allowed)
}
