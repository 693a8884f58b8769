// Command verify checks an endpoint from the outside, by HyperStudy's contract
// for model endpoints: the deployed one, the one of `make run`, or any other
// OpenAI-compatible server. What it checks is in internal/conformance.
//
// Its exit status is 0 if all checks passed, 1 if one failed, and 2 if the
// checks could not be made.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"hyperstudy-endpoint/internal/conformance"
)

// Exit statuses.
const (
	exitPassed  = 0
	exitFailed  = 1
	exitNotMade = 2 // wrong use, nobody answered, or the run was ended
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // so that a second Ctrl-C ends it at once
	code := run(ctx, os.Args[1:], os.Getenv, newTerminal(os.Getenv, os.Stdin, os.Stdout, os.Stderr))
	stop()
	os.Exit(code)
}

// run makes the checks that args ask for and returns the exit status.
func run(ctx context.Context, args []string, getenv func(string) string, t *terminal) int {
	s, err := parse(args)
	if err != nil {
		return t.complain(err)
	}
	switch {
	case s.help:
		_, _ = io.WriteString(t.out, usage)
		return exitPassed
	case s.list:
		writeList(t.out, conformance.Checks(s.checks))
		return exitPassed
	}
	found, err := newFinder(getenv, t, s.local).find(ctx)
	if err != nil {
		return t.complain(err)
	}
	e := newEstimate(s)
	t.note("Endpoint  %s (%s)\n%s", found.BaseURL, found.source, e)
	if err := t.agree(ctx, e, s.yes); err != nil {
		return t.complain(err)
	}
	outputs, err := s.open(t.out)
	if err != nil {
		return t.complain(err)
	}
	r := check(ctx, s, found, t)
	r.estimate = e
	if err := r.write(outputs, t); err != nil {
		return t.complain(err)
	}
	return r.conclude(t)
}

// check makes the checks and shows how far they are.
func check(ctx context.Context, s settings, found endpoint, t *terminal) *result {
	p := &progress{terminal: t}
	options := s.checks
	options.Observe = p.observe
	report := conformance.Run(ctx, conformance.Target{BaseURL: found.BaseURL, APIKey: found.apiKey, Model: s.model, Limit: s.limit}, options)
	p.end()
	return &result{Report: report, source: found.source, interrupted: ctx.Err() != nil, quick: s.checks.Quick}
}

// A result is a report and what is known of the run around it.
type result struct {
	*conformance.Report
	source      string // how the endpoint was found
	quick       bool
	interrupted bool
	estimate    estimate
}

// conclude says in one line why the exit status is what it is.
func (r *result) conclude(t *terminal) int {
	switch {
	case r.interrupted:
		return t.complain(hint(fmt.Errorf("ended before all checks were made: the report is partial"), "Run it again to make them all."))
	case r.unreached():
		return t.complain(hint(fmt.Errorf("nothing answered at %s, so the endpoint was not checked", r.BaseURL),
			"See that it runs and that the address is right."))
	case !r.Passed():
		return exitFailed
	}
	return exitPassed
}

// unreached reports whether the endpoint never got to answer, and not by a fault
// that a check has found in it.
func (r *result) unreached() bool {
	if r.Passed() {
		return false
	}
	for i := range r.Results {
		c := &r.Results[i]
		if c.Verdict == conformance.Fail && (c.Check.ID == "address.url" || c.Check.ID == "address.certificate") {
			return false
		}
		for _, x := range c.Exchanges {
			if x.Status != 0 {
				return false
			}
		}
	}
	return true
}
