package main

import (
	"encoding/csv"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
)

// writeTable writes the report to be read.
func (r *report) writeTable(w io.Writer) error {
	fmt.Fprintf(w, "%s to %s, %d requests\n\n", r.from.Format("2006-01-02 15:04"), r.to.Format("2006-01-02 15:04 MST"), r.requests)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "model\tkey\tkind\trequests\tat once\tmended\tre-asked\tfailed\tp50\tp95\ttokens in\ttokens out\t")
	for _, g := range r.sorted() {
		c := r.groups[g]
		fmt.Fprintf(t, "%s\t%s\t%s\t%d\t%s\t%s\t%s\t%s\t%s\t%s\t%d\t%d\t\n", g.modelID, g.key, g.kind, c.requests,
			c.share(validAtOnce), c.share(mendedOnly), c.share(reasked), c.share(failed),
			seconds(c.quantile(0.5)), seconds(c.quantile(0.95)), c.prompt, c.completion)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, g := range r.sorted() {
		c := r.groups[g]
		for _, part := range []struct {
			what   string
			counts map[string]int
		}{{"mended", c.mended}, {"failed", c.failures}, {"parameters without effect", c.ignored}} {
			if len(part.counts) > 0 {
				fmt.Fprintf(w, "\n%s, key %s, %s: %s: %s", g.modelID, g.key, g.kind, part.what, list(part.counts, ", "))
			}
		}
		if c.fallbacks > 0 {
			fmt.Fprintf(w, "\n%s, key %s, %s: %d by a fallback model", g.modelID, g.key, g.kind, c.fallbacks)
		}
	}
	if len(r.refused) > 0 {
		fmt.Fprintf(w, "\nReached no model: %s", list(r.refused, ", "))
	}
	_, err := fmt.Fprintln(w)
	return err
}

// share is an outcome's count and its part of all requests.
func (t *tally) share(o outcome) string {
	return fmt.Sprintf("%d (%.1f %%)", t.outcomes[o], 100*float64(t.outcomes[o])/float64(t.requests))
}

func seconds(ms int) string { return fmt.Sprintf("%.1f s", float64(ms)/1000) }

// list writes counts in the order of their names.
func list(counts map[string]int, separator string) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		parts = append(parts, fmt.Sprintf("%s=%d", name, counts[name]))
	}
	return strings.Join(parts, separator)
}

// writeCSV writes a row a group. The four outcomes add up to the requests;
// codes that a request may have several of are in one column as code=count.
func (r *report) writeCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	rows := [][]string{{
		"since", "until", "model", "model_id", "key", "kind", "requests", "valid_at_once", "mended", "reasked", "failed", "retries", "fallbacks",
		"latency_p50_ms", "latency_p95_ms", "prompt_tokens", "completion_tokens", "reasoning_tokens", "cached_tokens",
		"mended_codes", "failure_codes", "ignored_parameters",
	}}
	for _, g := range r.sorted() {
		c := r.groups[g]
		row := []string{r.from.UTC().Format(time.RFC3339), r.to.UTC().Format(time.RFC3339), cell(g.model), cell(g.modelID), cell(g.key), cell(g.kind)}
		for _, n := range []int{
			c.requests, c.outcomes[validAtOnce], c.outcomes[mendedOnly], c.outcomes[reasked], c.outcomes[failed], c.retries, c.fallbacks,
			c.quantile(0.5), c.quantile(0.95), c.prompt, c.completion, c.reasoning, c.cached,
		} {
			row = append(row, strconv.Itoa(n))
		}
		rows = append(rows, append(row, list(c.mended, ";"), list(c.failures, ";"), list(c.ignored, ";")))
	}
	return out.WriteAll(rows)
}

// cell keeps a spreadsheet from taking a name for a formula.
func cell(name string) string {
	if name != "" && strings.ContainsRune("=+-@", rune(name[0])) {
		return "'" + name
	}
	return name
}
