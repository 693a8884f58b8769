package conformance

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"

	"hyperstudy-endpoint/internal/wording"
)

func loadChecks(o Options) []check {
	return []check{{Check: Check{ID: "load.parallel", Group: "load", Title: fmt.Sprintf("%d decisions at once", o.Callers), Cost: decisionCost.times(o.Callers),
		Requirement: "Decisions asked for at once, as the agents of several rooms do, are all answered, each with what it asked for, 95 % of them within the time limit."}, run: checkParallel}}
}

func checkParallel(ctx context.Context, s *session) finding {
	t := s.together(ctx, s.options.Callers, func(i int) body {
		k := kinds[i%len(kinds)]
		return body{Messages: screen(k.screen()), Tools: []Tool{chatTool, waitTool, k.tool()}}
	})
	s.report.Loaded = latencyOf(t.times)
	return s.judgeLoad(t)
}

// A throng is what became of decisions that were asked for at once.
type throng struct {
	asked        int
	times        []time.Duration // of the answered ones
	lost, broken []*Exchange     // errors, and answers that break the schema
	late         int
	violation    string // the first one
}

// together asks for n decisions at once.
func (s *session) together(ctx context.Context, n int, bodyOf func(i int) body) *throng {
	s.model(ctx) // looked up before and not by all of them
	decisions, exchanges := make([]*decision, n), make([]*Exchange, n)
	var group sync.WaitGroup
	for i := range n {
		b := bodyOf(i)
		group.Go(func() { decisions[i], exchanges[i] = s.decide(ctx, b, request{loaded: true}) })
	}
	group.Wait()
	t := &throng{asked: n}
	for i, x := range exchanges {
		switch d := decisions[i]; {
		case x.late:
			t.late++
			continue
		case x.err != nil || x.Status != http.StatusOK:
			t.lost = append(t.lost, x)
			continue
		case d != nil && len(d.violations) > 0:
			t.broken = append(t.broken, x)
			t.violation = cmp.Or(t.violation, d.violations[0])
		}
		t.times = append(t.times, x.Latency)
	}
	return t
}

// judgeLoad judges decisions that were asked for at once.
func (s *session) judgeLoad(t *throng) finding {
	all := wording.Count(t.asked, "request")
	switch {
	case len(t.lost) > 0 && t.lost[0].Status == http.StatusTooManyRequests:
		return failed("Raise the limits of the server or of the model's quota, or run fewer rooms at once; a server can also wait and try again within the time limit.",
			"%d of %s at once were throttled: %s.", len(t.lost), all, t.lost[0].outcome()).showing(t.lost...)
	case len(t.lost) == t.asked && t.lost[0].declined():
		return failed("Do what the message says: it is not about the load.", "Each of %s at once was refused: %s.", all, t.lost[0].outcome()).showing(t.lost...)
	case len(t.lost) > 0:
		return failed("Look into the server's log at this time; each of these would be a lost decision.",
			"%d of %s at once failed: %s.", len(t.lost), all, t.lost[0].outcome()).showing(t.lost...)
	case len(t.broken) > 0:
		return failed("If the same question is answered well by itself, the server mixes up what is asked at once; if not, see that check.",
			"The answers to %d of %s at once break the schema: %s.", len(t.broken), all, t.violation).showing(t.broken...)
	case t.late == t.asked:
		return skipped("No request was answered in time.")
	}
	l := latencyOf(t.times)
	message := fmt.Sprintf("half were answered within %s, 95 %% within %s; the limit is %s", wording.Seconds(l.P50), wording.Seconds(l.P95), wording.Seconds(s.target.Limit))
	switch {
	case t.late > 0:
		return failed("Set a longer request timeout in HyperStudy, or use a faster model or more capacity.",
			"%d of %s at once had no answer in time; of the others, %s.", t.late, all, message)
	case l.P95 > s.target.Limit*4/5:
		return warned("Set a longer request timeout in HyperStudy, or use a faster model or more capacity.", "%s, so that little is left.", wording.Capital(message))
	}
	return passed("%s.", wording.Capital(message))
}
