package batch

import (
	"context"
	"math/rand/v2"
	"slices"
	"sync"
	"time"
)

// A Call is one request of an agent: a decision, an answer to a chat message, or
// a stage of cognition, which offers no tools.
type Call struct {
	Room, Agent, State int
	Cognition          bool
}

// An Asker makes a call and returns when it is answered; an error is one that
// HyperStudy would see.
type Asker func(ctx context.Context, call Call) error

// A Result is what became of a batch.
type Result struct {
	Calls    int // made
	Answered int
	Failed   int
	Unmade   int // because their agent had been stopped, or the room's time was up
	Stopped  int // agents

	Took      time.Duration
	Latencies []time.Duration // of answered calls, sorted
	Peak      int             // the most calls under way at once
}

// Lost are the calls of the batch that have no answer.
func (r *Result) Lost() int { return r.Failed + r.Unmade }

// Quantile is the latency that a share q of the answered calls does not exceed.
func (r *Result) Quantile(q float64) time.Duration {
	if len(r.Latencies) == 0 {
		return 0
	}
	return r.Latencies[min(int(q*float64(len(r.Latencies))), len(r.Latencies)-1)]
}

// Play runs a batch to its end. Its times are drawn from seed; the end of ctx
// stops it.
func Play(ctx context.Context, s Scenario, seed uint64, ask Asker) *Result {
	p := &player{scenario: s, ask: ask, seed: seed}
	started := time.Now()
	var rooms sync.WaitGroup
	for n := range s.Rooms {
		rooms.Go(func() {
			if sleep(ctx, s.scaled(time.Duration(n)*s.Stagger)) == nil {
				p.room(ctx, n)
			}
		})
	}
	rooms.Wait()
	p.result.Took = time.Since(started)
	p.result.Unmade = s.Calls() - p.result.Calls
	slices.Sort(p.result.Latencies)
	return &p.result
}

// A player plays one batch.
type player struct {
	scenario Scenario
	ask      Asker
	seed     uint64

	mu       sync.Mutex
	underWay int
	result   Result
}

// An agent acts in one room.
type agent struct {
	number  int
	rand    *rand.Rand
	errors  int // in a row
	stopped bool
}

// room plays one room: on each screen all agents act, and wait for each other.
func (p *player) room(ctx context.Context, n int) {
	until := time.Now().Add(p.scenario.scaled(roomLimit))
	agents := make([]*agent, p.scenario.Agents)
	for i := range agents {
		agents[i] = &agent{number: i, rand: rand.New(rand.NewPCG(p.seed, uint64(n*1000+i)))} //nolint:gosec // a simulation that can be repeated
	}
	for state := range p.scenario.States {
		if time.Now().After(until) || ctx.Err() != nil {
			return
		}
		var screen sync.WaitGroup
		for _, a := range agents {
			if !a.stopped {
				screen.Go(func() { p.act(ctx, a, Call{Room: n, Agent: a.number, State: state}) })
			}
		}
		screen.Wait()
		if sleep(ctx, p.scenario.scaled(dwell)) != nil {
			return
		}
	}
}

// act is what an agent does on one screen: it answers the chat, thinks and decides.
func (p *player) act(ctx context.Context, a *agent, c Call) {
	for range p.scenario.Chats {
		if !p.paced(ctx, a, c) {
			return
		}
	}
	for _, calls := range p.scenario.Waves {
		thought := c
		thought.Cognition = true
		var wave sync.WaitGroup
		for range calls {
			wave.Go(func() { p.call(ctx, thought) }) // a stage that fails is left out
		}
		wave.Wait()
	}
	p.paced(ctx, a, c)
}

// paced makes a call after the pause that agents take to look natural, and
// reports whether the agent goes on.
func (p *player) paced(ctx context.Context, a *agent, c Call) bool {
	if sleep(ctx, p.scenario.scaled(paceLeast+time.Duration(a.rand.Int64N(int64(paceMost-paceLeast))))) != nil {
		return false
	}
	if p.call(ctx, c) {
		a.errors = 0
	} else if a.errors++; a.errors == failuresInARow {
		a.stopped = true
		p.mu.Lock()
		p.result.Stopped++
		p.mu.Unlock()
	}
	return !a.stopped
}

// call makes one call and books it.
func (p *player) call(ctx context.Context, c Call) bool {
	p.mu.Lock()
	p.result.Calls++
	p.underWay++
	p.result.Peak = max(p.result.Peak, p.underWay)
	p.mu.Unlock()
	started := time.Now()
	err := p.ask(ctx, c)
	took := time.Since(started)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.underWay--
	if err != nil {
		p.result.Failed++
		return false
	}
	p.result.Answered++
	p.result.Latencies = append(p.result.Latencies, took)
	return true
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
