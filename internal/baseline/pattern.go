package baseline

import (
	"errors"
	"regexp"
	"regexp/syntax"
	"strings"
)

var errPattern = errors.New("its schema has a pattern that is not a regular expression without lookarounds and back references, or a very long one")

// maxPattern bounds the text of a pattern.
const maxPattern = 2000

// A pattern is a regular expression of a schema.
type pattern struct {
	re        *regexp.Regexp
	tree      *syntax.Regexp
	size      int               // of the tree
	languages map[int]*language // by the length they were counted to
}

// newPattern compiles an expression in the dialect of ECMA-262.
func newPattern(expression string) (*pattern, error) {
	if len(expression) > maxPattern {
		return nil, errPattern
	}
	expression = fromECMA(expression)
	tree, err := syntax.Parse(expression, syntax.Perl)
	if err != nil {
		return nil, errPattern
	}
	re, err := regexp.Compile(expression)
	if err != nil {
		return nil, errPattern
	}
	tree = tree.Simplify()
	return &pattern{re, tree, treeSize(tree), map[int]*language{}}, nil
}

func treeSize(tree *syntax.Regexp) int {
	size := 1 + len(tree.Rune)
	for _, sub := range tree.Sub {
		size += treeSize(sub)
	}
	return size
}

// matches reports whether a text matches, and counts the time that takes.
func (d *drawer) matches(p *pattern, text string) bool {
	const bytesPerStep = 256
	return d.spend(1+len(text)*p.size/bytesPerStep) && p.re.MatchString(text)
}

// fromECMA rewrites the escapes that ECMA-262 has and RE2 has not: \uXXXX,
// \u{X}, \/ within a class, and \cX.
// See https://262.ecma-international.org/#sec-patterns.
func fromECMA(expression string) string {
	var b strings.Builder
	for i := 0; i < len(expression); i++ {
		rest := expression[i:]
		switch {
		case len(rest) < 2 || rest[0] != '\\':
			b.WriteByte(rest[0])
		case strings.HasPrefix(rest, `\u{`):
			b.WriteString(`\x{`)
			i += 2
		case rest[1] == 'u' && len(rest) >= 6 && isHex(rest[2:6]):
			b.WriteString(`\x{` + rest[2:6] + `}`)
			i += 5
		case rest[1] == 'c' && len(rest) >= 3:
			b.WriteString(`\x` + hexByte(rest[2]%32))
			i += 2
		default:
			b.WriteString(rest[:2])
			i++
		}
	}
	return b.String()
}

func isHex(s string) bool { return strings.Trim(s, "0123456789abcdefABCDEF") == "" }

func hexByte(b byte) string {
	const digits = "0123456789abcdef"
	return string([]byte{digits[b>>4], digits[b&15]})
}

// language returns the texts that the pattern matches, counted up to a length.
// With padding they have letters around them, which a pattern without anchors
// does not mind. It returns nil if to count them would take too long.
func (d *drawer) language(p *pattern, length int, padded bool) *language {
	key, tree := length, p.tree
	if padded {
		key = -1 - length
		padding := &syntax.Regexp{Op: syntax.OpStar, Sub: []*syntax.Regexp{{Op: syntax.OpCharClass, Rune: []rune{'a', 'z'}}}}
		tree = &syntax.Regexp{Op: syntax.OpConcat, Sub: []*syntax.Regexp{padding, tree, padding}}
	}
	l, known := p.languages[key]
	if !known {
		const sumsPerStep = 20
		var sums int
		l, sums = newLanguage(tree, length)
		p.languages[key] = l
		d.spend(sums / sumsPerStep)
	}
	return l
}
