package external

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"

	"hyperstudy-endpoint/internal/openai"
)

// What an answer may hold, far above what any study needs: the work on it must
// stay small whatever an upstream sends.
const (
	maxCalls     = 256      // tool calls
	maxArguments = 1 << 20  // of all tool calls together, in bytes
	maxParts     = 4096     // of a content
	maxExtra     = 64 << 10 // of what stands beside a tool call, in bytes
)

// What spoils an answer for good, even one whose finish_reason has been read.
var (
	errChoices = errors.New("the reply has more than one choice")
	errUnicode = errors.New("the reply has text that is not Unicode")
	errBulk    = errors.New("the reply has too many tool calls, arguments or parts")
)

// errOversized is reported for a reply above maxReply.
var errOversized = errors.New("the reply is too large")

func spoils(err error) bool {
	return errors.Is(err, errChoices) || errors.Is(err, errUnicode) || errors.Is(err, errBulk)
}

// check refuses a choice that is not the one the answer was begun with, and one
// whose text is broken. encoding/json would put U+FFFD in its place, which
// nobody wrote.
func (a *answer) check(choice *openai.Object) error {
	if !a.whole && (len(a.halves) > 0 || !isUnicode(choice)) {
		if a.halves == nil {
			a.halves = halves{}
		}
		a.halves.join(choice)
	}
	if !isUnicode(choice) {
		return errUnicode
	}
	index := word(choice.Get("index"))
	switch {
	case a.index == "" && index == "" && !idle(choice):
		a.index = "0" // what it means to say nothing
	case a.index == "":
		a.index = index
	case index != "" && index != a.index && !idle(choice):
		return errChoices
	}
	return nil
}

// isUnicode reports whether all texts of an object are whole.
func isUnicode(o *openai.Object) bool {
	return !slices.ContainsFunc(o.Members(), func(m openai.Member) bool { return !openai.IsUnicode(m.Value) })
}

// idle reports whether a choice of a stream says nothing and ends nothing.
func idle(choice *openai.Object) bool {
	if choice.Has("finish_reason") || choice.Has("message") || choice.Has("text") {
		return false
	}
	delta, _ := member(choice, "delta")
	for _, m := range delta.Members() {
		if m.Name != "role" && jsonText(m.Value) != "" && elements(m.Value) != 0 {
			return false
		}
	}
	return true
}

// elements counts the elements of a JSON array without keeping them. It is 0
// for an empty one and -1 for anything else.
func elements(raw json.RawMessage) int {
	raw = bytes.TrimSpace(raw)
	if len(raw) < 2 || raw[0] != '[' {
		return -1
	}
	if len(bytes.TrimSpace(raw[1:len(raw)-1])) == 0 {
		return 0
	}
	var b brackets
	n := 1
	for _, c := range raw {
		b.next(c)
		if c == ',' && b.depth == 1 && !b.quoted {
			n++
		}
	}
	return n
}

// brackets follows how the brackets of a JSON text that comes in pieces open and
// close. It sees no other faults.
type brackets struct {
	depth           int
	quoted, escaped bool
	opened, spoilt  bool // spoilt by something outside the outermost brackets
}

func (b *brackets) add(piece string) {
	for i := range len(piece) {
		b.next(piece[i])
	}
}

func (b *brackets) next(c byte) {
	switch {
	case b.escaped:
		b.escaped = false
	case b.quoted:
		b.escaped = c == '\\'
		b.quoted = c != '"'
	case c == ' ', c == '\t', c == '\r', c == '\n':
	case b.depth == 0 && (b.opened || c != '{' && c != '['):
		b.spoilt = true
	case c == '"':
		b.quoted = true
	case c == '{', c == '[':
		b.depth++
		b.opened = true
	case c == '}', c == ']':
		b.depth--
	}
}

// closed reports whether the text may be whole.
func (b *brackets) closed() bool { return b.opened && b.depth == 0 && !b.spoilt }

// A limitedReader is an [io.LimitedReader] that fails with errOversized where
// that ends quietly.
type limitedReader struct {
	r    io.Reader
	left int
}

func (l *limitedReader) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	if len(p) > l.left+1 {
		p = p[:l.left+1]
	}
	n, err := l.r.Read(p)
	if n > l.left {
		return l.left, errOversized
	}
	l.left -= n
	return n, err
}
