package jsonschema

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// class reads a character class.
func (t *translator) class() error {
	t.pos++
	negated := t.skip("^")
	var set strings.Builder
	// A hyphen next to \s and its like stands for itself if it is before it, and
	// is an error, as the u flag has it, if it would make the set the end of a range.
	afterSet, afterHyphen := false, false
	var last rune // the character before the hyphen
	for {
		switch {
		case t.pos >= len(t.in):
			return errPatternSyntax
		case t.skip("]"):
			t.emit(closeClass(set.String(), negated))
			return nil
		case t.in[t.pos] == '-' && afterSet:
			t.pos++
			set.WriteString(`\-`)
			afterSet = false
			continue
		}
		first := set.Len() == 0
		item, r, err := t.classItem()
		isSet := r < 0
		switch {
		case err != nil:
			return err
		case isSet && afterHyphen:
			return errPatternSyntax
		case item == ecmaNonSpace:
			t.fold(0, lastFolded)
		case afterHyphen:
			t.fold(last, r)
		}
		set.WriteString(item)
		afterSet, afterHyphen = isSet, item == "-" && !first
		if !afterHyphen {
			last = r
		}
	}
}

// fold counts the effort of a range of characters where case is ignored.
func (t *translator) fold(low, high rune) {
	if t.folding {
		t.effort += int(max(min(high, lastFolded)-low, 0)) / foldedPerUnit
	}
}

func closeClass(set string, negated bool) string {
	switch {
	case set == "" && negated:
		return "[" + anything + "]"
	case set == "":
		return "[^" + anything + "]" // nothing matches it
	case negated:
		return "[^" + set + "]"
	default:
		return "[" + set + "]"
	}
}

// classItem reads one character of a class, or one set of characters, for which r
// is negative.
func (t *translator) classItem() (item string, r rune, err error) {
	if t.in[t.pos] != '\\' {
		r, n := utf8.DecodeRuneInString(t.in[t.pos:])
		t.pos += n
		if r == '-' {
			return "-", r, nil
		}
		return fmt.Sprintf(`\x{%x}`, r), r, nil
	}
	if t.pos+1 >= len(t.in) {
		return "", 0, errPatternSyntax
	}
	if t.in[t.pos+1] == 'b' {
		t.pos += 2
		return `\x{8}`, '\b', nil
	}
	set, r, err := t.escaped()
	if set != "" || err != nil {
		return set, -1, err
	}
	return fmt.Sprintf(`\x{%x}`, r), r, nil
}
