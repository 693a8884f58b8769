package chat

import (
	"slices"
	"time"

	"hyperstudy-endpoint/internal/openai"
	"hyperstudy-endpoint/internal/report"
)

// A ledger is the report on an answer in the making, and what only the making
// needs to know.
type ledger struct {
	report.Report
	longest time.Duration // of the attempts so far
	emitted bool          // some text is with the caller already
}

// attempted books one attempt.
func (l *ledger) attempted(took time.Duration, usage openai.Usage, ignored []string) {
	l.Attempts++
	l.Upstream += took
	l.longest = max(l.longest, took)
	l.Usage = l.Usage.Add(usage)
	l.Ignored = union(l.Ignored, ignored)
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
