package conformance

import (
	"crypto/tls"
	"net/http"
	"slices"
	"time"
)

// A Verdict is the outcome of a check.
type Verdict string

// The verdicts. Warn is for what works and will trouble a study, Info for what
// is reported and not judged, Skip for what could not be looked at.
const (
	Pass Verdict = "pass"
	Fail Verdict = "fail"
	Warn Verdict = "warn"
	Info Verdict = "info"
	Skip Verdict = "skip"
)

// A Report is what a run found. In JSON, durations are in nanoseconds.
type Report struct {
	BaseURL string `json:"base_url"`
	// Model is the name that was asked for, Answered are the names that answers
	// gave in their model member.
	Model    string        `json:"model"`
	Answered []string      `json:"answered"`
	Limit    time.Duration `json:"limit"`
	Started  time.Time     `json:"started"`
	Duration time.Duration `json:"duration"`
	Results  []Result      `json:"results"`
	// Rates tell for each question what became of its answers.
	Rates []Rate `json:"rates"`
	// Latency is that of all answered chat completions but the load checks',
	// Loaded that of the load check.
	Latency Latency `json:"latency"`
	Loaded  Latency `json:"loaded"`
	// Requests counts every HTTP request of the run, Usage sums what the answers
	// say they used.
	Requests int   `json:"requests"`
	Usage    Usage `json:"usage"`
}

// Passed reports whether no check failed.
func (r *Report) Passed() bool { return r.Count(Fail) == 0 }

// Count is how many checks ended with a verdict.
func (r *Report) Count(v Verdict) int {
	n := 0
	for i := range r.Results {
		if r.Results[i].Verdict == v {
			n++
		}
	}
	return n
}

// A Result is the outcome of one check.
type Result struct {
	Check   Check   `json:"check"`
	Verdict Verdict `json:"verdict"`
	// Message is one sentence, or a few, about what was found.
	Message string `json:"message"`
	// Advice says what to do; it is empty where there is nothing to do.
	Advice   string        `json:"advice,omitempty"`
	Duration time.Duration `json:"duration"`
	// Exchanges are the requests the check made; for a check that looks at the
	// whole run, the first ones that show what it found.
	Exchanges []*Exchange `json:"exchanges,omitempty"`
}

// An Exchange is one request and its answer.
type Exchange struct {
	Method  string        `json:"method"`
	URL     string        `json:"url"`
	Request string        `json:"request,omitempty"` // the body
	Status  int           `json:"status,omitempty"`  // 0: there was no answer
	Header  http.Header   `json:"header,omitempty"`
	Answer  string        `json:"answer,omitempty"` // the body, as far as it came
	Latency time.Duration `json:"latency"`
	Error   string        `json:"error,omitempty"` // why there was no whole answer

	err  error
	late bool // the limit of the request had passed
	body []byte
	tls  *tls.ConnectionState
	// ordinary requests have the experimenter's limit; the others, limits that
	// checks of their own judge.
	ordinary bool
}

// A Rate counts what became of the answers to the question of one check, which is
// asked several times.
type Rate struct {
	Check string `json:"check"` // its id
	Title string `json:"title"`
	Asked int    `json:"asked"`
	// Valid answers were so at once, or the endpoint does not tell; Mended and
	// Reasked became so by its own account, where a retry after a fault counts as
	// asking again; Failed were errors, or invalid.
	Valid   int `json:"valid"`
	Mended  int `json:"mended"`
	Reasked int `json:"reasked"`
	Failed  int `json:"failed"`
}

// Usage is in tokens, as the endpoint counts them.
type Usage struct {
	PromptTokens     int `json:"prompt_tokens"`
	CompletionTokens int `json:"completion_tokens"`
}

// Latency holds quantiles of how long answers took.
type Latency struct {
	Count int           `json:"count"`
	P50   time.Duration `json:"p50"`
	P95   time.Duration `json:"p95"`
	Max   time.Duration `json:"max"`
}

// latencyOf takes the nearest rank for every quantile.
func latencyOf(times []time.Duration) Latency {
	if len(times) == 0 {
		return Latency{}
	}
	sorted := slices.Sorted(slices.Values(times))
	rank := func(percent int) time.Duration { return sorted[(len(sorted)*percent+99)/100-1] }
	return Latency{Count: len(sorted), P50: rank(50), P95: rank(95), Max: rank(100)}
}
