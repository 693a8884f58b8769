//go:build !race

package toolcall

// raceFactor is how much longer things may take under the race detector.
const raceFactor = 1
