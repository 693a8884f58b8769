package conformance

import (
	"context"
	"net/http"
	"net/netip"
	"time"
)

// What HyperStudy waits for, by its contract.
const (
	modelsLimit     = 10 * time.Second
	connectionLimit = 30 * time.Second
	// DefaultLimit is how long HyperStudy waits for an answer if the experimenter
	// sets nothing else; MinLimit and MaxLimit are what they can set.
	DefaultLimit = 60 * time.Second
	MinLimit     = 10 * time.Second
	MaxLimit     = 300 * time.Second
)

const (
	defaultRepeat  = 3
	defaultCallers = 8
	// defaultImageURL is a picture that has been at its place for ten years.
	defaultImageURL = "https://www.python.org/static/img/python-logo.png"
)

// A Target is the endpoint to judge, as it is entered in HyperStudy.
type Target struct {
	BaseURL string // the API root, such as https://agent.example.org/v1
	APIKey  string
	// Model is the model to ask for; if it is empty, the first one listed, and
	// "default" if none is.
	Model string
	// Client sends the requests; nil is a client of the package's own. Only its
	// transport counts: redirects are not followed, cookies not kept, and limits of
	// time are those of the contract.
	Client *http.Client
	// Limit is the request timeout set in HyperStudy; 0 is DefaultLimit.
	Limit time.Duration
	// Resolve looks a host's addresses up; nil asks the system.
	Resolve func(ctx context.Context, host string) ([]netip.Addr, error)
}

// Options say which checks to make and how thoroughly.
type Options struct {
	// Quick makes only the checks that cost next to nothing: those of the
	// connection and of one decision.
	Quick bool
	// Repeat is how often each kind of question is asked; 0 is 3.
	Repeat int
	// Callers is how many requests the load check makes at once; 0 is 8.
	Callers int
	// Study holds the tools of one's own study (see DecodeStudy), each of which
	// gets a check, in a quick run too.
	Study []Tool
	// ImageURL is the picture for the check of images by link: https, public, and
	// PNG, JPEG, GIF or WebP. Empty is a picture that stands on the web.
	ImageURL string
	// Only limits the run to checks of these ids and groups; see UnknownNames.
	Only []string
	// Observe is told of every check before and after it is made, from one
	// goroutine; it may be nil.
	Observe func(Event)
}

// An Event tells an observer how far a run is.
type Event struct {
	Check Check
	// Result is nil when the check begins.
	Result *Result
	// Number counts the checks from 1 to Total.
	Number, Total int
}

func (o Options) withDefaults() Options {
	if o.Repeat <= 0 {
		o.Repeat = defaultRepeat
	}
	if o.Callers <= 0 {
		o.Callers = defaultCallers
	}
	if o.ImageURL == "" {
		o.ImageURL = defaultImageURL
	}
	return o
}

// Run makes the checks that the options choose, one after another, and reports
// on each. It does not fail: what keeps a check from being made is told in the
// report. When ctx ends, the checks not yet made are skipped. The API key is
// taken out of all that the report holds.
func Run(ctx context.Context, target Target, options Options) *Report {
	s := newSession(target, options.withDefaults())
	start := time.Now()
	chosen := s.options.choose()
	for i, c := range chosen {
		s.observe(Event{Check: c.Check, Number: i + 1, Total: len(chosen)})
		result := s.make(ctx, c)
		s.report.Results = append(s.report.Results, *result)
		s.observe(Event{Check: c.Check, Result: result, Number: i + 1, Total: len(chosen)})
	}
	s.finish()
	s.report.Started, s.report.Duration = start, time.Since(start)
	return &s.report
}
