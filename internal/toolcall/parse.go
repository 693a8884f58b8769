package toolcall

import (
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// limits bound what is read before any work is done with it.
type limits struct {
	depth  int // of nesting
	values int // in total, members and items included
}

// A fault says why a text cannot be read as JSON, and where if that is known.
type fault struct {
	pointer string
	message string
	cut     bool // the text is the beginning of a JSON value
}

// parse reads one JSON value. Besides what is not JSON it refuses what has no
// single meaning: a name given twice, half of a surrogate pair, invalid UTF-8;
// and what would be dear to compute with: deep nesting, numbers of great length.
func parse(text string, lim limits) (*document, *fault) {
	if !utf8.ValidString(text) {
		return nil, &fault{message: "must be valid UTF-8"}
	}
	if !json.Valid([]byte(text)) {
		return nil, syntaxFault(text)
	}
	p := parser{text: text, limits: lim}
	p.space()
	root := p.value(0)
	if p.fault != nil {
		p.fault.pointer = pointer(p.path)
		return nil, p.fault
	}
	return &document{text: text, root: root}, nil
}

// syntaxFault tells a text that ends too early from one that is wrong.
func syntaxFault(text string) *fault {
	var raw json.RawMessage
	err := json.NewDecoder(strings.NewReader(text)).Decode(&raw)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return &fault{message: "must be complete JSON: the text ends before the JSON does", cut: true}
	}
	return &fault{message: "must be valid JSON and nothing else"}
}

// A parser reads a text that is known to be valid JSON.
type parser struct {
	text   string
	pos    int
	limits limits
	values int
	path   []string // to the value that is being read, or to the fault
	fault  *fault
}

func (p *parser) fail(message string) { p.fault = &fault{message: message} }

func (p *parser) space() {
	for p.pos < len(p.text) && strings.IndexByte(" \t\r\n", p.text[p.pos]) >= 0 {
		p.pos++
	}
}

func (p *parser) value(depth int) *node {
	p.values++
	switch {
	case depth > p.limits.depth:
		p.fail("must not be nested so deeply")
		return nil
	case p.values > p.limits.values:
		p.path = nil
		p.fail("must not hold so many values")
		return nil
	}
	n := &node{start: p.pos}
	switch c := p.text[p.pos]; c {
	case '{':
		n.kind = kindObject
		p.object(n, depth)
	case '[':
		n.kind = kindArray
		p.array(n, depth)
	case '"':
		n.kind = kindString
		n.text = p.str()
	case 'n':
		n.kind = kindNull
		p.pos += len("null")
	case 't', 'f':
		n.kind = kindBoolean
		n.text = p.word()
	default:
		n.kind = kindNumber
		n.text = p.word()
		if p.fault == nil && !reasonable(n.text) {
			p.fail("must not be a number of such length")
		}
	}
	n.end = p.pos
	return n
}

func (p *parser) object(n *node, depth int) {
	for p.next('}') {
		m := member{start: p.pos}
		m.name = p.str()
		p.path = append(p.path, m.name)
		if p.fault != nil {
			return
		}
		if n.index(m.name) >= 0 {
			p.fail("must not be given twice")
			return
		}
		p.space()
		p.pos++ // the colon
		p.space()
		m.value = p.value(depth + 1)
		if p.fault != nil {
			return
		}
		n.add(m)
		p.path = p.path[:len(p.path)-1]
	}
}

func (p *parser) array(n *node, depth int) {
	for p.next(']') {
		p.path = append(p.path, strconv.Itoa(len(n.items)))
		item := p.value(depth + 1)
		if p.fault != nil {
			return
		}
		n.items = append(n.items, item)
		p.path = p.path[:len(p.path)-1]
	}
}

// next moves to the next element of a container, over the opening bracket or
// the comma, and reports false behind the closing bracket.
func (p *parser) next(closing byte) bool {
	p.space()
	if p.text[p.pos] == closing {
		p.pos++
		return false
	}
	p.pos++
	p.space()
	if p.text[p.pos] == closing { // of an empty container
		p.pos++
		return false
	}
	return true
}

// word reads a number or a literal.
func (p *parser) word() string {
	start := p.pos
	for p.pos < len(p.text) && strings.IndexByte(",]} \t\r\n", p.text[p.pos]) < 0 {
		p.pos++
	}
	return p.text[start:p.pos]
}

// str reads a string and returns what it says.
func (p *parser) str() string {
	p.pos++
	start := p.pos
	plain := true
	for p.text[p.pos] != '"' {
		if p.text[p.pos] == '\\' {
			plain = false
			p.pos++
		}
		p.pos++
	}
	raw := p.text[start:p.pos]
	p.pos++
	if plain {
		return raw
	}
	s, ok := unescape(raw)
	if !ok {
		p.fail("must not hold half of a surrogate pair")
	}
	return s
}

var escapes = map[byte]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// unescape resolves the escapes of a valid JSON string. It reports false for a
// surrogate without its other half, which stands for no character.
func unescape(raw string) (string, bool) {
	var b strings.Builder
	b.Grow(len(raw))
	for i := 0; i < len(raw); {
		if raw[i] != '\\' {
			b.WriteByte(raw[i])
			i++
			continue
		}
		if c, ok := escapes[raw[i+1]]; ok {
			b.WriteByte(c)
			i += 2
			continue
		}
		r := hexRune(raw[i+2 : i+6])
		i += 6
		if utf16.IsSurrogate(r) {
			if i+6 > len(raw) || raw[i] != '\\' || raw[i+1] != 'u' {
				return "", false
			}
			r = utf16.DecodeRune(r, hexRune(raw[i+2:i+6]))
			if r == utf8.RuneError {
				return "", false
			}
			i += 6
		}
		b.WriteRune(r)
	}
	return b.String(), true
}

// hexRune reads four hexadecimal digits.
func hexRune(digits string) rune {
	n, err := strconv.ParseUint(digits, 16, 32)
	if err != nil {
		return utf8.RuneError
	}
	return rune(n) //nolint:gosec // four hexadecimal digits fit
}
