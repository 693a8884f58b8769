//go:build !race

package toolcall

// raceFactor is how much longer things may take, and how much more they may allocate, under the race detector.
const raceFactor = 1
