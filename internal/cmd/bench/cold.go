package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"hyperstudy-endpoint/internal/lambdatest"
)

// coldConditions are under what a start is measured.
type coldConditions struct {
	secure   bool
	memoryMB int // CPU share after INIT, which Lambda does not limit; 0: all
	noCache  bool
}

func (c coldConditions) fakes() string {
	if c.secure {
		return "TLS"
	}
	return "HTTP"
}

// A start is one cold start.
type start struct {
	init, answer, cpu time.Duration
	initCPU           time.Duration // the part of cpu before the first event
	rss               int64
}

// coldStarts starts programs in turn, n times each.
func (b *bench) coldStarts(ctx context.Context, c coldConditions, names []string, n int) error {
	programs := b.programs(b.fakes, c.secure)
	starts := make([][]start, len(names))
	for round := range n + 1 {
		for i, name := range names {
			s, err := b.coldStart(ctx, programs[name], c)
			if err != nil {
				return fmt.Errorf("cold start of %s with fakes over %s: %w", name, c.fakes(), err)
			}
			if round > 0 { // the first fills the caches of the machine
				starts[i] = append(starts[i], s)
			}
		}
	}
	for i, name := range names {
		b.results.Cold = append(b.results.Cold, summary(name, c, starts[i]))
	}
	return nil
}

func summary(name string, c coldConditions, starts []start) coldResult {
	var init, answer, cpu, first []time.Duration
	var rss int64
	for _, s := range starts {
		init, answer, cpu = append(init, s.init), append(answer, s.answer), append(cpu, s.cpu)
		first = append(first, s.cpu-s.initCPU)
		rss = max(rss, s.rss)
	}
	return coldResult{
		Program: name, Fakes: c.fakes(), MemoryMB: c.memoryMB, NoCache: c.noCache, Starts: len(starts),
		Init: ms(median(init)), Answer: ms(median(answer)), P90: ms(quantile(answer, 0.9)), CPU: ms(median(cpu)), FirstCPU: ms(median(first)), RSS: mib(rss),
	}
}

// coldStart starts a program, has one event answered, and ends it.
func (b *bench) coldStart(ctx context.Context, p program, c coldConditions) (start, error) {
	if c.noCache {
		if err := dropPages(p.path); err != nil {
			return start{}, err
		}
	}
	w, err := b.launch(p, c.memoryMB)
	if err != nil {
		return start{}, err
	}
	defer w.close()
	record, err := w.invoke(ctx, b.firstEvent(p))
	if err != nil {
		return start{}, err
	}
	s := start{init: record.InitDuration, answer: record.InitDuration + record.LastByte, initCPU: w.initCPU}
	if s.cpu, err = cpuTime(w.pid); err != nil {
		return start{}, err
	}
	_, s.rss, err = memory(w.pid)
	return s, err
}

// firstEvent is what a program is woken up with.
func (b *bench) firstEvent(p program) []byte {
	if p.name == modelsName {
		return event("GET", "/models", nil)
	}
	return event("POST", "/chat/completions", shape{size: sizes[0], tools: 3}.request())
}

// A worker is a program that runs.
type worker struct {
	program
	fn       *lambdatest.Function
	pid      int
	initCPU  time.Duration // used before the first event
	limit    *throttle
	setupErr error // of what happens between INIT and the first event
}

// launch prepares a program that starts with its first event and then has the CPU
// share of a function of that memory.
func (b *bench) launch(p program, memoryMB int) (*worker, error) {
	w := &worker{program: p, fn: p.function()}
	if memoryMB > 0 {
		t, err := newThrottle(memoryMB)
		if err != nil {
			return nil, err
		}
		w.limit = &t
	}
	w.fn.Initialized = func(pid int) {
		w.pid = pid
		w.initCPU, w.setupErr = cpuTime(pid)
		if w.limit != nil && w.setupErr == nil {
			w.setupErr = w.limit.add(pid)
		}
	}
	return w, nil
}

func (w *worker) close() {
	w.fn.Close()
	if w.limit != nil {
		w.limit.remove()
	}
}

// invoke has one event answered and checks that the answer is a good one.
func (w *worker) invoke(ctx context.Context, event []byte) (lambdatest.Invocation, error) {
	resp, err := w.fn.Invoke(ctx, event, w.mode)
	if err != nil {
		return lambdatest.Invocation{}, err
	}
	answer, err := io.ReadAll(resp)
	records := w.fn.Invocations() // waits until the function is ready for the next event
	if err := errors.Join(err, w.setupErr); err != nil {
		return lambdatest.Invocation{}, err
	}
	if !bytes.HasPrefix(answer, []byte(`{"statusCode":200,`)) {
		return lambdatest.Invocation{}, fmt.Errorf("it answered %.400q and logged %q", answer, w.fn.Logs())
	}
	return records[len(records)-1], nil
}
