package rawjson

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Unquote decodes a string, which must be valid, as [encoding/json.Unmarshal]
// does: what is no Unicode becomes U+FFFD.
func Unquote(value []byte) string {
	inner := value[1 : len(value)-1]
	if !utf8.Valid(inner) {
		var s string
		_ = json.Unmarshal(value, &s) // a valid string never fails
		return s
	}
	at := bytes.IndexByte(inner, '\\')
	if at < 0 {
		return string(inner)
	}
	var b strings.Builder
	b.Grow(len(inner)) // an escape is never shorter than what it stands for
	for at >= 0 {
		b.Write(inner[:at])
		inner = inner[at:]
		r, width := unescape(inner)
		b.WriteRune(r)
		inner = inner[width:]
		at = bytes.IndexByte(inner, '\\')
	}
	b.Write(inner)
	return b.String()
}

// short are the characters of the escapes with one letter.
var short = [256]rune{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// unescape decodes the escape at the start of s, or two that are the halves of one
// character.
func unescape(s []byte) (r rune, width int) {
	const unit = 6 // \uXXXX
	if s[1] != 'u' {
		return short[s[1]], 2
	}
	r, _ = CodeUnit(s)
	if !utf16.IsSurrogate(r) {
		return r, unit
	}
	if low, ok := CodeUnit(s[unit:]); ok {
		if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
			return pair, 2 * unit
		}
	}
	return utf8.RuneError, unit
}

// CodeUnit reads a UTF-16 code unit that is written \uXXXX.
func CodeUnit(s []byte) (rune, bool) {
	const length = 6
	if len(s) < length || s[0] != '\\' || s[1] != 'u' {
		return 0, false
	}
	unit, err := strconv.ParseUint(string(s[2:length]), 16, 16)
	return rune(unit), err == nil
}
