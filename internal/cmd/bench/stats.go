package main

import (
	"math"
	"slices"
	"time"
)

// quantile returns the value below which the share q of the times lies, by the
// nearest rank; zero of none. The times get sorted.
func quantile(times []time.Duration, q float64) time.Duration {
	if len(times) == 0 {
		return 0
	}
	slices.Sort(times)
	rank := int(math.Ceil(q*float64(len(times)))) - 1
	return times[min(max(rank, 0), len(times)-1)]
}

func median(times []time.Duration) time.Duration { return quantile(times, 0.5) }

// ms is a time in milliseconds, rounded to what can be told from noise.
func ms(d time.Duration) float64 {
	return math.Round(float64(d)/float64(time.Microsecond)) / 1000
}

// mib is a number of bytes in MiB.
func mib(bytes int64) float64 {
	return math.Round(float64(bytes)/(1<<20)*10) / 10
}

// ratio is a/b rounded to two places, and 0 where there is no b.
func ratio(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return math.Round(a/b*100) / 100
}
