package conformance

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
)

// mostUnanswered requests in a row end a run, as five errors in a row end an
// agent: an endpoint that hangs would hold the run for hours.
const mostUnanswered = 5

// A session is one run: the target, what was learned of it, and all that was
// exchanged with it.
type session struct {
	target   Target
	options  Options
	client   *http.Client
	redactor redactor
	base     *url.URL // nil if the base URL is none
	report   Report

	// stop says why no further request makes sense.
	stop  string
	check Check // the one under way
	// listed and tested are the first list of models and the first completion,
	// which several checks look at.
	listed, tested *Exchange

	mu         sync.Mutex  // guards what follows: the load checks ask in parallel
	exchanges  []*Exchange // of the check under way
	errors     []*Exchange // answered with an error
	lost       []*Exchange // ordinary requests, not answered
	answers    []*answer   // chat completions, all of status 200
	decisions  []*decision // those answers that had tools to choose from
	unanswered int         // in a row
}

func newSession(target Target, options Options) *session {
	if target.Limit <= 0 {
		target.Limit = DefaultLimit
	}
	if target.Resolve == nil {
		target.Resolve = resolve
	}
	target.APIKey = strings.TrimSpace(target.APIKey)
	target.BaseURL = strings.TrimSpace(target.BaseURL)
	s := &session{target: target, options: options, client: clientFor(target.Client), redactor: newRedactor(target.APIKey)}
	s.report.BaseURL, s.report.Limit = target.BaseURL, target.Limit
	if s.base, s.stop = parseBase(target.BaseURL); s.stop == "" {
		s.stop = keyProblem(target.APIKey)
	}
	return s
}

// clientFor is the client with the behaviour that HyperStudy's has.
func clientFor(given *http.Client) *http.Client {
	client := http.Client{}
	if given != nil {
		client = *given
	} else if t, ok := http.DefaultTransport.(*http.Transport); ok {
		t = t.Clone()
		t.MaxIdleConnsPerHost = 64 // the load checks' connections are kept
		client.Transport = t
	}
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	client.Jar, client.Timeout = nil, 0 // each request has its own limit
	return &client
}

func (s *session) observe(e Event) {
	if s.options.Observe != nil {
		s.options.Observe(e)
	}
}

// make makes one check.
func (s *session) make(ctx context.Context, c check) *Result {
	start := time.Now()
	s.check, s.exchanges = c.Check, nil
	var f finding
	switch {
	case ctx.Err() != nil:
		f = skipped("The run was ended before this check.")
	case s.stop != "" && !c.always:
		f = skipped("Not made: %s.", s.stop)
	default:
		f = c.run(ctx, s)
		if ctx.Err() != nil {
			f = skipped("The run was ended during this check.")
		}
	}
	result := &Result{
		Check: c.Check, Verdict: f.verdict, Message: f.message, Advice: f.advice,
		Duration: time.Since(start), Exchanges: s.exchanges,
	}
	if f.exchanges != nil {
		result.Exchanges = f.exchanges
	}
	s.redactResult(result)
	return result
}

// finish sums up the run.
func (s *session) finish() {
	var times []time.Duration
	for _, a := range s.answers {
		if !a.loaded {
			times = append(times, a.Latency)
		}
		s.report.Usage.add(a.usage())
		if name, ok := text(a.completion.Model); ok && !slices.Contains(s.report.Answered, name) {
			s.report.Answered = append(s.report.Answered, name)
		}
	}
	s.report.Latency = latencyOf(times)
	if s.report.Model == "" {
		s.report.Model = s.target.Model
	}
	s.redact(s.report.texts()...)
}

// model is the name to ask for: the first use of it may cost a request.
func (s *session) model(ctx context.Context) string {
	if s.report.Model == "" {
		s.report.Model = s.target.Model
		if s.report.Model == "" {
			s.report.Model = "default"
			if ids, problem := modelIDs(s.list(ctx)); problem == "" && len(ids) > 0 {
				s.report.Model = ids[0]
			}
		}
	}
	return s.report.Model
}

// list is the first answer to GET /models.
func (s *session) list(ctx context.Context) *Exchange {
	if s.listed == nil {
		s.listed = s.send(ctx, request{method: http.MethodGet, path: "/models", limit: modelsLimit})
	} else {
		s.exchanges = append(s.exchanges, s.listed)
	}
	return s.listed
}
