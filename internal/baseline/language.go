package baseline

import (
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
)

// A language is the set of texts that a regular expression matches, as a tree
// whose nodes know how many texts of each length they stand for. From that a
// text of a given length is drawn uniformly, without drawing in vain. Texts
// that an expression matches in several ways count as often.
//
// Anchors and word boundaries are taken to hold; whoever draws matches the text
// against the expression afterwards.
type language struct {
	kind    languageKind
	letters []rune // of a letter: pairs of first and last
	size    int    // how many letters these are
	left    *language
	right   *language
	counts  counts
	repeat  counts // of a star: those of what it repeats, without the empty text
}

type languageKind int

const (
	emptyText languageKind = iota
	noText
	letter
	sequence // left, then right
	either   // left or right
	star     // left, any number of times
)

// counts are how many texts there are of each length from low on.
type counts struct {
	low     int
	numbers []float64 // at most hugeCount
}

// hugeCount stands for all larger numbers too, so that products stay finite.
const hugeCount = 1e300

func (c counts) of(length int) float64 {
	if i := length - c.low; i >= 0 && i < len(c.numbers) {
		return c.numbers[i]
	}
	return 0
}

// end is one more than the greatest length.
func (c counts) end() int { return c.low + len(c.numbers) }

// A languageBuilder makes a tree and counts texts up to a length.
type languageBuilder struct {
	length int
	work   int
}

const maxWork = 1_000_000 // sums for the counts of one expression

// newLanguage returns the texts of up to so many characters, nil if to count
// them would take too long, and how much work it was.
func newLanguage(tree *syntax.Regexp, length int) (*language, int) {
	b := &languageBuilder{length: length}
	l := b.build(tree)
	if b.work > maxWork {
		return nil, b.work
	}
	return l, b.work
}

func (b *languageBuilder) build(re *syntax.Regexp) *language {
	const workOfNode = 10
	if b.work += workOfNode; b.work > maxWork {
		return &language{kind: noText}
	}
	switch re.Op {
	case syntax.OpNoMatch:
		return &language{kind: noText}
	case syntax.OpLiteral:
		list := make([]*language, len(re.Rune))
		for i, r := range re.Rune {
			list[i] = newLetter([]rune{r, r})
		}
		return b.fold(sequence, list)
	case syntax.OpCharClass:
		return newLetter(re.Rune)
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return newLetter([]rune{plainFirst, plainLast})
	case syntax.OpCapture:
		return b.build(re.Sub[0])
	case syntax.OpStar:
		return b.star(b.build(re.Sub[0]))
	case syntax.OpPlus:
		one := b.build(re.Sub[0])
		return b.sequence(one, b.star(one))
	case syntax.OpQuest:
		return b.either(newEmpty(), b.build(re.Sub[0]))
	case syntax.OpConcat:
		return b.fold(sequence, b.buildAll(re.Sub))
	case syntax.OpAlternate:
		return b.fold(either, b.buildAll(re.Sub))
	default: // an empty match, an anchor or a word boundary
		return newEmpty()
	}
}

func (b *languageBuilder) buildAll(subs []*syntax.Regexp) []*language {
	list := make([]*language, len(subs))
	for i, sub := range subs {
		list[i] = b.build(sub)
	}
	return list
}

// fold joins a list from its end. An empty one is the empty text.
func (b *languageBuilder) fold(kind languageKind, list []*language) *language {
	if len(list) == 0 {
		return newEmpty()
	}
	l := list[len(list)-1]
	for _, left := range slices.Backward(list[:len(list)-1]) {
		if kind == either {
			l = b.either(left, l)
		} else {
			l = b.sequence(left, l)
		}
	}
	return l
}

func newEmpty() *language { return &language{kind: emptyText, counts: counts{0, []float64{1}}} }

const (
	plainFirst = ' '
	plainLast  = '~'
)

// newLetter returns the language of single letters. Those of printable ASCII
// stand for a class that has any.
func newLetter(class []rune) *language {
	plain := overlap(class, plainFirst, plainLast)
	if len(plain) == 0 {
		// Surrogates are no characters and cannot be encoded.
		plain = append(overlap(class, 0, 0xd7ff), overlap(class, 0xe000, unicode.MaxRune)...)
	}
	size := 0
	for i := 0; i < len(plain); i += 2 {
		size += int(plain[i+1]-plain[i]) + 1
	}
	if size == 0 {
		return &language{kind: noText}
	}
	return &language{kind: letter, letters: plain, size: size, counts: counts{1, []float64{float64(size)}}}
}

func overlap(class []rune, first, last rune) []rune {
	var found []rune
	for i := 0; i+1 < len(class); i += 2 {
		if low, high := max(class[i], first), min(class[i+1], last); low <= high {
			found = append(found, low, high)
		}
	}
	return found
}

func (b *languageBuilder) either(left, right *language) *language {
	l := &language{kind: either, left: left, right: right}
	l.counts.low = min(left.counts.low, right.counts.low)
	l.counts.numbers = make([]float64, max(left.counts.end(), right.counts.end())-l.counts.low)
	for i := range l.counts.numbers {
		l.counts.numbers[i] = min(hugeCount, left.counts.of(l.counts.low+i)+right.counts.of(l.counts.low+i))
	}
	b.work += len(l.counts.numbers)
	return l
}

func (b *languageBuilder) sequence(left, right *language) *language {
	l := &language{kind: sequence, left: left, right: right}
	first, second := left.counts, right.counts
	low := first.low + second.low
	width := min(len(first.numbers)+len(second.numbers)-1, b.length+1-low)
	if len(first.numbers) == 0 || len(second.numbers) == 0 || width <= 0 || b.work > maxWork {
		return l
	}
	l.counts = counts{low, make([]float64, width)}
	for i, x := range first.numbers {
		for j, y := range second.numbers[:max(0, min(len(second.numbers), width-i))] {
			l.counts.numbers[i+j] = min(hugeCount, l.counts.numbers[i+j]+min(hugeCount, x*y))
			b.work++
		}
	}
	return l
}

// star counts a text once for each way to split it into repetitions.
func (b *languageBuilder) star(one *language) *language {
	l := &language{kind: star, left: one, repeat: one.counts}
	if one.counts.low == 0 && len(one.counts.numbers) > 0 { // an empty repetition adds nothing
		l.repeat = counts{1, one.counts.numbers[1:]}
	}
	if len(l.repeat.numbers) == 0 {
		l.counts = newEmpty().counts
		return l
	}
	l.counts.numbers = make([]float64, b.length+1)
	l.counts.numbers[0] = 1
	for n := range l.counts.numbers {
		for i, x := range l.repeat.numbers {
			k := l.repeat.low + i
			if k > n || b.work > maxWork {
				break
			}
			l.counts.numbers[n] = min(hugeCount, l.counts.numbers[n]+min(hugeCount, x*l.counts.numbers[n-k]))
			b.work++
		}
	}
	return l
}

// draw writes one of the language's texts of a length that it has any of.
func (l *language) draw(s *source, length int, out *strings.Builder) {
	switch l.kind {
	case letter:
		out.WriteRune(pickLetter(s.below(l.size), l.letters))
	case either:
		left, right := l.left.counts.of(length), l.right.counts.of(length)
		if s.weighted([]float64{left, right}) == 0 {
			l.left.draw(s, length, out)
		} else {
			l.right.draw(s, length, out)
		}
	case sequence:
		n := s.split(l.left.counts, l.right.counts, length)
		l.left.draw(s, n, out)
		l.right.draw(s, length-n, out)
	case star:
		for length > 0 {
			n := s.split(l.repeat, l.counts, length)
			l.left.draw(s, n, out)
			length -= n
		}
	case emptyText, noText:
	}
}

// split chooses the length of the first of two texts that are so long together.
func (s *source) split(first, second counts, length int) int {
	weights := make([]float64, len(first.numbers))
	for i, x := range first.numbers {
		weights[i] = min(hugeCount, x*second.of(length-first.low-i))
	}
	return first.low + s.weighted(weights)
}

// weighted returns an index, each as likely as its weight says. The weights are
// at most hugeCount and one of them is not 0.
func (s *source) weighted(weights []float64) int {
	sum := 0.0
	for _, w := range weights {
		sum += w
	}
	at, last := s.fraction()*sum, 0
	for i, w := range weights {
		if w == 0 {
			continue
		}
		if last = i; at < w {
			break
		}
		at -= w
	}
	return last
}

func pickLetter(i int, letters []rune) rune {
	for k := 0; k < len(letters); k += 2 {
		count := int(letters[k+1]-letters[k]) + 1
		if i >= 0 && i <= unicode.MaxRune && i < count {
			return letters[k] + rune(i)
		}
		i -= count
	}
	return unicode.ReplacementChar
}
