package external

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"

	"hyperstudy-endpoint/internal/openai"
)

// The functions of this file read JSON whose types cannot be trusted. What is
// not of the type asked for counts as absent.

// object returns the members of a JSON object.
func object(raw json.RawMessage) (openai.Object, bool) {
	if len(raw) == 0 {
		return openai.Object{}, false
	}
	o, err := openai.ParseObject(raw)
	return o, err == nil
}

// member returns the object that stands under name.
func member(o *openai.Object, name string) (openai.Object, bool) {
	return object(o.Get(name))
}

// list returns the elements of a JSON array.
func list(raw json.RawMessage) []json.RawMessage {
	var items []json.RawMessage
	if len(raw) == 0 || json.Unmarshal(raw, &items) != nil {
		return nil
	}
	return items
}

// firstOf returns the first element if raw is an array: Google wraps its errors in one.
func firstOf(raw json.RawMessage) json.RawMessage {
	if trimmed := bytes.TrimSpace(raw); len(trimmed) > 0 && trimmed[0] == '[' {
		if items := list(raw); len(items) > 0 {
			return items[0]
		}
	}
	return raw
}

// text returns the value of a JSON string.
func text(raw json.RawMessage) string {
	var s string
	if len(raw) == 0 || json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}

// word returns a string or the digits of a number: codes come as either.
func word(raw json.RawMessage) string {
	if s := text(raw); s != "" {
		return s
	}
	var n json.Number
	if len(raw) == 0 || json.Unmarshal(raw, &n) != nil {
		return ""
	}
	return n.String()
}

// number returns a count that is not negative, however it is written.
func number(raw json.RawMessage) int {
	n, err := strconv.ParseFloat(word(raw), 64)
	if err != nil || n < 0 || n > math.MaxInt32 {
		return 0
	}
	return int(n)
}

// jsonText returns a string's value and the JSON text of anything else but null.
func jsonText(raw json.RawMessage) string {
	raw = bytes.TrimSpace(raw)
	switch {
	case len(raw) == 0 || string(raw) == "null":
		return ""
	case raw[0] == '"':
		return text(raw)
	default:
		return string(raw)
	}
}
