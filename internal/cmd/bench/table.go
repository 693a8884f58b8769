package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"
)

// print writes all results as Markdown tables, which can be read as they are.
func (r *results) print(w io.Writer) error {
	m := r.Machine
	text := fmt.Sprintf("%s, %d CPUs, %s, %s, %s; load at the start: %s. Times in ms, memory in MiB.\n\n", m.Processor, m.CPUs, m.System, m.Go, m.Date, m.Load)
	for _, part := range []struct {
		title string
		table [][]string
	}{
		{"Targets", r.targetTable()}, {"Size", r.sizeTable()}, {"Cold start", r.coldTable()}, {"Warm requests", r.warmTable()},
		{"Growth of a decision of the baseline", r.growthTable()}, {"Memory size", r.memoryTable()}, {"As an HTTP server", r.servedTable()},
	} {
		if len(part.table) > 1 {
			text += "### " + part.title + "\n\n" + markdown(part.table) + "\n"
		}
	}
	for _, what := range r.NotMeasured {
		text += what + "\n"
	}
	_, err := io.WriteString(w, text)
	return err
}

// markdown aligns the cells of a table, whose first row is its header.
func markdown(rows [][]string) string {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	var b strings.Builder
	line := func(cells []string, pad string) {
		for i, cell := range cells {
			b.WriteString("| " + cell + strings.Repeat(pad, widths[i]-utf8.RuneCountInString(cell)) + " ")
		}
		b.WriteString("|\n")
	}
	line(rows[0], " ")
	rule := make([]string, len(widths))
	line(rule, "-")
	for _, row := range rows[1:] {
		line(row, " ")
	}
	return b.String()
}

// number writes a figure with as many digits as mean something.
func number(v float64) string {
	switch {
	case v == 0:
		return "–"
	case v < 10:
		return strconv.FormatFloat(v, 'f', 2, 64)
	case v < 100:
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return strconv.FormatFloat(v, 'f', 0, 64)
}

func (r *results) targetTable() [][]string {
	rows := [][]string{{"what", "target", "measured", "", "why"}}
	for _, t := range r.Targets {
		met := "met"
		if !t.Met {
			met = "missed"
		}
		limit := strconv.FormatFloat(t.Limit, 'f', -1, 64)
		rows = append(rows, []string{t.What, "≤ " + limit + " " + t.Unit, number(t.Measured), met, t.Reason})
	}
	return rows
}

func (r *results) sizeTable() [][]string {
	rows := [][]string{{"function, arm64", "binary, bytes", "zip, bytes"}}
	for _, s := range r.Sizes {
		rows = append(rows, []string{s.Program, strconv.FormatInt(s.Binary, 10), strconv.FormatInt(s.Zip, 10)})
	}
	return rows
}

func (r *results) coldTable() [][]string {
	rows := [][]string{{"program", "fakes", "page cache", "INIT", "first answer", "p90", "× floor", "CPU", "of the request", "peak memory"}}
	for _, c := range r.Cold {
		if c.MemoryMB != 0 {
			continue
		}
		cache, floor := "warm", 0.0
		if c.NoCache {
			cache = "cold"
		}
		for _, f := range r.Cold {
			if f.Program == floorName && f.Fakes == c.Fakes && f.NoCache == c.NoCache && f.MemoryMB == 0 {
				floor = f.Answer
			}
		}
		rows = append(rows, []string{c.Program, c.Fakes, cache, number(c.Init), number(c.Answer), number(c.P90), number(ratio(c.Answer, floor)), number(c.CPU), number(c.FirstCPU), number(c.RSS)})
	}
	return rows
}

func (r *results) warmTable() [][]string {
	rows := [][]string{{"program", "request", "answer", "first byte", "p50", "p99", "floor", "direct", "SDK", "CPU", "peak memory", "allocations", "allocated KB"}}
	for _, w := range r.Warm {
		if w.MemoryMB != 0 {
			continue
		}
		kind := "decision"
		if w.Stream {
			kind = "text, streamed"
		}
		rows = append(rows, []string{
			w.Program, w.Size, kind, number(w.First), number(w.P50), number(w.P99), number(w.Floor), number(w.Direct), number(w.SDK), number(w.CPU), number(w.RSS),
			strconv.FormatInt(w.Allocs, 10), strconv.FormatInt(w.Alloced/1000, 10),
		})
	}
	return rows
}

func (r *results) growthTable() [][]string {
	rows := [][]string{{"what grows", "to", "seen first", "known"}}
	for _, g := range r.Growth {
		rows = append(rows, []string{map[string]string{"tools": "number of tools", "schema": "bytes of a schema"}[g.What], strconv.Itoa(g.N), number(g.First), number(g.Again)})
	}
	return rows
}

func (r *results) servedTable() [][]string {
	rows := [][]string{{"upstream", "request", "callers", "direct p50", "p50", "added p50", "× direct", "direct p99", "p99", "CPU"}}
	for _, s := range r.Served {
		rows = append(rows, []string{
			s.Upstream, s.Size, strconv.Itoa(s.Callers), number(s.DirectP50), number(s.P50), number(s.P50 - s.DirectP50), number(ratio(s.P50, s.DirectP50)),
			number(s.DirectP99), number(s.P99), number(s.CPU),
		})
	}
	return rows
}
