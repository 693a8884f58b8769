package jsonschema

import (
	"errors"
	"regexp"
	"regexp/syntax"
	"strconv"
	"unicode/utf8"

	"hyperstudy-endpoint/internal/lazyregexp"
)

const (
	maxPatternLength = 2000
	// maxPatternSize bounds one pattern's compiled program, in instructions, and the
	// effort to read it.
	maxPatternSize = 12000
	// MaxPatternEffort bounds the same of all patterns of one schema together.
	MaxPatternEffort = 60000
)

var (
	errPatternLookaround  = errors.New("has a pattern with lookahead or lookbehind, which is not supported")
	errPatternBackrefs    = errors.New("has a pattern with a backreference, which is not supported")
	errPatternRepeat      = errors.New("has a pattern that repeats something too often")
	errPatternSize        = errors.New("has a pattern that is too long or too costly")
	errPatternSyntax      = errors.New("has a pattern that is not a valid regular expression")
	errPatternUnsupported = errors.New("has a pattern with an escape or a group that is not supported")
)

// A Pattern is a compiled regular expression of a schema.
type Pattern struct {
	source string
	re     *regexp.Regexp
	// size is the number of instructions of the program: matching takes at most
	// time in proportion to it and to the length of the text.
	size int
	// effort is what it takes to compile the pattern, the size included.
	effort int
	// least and most limit the number of characters if most is not negative. They
	// take the place of a repetition that spans the whole pattern.
	least, most int
}

// MatchString reports whether s contains a match.
func (p *Pattern) MatchString(s string) bool {
	if p.most >= 0 {
		if n := utf8.RuneCountInString(s); n < p.least || n > p.most {
			return false
		}
	}
	return p.re.MatchString(s)
}

// String returns the pattern as the schema has it.
func (p *Pattern) String() string { return p.source }

// wholeRepeat matches a pattern that is one set of characters, repeated.
var wholeRepeat = lazyregexp.New(`^\^(\.|\\[dDwWsS]|\[\^?(?:[^\[\]\\]|\\[^\n])+\])\{([0-9]{1,9}),([0-9]{1,9})\}\$$`)

// compilePattern compiles a regular expression as JSON Schema has it: ECMA-262
// syntax with the u flag. Errors are one of the errPattern variables.
func compilePattern(source string) (*Pattern, error) {
	if len(source) > maxPatternLength {
		return nil, errPatternSize
	}
	p := &Pattern{source: source, most: -1}
	// Repetitions of a whole text, which are common and would make a large
	// program, become a count of characters.
	if m := wholeRepeat().FindStringSubmatch(source); m != nil {
		p.least, _ = strconv.Atoi(m[2]) // at most nine digits
		p.most, _ = strconv.Atoi(m[3])
		if p.least > p.most {
			return nil, errPatternSyntax
		}
		source = "^" + m[1] + "*$"
	}
	t := translator{in: source}
	translated, err := t.translate()
	if err != nil {
		return nil, err
	}
	parsed, err := parseTranslated(translated)
	if err != nil {
		return nil, err
	}
	p.size = programSize(parsed)
	p.effort = p.size + t.effort
	if p.effort > maxPatternSize {
		return nil, errPatternSize
	}
	if p.re, err = regexp.Compile(translated); err != nil {
		return nil, errPatternSyntax
	}
	return p, nil
}

// parseTranslated parses a pattern in Go's syntax.
func parseTranslated(expr string) (*syntax.Regexp, error) {
	parsed, err := syntax.Parse(expr, syntax.Perl)
	var se *syntax.Error
	switch {
	case err == nil:
		return parsed, nil
	case !errors.As(err, &se):
		return nil, errPatternSyntax
	case se.Code == syntax.ErrInvalidRepeatSize:
		return nil, errPatternRepeat
	case se.Code == syntax.ErrLarge, se.Code == syntax.ErrNestingDepth:
		return nil, errPatternSize
	case se.Code == syntax.ErrInvalidCharRange && property().MatchString(se.Expr):
		return nil, errPatternUnsupported
	default:
		return nil, errPatternSyntax
	}
}

// programSize returns the number of instructions that a pattern is compiled to, or
// some number above maxPatternSize: a short pattern may stand for millions.
func programSize(re *syntax.Regexp) int {
	size := 1
	switch re.Op {
	case syntax.OpLiteral:
		size = max(len(re.Rune), 1)
	case syntax.OpStar, syntax.OpPlus, syntax.OpQuest:
		size += programSize(re.Sub[0])
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			size += programSize(sub)
		}
	case syntax.OpAlternate:
		for _, sub := range re.Sub {
			size += 1 + programSize(sub)
		}
	case syntax.OpRepeat: // where it is not certain, each copy has an instruction to leave it out
		copies := max(re.Min, re.Max)
		size += copies * (1 + programSize(re.Sub[0]))
	default: // one that stands for itself
	}
	return min(size, maxPatternSize+1)
}

// isPattern reports whether s is a regular expression. One that an answer holds is
// not run, so what cannot be run is valid too.
func isPattern(s string) bool {
	if len(s) > maxPatternLength {
		return true
	}
	t := translator{in: s, exactCase: true}
	translated, err := t.translate()
	if err == nil {
		_, err = parseTranslated(translated)
	}
	return !errors.Is(err, errPatternSyntax)
}
