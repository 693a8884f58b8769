package main

import (
	"slices"

	"hyperstudy-endpoint/internal/cmd/bench/plot"
)

// plots are the diagrams of the results, by the name of their file.
func (r *results) plots() map[string]plot.Plot {
	size := plot.Plot{Title: "From the event to the end of the answer, by size of the request", X: "bytes of the request", Y: "ms (median)"}
	for _, name := range []string{bedrockName, externalName} {
		size.Lines = append(size.Lines, r.sizeLine(name, name, func(w warmResult) float64 { return w.P50 }))
	}
	size.Lines = append(size.Lines,
		r.sizeLine("floor (calls nobody)", bedrockName, func(w warmResult) float64 { return w.Floor }),
		r.sizeLine("direct (no endpoint)", bedrockName, func(w warmResult) float64 { return w.Direct }))
	memory := plot.Plot{Title: "By memory size of the function", X: "MB", Y: "ms (median)"}
	for _, s := range []string{"4 KB", "1 MB", "4.5 MB"} {
		l := plot.Line{Name: "request of " + s}
		for _, mb := range memorySizes {
			if v := r.throttled(mb, s).P50; v > 0 {
				l.Points = append(l.Points, [2]float64{float64(mb), v})
			}
		}
		memory.Lines = append(memory.Lines, l)
	}
	cold := plot.Line{Name: "cold start, bedrock"}
	for _, mb := range memorySizes {
		if c := r.cold(bedrockName, "TLS", mb); c != nil {
			cold.Points = append(cold.Points, [2]float64{float64(mb), c.Answer})
		}
	}
	memory.Lines = append(memory.Lines, cold)
	all := map[string]plot.Plot{"request-size.svg": size, "memory-size.svg": memory}
	for what, x := range map[string]string{"tools": "number of tools", "schema": "bytes of one schema"} {
		p := plot.Plot{Title: "A decision, by " + x, X: x, Y: "ms (median)", Lines: []plot.Line{{Name: "schemas seen first"}, {Name: "schemas known"}}}
		for _, g := range r.Growth {
			if g.What == what {
				p.Lines[0].Points = append(p.Lines[0].Points, [2]float64{float64(g.N), g.First})
				p.Lines[1].Points = append(p.Lines[1].Points, [2]float64{float64(g.N), g.Again})
			}
		}
		all[what+".svg"] = p
	}
	for name, p := range all {
		p.Lines = slices.DeleteFunc(p.Lines, func(l plot.Line) bool { return len(l.Points) == 0 }) // was not measured
		if all[name] = p; len(p.Lines) == 0 {
			delete(all, name)
		}
	}
	return all
}

func (r *results) sizeLine(name, program string, y func(warmResult) float64) plot.Line {
	l := plot.Line{Name: name}
	for _, w := range r.Warm {
		if w.Program == program && !w.Stream && w.MemoryMB == 0 && y(w) > 0 {
			l.Points = append(l.Points, [2]float64{float64(w.Bytes), y(w)})
		}
	}
	return l
}
