package bedrock

import (
	"encoding/json"
	"strings"

	"hyperstudy-endpoint/internal/openai"
)

// A memberNames puts other names in the place of some names of object members
// in JSON text, which may come in pieces, and leaves every other byte alone: the
// text of values above all, and of what turns out to be no JSON or to be cut off.
type memberNames struct {
	other map[string]string

	open   []byte // the containers that are open: { or [
	named  bool   // the next string is the name of a member
	quoted bool   // within a string
	escape bool   // behind a backslash within a string
	held   strings.Builder
}

// replaceNames replaces member names in a whole text.
func replaceNames(text string, other map[string]string) string {
	m := memberNames{other: other}
	return m.add(text) + m.rest()
}

// add takes a piece of the text and returns what can be passed on. A name is held
// back until it is complete.
func (m *memberNames) add(piece string) string {
	if len(m.other) == 0 {
		return piece
	}
	var out strings.Builder
	for i := range len(piece) {
		c := piece[i]
		name := m.named && (m.quoted || c == '"')
		m.step(c)
		if !name {
			out.WriteByte(c)
			continue
		}
		m.held.WriteByte(c)
		if !m.quoted {
			out.WriteString(m.name(m.rest()))
			m.named = false
		}
	}
	return out.String()
}

// rest returns what is held back.
func (m *memberNames) rest() string {
	held := m.held.String()
	m.held.Reset()
	return held
}

// step follows the structure of the text by one byte.
func (m *memberNames) step(c byte) {
	switch {
	case m.escape:
		m.escape = false
	case m.quoted:
		m.escape, m.quoted = c == '\\', c != '"'
	case c == '"':
		m.quoted = true
	case c == '{' || c == '[':
		m.open = append(m.open, c)
		m.named = c == '{'
	case c == '}' || c == ']':
		m.open = m.open[:max(0, len(m.open)-1)]
		m.named = false
	case c == ':':
		m.named = false
	case c == ',':
		m.named = len(m.open) > 0 && m.open[len(m.open)-1] == '{'
	}
}

// name returns what to write for a name that stands there as quoted.
func (m *memberNames) name(quoted string) string {
	var name string
	if json.Unmarshal([]byte(quoted), &name) != nil {
		return quoted
	}
	other, ok := m.other[name]
	if !ok {
		return quoted
	}
	encoded, err := openai.Marshal(other)
	if err != nil { // no string fails to marshal
		return quoted
	}
	return string(encoded)
}
