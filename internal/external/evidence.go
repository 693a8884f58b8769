package external

import (
	"bytes"
	"slices"
	"strings"

	"hyperstudy-endpoint/internal/openai"
)

// maxPieces is how many pieces of evidence are looked for in the messages.
const maxPieces = 64

// deciding are the patterns whose matches decide how a complaint is answered.
var deciding = []pattern{unsupported, onlyDefault, conflict, roleFault, thinking, streamOnly}

// A span is a part of a text, text[start:end].
type span struct{ start, end int }

// proven returns those of the adjustments found that the fault leads to even
// without any piece of evidence that also stands in a message. A quotation too
// short to be told from the server's own words may have one request sent in
// another way; it must not decide how others are sent.
func (f *fault) proven(found []adjustment, req *openai.ChatCompletionRequest, sent *openai.Object, known []adjustment) []adjustment {
	names := append(candidates(sent), limitNames...)
	pieces := make([][]span, len(f.complaints))
	var evidence []string // as letters
	for i, c := range f.complaints {
		pieces[i] = c.pieces(names)
		for _, s := range pieces[i] {
			if piece := justLetters(c.text[s.start:s.end]); !slices.Contains(evidence, piece) {
				evidence = append(evidence, piece)
			}
		}
	}
	said := spoken(evidence, req.Messages)
	if len(said) == 0 {
		return found
	}
	own := *f
	own.complaints = slices.Clone(f.complaints)
	for i := range own.complaints {
		c := &own.complaints[i]
		masked := []byte(c.text)
		for _, s := range pieces[i] {
			if slices.Contains(said, justLetters(c.text[s.start:s.end])) {
				copy(masked[s.start:s.end], bytes.Repeat([]byte{'*'}, s.end-s.start))
			}
		}
		c.text = string(masked)
	}
	own.topic = own.about()
	again := negotiate(&own, sent, known)
	return slices.DeleteFunc(slices.Clone(found), func(a adjustment) bool {
		return !slices.ContainsFunc(again, func(b adjustment) bool {
			b.value = a.value // the value that is no loss; a rename has but one
			return a == b
		})
	})
}

// pieces returns what in the text of the complaint an answer may rest on: names
// of parameters, numbers, and the phrases that refuse.
func (c complaint) pieces(names []string) []span {
	var all []span
	for start := 0; start < len(c.text); {
		word := firstWord(c.text[start:])
		if slices.Contains(names, word) || strings.ContainsAny(word, "0123456789") {
			all = append(all, span{start, start + len(word)})
		}
		start += max(len(word), 1)
	}
	for _, p := range deciding {
		for _, m := range p.FindAllStringSubmatchIndex(c.text) {
			all = append(all, span{m[0], m[1]})
		}
	}
	return all
}

// spoken returns those of the pieces that a message holds. Of more than are
// looked for all count as spoken.
func spoken(pieces []string, messages []openai.Message) []string {
	if len(pieces) > maxPieces {
		return pieces
	}
	said := make([]bool, len(pieces))
	for text := range texts(messages) {
		l := lettersOf(text, false).text
		for i, piece := range pieces {
			said[i] = said[i] || bytes.Contains(l, []byte(piece))
		}
	}
	var list []string
	for i, piece := range pieces {
		if said[i] {
			list = append(list, piece)
		}
	}
	return list
}

// justLetters are the letters and digits of a piece, in lower case.
func justLetters(s string) string { return string(lettersOf(s, false).text) }
