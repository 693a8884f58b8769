package main

import (
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"hyperstudy-endpoint/internal/conformance"
)

// ran is a result with one check whose completions took these times.
func ran(limit time.Duration, times ...time.Duration) *result {
	c := conformance.Result{Check: conformance.Check{Group: "answers", Title: "rating scale"}}
	for _, d := range times {
		c.Exchanges = append(c.Exchanges, &conformance.Exchange{Method: http.MethodPost, Status: http.StatusOK, Latency: d})
	}
	return &result{Report: &conformance.Report{Limit: limit, Results: []conformance.Result{c, c}}} // the second one shows the same again
}

// TestPlot checks that whatever the times are, every dot stands inside the plot,
// in its order, and each answer has one.
func TestPlot(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name  string
		limit time.Duration
		times []time.Duration // rising
		ticks string
	}{
		{"one", time.Minute, []time.Duration{time.Second}, "0.1 s 1 s 10 s"},
		{"no time at all", time.Minute, []time.Duration{0, 1}, "0.001 s 0.01 s 0.1 s 1 s 10 s"},
		{"seconds", time.Minute, []time.Duration{1200 * time.Millisecond, 3 * time.Second, 59 * time.Second}, "1 s 10 s"},
		{"at the limit", 10 * time.Second, []time.Duration{10 * time.Second, 10 * time.Second}, "1 s 10 s"},
		{"beyond the limit", 10 * time.Second, []time.Duration{11 * time.Second, 200 * time.Second}, "1 s 10 s 100 s"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			p := ran(tc.limit, tc.times...).plot()
			if len(p.Points) != len(tc.times) || len(p.Rows) != 1 || p.Rows[0].Count != len(tc.times) {
				t.Fatalf("%d points for %d answers: %+v", len(p.Points), len(tc.times), p)
			}
			var labels []string
			for _, tick := range p.Ticks {
				labels = append(labels, tick.Label)
			}
			if got := strings.Join(labels, " "); got != tc.ticks {
				t.Errorf("ticks %s, want %s", got, tc.ticks)
			}
			across, order := -1.0, -1.0
			for _, one := range p.Points {
				a, o, d := place(t, one.Across, "%", 100), place(t, one.Order, "%", 100), place(t, one.Down, "", plotHeight)
				if a < across || o <= order || d < plotInset {
					t.Errorf("%+v stands wrong", one)
				}
				across, order = a, o
			}
			place(t, p.Limit.Across, "%", 100)
		})
	}
	if p := ran(time.Minute).plot(); p != nil {
		t.Errorf("a plot of nothing: %+v", p)
	}
}

// place reads a place, which has to be inside the plot.
func place(t *testing.T, text, unit string, most float64) float64 {
	t.Helper()
	x, err := strconv.ParseFloat(strings.TrimSuffix(text, unit), 64)
	if err != nil || !(x >= 0 && x <= most) {
		t.Fatalf("%q is no place: %v", text, err)
	}
	return x
}

func TestBars(t *testing.T) {
	t.Parallel()
	got := bars([]conformance.Rate{{Title: "rating scale", Asked: 4, Valid: 2, Mended: 1, Failed: 1}, {Title: "none"}})
	want := []barPart{{"valid", 2, "0.00%", "50.00%"}, {"mended", 1, "50.00%", "25.00%"}, {"reasked", 0, "75.00%", "0.00%"}, {"failed", 1, "75.00%", "25.00%"}}
	if len(got) != 2 || !reflect.DeepEqual(got[0].Parts, want) || got[1].Parts[3].Start != "0.00%" {
		t.Errorf("got %+v", got)
	}
}

// TestIndented checks that long bodies are cut where a character ends.
func TestIndented(t *testing.T) {
	t.Parallel()
	if got := indented(`{"a":1}`); got != "{\n  \"a\": 1\n}" {
		t.Errorf("got %q", got)
	}
	got := indented("x" + strings.Repeat("ä", mostShown))
	if !strings.HasSuffix(got, "ä\n… and 6,001 more bytes") || len(got) > mostShown+40 {
		t.Errorf("got %d bytes that end with %q", len(got), got[len(got)-40:])
	}
}
