package lambdatest

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"time"
)

// A Function is a Lambda function. Its environments are processes that are
// started when an event finds none free, one event at a time each, and kept for
// the next. Set the fields before the first use and do not change them after.
type Function struct {
	// Path is the compiled bootstrap. Required.
	Path string
	// Name is the function's name; by default "function".
	Name string
	// Env are the function's own variables, each as "NAME=value", on top of those
	// that Lambda sets. Nothing of the environment of this process is passed on.
	Env []string
	// Timeout is the most time for one event; by default 3 s. A process that
	// takes longer is killed. INIT does not count.
	Timeout time.Duration
	// InitTimeout is the most time from the start of a process until it asks for
	// its first event; by default 10 s.
	InitTimeout time.Duration
	// MemoryMB is told to the function and not enforced; by default 128.
	MemoryMB int
	// Initialized is called with the id of each process that has finished INIT,
	// before it gets its first event: to limit it from there on, say.
	Initialized func(pid int)
	// MaxConcurrency is the most environments at a time; zero is no limit.
	MaxConcurrency int

	mu           sync.Mutex
	environments []*environment // all that were ever started, in order
	invocations  []Invocation
	changed      chan struct{} // closed at the next change of a state; may be nil
	closed       bool
}

// Invoke hands an event to a free environment, or to a new one. mode says how
// large the response may be. The error is [ErrThrottled], [ErrEventTooLarge],
// [ErrClosed], ctx's, or that of starting the process; a failure of the function
// comes from reading the response.
//
// The end of ctx ends the waiting of the caller, here and in [Response.Read]. The
// function goes on, because a Lambda invocation cannot be called off.
func (f *Function) Invoke(ctx context.Context, event []byte, mode Mode) (*Response, error) {
	if len(event) > maxEvent {
		return nil, ErrEventTooLarge
	}
	c := newCall(event, mode)
	for {
		wait, err := f.dispatch(ctx, c)
		if err != nil {
			return nil, err
		}
		if wait == nil {
			return &Response{RequestID: c.id, ctx: ctx, stream: c.stream}, nil
		}
		select {
		case <-wait:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// dispatch gives c to an environment. If there is none free but one has
// responded and is about to ask for its next event or to exit, it returns a
// channel to wait on before trying again: so a caller that sends one request
// after the other always meets the same environment.
func (f *Function) dispatch(ctx context.Context, c *call) (<-chan struct{}, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return nil, ErrClosed
	}
	alive, finishing := 0, false
	for _, e := range slices.Backward(f.environments) {
		if e.state == idle {
			e.accept(c)
			return nil, nil
		}
		finishing = finishing || e.state == finishingUp
		if e.state != dead {
			alive++
		}
	}
	if finishing {
		return f.change(), nil
	}
	if f.MaxConcurrency > 0 && alive >= f.MaxConcurrency {
		return nil, ErrThrottled
	}
	e, err := startEnvironment(ctx, f, len(f.environments)+1)
	if err != nil {
		return nil, err
	}
	f.environments = append(f.environments, e)
	c.record.Cold = true
	e.accept(c)
	return nil, nil
}

// change returns a channel that is closed at the next change. f.mu is held.
func (f *Function) change() <-chan struct{} {
	if f.changed == nil {
		f.changed = make(chan struct{})
	}
	return f.changed
}

// broadcast wakes all who wait for a change. f.mu is held.
func (f *Function) broadcast() {
	if f.changed != nil {
		close(f.changed)
		f.changed = nil
	}
}

// Invocations returns the records of all finished invocations, in the order of
// their ends. It waits for those that have responded but are not finished, so a
// caller that has read a whole response finds it here.
func (f *Function) Invocations() []Invocation {
	for {
		records, wait := f.records()
		if wait == nil {
			return records
		}
		<-wait
	}
}

func (f *Function) records() ([]Invocation, <-chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, e := range f.environments {
		if e.state == finishingUp {
			return nil, f.change()
		}
	}
	return slices.Clone(f.invocations), nil
}

// Logs returns what the processes have written to standard output and standard
// error so far, as lines, one environment after the other.
func (f *Function) Logs() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var lines []string
	for _, e := range f.environments {
		for line := range bytes.Lines(e.output.read()) {
			lines = append(lines, strings.TrimRight(string(line), "\r\n"))
		}
	}
	return lines
}

// Close ends all environments, first by SIGTERM and half a second later by
// SIGKILL, and waits for their end. What is in flight fails. The function cannot
// be used again; its logs and records stay.
func (f *Function) Close() {
	f.mu.Lock()
	f.closed = true
	environments := slices.Clone(f.environments)
	f.broadcast()
	f.mu.Unlock()

	var wg sync.WaitGroup
	for _, e := range environments {
		wg.Go(e.stop)
	}
	wg.Wait()
}

func (f *Function) name() string {
	return cmp.Or(f.Name, "function")
}

func (f *Function) timeout() time.Duration {
	return cmp.Or(f.Timeout, 3*time.Second)
}
