package main

import (
	"fmt"
	"math"
	"net/http"
	"time"

	"hyperstudy-endpoint/internal/conformance"
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
	group  string
	title  string
	time   time.Duration
	failed bool
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
				list = append(list, sample{c.Check.Group, c.Check.Title, x.Latency, c.Verdict == conformance.Fail})
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
		one := point{Across: at.Across, Order: percent(plotLabels, float64(i)/float64(max(1, len(samples)-1))), Down: at.Down, Label: s.title + ": " + span(s.time), Failed: s.failed}
		p.Points = append(p.Points, one)
		row, known := rows[s.group]
		if !known {
			row = len(p.Rows)
			rows[s.group] = row
			p.Rows = append(p.Rows, plotRow{Name: s.group})
		}
		p.Rows[row].Points = append(p.Rows[row].Points, one)
		times[s.group] = append(times[s.group], s.time)
	}
	for i := range p.Rows {
		list := times[p.Rows[i].Name]
		p.Rows[i].Count, p.Rows[i].Median = len(list), span(median(list))
	}
	return p
}

// An axis is logarithmic from low to high.
type axis struct{ low, high time.Duration }

// decade is the power of ten in microseconds below d, and at least 100 µs.
func decade(d time.Duration) time.Duration {
	t := 100 * time.Microsecond
	for t*10 < d {
		t *= 10
	}
	return t
}

func (a axis) tick(t time.Duration) tick {
	part := math.Log(float64(max(t, a.low))/float64(a.low)) / math.Log(float64(a.high)/float64(a.low))
	return tick{
		Label:  span(t),
		Across: percent(plotMargin, part),
		Down:   fmt.Sprintf("%.1f", plotInset+(1-part)*(plotHeight-2*plotInset)),
	}
}

// percent is a place between start and the margin at the end.
func percent(start, part float64) string {
	return fmt.Sprintf("%.2f%%", start+part*(100-plotMargin-start))
}

// A bar is the parts of the answers to one kind of question, beside each other.
type bar struct {
	conformance.Rate
	Parts []barPart
}

type barPart struct{ Kind, Start, Width string }

func bars(rates []conformance.Rate) []bar {
	var list []bar
	for _, k := range rates {
		b, start := bar{Rate: k}, 0
		for _, part := range []struct {
			kind string
			n    int
		}{{"valid", k.Valid}, {"mended", k.Mended}, {"reasked", k.Reasked}, {"failed", k.Failed}} {
			if part.n > 0 && k.Asked > 0 {
				share := func(n int) string { return fmt.Sprintf("%.2f%%", 100*float64(n)/float64(k.Asked)) }
				b.Parts = append(b.Parts, barPart{part.kind, share(start), share(part.n)})
				start += part.n
			}
		}
		list = append(list, b)
	}
	return list
}
