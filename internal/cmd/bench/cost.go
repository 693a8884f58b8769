package main

import (
	"strconv"

	"hyperstudy-endpoint/internal/price"
)

// modelSeconds is how long a model is assumed to take for a decision. Lambda is
// paid for while it waits.
const modelSeconds = 5

// cost is what 1,000 decisions cost in US dollars, without the model, in a function
// of some memory size that adds overhead in milliseconds to each.
func cost(memoryMB int, overhead float64) float64 {
	seconds := modelSeconds + overhead/1000
	return 1000 * (seconds*float64(memoryMB)/1024*price.LambdaGBSecond + price.LambdaRequest + price.APIRequest)
}

// memoryTable shows what a larger function is worth.
func (r *results) memoryTable() [][]string {
	rows := [][]string{{
		"MB", "first answer, floor", "bedrock", "external", "4 KB decision, p50", "p99", "image of 0.75 MB, p50", "image of 3.4 MB, p50", "$ for 1,000 decisions", "with images of 0.75 MB",
	}}
	for _, mb := range memorySizes {
		floor := r.cold(floorName, "TLS", mb)
		if floor == nil {
			continue
		}
		row := []string{strconv.Itoa(mb), number(floor.Answer)}
		for _, name := range []string{bedrockName, externalName} {
			row = append(row, number(r.cold(name, "TLS", mb).Answer))
		}
		small, image, large := r.throttled(mb, "4 KB"), r.throttled(mb, "1 MB"), r.throttled(mb, "4.5 MB")
		row = append(row, number(small.P50), number(small.P99), number(image.P50), number(large.P50), dollars(cost(mb, small.P50)), dollars(cost(mb, image.P50)))
		rows = append(rows, row)
	}
	return rows
}

func dollars(v float64) string { return strconv.FormatFloat(v, 'f', 4, 64) }

// throttled are decisions in a function of some memory size.
func (r *results) throttled(memoryMB int, size string) warmResult {
	for _, w := range r.Warm {
		if w.Program == bedrockName && w.MemoryMB == memoryMB && w.Size == size {
			return w
		}
	}
	return warmResult{}
}
