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
	held    string
	passing bool // nothing is held back any more
	trim    bool // white space is what separates the block from the answer
}

// add takes a piece and returns what has become clear.
func (t *thinkSplitter) add(piece string) (reasoning, content string) {
	if !t.passing {
		t.held += piece
		start := strings.TrimLeftFunc(t.held, unicode.IsSpace)
		switch {
		case strings.HasPrefix(start, thinkOpen):
			thought, rest, closed := strings.Cut(start[len(thinkOpen):], thinkClose)
			if !closed {
				return "", ""
			}
			t.held, t.passing, t.trim = "", true, true
			reasoning, piece = strings.TrimSpace(thought), rest
		case strings.HasPrefix(thinkOpen, start):
			return "", ""
		default:
			return "", t.close()
		}
	}
	if t.trim {
		piece = strings.TrimLeftFunc(piece, unicode.IsSpace)
		t.trim = piece == ""
	}
	return reasoning, piece
}

// close returns what was held back for a block that never became complete.
func (t *thinkSplitter) close() string {
	held := t.held
	t.held, t.passing = "", true
	return held
}
