package baseline

import (
	"strings"
	"unicode/utf8"
)

const (
	maxText      = 1 << 16 // characters; a schema that demands more is refused
	usualGrowth  = 40      // how much longer than it must be a text is at most
	patternSlack = 16      // the same for a text drawn from a pattern
	maxPatternOf = 2048    // characters that a text drawn from a pattern has at most
	fewTexts     = 1e9     // up to so many texts of a pattern each is equally likely
)

// text draws a string.
func (d *drawer) text(p *plan) (any, bool) {
	low, high := 0, maxText
	var (
		patterns []*pattern
		kinds    []format
	)
	for _, atom := range p.atoms {
		low = max(low, atom.minLength)
		if atom.maxLength >= 0 {
			high = min(high, atom.maxLength)
		}
		if atom.pattern != nil {
			patterns = append(patterns, atom.pattern)
		}
		if kind, known := formats[atom.format]; known {
			kinds = append(kinds, kind)
		}
	}
	if low > high || !d.spend(1+low/16) {
		return nil, false
	}
	var text string
	switch {
	case len(patterns)+len(kinds) == 0:
		return d.plainText(low, high), true
	case len(patterns) == 0 || len(kinds) > 0 && d.random.coin():
		text = pick(d.random, kinds...).draw(d.random, low)
	default:
		var ok bool
		if text, ok = d.matching(pick(d.random, patterns...), low, high); !ok {
			return nil, false
		}
	}
	for _, kind := range kinds {
		if !kind.valid(text) {
			return nil, false
		}
	}
	return text, true
}

// plainText draws a few words, cut to a length that is allowed.
func (d *drawer) plainText(low, high int) string {
	text := d.random.words(d.random.between(1, 6))
	if len(text) >= low && len(text) <= high {
		return text
	}
	shortest := max(low, min(1, high)) // no empty text unless it has to be
	return d.random.textOf(d.random.between(shortest, min(high, shortest+usualGrowth)))
}

// matching draws a text that matches a pattern, anchors apart.
func (d *drawer) matching(p *pattern, low, high int) (string, bool) {
	for length := min(high, low+64); ; length = min(high, length*4, maxPatternOf) {
		for _, padded := range []bool{false, true} {
			l := d.language(p, length, padded)
			if l == nil {
				return "", false
			}
			if n, ok := d.random.length(l, low, length); ok {
				var b strings.Builder
				l.draw(d.random, n, &b)
				return b.String(), d.spend(1 + n)
			}
			if length < high && length < maxPatternOf {
				break // it may just need more characters
			}
		}
		if length >= min(high, maxPatternOf) {
			return "", false
		}
	}
}

// length chooses how long a text of a language is to be. Where there are few
// texts, all of them are equally likely; where there are many, the lengths are.
func (s *source) length(l *language, low, high int) (int, bool) {
	weights := make([]float64, high+1)
	total, first := 0.0, -1
	for n := low; n <= high; n++ {
		if l.counts.of(n) == 0 {
			continue
		}
		if first < 0 {
			first = n
		}
		weights[n] = l.counts.of(n)
		total += weights[n]
	}
	if first < 0 {
		return 0, false
	}
	if total > fewTexts {
		for n := range weights {
			if n > first+patternSlack {
				weights[n] = 0
			} else if weights[n] > 0 {
				weights[n] = 1
			}
		}
	}
	return s.weighted(weights), true
}

// characters returns how long a string is as JSON Schema counts.
func characters(text string) int { return utf8.RuneCountInString(text) }
