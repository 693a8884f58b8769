package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"
	"strings"
	"time"
)

var reportCommand = command{
	name: "report",
	about: "Summarize the log for a methods section: decisions, how many were valid at once, mended, re-asked and failed, tokens and latency, by model and key. " +
		"It reads counts and codes only; the log holds nothing else.",
	setup: func(f *flag.FlagSet) func(context.Context, *session) error {
		since := f.String("since", "7d", "how far to go back: 12h, 7d, or a `time` such as 2026-11-24")
		until := f.String("until", "", "`time` to stop at (default: now)")
		csv := f.Bool("csv", false, "write CSV, a row for each model, key and kind of request")
		file := f.String("file", "", "read exported log lines from a `file` instead of CloudWatch; - is standard input")
		return func(ctx context.Context, s *session) error {
			from, err := parseSince(*since, s.now())
			if err != nil {
				return err
			}
			to := s.now()
			if *until != "" {
				if to, err = parseSince(*until, s.now()); err != nil {
					return err
				}
			}
			if !from.Before(to) {
				return usagef("--since is not before --until")
			}
			return s.report(ctx, from, to, *file, *csv)
		}
	},
}

func (s *session) report(ctx context.Context, from, to time.Time, file string, csv bool) error {
	lines := s.requests(ctx, chatFunction, from, to)
	if file != "" {
		lines = linesOf(file)
	}
	r := newReport(from, to)
	for l, err := range lines {
		if err != nil {
			return err
		}
		r.add(l)
	}
	if r.requests == 0 {
		return s.nothingFound(file)
	}
	if csv {
		return r.writeCSV(s.stdout)
	}
	return r.writeTable(s.stdout)
}

func (s *session) nothingFound(file string) error {
	hint := "give an earlier --since; lines older than the stack's LogRetentionDays are gone"
	if file != "" {
		hint = "is it the log of the chat function?"
	} else if a := s.account; a != nil && a.stack != nil && !a.stack.logsAnswers() {
		hint = "with LogLevel " + a.stack.parameters["LogLevel"] + " only failures are logged: deploy with LogLevel=info to have rates"
	}
	return errors.New("no request in the log of that time: " + hint)
}

// linesOf reads log lines from a file. A line may have CloudWatch's time stamp
// in front, as `aws logs tail` prints it.
func linesOf(name string) iter.Seq2[line, error] {
	return func(yield func(line, error) bool) {
		in := os.Stdin
		if name != "-" {
			f, err := os.Open(name) //nolint:gosec // the file that the user names
			if err != nil {
				yield(line{}, err)
				return
			}
			defer func() { _ = f.Close() }()
			in = f
		}
		r := bufio.NewReader(in)
		for {
			text, err := r.ReadString('\n')
			if i := strings.IndexByte(text, '{'); i >= 0 {
				if l, ok := parseLine(text[i:]); ok && !yield(l, nil) {
					return
				}
			}
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				yield(line{}, fmt.Errorf("%s: %w", name, err))
				return
			}
		}
	}
}

// A group is what a row of the report is about.
type group struct {
	model, modelID, key, kind string
}

// A tally counts the requests of a group.
type tally struct {
	requests  int
	outcomes  [failed + 1]int
	retries   int
	fallbacks int
	mended    map[string]int // by code; a request may have several
	failures  map[string]int // by code
	ignored   map[string]int // by parameter
	latencies []int          // ms, of answered requests

	prompt, completion, reasoning, cached int // tokens of all attempts
}

// A report counts the requests of a span of time.
type report struct {
	from, to time.Time
	requests int
	groups   map[group]*tally
	refused  map[string]int // by code: requests that reached no model, such as those with a wrong key
}

func newReport(from, to time.Time) *report {
	return &report{from: from, to: to, groups: map[group]*tally{}, refused: map[string]int{}}
}

// add counts a request. A key that is being replaced and its successor are one.
func (r *report) add(l line) {
	if l.Time.Before(r.from) || l.Time.After(r.to) || l.Kind == "models" {
		return
	}
	r.requests++
	if l.Attempts == 0 {
		r.refused[cmp.Or(l.Code, fmt.Sprint(l.Status))]++
		return
	}
	g := group{l.Model, l.ModelID, strings.TrimSuffix(l.Key, nextSuffix), l.Kind}
	t := r.groups[g]
	if t == nil {
		t = &tally{mended: map[string]int{}, failures: map[string]int{}, ignored: map[string]int{}}
		r.groups[g] = t
	}
	t.add(l)
}

func (t *tally) add(l line) {
	t.requests++
	t.outcomes[l.outcome()]++
	t.retries += l.Retries
	if l.Fallback != "" {
		t.fallbacks++
	}
	if l.outcome() == failed {
		t.failures[cmp.Or(l.Code, fmt.Sprint(l.Status))]++
	} else {
		t.latencies = append(t.latencies, l.LatencyMS)
		count(t.mended, l.Mended)
	}
	count(t.ignored, l.Ignored)
	t.prompt, t.completion = t.prompt+l.Prompt, t.completion+l.Completion
	t.reasoning, t.cached = t.reasoning+l.Reasoning, t.cached+l.CachedTokens
}

func count(counts map[string]int, words []string) {
	for _, w := range words {
		counts[w]++
	}
}

// quantile is the smallest latency that a share q of the answered requests does
// not exceed; 0 if none was answered.
func (t *tally) quantile(q float64) int {
	if len(t.latencies) == 0 {
		return 0
	}
	slices.Sort(t.latencies)
	i := int(q*float64(len(t.latencies))+0.999999) - 1
	return t.latencies[min(max(i, 0), len(t.latencies)-1)]
}

// sorted are the groups in the order they are printed: decisions first.
func (r *report) sorted() []group {
	rank := map[string]int{"decision": 0, "json": 1, "text": 2}
	var list []group
	for g := range r.groups {
		list = append(list, g)
	}
	slices.SortFunc(list, func(a, b group) int {
		return cmp.Or(cmp.Compare(rank[a.kind], rank[b.kind]), cmp.Compare(a.model, b.model), cmp.Compare(a.modelID, b.modelID), cmp.Compare(a.key, b.key))
	})
	return list
}
