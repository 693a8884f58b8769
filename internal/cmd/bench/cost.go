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
	rows := [][]string{{"MB", "first answer, floor", "bedrock", "external", "4 KB decision", "1 MB image", "4.5 MB image", "$ for 1,000 decisions", "with 1 MB images"}}
	for _, mb := range memorySizes {
		floor := r.cold(floorName, "TLS", mb)
		if floor == nil {
			continue
		}
		row := []string{strconv.Itoa(mb), number(floor.Answer)}
		for _, name := range []string{bedrockName, externalName} {
			row = append(row, number(r.cold(name, "TLS", mb).Answer))
		}
		for _, name := range []string{"4 KB", "1 MB", "4.5 MB"} {
			row = append(row, number(r.throttled(mb, name)))
		}
		row = append(row, dollars(cost(mb, r.throttled(mb, "4 KB"))), dollars(cost(mb, r.throttled(mb, "1 MB"))))
		rows = append(rows, row)
	}
	return rows
}

func dollars(v float64) string { return strconv.FormatFloat(v, 'f', 4, 64) }

// throttled is the p50 of decisions in a function of some memory size.
func (r *results) throttled(memoryMB int, size string) float64 {
	for _, w := range r.Warm {
		if w.Program == bedrockName && w.MemoryMB == memoryMB && w.Size == size {
			return w.P50
		}
	}
	return 0
}
