package openai

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"

	"hyperstudy-endpoint/internal/rawjson"
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
		unit, ok := rawjson.CodeUnit(raw)
		switch {
		case !ok:
			raw = raw[2:]
			continue
		case !utf16.IsSurrogate(unit):
		default:
			next, _ := rawjson.CodeUnit(raw[6:])
			if utf16.DecodeRune(unit, next) == utf8.RuneError {
				return false
			}
			raw = raw[6:]
		}
		raw = raw[6:]
	}
}
