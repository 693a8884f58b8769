package main

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"hyperstudy-endpoint/internal/lambdahttp"
	"hyperstudy-endpoint/internal/openai"
)

func TestQuantile(t *testing.T) {
	t.Parallel()
	times := []time.Duration{5, 1, 4, 2, 3}
	for q, want := range map[float64]time.Duration{0: 1, 0.2: 1, 0.21: 2, 0.5: 3, 0.9: 5, 0.99: 5, 1: 5} {
		if got := quantile(times, q); got != want {
			t.Errorf("quantile %v is %v, want %v", q, got, want)
		}
	}
	if quantile(nil, 0.5) != 0 {
		t.Error("the median of nothing is not zero")
	}
}

// TestRequests checks that requests have the size they are called by and are
// requests, in an event that is one.
func TestRequests(t *testing.T) {
	t.Parallel()
	for _, s := range sizes {
		for _, stream := range []bool{false, true} {
			body := shape{size: s, stream: stream, tools: 3}.request()
			if len(body) > s.bytes+4 || len(body) < s.bytes*9/10 {
				t.Errorf("%s: %d bytes", s.name, len(body))
			}
			req, err := openai.DecodeRequest(bytes.NewReader(body))
			if err != nil || req.Stream != stream || stream == (len(req.Tools) == 3) {
				t.Errorf("%s: %v, %d tools, stream %v", s.name, err, len(req.Tools), req.Stream)
			}
			var e lambdahttp.Event
			if err := json.Unmarshal(event("POST", "/chat/completions", body), &e); err != nil || string(e.Body) != string(body) || e.Path != "/chat/completions" {
				t.Errorf("%s: the event is for %s %q, %v", s.name, e.HTTPMethod, e.Path, err)
			}
		}
	}
	for _, tools := range []int{1, 2, 64} {
		if req, err := openai.DecodeRequest(bytes.NewReader(shape{size: sizes[0], tools: tools}.request())); err != nil || len(req.Tools) != tools {
			t.Errorf("%d tools: %v", tools, err)
		}
	}
	req, err := openai.DecodeRequest(bytes.NewReader(shape{size: sizes[0], tools: 1, schema: 10_000}.request()))
	if err != nil || len(req.Tools[0].Parameters) < 10_000 || len(req.Tools[0].Parameters) > 12_000 {
		t.Errorf("schema of 10,000 bytes: %v", err)
	}
}

// results are those of a run in which everything was missed.
func badResults() *results {
	r := &results{
		Sizes:       []sizeResult{{"chat", 10_000_001, 4_000_001}},
		Growth:      []growthResult{{"tools", 1, 2, 1}, {"tools", 64, 9, 3}, {"schema", 1024, 1, 1}},
		Served:      []servedResult{{Upstream: bedrockName, Size: "4 KB", Callers: 1, DirectP50: 1, P50: 5}, {Upstream: bedrockName, Size: "1 MB", Callers: 8, DirectP50: 1, P50: 2}},
		Server:      serverResult{Start: 30, RSSStart: 20, RSSAlone: 60, RSSPeak: 100},
		NotMeasured: []string{"x: not measured here (y)"},
	}
	for _, name := range []string{floorName, modelsName, bedrockName, externalName} {
		scale := map[string]float64{floorName: 1, modelsName: 3, bedrockName: 8, externalName: 8}[name]
		r.Cold = append(r.Cold, coldResult{Program: name, Fakes: "HTTP", Answer: 3 * scale, CPU: scale}, coldResult{Program: name, Fakes: "TLS", MemoryMB: 128, Init: 8 * scale, Answer: 10 * scale, FirstCPU: 2.5})
	}
	for _, s := range sizes {
		for _, mb := range []int{0, 128} {
			for _, name := range []string{bedrockName, externalName} {
				r.Warm = append(r.Warm, warmResult{Program: name, Size: s.name, Bytes: s.bytes, MemoryMB: mb, P50: 100, SDK: 1, Floor: 0.5, Direct: 0.25, RSS: 90})
			}
		}
	}
	return r
}

func TestTargets(t *testing.T) {
	t.Parallel()
	r := badResults()
	r.judge()
	missed := 0
	for _, target := range r.Targets {
		if !target.Met {
			missed++
		}
		if target.Limit == 0 || target.Unit == "" || target.Met != (target.Measured <= target.Limit) || target.Met && target.Reason != "" {
			t.Errorf("%+v", target)
		}
	}
	if missed < 12 {
		t.Errorf("%d of %d missed", missed, len(r.Targets))
	}
	if w := r.Targets[0]; w.Met || !w.Exact {
		t.Errorf("the size: %+v", w)
	}
}

// TestReasons checks that a missed target is explained by figures of the run.
func TestReasons(t *testing.T) {
	t.Parallel()
	r := badResults()
	r.judge()
	reasons := map[string]string{}
	for _, target := range r.Targets {
		reasons[target.What] = target.Reason
	}
	for what, want := range map[string]string{
		"cold start of chat, bedrock, HTTP fakes, median":                     "it takes 8.0 ms of CPU time where the floor takes 1.0",
		"cold start of chat, external, TLS fakes, 128 MB after INIT, median":  "INIT takes 64.0 ms. The first request takes 2.5 ms of CPU time, and a function of this size gets 1.4 ms of it every 20 ms",
		"4 KB decision, bedrock, p50":                                         "the floor takes 0.50 ms, a call with the SDK 1.00, and what the endpoint does 98.50",
		"4 KB decision, bedrock":                                              "the floor, which calls nobody, takes 0.50 ms, that call 1.00, and what the endpoint does 98.50: 2 × leaves 0.50 for it",
		"4 KB decision, external, p50":                                        "the floor takes 0.50 ms, a direct call 0.25, and what the endpoint does 99.25",
		"as a server: peak memory, against the best peer":                     "with one caller, as an environment of the function has it, 60.0",
		"image of 3 MB, chat, bedrock, peak memory":                           "",
		"as a server: chat, bedrock, 4 KB, callers: 1, against the best peer": "",
	} {
		if got, ok := reasons[what]; !ok || got != want {
			t.Errorf("%s: %q, want %q", what, got, want)
		}
	}
}

func TestTables(t *testing.T) {
	t.Parallel()
	r := badResults()
	r.judge()
	var b bytes.Buffer
	if err := r.print(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"### Targets", "### Size", "### Cold start", "### Warm requests", "### Growth", "### Memory size", "### As an HTTP server", "| missed |", "x: not measured here (y)"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is missing", want)
		}
	}
	columns := 0
	for line := range strings.Lines(b.String()) {
		n := strings.Count(line, "|")
		if n > 0 && columns > 0 && n != columns {
			t.Errorf("%d cells where the line before has %d: %s", n, columns, line)
		}
		columns = n
	}
}

// TestPlots checks that the plots are well-formed and draw within their frame.
func TestPlots(t *testing.T) {
	t.Parallel()
	plots := badResults().plots()
	for _, name := range []string{"request-size.svg", "memory-size.svg", "tools.svg", "schema.svg"} {
		p, ok := plots[name]
		if !ok {
			t.Errorf("there is no %s", name)
			continue
		}
		svg := p.SVG()
		d := xml.NewDecoder(bytes.NewReader(svg))
		for {
			_, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		if strings.Contains(string(svg), "NaN") || strings.Contains(string(svg), "Inf") || strings.Count(string(svg), "<circle") == 0 {
			t.Errorf("%s:\n%s", name, svg)
		}
	}
	if plots := (&results{}).plots(); len(plots) != 0 {
		t.Errorf("plots of nothing: %v", plots)
	}
}

func TestCost(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		memoryMB int
		overhead float64
		want     string
	}{{128, 0, "0.0120"}, {256, 0, "0.0204"}, {512, 1000, "0.0437"}, {1024, 0, "0.0704"}} {
		if got := dollars(cost(tc.memoryMB, tc.overhead)); got != tc.want {
			t.Errorf("%d MB: %s, want %s", tc.memoryMB, got, tc.want)
		}
	}
}
