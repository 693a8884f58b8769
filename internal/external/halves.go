package external

import (
	"bytes"
	"encoding/json"
	"slices"

	"hyperstudy-endpoint/internal/openai"
)

// halves are the first halves of surrogate pairs whose second is still to come,
// by where they stand in a delta. Servers that count in UTF-16 cut a stream
// between the two, since a model's tokens end where they like.
type halves map[string]json.RawMessage

// join puts the pairs of a choice of a stream together: what is held for a text
// comes in front of it, and half a pair at its end is held.
func (h halves) join(choice *openai.Object) {
	h.joinMember(choice, "text", "text")
	edit(choice, "delta", func(delta *openai.Object) bool {
		for _, m := range delta.Members() {
			h.joinMember(delta, m.Name, m.Name)
		}
		edit(delta, "function_call", func(f *openai.Object) bool { return h.joinMember(f, "arguments", "function_call") })
		editList(delta, "tool_calls", func(call *openai.Object) bool {
			place := "tool_calls " + word(call.Get("index"))
			return edit(call, "function", func(f *openai.Object) bool { return h.joinMember(f, "arguments", place) }) ||
				h.joinMember(call, "arguments", place)
		})
		return true
	})
}

// joinMember joins a member if it is a text. It reports whether it was.
func (h halves) joinMember(o *openai.Object, name, place string) bool {
	raw := bytes.TrimSpace(o.Get(name))
	if len(raw) < 2 || raw[0] != '"' {
		return false
	}
	inner := slices.Concat(h[place], raw[1:len(raw)-1])
	delete(h, place)
	if at := len(inner) - len(`\ud83d`); at >= 0 && isFirstHalf(inner, at) {
		h[place] = inner[at:]
		inner = inner[:at]
	}
	o.Set(name, slices.Concat([]byte{'"'}, inner, []byte{'"'}))
	return true
}

// isFirstHalf reports whether the first half of a surrogate pair is escaped at
// inner[at:], in a JSON string.
func isFirstHalf(inner []byte, at int) bool {
	escape := inner[at:]
	if escape[0] != '\\' || escape[1] != 'u' || escape[2]|0x20 != 'd' || bytes.IndexByte([]byte("89abAB"), escape[3]) < 0 {
		return false
	}
	before := inner[:at]
	slashes := len(before) - len(bytes.TrimRight(before, `\`))
	return slashes%2 == 0 // else the backslash is itself escaped
}
