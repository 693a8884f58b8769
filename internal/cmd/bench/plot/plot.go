// Package plot draws diagrams of lines over logarithmic axes as SVG.
package plot

import (
	"bytes"
	"fmt"
	"html"
	"math"
)

// A Plot is a diagram of lines over logarithmic axes. It has at least one line.
type Plot struct {
	Title, X, Y string // with units
	Lines       []Line
}

// A Line is one series of points, of which there is at least one.
type Line struct {
	Name   string
	Points [][2]float64 // x and y, both above zero
}

// Measures of a plot in pixels.
const (
	plotWidth, plotHeight = 720, 400
	left, right           = 70, 200 // the names of the lines stand at the right
	top, bottom           = 50, 60
)

// style makes a plot legible on light and on dark pages. The colours are those of
// Okabe and Ito, which can be told apart by all.
const style = `<style>
text { font: 13px system-ui, sans-serif; fill: #24292f } .grid { stroke: #d0d7de; stroke-width: 1 } .title { font-size: 15px; font-weight: 600 }
polyline { fill: none; stroke-width: 2.5 }
.l0 { stroke: #0072b2 } .l1 { stroke: #d55e00 } .l2 { stroke: #009e73 } .l3 { stroke: #cc79a7 } .l4 { stroke: #7f7f7f }
circle.l0 { fill: #0072b2 } circle.l1 { fill: #d55e00 } circle.l2 { fill: #009e73 } circle.l3 { fill: #cc79a7 } circle.l4 { fill: #7f7f7f }
@media (prefers-color-scheme: dark) { text { fill: #e6edf3 } .grid { stroke: #3d444d } .l0 { stroke: #56b4e9 } circle.l0 { fill: #56b4e9 } .l4 { stroke: #b0b0b0 } circle.l4 { fill: #b0b0b0 } }
</style>
`

// SVG draws the plot, legible on light and on dark pages.
func (p Plot) SVG() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img" aria-label="%s">`+"\n", plotWidth, plotHeight, html.EscapeString(p.Title))
	b.WriteString(style)
	fmt.Fprintf(&b, `<text class="title" x="%d" y="24">%s</text>`+"\n", left, html.EscapeString(p.Title))
	xs, ys := p.axes()
	xs.marks(func(at float64, label string) {
		fmt.Fprintf(&b, `<line class="grid" x1="%.1f" y1="%d" x2="%.1f" y2="%d"/><text x="%.1f" y="%d" text-anchor="middle">%s</text>`+"\n", at, top, at, plotHeight-bottom, at, plotHeight-bottom+20, label)
	})
	ys.marks(func(at float64, label string) {
		fmt.Fprintf(&b, `<line class="grid" x1="%d" y1="%.1f" x2="%d" y2="%.1f"/><text x="%d" y="%.1f" text-anchor="end">%s</text>`+"\n", left, at, plotWidth-right, at, left-8, at+4, label)
	})
	fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="middle">%s</text>`+"\n", (left+plotWidth-right)/2, plotHeight-15, html.EscapeString(p.X))
	fmt.Fprintf(&b, `<text x="%d" y="42">%s</text>`+"\n", left, html.EscapeString(p.Y))
	names := p.spread(ys)
	for i, l := range p.Lines {
		var points bytes.Buffer
		for _, at := range l.Points {
			x, y := xs.at(at[0]), ys.at(at[1])
			fmt.Fprintf(&points, "%.1f,%.1f ", x, y)
			fmt.Fprintf(&b, `<circle class="l%d" cx="%.1f" cy="%.1f" r="3.5"/>`+"\n", i, x, y)
		}
		fmt.Fprintf(&b, `<polyline class="l%d" points="%s"/>`+"\n", i, bytes.TrimSpace(points.Bytes()))
		fmt.Fprintf(&b, `<line class="l%d" x1="%d" y1="%.1f" x2="%d" y2="%.1f" stroke-width="2.5"/><text x="%d" y="%.1f">%s</text>`+"\n",
			i, plotWidth-right+12, names[i], plotWidth-right+30, names[i], plotWidth-right+36, names[i]+4, html.EscapeString(l.Name))
	}
	b.WriteString("</svg>\n")
	return b.Bytes()
}

// spread returns where the names of the lines stand: near their ends, and not on
// top of each other.
func (p Plot) spread(ys axis) []float64 {
	const apart = 18
	places, order := make([]float64, len(p.Lines)), make([]int, len(p.Lines))
	for i, l := range p.Lines {
		order[i] = i
		places[i] = ys.at(l.Points[len(l.Points)-1][1])
	}
	for i := range order { // the few lines are sorted by where they end
		for k := i; k > 0 && places[order[k]] < places[order[k-1]]; k-- {
			order[k], order[k-1] = order[k-1], order[k]
		}
	}
	for k := 1; k < len(order); k++ {
		places[order[k]] = max(places[order[k]], places[order[k-1]]+apart)
	}
	return places
}

// An axis maps values to pixels by their logarithm.
type axis struct {
	from, to   float64 // values, powers of ten or of two
	start, end float64 // pixels
	base       float64
}

// axes returns axes that hold all points: over powers of two along the bottom,
// over powers of ten at the side.
func (p Plot) axes() (xs, ys axis) {
	low, high := [2]float64{math.Inf(1), math.Inf(1)}, [2]float64{}
	for _, l := range p.Lines {
		for _, at := range l.Points {
			for k := range at {
				low[k], high[k] = min(low[k], at[k]), max(high[k], at[k])
			}
		}
	}
	xs = axis{low[0] / 1.1, high[0] * 1.1, left, plotWidth - right, 2}
	ys = axis{math.Pow(10, math.Floor(math.Log10(low[1]))), math.Pow(10, math.Ceil(math.Log10(high[1]))), plotHeight - bottom, top, 10}
	if ys.from == ys.to {
		ys.to *= 10
	}
	return xs, ys
}

func (a axis) at(value float64) float64 {
	return a.start + (a.end-a.start)*math.Log(value/a.from)/math.Log(a.to/a.from)
}

// marks calls mark for every power of the base on the axis, or for every fourth
// where there are many.
func (a axis) marks(mark func(at float64, label string)) {
	step := a.base
	for math.Log(a.to/a.from)/math.Log(step) > 7 {
		step *= a.base
	}
	for v := math.Pow(step, math.Ceil(math.Log(a.from)/math.Log(step)-1e-9)); v <= a.to*(1+1e-9); v *= step {
		mark(a.at(v), short(v))
	}
}

// short writes a value as a label.
func short(v float64) string {
	switch {
	case v >= 1<<20:
		return fmt.Sprintf("%gM", v/(1<<20))
	case v >= 1<<13:
		return fmt.Sprintf("%gK", v/(1<<10))
	}
	return fmt.Sprintf("%g", v)
}
