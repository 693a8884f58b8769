package jsonschema

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"hyperstudy-endpoint/internal/lazyregexp"
)

// What ECMA-262 means by \s, its complement, and by the dot, as ranges for a
// character class of Go: https://tc39.es/ecma262/#prod-WhiteSpace and
// https://tc39.es/ecma262/#prod-LineTerminator.
const (
	ecmaSpace    = `\x{9}-\x{d}\x{20}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}`
	ecmaNonSpace = `\x{0}-\x{8}\x{e}-\x{1f}\x{21}-\x{9f}\x{a1}-\x{167f}\x{1681}-\x{1fff}\x{200b}-\x{2027}\x{202a}-\x{202e}\x{2030}-\x{205e}\x{2060}-\x{2fff}\x{3001}-\x{fefe}\x{ff00}-\x{10ffff}`
	ecmaDot      = `[^\n\r\x{2028}\x{2029}]`
	anything     = `\x{0}-\x{10ffff}`
)

// maxRepeat is the most that Go's regular expressions repeat something.
const maxRepeat = 1000

// A translator rewrites an ECMA-262 pattern in Go's syntax.
type translator struct {
	in   string
	pos  int
	out  []byte
	atom int   // offset in out of what a quantifier would repeat; -1 if there is nothing
	open []int // offsets in out of the groups that are open
	// exactCase leaves out the directives to ignore case, which make no difference
	// to what is a pattern.
	exactCase bool
	folding   bool // case is ignored in some part so far
	// effort is what it takes to read the character classes, in the unit of a
	// program's size.
	effort int
}

// The effort of character classes: Go spells out all ranges of a property, and
// looks at each character of a range where case is ignored.
const (
	propertyEffort = 150
	foldedPerUnit  = 40
	lastFolded     = '\U0001E943' // behind it case makes no difference
)

// translate returns the pattern in Go's syntax. Only whether it matches is kept:
// groups do not capture, and a lazy quantifier is written as a greedy one.
func (t *translator) translate() (string, error) {
	t.atom = -1
	if t.skip("(?i)") {
		t.out = append(t.out, t.ignoreCase("(?i)", "")...)
	}
	for t.pos < len(t.in) {
		if err := t.term(); err != nil {
			return "", err
		}
		if t.effort > maxPatternSize {
			return "", errPatternSize
		}
	}
	if len(t.open) > 0 {
		return "", errPatternSyntax
	}
	return string(t.out), nil
}

// ignoreCase returns a directive to ignore case, or what takes its place.
func (t *translator) ignoreCase(directive, otherwise string) string {
	if t.exactCase {
		return otherwise
	}
	t.folding = true
	return directive
}

func (t *translator) skip(prefix string) bool {
	if strings.HasPrefix(t.in[t.pos:], prefix) {
		t.pos += len(prefix)
		return true
	}
	return false
}

// emit writes something that can be repeated.
func (t *translator) emit(s string) {
	t.atom = len(t.out)
	t.out = append(t.out, s...)
}

// assert writes something that cannot.
func (t *translator) assert(s string) {
	t.out = append(t.out, s...)
	t.atom = -1
}

func (t *translator) term() error {
	switch c := t.in[t.pos]; c {
	case '(':
		return t.group()
	case ')':
		return t.closeGroup()
	case '[':
		return t.class()
	case '\\':
		return t.escape()
	case '*', '+', '?':
		t.pos++
		return t.quantify(string(c))
	case '{':
		return t.braces()
	case '^', '$', '|':
		t.pos++
		t.assert(string(c))
	case '.':
		t.pos++
		t.emit(ecmaDot)
	default:
		r, n := utf8.DecodeRuneInString(t.in[t.pos:])
		t.pos += n
		t.emit(regexp.QuoteMeta(string(r)))
	}
	return nil
}

func (t *translator) group() error {
	opening := "(?:"
	switch {
	case t.skip("(?:"):
	case t.skip("(?i:"):
		opening = t.ignoreCase("(?i:", opening)
	case t.skip("(?="), t.skip("(?!"), t.skip("(?<="), t.skip("(?<!"):
		return errPatternLookaround
	case t.skip("(?<"):
		name, _, found := strings.Cut(t.in[t.pos:], ">")
		if !found || name == "" {
			return errPatternSyntax
		}
		t.pos += len(name) + 1
	case t.skip("(?"):
		return errPatternUnsupported
	default:
		t.pos++
	}
	t.open = append(t.open, len(t.out))
	t.assert(opening)
	return nil
}

func (t *translator) closeGroup() error {
	if len(t.open) == 0 {
		return errPatternSyntax
	}
	t.pos++
	t.out = append(t.out, ')')
	t.atom = t.open[len(t.open)-1]
	t.open = t.open[:len(t.open)-1]
	return nil
}

// quantify ends the atom with a quantifier. After it there is nothing to repeat.
func (t *translator) quantify(q string) error {
	if t.atom < 0 {
		return errPatternSyntax
	}
	t.skip("?") // lazy: the same texts match
	t.assert(q)
	return nil
}

var braces = lazyregexp.New(`^\{([0-9]+)(,?)([0-9]*)\}`)

// braces reads {n}, {n,} and {n,m}. Any other brace stands for itself.
func (t *translator) braces() error {
	m := braces().FindStringSubmatch(t.in[t.pos:])
	if m == nil || m[2] == "" && m[3] != "" {
		t.pos++
		t.emit(`\{`)
		return nil
	}
	t.pos += len(m[0])
	least, err := strconv.Atoi(m[1])
	if err != nil || least > maxPatternSize {
		return errPatternRepeat
	}
	most := least
	switch {
	case m[3] != "":
		if most, err = strconv.Atoi(m[3]); err != nil || most > maxPatternSize {
			return errPatternRepeat
		}
	case m[2] != "":
		most = -1
	}
	if most >= 0 && most < least {
		return errPatternSyntax
	}
	if least <= maxRepeat && most <= maxRepeat {
		return t.quantify(m[0])
	}
	return t.quantifyInParts(least, most)
}

// quantifyInParts writes a repetition beyond Go's limit as several in a row.
func (t *translator) quantifyInParts(least, most int) error {
	if t.atom < 0 {
		return errPatternSyntax
	}
	t.skip("?")
	atom := string(t.out[t.atom:])
	t.out = append(t.out[:t.atom], "(?:"...)
	for n := least; n > 0; n -= maxRepeat {
		t.out = fmt.Appendf(t.out, "%s{%d}", atom, min(n, maxRepeat))
	}
	if most < 0 {
		t.out = append(t.out, atom+"*"...)
	}
	for n := most - least; n > 0; n -= maxRepeat {
		t.out = fmt.Appendf(t.out, "%s{0,%d}", atom, min(n, maxRepeat))
	}
	t.assert(")")
	if len(t.out) > maxPatternSize {
		return errPatternSize
	}
	return nil
}

// escape reads an escape outside a character class.
func (t *translator) escape() error {
	if t.pos+1 >= len(t.in) {
		return errPatternSyntax
	}
	switch c := t.in[t.pos+1]; c {
	case 'b', 'B':
		t.pos += 2
		t.assert(`\` + string(c))
		return nil
	case 'k', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		return errPatternBackrefs
	}
	set, r, err := t.escaped()
	switch {
	case err != nil:
		return err
	case set == "":
		t.emit(fmt.Sprintf(`\x{%x}`, r))
	case set == ecmaNonSpace:
		t.emit("[^" + ecmaSpace + "]") // the same, and quick to read where case is ignored
	default:
		t.emit("[" + set + "]")
	}
	return nil
}

var controls = map[byte]rune{'t': '\t', 'n': '\n', 'v': '\v', 'f': '\f', 'r': '\r'}

// escaped reads an escape that means the same inside and outside a class: a set
// of characters, as the inside of a class of Go, or else one character.
func (t *translator) escaped() (set string, r rune, err error) {
	rest := t.in[t.pos+1:]
	c := rest[0]
	switch c {
	case 'd', 'D', 'w', 'W':
		t.pos += 2
		return `\` + string(c), 0, nil
	case 's':
		t.pos += 2
		return ecmaSpace, 0, nil
	case 'S':
		t.pos += 2
		return ecmaNonSpace, 0, nil
	case 'p', 'P':
		return t.property()
	case 'u', 'x':
		r, err = t.codePoint()
		return "", r, err
	case 'c':
		if len(rest) < 2 || !isLetter(rest[1]) {
			return "", 0, errPatternSyntax
		}
		t.pos += 3
		return "", rune(rest[1] % 32), nil
	case '0':
		if len(rest) > 1 && '0' <= rest[1] && rest[1] <= '9' {
			return "", 0, errPatternUnsupported
		}
		t.pos += 2
		return "", 0, nil
	}
	if r, ok := controls[c]; ok {
		t.pos += 2
		return "", r, nil
	}
	r, n := utf8.DecodeRuneInString(rest)
	if isLetter(c) || '0' <= c && c <= '9' {
		return "", 0, errPatternUnsupported
	}
	t.pos += 1 + n
	return "", r, nil
}

var property = lazyregexp.New(`^\\([pP])\{(?:(?:gc|General_Category|sc|Script|scx|Script_Extensions)=)?([A-Za-z_]+)\}`)

// property reads \p{Name}. Go knows general categories and scripts.
func (t *translator) property() (string, rune, error) {
	m := property().FindStringSubmatch(t.in[t.pos:])
	if m == nil {
		return "", 0, errPatternUnsupported
	}
	t.pos += len(m[0])
	t.effort += propertyEffort
	return `\` + m[1] + "{" + m[2] + "}", 0, nil
}

var codePoint = lazyregexp.New(`^\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|u\{([0-9a-fA-F]{1,6})\})`)

// codePoint reads \xHH, \uHHHH, a pair of surrogates, and \u{H...}.
func (t *translator) codePoint() (rune, error) {
	m := codePoint().FindStringSubmatch(t.in[t.pos:])
	if m == nil {
		return 0, errPatternSyntax
	}
	t.pos += len(m[0])
	n, err := strconv.ParseUint(m[1]+m[2]+m[3], 16, 32)
	if err != nil || n > utf8.MaxRune {
		return 0, errPatternSyntax
	}
	r := rune(n)
	if m[2] == "" || !utf16.IsSurrogate(r) {
		return r, nil
	}
	if low := codePoint().FindStringSubmatch(t.in[t.pos:]); low != nil && low[2] != "" {
		second, _ := strconv.ParseUint(low[2], 16, 16) // four hexadecimal digits
		if pair := utf16.DecodeRune(r, rune(second)); pair != utf8.RuneError {
			t.pos += len(low[0])
			return pair, nil
		}
	}
	return r, nil
}
