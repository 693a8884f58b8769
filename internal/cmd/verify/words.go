package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// count is "1 check" or "2 checks".
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return thousands(n) + " " + noun + "s"
}

// thousands groups the digits of a number that is not negative.
func thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// money has as many decimals as tell a small sum from nothing.
func money(sum float64) string {
	switch {
	case sum == 0 || sum >= 1:
		return strconv.FormatFloat(sum, 'f', 2, 64)
	case sum < 0.0001:
		return "less than 0.0001"
	}
	return strconv.FormatFloat(sum, 'f', 4, 64)
}

func number(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// span is a duration in the unit that a person would take.
func span(d time.Duration) string {
	switch s := d.Seconds(); {
	case d < time.Millisecond:
		return fmt.Sprintf("%.2g ms", s*1e3)
	case d < time.Second:
		return fmt.Sprintf("%.3g ms", s*1e3)
	case d < 100*time.Second:
		return fmt.Sprintf("%.3g s", s)
	default:
		return fmt.Sprintf("%.0f s", s)
	}
}

// capital makes a phrase begin like a sentence.
func capital(s string) string {
	if s == "" {
		return s
	}
	first, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(first)) + s[n:]
}

// steers reports whether a character moves or turns what stands around it, in a
// terminal or on a page: controls, and those that override the direction of text.
func steers(c rune) bool {
	return unicode.IsControl(c) || c >= '\u202a' && c <= '\u202e' || c >= '\u2066' && c <= '\u2069'
}

// printable makes one line of a text, and shows what an endpoint could steer a
// terminal with.
func printable(s string) string {
	return visible(strings.Join(strings.Fields(s), " "))
}

// visible shows what cannot be seen, but for the breaks of lines.
func visible(s string) string {
	return strings.Map(func(c rune) rune {
		if steers(c) && c != '\n' && c != '\t' {
			return unicode.ReplacementChar
		}
		return c
	}, s)
}

// wrap breaks a text into lines of at most width characters, where it has blanks.
func wrap(text string, width int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > width {
			lines, line = append(lines, line), ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return append(lines, line)
}
