package toolcall

import (
	"html"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// maxEscapes is how many layers of escapes are taken off a text.
const maxEscapes = 3

// bare reduces a text to what two ways of quoting it have in common. White
// space, quotation marks, backslashes, characters that do not show, case, and
// compatibility forms do not count; hyphens are underscores; escapes of JSON,
// HTML and URLs are what they stand for.
func bare(text string) string {
	for range 1 + maxEscapes {
		next := bareOnce(text)
		if next == text {
			break
		}
		text = next
	}
	return text
}

func bareOnce(text string) string {
	if strings.Contains(text, "&") {
		text = html.UnescapeString(text)
	}
	text = strings.ToLower(text)
	var b strings.Builder
	b.Grow(len(text))
	for i := 0; i < len(text); {
		if text[i] == '%' {
			if c, ok := hexByte(text[i+1:]); ok {
				b.WriteByte(c)
				i += len("%00")
				continue
			}
		}
		r, size := nextRune(text[i:])
		i += size
		switch {
		case r == '-':
			b.WriteByte('_')
		case isQuoting(r):
		case r < utf8.RuneSelf:
			b.WriteByte(byte(r)) //nolint:gosec // an ASCII character
		default:
			writeDecomposed(&b, r)
		}
	}
	return b.String()
}

// writeDecomposed writes what a character is made of: a plain one instead of a
// compatibility form. One that is made of many stays as it is, so that no text
// grows much.
func writeDecomposed(b *strings.Builder, r rune) {
	var encoded [utf8.UTFMax]byte
	n := utf8.EncodeRune(encoded[:], r)
	if parts := norm.NFKD.Properties(encoded[:n]).Decomposition(); parts != nil && len(parts) <= 2*utf8.UTFMax {
		b.Write(parts)
		return
	}
	b.WriteRune(r)
}

// isQuoting reports whether a character is one that quoting a text puts in.
func isQuoting(r rune) bool {
	if r < utf8.RuneSelf {
		return strings.IndexByte("\"'` \t\r\n\v\f", byte(r)) >= 0 //nolint:gosec // an ASCII character
	}
	return strings.ContainsRune("„‚′‵", r) || unicode.IsSpace(r) || unicode.In(r, unicode.Cf, unicode.Pi, unicode.Pf)
}

// nextRune reads one character, or one escape however often it was escaped.
// What says nothing comes back as a space.
func nextRune(text string) (r rune, size int) {
	if text[0] != '\\' {
		return utf8.DecodeRuneInString(text)
	}
	rest := strings.TrimLeft(text, `\`)
	size = len(text) - len(rest)
	if rest == "" {
		return ' ', size
	}
	if strings.IndexByte("ntrbf", rest[0]) >= 0 {
		return ' ', size + 1
	}
	if c, ok := hexByte(rest[1:]); ok && rest[0] == 'x' {
		return rune(c), size + len("x00")
	}
	r, ok := unicodeEscape(rest)
	if !ok {
		return ' ', size
	}
	size += len("u0000")
	if utf16.IsSurrogate(r) {
		behind := strings.TrimLeft(text[size:], `\`)
		if low, ok := unicodeEscape(behind); ok {
			return utf16.DecodeRune(r, low), len(text) - len(behind) + len("u0000")
		}
	}
	return r, size
}

// unicodeEscape reads uHHHH.
func unicodeEscape(text string) (rune, bool) {
	if len(text) < len("u0000") || text[0] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(text[1:5], 16, 16)
	return rune(n), err == nil
}

// hexByte reads HH.
func hexByte(text string) (byte, bool) {
	if len(text) < len("00") {
		return 0, false
	}
	n, err := strconv.ParseUint(text[:2], 16, 8)
	return byte(n), err == nil
}
