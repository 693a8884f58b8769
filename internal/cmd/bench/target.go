package main

import "fmt"

// The best figures of other gateways, each the best of all: bedrockify, moolen,
// Portkey, one-api and the Bedrock Access Gateway, measured between the same kind
// of caller and upstream on a machine with two processors. Times depend on the
// machine, so that ratios to a direct call in the same run are compared.
const (
	peerStart    = 21  // ms
	peerRSS      = 18  // MiB after the start
	peerPeak     = 85  // MiB under load
	peerSmall    = 4.8 // times a direct call, 4 KB, one caller
	peerLarge    = 2.6 // 1 MB, one caller
	peerSmallOf8 = 5.3 // eight callers
	peerLargeOf8 = 3.0
)

// judge compares the results with the targets.
func (r *results) judge() {
	for _, s := range r.Sizes {
		r.target(target{What: s.Program + " function, binary for arm64", Limit: 10_000_000, Unit: "bytes", Measured: float64(s.Binary), Exact: true})
		r.target(target{What: s.Program + " function, zip", Limit: 4_000_000, Unit: "bytes", Measured: float64(s.Zip), Exact: true})
	}
	for _, name := range []string{bedrockName, externalName, modelsName} {
		if c, floor := r.cold(name, "HTTP", 0), r.cold(floorName, "HTTP", 0); c != nil && floor != nil {
			r.target(target{
				What: "cold start of " + name + ", HTTP fakes, median", Limit: 2, Unit: "× floor", Measured: ratio(c.Answer, floor.Answer),
				Reason: fmt.Sprintf("it takes %.1f ms of CPU time where the floor takes %.1f", c.CPU, floor.CPU),
			})
		}
		if c := r.cold(name, "TLS", 128); c != nil {
			r.target(target{
				What: "cold start of " + name + ", TLS fakes, 128 MB after INIT, median", Limit: 25, Unit: "ms", Measured: c.Answer,
				Reason: fmt.Sprintf("INIT takes %.1f ms. The first request takes %.1f ms of CPU time, and a function of this size gets %.1f ms of it every %.0f ms", c.Init, c.FirstCPU, ms(share(c.MemoryMB)), ms(period)),
			})
		}
	}
	if w := r.warm(bedrockName, "4 KB"); w != nil {
		r.target(target{What: "4 KB decision, bedrock, p50", Limit: 1, Unit: "ms", Measured: w.P50, Reason: w.least()})
		r.target(target{
			What: "4 KB decision, bedrock", Limit: 2, Unit: "× Converse with the SDK", Measured: ratio(w.P50, w.SDK),
			Reason: fmt.Sprintf("the floor, which calls nobody, takes %.2f ms, that call %.2f, and what the endpoint does %.2f: 2 × leaves %.2f for it", w.Floor, w.SDK, w.P50-w.Floor-w.SDK, w.SDK-w.Floor),
		})
	}
	if w := r.warm(externalName, "4 KB"); w != nil {
		r.target(target{What: "4 KB decision, external, p50", Limit: 1, Unit: "ms", Measured: w.P50, Reason: w.least()})
	}
	for _, name := range []string{bedrockName, externalName} {
		if w := r.warm(name, "4 MB"); w != nil {
			r.target(target{What: "image of 3 MB, " + name + ", p50", Limit: 80, Unit: "ms", Measured: w.P50, Reason: w.least()})
			r.target(target{What: "image of 3 MB, " + name + ", peak memory", Limit: 80, Unit: "MiB", Measured: w.RSS})
		}
	}
	r.judgePeers()
}

func (r *results) judgePeers() {
	r.target(target{What: "as a server: start, against the best peer", Limit: peerStart, Unit: "ms", Measured: r.Server.Start})
	r.target(target{What: "as a server: memory after the start, against the best peer", Limit: peerRSS, Unit: "MiB", Measured: r.Server.RSSStart})
	r.target(target{What: "as a server: peak memory, against the best peer", Limit: peerPeak, Unit: "MiB", Measured: r.Server.RSSPeak, Reason: fmt.Sprintf("with one caller, as an environment of the function has it, %.1f", r.Server.RSSAlone)})
	limits := map[string]map[int]float64{sizes[0].name: {1: peerSmall, 8: peerSmallOf8}, sizes[2].name: {1: peerLarge, 8: peerLargeOf8}}
	for _, s := range r.Served {
		r.target(target{
			What:  fmt.Sprintf("as a server: %s, %s, callers: %d, against the best peer", s.Upstream, s.Size, s.Callers),
			Limit: limits[s.Size][s.Callers], Unit: "× direct", Measured: ratio(s.P50, s.DirectP50),
		})
	}
}

// target adds a target that was measured. Its reason, a figure of the same run, is
// kept only if it is missed.
func (r *results) target(t target) {
	if t.Measured == 0 {
		return
	}
	t.Met = t.Measured <= t.Limit
	if t.Met {
		t.Reason = ""
	}
	r.Targets = append(r.Targets, t)
}

// least says what a request takes that does nothing of what the endpoint does.
func (w *warmResult) least() string {
	call, name := w.Direct, "a direct call"
	if w.Program == bedrockName {
		call, name = w.SDK, "a call with the SDK"
	}
	return fmt.Sprintf("the floor takes %.2f ms, %s %.2f, and what the endpoint does %.2f", w.Floor, name, call, w.P50-w.Floor-call)
}

func (r *results) cold(name, fakes string, memoryMB int) *coldResult {
	for i, c := range r.Cold {
		if c.Program == name && c.Fakes == fakes && c.MemoryMB == memoryMB && !c.NoCache {
			return &r.Cold[i]
		}
	}
	return nil
}

// warm returns the result of decisions with all of the CPU.
func (r *results) warm(name, size string) *warmResult {
	for i, w := range r.Warm {
		if w.Program == name && w.Size == size && !w.Stream && w.MemoryMB == 0 {
			return &r.Warm[i]
		}
	}
	return nil
}
