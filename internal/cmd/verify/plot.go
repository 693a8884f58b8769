package main

import (
	"fmt"
	"math"
	"net/http"
	"slices"
	"time"

	"hyperstudy-endpoint/internal/conformance"
	"hyperstudy-endpoint/internal/wording"
)

// Plots are drawn as SVG with places across in per cent and heights in pixels,
// so that they fit every width and their text keeps its size.

// A plot shows how long answers took, over the course of the run and by kind.
type plot struct {
	Height int // of the course, in pixels
	Rows   []plotRow
	Ticks  []tick
	Points []point // all answers in the order of the run
	Limit  tick
}

// A plotRow is the answers of one group of checks.
type plotRow struct {
	Name   string
	Count  int
	Median string
	Points []point
}

// A tick is a time that the axis names.
type tick struct {
	Label  string
	Across string // from the left, in per cent
	Down   string // from the top of the course, in pixels
}

// A point is one answer.
type point struct {
	Across string // from the left by its time, in per cent
	Order  string // from the left by its place in the run, in per cent
	Down   string // from the top of the course, in pixels
	Label  string
	Failed bool // its check failed
}

const (
	plotHeight = 200
	plotInset  = 12 // pixels above and below the course
	plotMargin = 2  // per cent that are left free at both ends
	plotLabels = 17 // per cent that the labels beside the course take
)

// A sample is an answered completion.
type sample struct {
	heading string // of the group of checks
	title   string
	time    time.Duration
	failed  bool
}

// samples are all completions with an answer, each once: checks that look at the
// whole run show what others asked.
func (r *result) samples() []sample {
	var list []sample
	seen := map[*conformance.Exchange]bool{}
	for i := range r.Results {
		c := &r.Results[i]
		for _, x := range c.Exchanges {
			if x.Method == http.MethodPost && x.Status == http.StatusOK && x.Error == "" && !seen[x] {
				seen[x] = true
				list = append(list, sample{headings[c.Check.Group], c.Check.Title, x.Latency, c.Verdict == conformance.Fail})
			}
		}
	}
	return list
}

// plot draws the samples on a logarithmic axis from a decade below the fastest
// to the limit, or the slowest. It is nil if there are none.
func (r *result) plot() *plot {
	samples := r.samples()
	if len(samples) == 0 {
		return nil
	}
	low, high := r.Limit, r.Limit
	for _, s := range samples {
		low, high = min(low, s.time), max(high, s.time)
	}
	a := axis{decade(low), high}
	p := &plot{Height: plotHeight, Limit: a.tick(r.Limit)}
	for t := a.low; t <= a.high; t *= 10 {
		p.Ticks = append(p.Ticks, a.tick(t))
	}
	rows := map[string]int{}
	times := map[string][]time.Duration{}
	for i, s := range samples {
		at := a.tick(s.time)
		one := point{Across: at.Across, Order: percent(plotLabels, float64(i)/float64(max(1, len(samples)-1))), Down: at.Down, Label: s.title + ": " + wording.Seconds(s.time), Failed: s.failed}
		p.Points = append(p.Points, one)
		row, known := rows[s.heading]
		if !known {
			row = len(p.Rows)
			rows[s.heading] = row
			p.Rows = append(p.Rows, plotRow{Name: s.heading})
		}
		p.Rows[row].Points = append(p.Rows[row].Points, one)
		times[s.heading] = append(times[s.heading], s.time)
	}
	for i := range p.Rows {
		list := times[p.Rows[i].Name]
		p.Rows[i].Count, p.Rows[i].Median = len(list), wording.Seconds(median(list))
	}
	return p
}

func median(times []time.Duration) time.Duration {
	sorted := slices.Sorted(slices.Values(times))
	return sorted[len(sorted)/2]
}

// An axis is logarithmic from low to high.
type axis struct{ low, high time.Duration }

// decade is the power of ten in milliseconds below d, and at least 1 ms.
func decade(d time.Duration) time.Duration {
	t := time.Millisecond
	for t*10 < d {
		t *= 10
	}
	return t
}

func (a axis) tick(t time.Duration) tick {
	part := math.Log(float64(max(t, a.low))/float64(a.low)) / math.Log(float64(a.high)/float64(a.low))
	return tick{
		Label:  wording.Seconds(t),
		Across: percent(plotMargin, part),
		Down:   fmt.Sprintf("%.1f", plotInset+(1-part)*(plotHeight-2*plotInset)),
	}
}

// percent is a place between start and the margin at the end.
func percent(start, part float64) string {
	return fmt.Sprintf("%.2f%%", start+part*(100-plotMargin-start))
}

// A column is one thing that can become of an answer.
type column struct {
	Class   string // of the report's style sheet
	Name    string
	Meaning string
	of      func(conformance.Rate) int
}

// columns are those of the table of answers.
var columns = []column{
	{"valid", "valid at once", "the model's first answer is what the question asks for.", func(r conformance.Rate) int { return r.Valid }},
	{"mended", "mended", `the endpoint changed the form of the answer and not its meaning, such as "72" into 72.`, func(r conformance.Rate) int { return r.Mended }},
	{"reasked", "asked again", "the first answer was not valid, or got lost, and the endpoint asked the model again.", func(r conformance.Rate) int { return r.Reasked }},
	{"failed", "failed", "no valid answer came, so that a study would lose the decision.", func(r conformance.Rate) int { return r.Failed }},
}

// A bar is what became of the answers to one question, side by side.
type bar struct {
	conformance.Rate
	Parts []barPart
}

type barPart struct {
	Class        string
	Count        int
	Start, Width string
}

func bars(rates []conformance.Rate) []bar {
	var list []bar
	for _, r := range rates {
		share := func(n int) string { return fmt.Sprintf("%.2f%%", 100*float64(n)/float64(max(1, r.Asked))) }
		b, start := bar{Rate: r}, 0
		for _, c := range columns {
			n := c.of(r)
			b.Parts = append(b.Parts, barPart{c.Class, n, share(start), share(n)})
			start += n
		}
		list = append(list, b)
	}
	return list
}
