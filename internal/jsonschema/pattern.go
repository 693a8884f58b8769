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
	// maxPatternSize bounds one pattern's compiled program, in instructions.
	maxPatternSize = 12000
	// MaxPatternSizes bounds the programs of all patterns of one schema.
	MaxPatternSizes = 60000
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
	translated, err := translate(source)
	if err != nil {
		return nil, err
	}
	if p.size, err = programSize(translated); err != nil {
		return nil, err
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

// programSize returns the number of instructions of the compiled pattern.
func programSize(expr string) (int, error) {
	parsed, err := parseTranslated(expr)
	if err != nil {
		return 0, err
	}
	prog, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return 0, errPatternSyntax
	}
	if len(prog.Inst) > maxPatternSize {
		return 0, errPatternSize
	}
	return len(prog.Inst), nil
}

// checkPattern checks a regular expression without compiling it.
func checkPattern(source string) error {
	if len(source) > maxPatternLength {
		return errPatternSize
	}
	translated, err := translate(source)
	if err != nil {
		return err
	}
	_, err = parseTranslated(translated)
	return err
}

// isPattern reports whether s is a regular expression. One that an answer holds is
// not run, so what cannot be run is valid too.
func isPattern(s string) bool { return !errors.Is(checkPattern(s), errPatternSyntax) }
