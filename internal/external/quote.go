package external

import (
	"iter"
	"strings"

	"hyperstudy-endpoint/internal/openai"
)

// gram is how many letters and digits in a row an upstream's text must share with
// a message to count as a quotation of it. Shorter ones are the common words of
// both: "is not supported" has 14.
const gram = 16

// letters are the ASCII letters and digits of a text, in lower case. What else is
// in it says nothing to the patterns, and is what quoting changes.
type letters struct {
	text []byte
	at   []int // where each stands in the whole text
}

// lettersOf leaves out the escapes that JSON and Python put in place of characters.
func lettersOf(s string, positions bool) letters {
	l := letters{text: make([]byte, 0, len(s))}
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c == '\\' && i+1 < len(s):
			i += escapeLength(s[i+1:])
			continue
		case 'A' <= c && c <= 'Z':
			c += 'a' - 'A'
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9':
		default:
			continue
		}
		l.text = append(l.text, c)
		if positions {
			l.at = append(l.at, i)
		}
	}
	return l
}

// escapeLength returns how many letters and digits belong to the backslash before s.
func escapeLength(s string) int {
	switch s[0] {
	case 'u':
		return min(5, len(s))
	case 'x':
		return min(3, len(s))
	case 'n', 'r', 't', 'b', 'f':
		return 1
	default:
		return 0
	}
}

// unquote takes out of the complaints' texts what also stands in a message, and
// reports whether there was any.
func unquote(said []complaint, messages []openai.Message) bool {
	texts := make([]letters, len(said))
	known := map[string]bool{} // the grams of all texts: whether a message has them
	for i, c := range said {
		texts[i] = lettersOf(c.text, true)
		for j := 0; j+gram <= len(texts[i].text); j++ {
			known[string(texts[i].text[j:j+gram])] = false
		}
	}
	if len(known) == 0 || !mark(known, messages) {
		return false
	}
	for i, l := range texts {
		masked := []byte(said[i].text)
		for j := 0; j+gram <= len(l.text); j++ {
			if known[string(l.text[j:j+gram])] {
				for k := l.at[j]; k <= l.at[j+gram-1]; k++ {
					masked[k] = '*'
				}
			}
		}
		said[i].text = string(masked)
	}
	return true
}

// mark notes which grams stand in the messages and reports whether any does.
func mark(known map[string]bool, messages []openai.Message) bool {
	found := false
	for text := range texts(messages) {
		l := lettersOf(text, false).text
		for j := 0; j+gram <= len(l); j++ {
			if _, ok := known[string(l[j:j+gram])]; ok {
				known[string(l[j:j+gram])] = true
				found = true
			}
		}
	}
	return found
}

// texts are all texts of the messages that an upstream may quote.
func texts(messages []openai.Message) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, m := range messages {
			var all strings.Builder // parts may be quoted as one text
			for _, part := range m.Content {
				all.WriteString(part.Text)
			}
			said := []string{all.String(), m.Name, m.Refusal}
			for _, call := range m.ToolCalls {
				said = append(said, call.Function.Name, call.Function.Arguments)
			}
			for _, s := range said {
				if !yield(s) {
					return
				}
			}
		}
	}
}
