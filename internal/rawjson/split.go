package rawjson

import "bytes"

// The functions of this file take JSON that is known to be valid, so that a
// request with megabytes of images is checked once and not at every level.

// Members calls each with the name and the value of every member of an object, in
// order, until it returns false. It reports false for anything but an object.
func Members(data []byte, each func(name string, value []byte) bool) bool {
	data = bytes.TrimSpace(data)
	if len(data) == 0 || data[0] != '{' {
		return false
	}
	for i := skipSpace(data, 1); data[i] != '}'; {
		if data[i] == ',' {
			i = skipSpace(data, i+1)
		}
		end := skipValue(data, i)
		name := Unquote(data[i:end])
		i = skipSpace(data, skipSpace(data, end)+1) // past the colon
		end = skipValue(data, i)
		if !each(name, data[i:end:end]) {
			return true
		}
		i = skipSpace(data, end)
	}
	return true
}

// Elements calls each with every element of an array, in order, until it returns
// false. It reports false for anything but an array.
func Elements(data []byte, each func(element []byte) bool) bool {
	data = bytes.TrimSpace(data)
	if len(data) == 0 || data[0] != '[' {
		return false
	}
	for i := skipSpace(data, 1); data[i] != ']'; {
		if data[i] == ',' {
			i = skipSpace(data, i+1)
		}
		end := skipValue(data, i)
		if !each(data[i:end:end]) {
			return true
		}
		i = skipSpace(data, end)
	}
	return true
}

// IsString reports whether a value is a string.
func IsString(value []byte) bool { return len(value) > 0 && value[0] == '"' }

// IsNull reports whether a value is null.
func IsNull(value []byte) bool { return string(bytes.TrimSpace(value)) == "null" }

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
