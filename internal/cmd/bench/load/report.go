package load

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"hyperstudy-endpoint/internal/cmd/bench/batch"
	"hyperstudy-endpoint/internal/price"
)

// A Report is what became of a batch.
type Report struct {
	Scenario string  `json:"scenario"`
	Speed    float64 `json:"speed"`
	Quota    float64 `json:"quota_tokens_per_minute"`
	Throttle float64 `json:"throttled_share"`

	Calls    int            `json:"calls"`
	Answered int            `json:"answered"`
	Failed   int            `json:"failed"`
	Unmade   int            `json:"unmade"`
	Failures map[string]int `json:"failures"`
	Stopped  int            `json:"stopped_agents"`

	Seconds      float64 `json:"seconds"`
	P50          float64 `json:"p50_seconds"`
	P95          float64 `json:"p95_seconds"`
	InFlight     int     `json:"most_in_flight"`
	Environments int     `json:"environments"`
	ColdStart    float64 `json:"cold_start_p95_ms"` // exec to the first request for an event

	Upstream  int64   `json:"upstream_calls"`
	Throttled int64   `json:"upstream_throttled"`
	PeakRSS   int64   `json:"peak_rss_bytes"`
	GBSeconds float64 `json:"gb_seconds"`
	Dollars   float64 `json:"dollars_without_tokens"`
}

// report adds up what the function and the fake know.
func (e *endpoint) report(o Options, r *batch.Result) *Report {
	report := &Report{
		Scenario: o.Scenario.Name, Speed: o.Speed, Quota: o.Quota, Throttle: o.Throttle,
		Calls: r.Calls, Answered: r.Answered, Failed: r.Failed, Unmade: r.Unmade, Stopped: r.Stopped, Failures: e.failures.byName,
		Seconds: r.Took.Seconds(), P50: r.Quantile(0.5).Seconds(), P95: r.Quantile(0.95).Seconds(), InFlight: r.Peak,
		Throttled: e.upstream.throttled.Load(), Upstream: e.upstream.throttled.Load() + e.upstream.answered.Load(),
	}
	var starts []time.Duration
	for _, i := range e.function.Invocations() {
		report.Environments = max(report.Environments, i.Environment)
		report.PeakRSS = max(report.PeakRSS, i.PeakRSS)
		report.GBSeconds += i.Duration.Seconds() * o.Speed * memoryMB / 1024
		if i.Cold {
			starts = append(starts, i.InitDuration)
		}
	}
	if len(starts) > 0 {
		slices.Sort(starts)
		report.ColdStart = float64(starts[len(starts)*95/100].Microseconds()) / 1000
	}
	report.Dollars = report.GBSeconds*price.LambdaGBSecond + float64(r.Calls)*(price.LambdaRequest+price.APIRequest)
	return report
}

// write writes the report to be read.
func (r *Report) write(w io.Writer) error {
	lines := []string{
		fmt.Sprintf("scenario %s: %d calls in %.0f s, %d answered, %d failed, %d not made, %d agents stopped", r.Scenario, r.Calls, r.Seconds, r.Answered, r.Failed, r.Unmade, r.Stopped),
		fmt.Sprintf("latency: p50 %.1f s, p95 %.1f s; %d under way at once", r.P50, r.P95, r.InFlight),
		fmt.Sprintf("upstream: %d calls, %d of them throttled", r.Upstream, r.Throttled),
		fmt.Sprintf("function: %d environments, p95 of their starts %.1f ms, at most %.1f MiB, %.0f GB-s, $%.2f without tokens", r.Environments, r.ColdStart, float64(r.PeakRSS)/(1<<20), r.GBSeconds, r.Dollars),
	}
	for _, name := range slices.Sorted(maps.Keys(r.Failures)) {
		lines = append(lines, fmt.Sprintf("failed: %d times %s", r.Failures[name], name))
	}
	for _, l := range lines {
		if _, err := fmt.Fprintln(w, l); err != nil {
			return err
		}
	}
	return nil
}
