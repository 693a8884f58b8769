package main

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// usd is a sum of money with as many decimals as tell a small sum from nothing.
func usd(sum float64) string {
	switch {
	case sum == 0 || sum >= 1:
		return strconv.FormatFloat(sum, 'f', 2, 64) + " USD"
	case sum < 0.0001:
		return "less than 0.0001 USD"
	}
	return strconv.FormatFloat(sum, 'f', 4, 64) + " USD"
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
