package chat

import (
	"sync"
	"time"
)

// A pace is how long a model has taken for an answer lately. A retry that begins
// when less than that is left would most likely be cut off: it would use up quota
// that another caller waits for, and be paid for without an answer.
type pace struct {
	mu       sync.Mutex
	estimate time.Duration
}

// answered takes in how long an answer took. The estimate follows slow answers
// three times as fast as quick ones, so that it settles above the middle.
func (p *pace) answered(took time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.estimate == 0:
		p.estimate = took
	case took > p.estimate:
		p.estimate += (took - p.estimate) / 4
	default:
		p.estimate -= (p.estimate - took) / 12
	}
}

// usual is the estimate; zero as long as there was no answer.
func (p *pace) usual() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.estimate
}
