package chat

import (
	"slices"
	"time"

	"hyperstudy-endpoint/internal/openai"
)

// A Report says how an answer, or the lack of one, came about. It holds
// nothing that anybody wrote.
type Report struct {
	Model        string   // alias of the model asked last; empty if none was
	ModelID      string   // its upstream id
	Fallback     string   // alias of the fallback, if it was asked
	Attempts     int      // upstream calls, failed ones included
	Retries      int      // attempts that repeated one lost to a fault of transport or load
	Reasks       int      // attempts that put an invalid answer back to the model
	Mended       []string // codes of what was mended in the answer, sorted
	Ignored      []string // parameters that had no effect, sorted
	Violations   int      // broken rules in all rejected answers
	FinishReason string
	Usage        openai.Usage  // of all attempts
	Upstream     time.Duration // spent in attempts

	longest time.Duration // of the attempts so far
	emitted bool          // some text is with the caller already
}

// attempted books one attempt.
func (r *Report) attempted(took time.Duration, usage openai.Usage, ignored []string) {
	r.Attempts++
	r.Upstream += took
	r.longest = max(r.longest, took)
	r.Usage = r.Usage.Add(usage)
	r.Ignored = union(r.Ignored, ignored)
}

// union returns the sorted set of all names in a and b. A name that the caller
// made up in a form that does not belong into a header is reported as "other".
func union(a, b []string) []string {
	all := slices.Concat(a, b)
	for i, name := range all {
		if !openai.IsName(name, 64, "_.-") {
			all[i] = "other"
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}
