package bedrock

import (
	"strconv"
	"strings"
)

// idForms are the ids of tool uses that may be sent as they are.
var idForms = map[idForm]*nameForm{
	wordIDs:   {longest: maxName, punctuation: "_-"},
	dottedIDs: {longest: maxName, punctuation: "_.:-"},
	nineIDs:   {shortest: 9, longest: 9},
}

// toolIDs replaces the ids of tool calls in the history that Bedrock refuses:
// ids of other providers, and ids that another turn of the history has already.
type toolIDs struct {
	form idForm
	used map[string]bool
}

func newToolIDs(f *family) *toolIDs { return &toolIDs{form: f.toolIDs, used: map[string]bool{}} }

// send returns the id to send for a call. The call's result has to carry the
// same one, so that send is asked once a call.
func (t *toolIDs) send(id string) string {
	sent := id
	for n := 0; t.used[sent] || !idForms[t.form].takes(sent); n++ {
		sent = t.replacement(id, n)
	}
	t.used[sent] = true
	return sent
}

// replacement is the n-th id in the place of another.
func (t *toolIDs) replacement(id string, n int) string {
	original := id + "\x00" + strconv.Itoa(n)
	if t.form == nineIDs {
		const nine = 9
		return digest(original)[:nine]
	}
	readable := strings.Map(func(r rune) rune {
		if idForms[t.form].has(r) {
			return r
		}
		return '_'
	}, id)
	return shorten(readable, original, digestDigits)
}
