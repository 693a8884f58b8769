package conformance

import (
	"context"
	"fmt"
	"sync"
	"time"

	"hyperstudy-endpoint/internal/wording"
)

func loadChecks(o Options) []check {
	return []check{{Check: Check{ID: "load.parallel", Group: "load", Title: fmt.Sprintf("%d decisions at once", o.Callers), Cost: decisionCost.times(o.Callers),
		Requirement: "Decisions asked for at once, as the agents of several rooms do, are all answered, 95 % of them within the time limit."}, run: checkParallel}}
}

func checkParallel(ctx context.Context, s *session) finding {
	exchanges, times := s.together(ctx, s.options.Callers, func(i int) body {
		k := kinds[i%len(kinds)]
		return body{Messages: screen(k.screen()), Tools: []Tool{chatTool, waitTool, k.tool()}}
	})
	s.report.Loaded = latencyOf(times)
	return s.judgeLoad(exchanges, times)
}

// together makes n requests at once and gives the exchanges and how long the
// answered ones took.
func (s *session) together(ctx context.Context, n int, bodyOf func(i int) body) ([]*Exchange, []time.Duration) {
	s.model(ctx) // looked up before and not by all of them
	exchanges := make([]*Exchange, n)
	var group sync.WaitGroup
	for i := range n {
		b := bodyOf(i)
		group.Go(func() { _, exchanges[i] = s.decide(ctx, b, request{loaded: true}) })
	}
	group.Wait()
	var times []time.Duration
	for _, x := range exchanges {
		if x.err == nil && x.Status == 200 {
			times = append(times, x.Latency)
		}
	}
	return exchanges, times
}

// judgeLoad judges requests that were made at once.
func (s *session) judgeLoad(exchanges []*Exchange, times []time.Duration) finding {
	var bad []*Exchange
	late := 0
	for _, x := range exchanges {
		switch {
		case x.late:
			late++
		case x.err != nil || x.Status != 200:
			bad = append(bad, x)
		}
	}
	switch {
	case len(bad) > 0 && bad[0].Status == 429:
		return failed("Raise the limits of the server or of the model's quota, or run fewer rooms at once; a server can also wait and try again within the time limit.",
			"%d of %s at once were throttled: %s.", len(bad), wording.Count(len(exchanges), "request"), bad[0].outcome()).showing(bad...)
	case len(bad) == len(exchanges) && bad[0].declined():
		return failed("Do what the message says: it is not about the load.", "Each of %s at once was refused: %s.", wording.Count(len(exchanges), "request"), bad[0].outcome()).showing(bad...)
	case len(bad) > 0:
		return failed("Look into the server's log at this time; each of these would be a lost decision.",
			"%d of %s at once failed: %s.", len(bad), wording.Count(len(exchanges), "request"), bad[0].outcome()).showing(bad...)
	case late == len(exchanges):
		return skipped("No request was answered in time.")
	}
	l := latencyOf(times)
	message := fmt.Sprintf("half were answered within %s, 95 %% within %s; the limit is %s", wording.Seconds(l.P50), wording.Seconds(l.P95), wording.Seconds(s.target.Limit))
	switch {
	case late > 0:
		return failed("Set a longer request timeout in HyperStudy, or use a faster model or more capacity.",
			"%d of %s at once had no answer in time; of the others, %s.", late, wording.Count(len(exchanges), "request"), message)
	case l.P95 > s.target.Limit*4/5:
		return warned("Set a longer request timeout in HyperStudy, or use a faster model or more capacity.", "%s, so that little is left.", wording.Capital(message))
	}
	return passed("%s.", wording.Capital(message))
}
