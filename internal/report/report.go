// Package report holds what is said about an answer besides the answer: the
// response header and the log line are made of it.
package report

import (
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
}
