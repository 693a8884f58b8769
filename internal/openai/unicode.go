package openai

import (
	"bytes"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// IsUnicode reports whether JSON can be decoded without a loss: encoding/json
// puts U+FFFD in the place of invalid UTF-8 and of half a surrogate pair.
func IsUnicode(raw []byte) bool {
	if !utf8.Valid(raw) {
		return false
	}
	for {
		at := bytes.IndexByte(raw, '\\')
		if at < 0 || at+1 >= len(raw) {
			return true
		}
		raw = raw[at:]
		unit, ok := escapedUnit(raw)
		switch {
		case !ok:
			raw = raw[2:]
			continue
		case !utf16.IsSurrogate(unit):
		default:
			next, _ := escapedUnit(raw[6:])
			if utf16.DecodeRune(unit, next) == utf8.RuneError {
				return false
			}
			raw = raw[6:]
		}
		raw = raw[6:]
	}
}

// escapedUnit reads a UTF-16 code unit that is written \uXXXX.
func escapedUnit(raw []byte) (rune, bool) {
	const length = 6
	if len(raw) < length || raw[0] != '\\' || raw[1] != 'u' {
		return 0, false
	}
	unit, err := strconv.ParseUint(string(raw[2:length]), 16, 16)
	return rune(unit), err == nil
}
