package external

import (
	"strings"
	"unicode"
)

const (
	thinkOpen  = "<think>"
	thinkClose = "</think>"
)

// A thinkSplitter takes a complete <think> block off the start of a text that
// comes in pieces. It holds back what may still be part of one.
type thinkSplitter struct {
	held    strings.Builder
	start   int  // in held: behind the opening tag, 0 until it has come
	seen    int  // in held: what was looked at and need not be again
	passing bool // nothing is held back any more
	trim    bool // white space is what separates the block from the answer
}

// add takes a piece and returns what has become clear.
func (t *thinkSplitter) add(piece string) (reasoning, content string) {
	if !t.passing {
		t.held.WriteString(piece)
		held := t.held.String()
		if t.start == 0 {
			rest := strings.TrimLeftFunc(held[t.seen:], unicode.IsSpace)
			t.seen = len(held) - len(rest)
			switch {
			case strings.HasPrefix(rest, thinkOpen):
				t.seen += len(thinkOpen)
				t.start = t.seen
			case strings.HasPrefix(thinkOpen, rest):
				return "", ""
			default:
				return "", t.close()
			}
		}
		thought, rest, closed := strings.Cut(held[t.seen:], thinkClose)
		if !closed {
			t.seen = max(t.start, len(held)-len(thinkClose)+1)
			return "", ""
		}
		reasoning = strings.TrimSpace(held[t.start : t.seen+len(thought)])
		t.close()
		t.trim, piece = true, rest
	}
	if t.trim {
		piece = strings.TrimLeftFunc(piece, unicode.IsSpace)
		t.trim = piece == ""
	}
	return reasoning, piece
}

// close returns what was held back for a block that never became complete.
func (t *thinkSplitter) close() string {
	held := t.held.String()
	t.held.Reset()
	t.passing = true
	return held
}
