package main

import (
	"encoding/json"
	"slices"
	"strings"
	"time"
	"unicode"
)

// A line is what the functions log about one request. The fields are those of
// internal/telemetry; TestLine holds the two together.
type line struct {
	Time         time.Time `json:"time"`
	Msg          string    `json:"msg"`
	RequestID    string    `json:"request_id"`
	Kind         string    `json:"kind"` // decision, json, text, models, other
	Status       int       `json:"status"`
	Code         string    `json:"code"`
	Key          string    `json:"key"`
	Model        string    `json:"model"`
	ModelID      string    `json:"model_id"`
	Fallback     string    `json:"fallback"`
	LatencyMS    int       `json:"latency_ms"`
	UpstreamMS   int       `json:"upstream_ms"`
	Attempts     int       `json:"attempts"`
	Retries      int       `json:"retries"`
	Reasks       int       `json:"reasks"`
	Mended       []string  `json:"mended"`
	Ignored      []string  `json:"ignored"`
	Prompt       int       `json:"prompt_tokens"`
	Completion   int       `json:"completion_tokens"`
	Reasoning    int       `json:"reasoning_tokens"`
	CachedTokens int       `json:"cached_tokens"`
}

// parseLine reads a log message. Lambda's own lines, and any that is not about
// a request, are not ok.
func parseLine(message string) (l line, ok bool) {
	if json.Unmarshal([]byte(message), &l) != nil || l.Msg != "request" || !l.plausible() {
		return line{}, false
	}
	return l, true
}

// plausible reports whether a function can have written the line: a file that
// is reported on may come from anywhere.
func (l line) plausible() bool {
	const most = 1 << 40
	for _, n := range []int{l.LatencyMS, l.UpstreamMS, l.Attempts, l.Retries, l.Reasks, l.Prompt, l.Completion, l.Reasoning, l.CachedTokens} {
		if n < 0 || n > most {
			return false
		}
	}
	words := append([]string{l.Kind, l.Code, l.Key, l.Model, l.ModelID, l.Fallback}, append(l.Mended, l.Ignored...)...)
	return l.Status >= 100 && l.Status < 600 && !slices.ContainsFunc(words, func(w string) bool {
		return strings.ContainsFunc(w, unicode.IsControl)
	})
}

// An outcome is how a request ended; each has exactly one.
type outcome int

const (
	validAtOnce outcome = iota
	mendedOnly          // answered after its form was mended, without asking again
	reasked             // answered after an invalid answer was put back to the model
	failed
)

func (l line) outcome() outcome {
	switch {
	case l.Status >= 400:
		return failed
	case l.Reasks > 0:
		return reasked
	case len(l.Mended) > 0:
		return mendedOnly
	default:
		return validAtOnce
	}
}
