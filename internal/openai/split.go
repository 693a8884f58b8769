package openai

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"
)

// The functions of this file take JSON that is known to be valid, so that a
// request with megabytes of images is checked once and not at every level.

// SplitObject is [ParseObject] for JSON that is known to be valid, such as a value
// of another object; of anything else it may panic.
func SplitObject(data []byte) (Object, error) {
	data = bytes.TrimSpace(data)
	if len(data) == 0 || data[0] != '{' {
		return Object{}, errNotObject
	}
	var o Object
	for i := skipSpace(data, 1); data[i] != '}'; {
		if data[i] == ',' {
			i = skipSpace(data, i+1)
		}
		end := skipValue(data, i)
		name, err := unquote(data[i:end])
		if err != nil {
			return Object{}, err
		}
		i = skipSpace(data, skipSpace(data, end)+1) // past the colon
		end = skipValue(data, i)
		o.Set(name, json.RawMessage(data[i:end:end]))
		i = skipSpace(data, end)
	}
	return o, nil
}

// SplitArray splits an array that is known to be valid JSON into its elements, and
// stops behind the first one beyond most. It reports false for anything but an
// array.
func SplitArray(data []byte, most int) ([]json.RawMessage, bool) {
	data = bytes.TrimSpace(data)
	if len(data) == 0 || data[0] != '[' {
		return nil, false
	}
	items := []json.RawMessage{}
	for i := skipSpace(data, 1); data[i] != ']' && len(items) <= most; {
		if data[i] == ',' {
			i = skipSpace(data, i+1)
		}
		end := skipValue(data, i)
		items = append(items, json.RawMessage(data[i:end:end]))
		i = skipSpace(data, end)
	}
	return items, true
}

// isString reports whether a value is a string.
func isString(value []byte) bool { return len(value) > 0 && value[0] == '"' }

// unquote decodes a string.
func unquote(value []byte) (string, error) {
	if inner := value[1 : len(value)-1]; bytes.IndexByte(inner, '\\') < 0 && utf8.Valid(inner) {
		return string(inner), nil
	}
	var s string
	err := json.Unmarshal(value, &s)
	return s, err
}

// skipSpace returns the offset of the first byte at or after i that is not
// white space. Valid JSON guarantees that there is one where it is called.
func skipSpace(data []byte, i int) int {
	for data[i] == ' ' || data[i] == '\t' || data[i] == '\n' || data[i] == '\r' {
		i++
	}
	return i
}

// skipValue returns the offset behind the value that starts at i.
func skipValue(data []byte, i int) int {
	depth := 0
	for ; i < len(data); i++ {
		switch data[i] {
		case '"':
			i = skipString(data, i)
		case '{', '[':
			depth++
		case '}', ']':
			depth--
			if depth < 0 { // the end of what encloses a bare number or literal
				return i
			}
		case ',', ':', ' ', '\t', '\n', '\r':
			if depth == 0 {
				return i
			}
			continue
		}
		if depth == 0 && (data[i] == '"' || data[i] == '}' || data[i] == ']') {
			return i + 1
		}
	}
	return i
}

// skipString returns the offset of the quote that closes the string opened at i.
func skipString(data []byte, i int) int {
	for i++; ; i++ {
		i += bytes.IndexByte(data[i:], '"')
		if !escaped(data, i) {
			return i
		}
	}
}

// escaped reports whether an odd number of backslashes stands before i.
func escaped(data []byte, i int) bool {
	n := 0
	for data[i-1-n] == '\\' {
		n++
	}
	return n%2 == 1
}

// isNull reports whether value is the JSON literal null.
func isNull(value []byte) bool { return string(bytes.TrimSpace(value)) == "null" }
