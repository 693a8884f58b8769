package toolcall

import (
	"html"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"hyperstudy-endpoint/internal/openai"
)

// occurs reports whether a part of an answer already stands in the messages of
// the request. A model that repeats what somebody put into its input does not
// decide anything. White space, quotation marks, and escapes of JSON and HTML
// do not count.
func occurs(payload string, messages []openai.Message) bool {
	want := bare(payload)
	for i := range messages {
		m := &messages[i]
		if strings.Contains(bare(m.Text()), want) || strings.Contains(bare(m.Refusal), want) {
			return true
		}
		for _, call := range m.ToolCalls {
			if strings.Contains(bare(call.Function.Arguments), want) {
				return true
			}
		}
	}
	return false
}

// bare reduces a text to what two ways of quoting it have in common.
func bare(text string) string {
	if strings.Contains(text, "&") {
		text = html.UnescapeString(text)
	}
	var b strings.Builder
	b.Grow(len(text))
	for i := 0; i < len(text); {
		r, size := nextRune(text[i:])
		i += size
		switch {
		case strings.ContainsRune("\"'` \t\r\n", r):
		case r < utf8.RuneSelf:
			b.WriteByte(byte(r)) //nolint:gosec // an ASCII character
		case !unicode.IsSpace(r) && !unicode.Is(unicode.Cf, r):
			b.WriteRune(r)
		}
	}
	return b.String()
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
