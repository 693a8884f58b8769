// Package rawjson takes JSON apart without decoding it. A request is mostly
// strings, an image above all: this package passes them eight bytes at a time
// where encoding/json looks at each byte by itself.
package rawjson

import (
	"encoding/binary"
	"math/bits"
)

// maxDepth is how deep encoding/json lets arrays and objects be nested.
const maxDepth = 10000

// Valid reports whether data is one JSON value, as [encoding/json.Valid] does.
func Valid(data []byte) bool {
	c := checker{data: data}
	if !c.value(0) {
		return false
	}
	c.space()
	return c.at == len(data)
}

// A checker checks JSON from a place on.
type checker struct {
	data []byte
	at   int
}

// peek returns the byte at the place, and 0 at the end: no JSON has a NUL.
func (c *checker) peek() byte {
	if c.at == len(c.data) {
		return 0
	}
	return c.data[c.at]
}

// take passes a byte if it is the next.
func (c *checker) take(b byte) bool {
	if c.peek() != b {
		return false
	}
	c.at++
	return true
}

func (c *checker) space() {
	for c.at < len(c.data) {
		switch c.data[c.at] {
		case ' ', '\t', '\n', '\r':
			c.at++
		default:
			return
		}
	}
}

// value passes one value with the white space before it.
func (c *checker) value(depth int) bool {
	c.space()
	switch c.peek() {
	case '"':
		return c.text()
	case '{':
		return depth < maxDepth && c.list('}', func() bool { return c.member(depth + 1) })
	case '[':
		return depth < maxDepth && c.list(']', func() bool { return c.value(depth + 1) })
	case 't':
		return c.literal("true")
	case 'f':
		return c.literal("false")
	case 'n':
		return c.literal("null")
	default:
		return c.number()
	}
}

// list passes an array or object up to its closing bracket.
func (c *checker) list(closing byte, element func() bool) bool {
	c.at++
	c.space()
	if c.take(closing) {
		return true
	}
	for {
		if !element() {
			return false
		}
		c.space()
		if c.take(closing) {
			return true
		}
		if !c.take(',') {
			return false
		}
	}
}

func (c *checker) member(depth int) bool {
	c.space()
	if c.peek() != '"' || !c.text() {
		return false
	}
	c.space()
	return c.take(':') && c.value(depth)
}

func (c *checker) literal(word string) bool {
	if len(c.data)-c.at < len(word) || string(c.data[c.at:c.at+len(word)]) != word {
		return false
	}
	c.at += len(word)
	return true
}

func (c *checker) number() bool {
	c.take('-')
	if !c.take('0') && !c.digits() {
		return false
	}
	if c.take('.') && !c.digits() {
		return false
	}
	if c.take('e') || c.take('E') {
		_ = c.take('+') || c.take('-')
		return c.digits()
	}
	return true
}

// digits passes digits and reports whether there were any.
func (c *checker) digits() bool {
	from := c.at
	for c.peek() >= '0' && c.peek() <= '9' {
		c.at++
	}
	return c.at > from
}

// text passes a string.
func (c *checker) text() bool {
	c.at++
	for {
		c.at += plain(c.data[c.at:])
		switch c.peek() {
		case '"':
			c.at++
			return true
		case '\\':
			if !c.escape() {
				return false
			}
		default: // a control character, or the end
			return false
		}
	}
}

// escape passes one escape sequence.
func (c *checker) escape() bool {
	c.at++
	switch c.peek() {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		c.at++
		return true
	case 'u':
		c.at++
		for range 4 {
			if !isHex(c.peek()) {
				return false
			}
			c.at++
		}
		return true
	}
	return false
}

func isHex(b byte) bool {
	return b >= '0' && b <= '9' || b >= 'a' && b <= 'f' || b >= 'A' && b <= 'F'
}

// plain is how many bytes at the start of data are neither a quote nor a backslash
// nor a control character. It looks at eight at a time, in the way described under
// "Determine if a word has a byte less than n" in Sean Eron Anderson's "Bit
// Twiddling Hacks": the lowest high bit that is set belongs to the first such byte.
func plain(data []byte) int {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	i := 0
	for ; i+8 <= len(data); i += 8 {
		word := binary.LittleEndian.Uint64(data[i:])
		quote, backslash := word^(ones*'"'), word^(ones*'\\')
		found := ((word-ones*' ')&^word | (quote-ones)&^quote | (backslash-ones)&^backslash) & highs
		if found != 0 {
			return i + bits.TrailingZeros64(found)/8
		}
	}
	for i < len(data) && data[i] >= ' ' && data[i] != '"' && data[i] != '\\' {
		i++
	}
	return i
}
