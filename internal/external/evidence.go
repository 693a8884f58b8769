package external

import (
	"bytes"
	"slices"
	"strings"

	"hyperstudy-endpoint/internal/openai"
)

// maxTelling is how many telling words of a fault are looked for in the messages.
const maxTelling = 64

// weighty are words that decide how a complaint is answered, beside names and numbers.
var weighty = []string{
	"unsupported", "support", "supported", "supports", "unknown", "unrecognized", "unrecognised", "recognized", "recognised", "unexpected",
	"permitted", "allowed", "accept", "accepted", "deprecated", "available", "implemented", "enabled", "default", "set", "longer",
	"incompatible", "role", "developer", "stream", "streams", "streamed", "streaming", "thinking", "reasoning", "strict",
}

// proven returns those of the adjustments found that the fault leads to even
// without any telling word that also stands in a message. A quotation too short
// to be told from the server's own words may move a server to refuse one request
// in a certain way; it must not decide how others are sent.
func (f *fault) proven(found []adjustment, req *openai.ChatCompletionRequest, sent *openai.Object, known []adjustment) []adjustment {
	words := f.telling(sent)
	said := spoken(words, req.Messages)
	if len(said) == 0 {
		return found
	}
	own := *f
	own.complaints = slices.Clone(f.complaints)
	for i := range own.complaints {
		c := &own.complaints[i]
		c.text = eachWord(c.text, func(word string) string {
			if slices.Contains(said, strings.ToLower(word)) {
				return strings.Repeat("*", len(word))
			}
			return word
		})
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

// telling returns the words of the fault's texts, in lower case, that an answer
// may rest on: names of parameters, numbers and the weighty ones.
func (f *fault) telling(sent *openai.Object) []string {
	names := append(candidates(sent), limitNames...)
	var words []string
	for _, c := range f.complaints {
		eachWord(c.text, func(word string) string {
			small := strings.ToLower(word)
			tells := slices.Contains(names, word) || slices.Contains(weighty, small) || strings.ContainsAny(word, "0123456789")
			if tells && !slices.Contains(words, small) {
				words = append(words, small)
			}
			return word
		})
	}
	return words
}

// spoken returns those of the words that a message has, as letters in a row. Of
// more words than are looked for all count as spoken.
func spoken(words []string, messages []openai.Message) []string {
	if len(words) > maxTelling {
		return words
	}
	said := make([]bool, len(words))
	for text := range texts(messages) {
		l := lettersOf(text, false).text
		for i, word := range words {
			said[i] = said[i] || bytes.Contains(l, lettersOf(word, false).text)
		}
	}
	var list []string
	for i, word := range words {
		if said[i] {
			list = append(list, word)
		}
	}
	return list
}

// eachWord replaces the words of a text.
func eachWord(text string, replace func(string) string) string {
	var b strings.Builder
	for len(text) > 0 {
		word := firstWord(text)
		if word == "" {
			b.WriteByte(text[0])
			text = text[1:]
			continue
		}
		b.WriteString(replace(word))
		text = text[len(word):]
	}
	return b.String()
}
