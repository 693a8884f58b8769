package batch

import (
	"flag"
	"math"
	"os"
	"testing"

	"hyperstudy-endpoint/internal/cmd/bench/plot"
)

var update = flag.Bool("update", false, "draw the plot of lost calls for the documentation again")

// TestQuotaPlot draws how many calls of a batch are lost at a part of the quota
// that it needs, with retries and without. It draws into the documentation only
// with -update, since a second run differs a little; what the plot shows must
// hold in every run.
func TestQuotaPlot(t *testing.T) {
	t.Parallel()
	p := plot.Plot{Title: "Calls lost where the quota is smaller than a batch needs", X: "quota, % of what the batch needs", Y: "% of the calls lost (0.01: none)"}
	for _, name := range []string{"D", "F"} {
		s := scenario(t, name)
		all := need(t, s)
		with, without := plot.Line{Name: name + ", with retries"}, plot.Line{Name: name + ", without"}
		for _, share := range []float64{0.125, 0.25, 0.35, 0.5, 0.7, 1, 1.4, 2} {
			r, _ := simulate(t, s, all*share, true)
			handedOn, _ := simulate(t, s, all*share, false)
			with.Points = append(with.Points, [2]float64{100 * share, percentLost(s, r)})
			without.Points = append(without.Points, [2]float64{100 * share, percentLost(s, handedOn)})
			if r.Lost() > handedOn.Lost()+s.Calls()/200 {
				t.Errorf("%s at %g of its quota: %d calls are lost with retries and %d without", name, share, r.Lost(), handedOn.Lost())
			}
		}
		p.Lines = append(p.Lines, with, without)
	}
	if !*update {
		return
	}
	if err := os.WriteFile("../../../../docs/benchmarks/quota.svg", p.SVG(), 0o600); err != nil {
		t.Fatal(err)
	}
}

// percentLost is never zero, which a logarithmic axis does not have.
func percentLost(s Scenario, r *Result) float64 {
	return math.Max(0.01, 100*float64(r.Lost())/float64(s.Calls()))
}
