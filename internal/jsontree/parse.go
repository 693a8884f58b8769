package jsontree

import (
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"hyperstudy-endpoint/internal/rawjson"
)

// Limits bound what is read before any work is done with it.
type Limits struct {
	Depth  int // of nesting
	Values int // in total, members and items included
}

// A Fault says why a text cannot be read as JSON, and where if that is known.
type Fault struct {
	Pointer string // JSON pointer to what cannot be read, if known
	Message string
	Cut     bool // the text is the beginning of a JSON value
}

// Parse reads one JSON value. Besides what is not JSON it refuses what has no
// single meaning: a name given twice, half of a surrogate pair, invalid UTF-8;
// and what would be dear to compute with: deep nesting, numbers of great length.
func Parse(text string, lim Limits) (*Document, *Fault) {
	if !utf8.ValidString(text) {
		return nil, &Fault{Message: "must be valid UTF-8"}
	}
	if !rawjson.Valid([]byte(text)) {
		return nil, syntaxFault(text)
	}
	p := parser{text: text, limits: lim}
	p.space()
	root := p.value(0)
	if p.fault != nil {
		p.fault.Pointer = Pointer(p.path...)
		return nil, p.fault
	}
	return &Document{Text: text, Root: root}, nil
}

// syntaxFault tells a text that ends too early from one that is wrong.
func syntaxFault(text string) *Fault {
	var raw json.RawMessage
	err := json.NewDecoder(strings.NewReader(text)).Decode(&raw)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return &Fault{Message: "must be complete JSON: the text ends before the JSON does", Cut: true}
	}
	return &Fault{Message: "must be valid JSON and nothing else"}
}

// A parser reads a text that is known to be valid JSON.
type parser struct {
	text   string
	pos    int
	limits Limits
	values int
	path   []string // to the value that is being read, or to the fault
	fault  *Fault
}

func (p *parser) fail(message string) { p.fault = &Fault{Message: message} }

func (p *parser) space() {
	for p.pos < len(p.text) && strings.IndexByte(" \t\r\n", p.text[p.pos]) >= 0 {
		p.pos++
	}
}

func (p *parser) value(depth int) *Node {
	p.values++
	switch {
	case depth > p.limits.Depth:
		p.fail("must not be nested so deeply")
		return nil
	case p.values > p.limits.Values:
		p.path = nil
		p.fail("must not hold so many values")
		return nil
	}
	n := &Node{Start: p.pos}
	switch c := p.text[p.pos]; c {
	case '{':
		n.Kind = Object
		p.object(n, depth)
	case '[':
		n.Kind = Array
		p.array(n, depth)
	case '"':
		n.Kind = String
		n.Text = p.str()
	case 'n':
		n.Kind = Null
		p.pos += len("null")
	case 't', 'f':
		n.Kind = Boolean
		n.Text = p.word()
	default:
		n.Kind = Number
		n.Text = p.word()
		if p.fault == nil && !reasonable(n.Text) {
			p.fail("must not be a number that is so long or so large")
		}
	}
	n.End = p.pos
	return n
}

func (p *parser) object(n *Node, depth int) {
	for p.next('}') {
		m := Member{Start: p.pos}
		m.Name = p.str()
		if p.fault != nil {
			return
		}
		p.path = append(p.path, m.Name)
		if n.Index(m.Name) >= 0 {
			p.fail("must not be given twice")
			return
		}
		p.space()
		p.pos++ // the colon
		p.space()
		m.Value = p.value(depth + 1)
		if p.fault != nil {
			return
		}
		n.add(m)
		p.path = p.path[:len(p.path)-1]
	}
}

func (p *parser) array(n *Node, depth int) {
	for p.next(']') {
		p.path = append(p.path, strconv.Itoa(len(n.Items)))
		item := p.value(depth + 1)
		if p.fault != nil {
			return
		}
		n.Items = append(n.Items, item)
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
		if raw[i+1] != 'u' {
			b.WriteByte(unescaped(raw[i+1]))
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

// unescaped is the character that a letter stands for behind a backslash.
func unescaped(letter byte) byte {
	switch letter {
	case 'b':
		return '\b'
	case 'f':
		return '\f'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	default: // the quotation mark and the slashes stand for themselves
		return letter
	}
}

// hexRune reads four hexadecimal digits.
func hexRune(digits string) rune {
	n, err := strconv.ParseUint(digits, 16, 32)
	if err != nil {
		return utf8.RuneError
	}
	return rune(n) //nolint:gosec // four hexadecimal digits fit
}
