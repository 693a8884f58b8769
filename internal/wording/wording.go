// Package wording writes numbers and times as reports have them for people.
package wording

import (
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Count is "1 check" or "2,000 checks".
func Count(n int, noun string) string {
	switch {
	case n == 1:
	case strings.HasSuffix(noun, "s"):
		noun += "es"
	default:
		noun += "s"
	}
	return Thousands(n) + " " + noun
}

// Thousands groups the digits of a number that is not negative.
func Thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Seconds is a time in seconds with about three digits, so that all times of a
// report have one unit.
func Seconds(d time.Duration) string {
	const shortest = time.Millisecond
	if d < shortest/2 {
		return "less than 0.001 s"
	}
	decimals := 3
	for least := time.Second; d >= least && decimals > 0; least *= 10 {
		decimals--
	}
	s := strconv.FormatFloat(d.Seconds(), 'f', decimals, 64)
	if decimals > 0 {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return s + " s"
}

// Capital makes a phrase begin like a sentence.
func Capital(s string) string {
	first, n := utf8.DecodeRuneInString(s)
	if n == 0 {
		return s
	}
	return string(unicode.ToUpper(first)) + s[n:]
}
