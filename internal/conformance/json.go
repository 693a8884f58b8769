package conformance

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// decodeJSON reads one JSON value and keeps its numbers to the last digit.
func decodeJSON(data []byte) (any, error) {
	if !json.Valid(data) { // a decoder stops after the first value
		return nil, errors.New("no valid JSON")
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var v any
	err := d.Decode(&v)
	return v, err
}

// readJSON reads one JSON value that an endpoint wrote, or says what it is
// instead: to be put after "is".
func readJSON(data []byte) (value any, problem string) {
	value, err := decodeJSON(data)
	if err != nil {
		return nil, "not JSON"
	}
	if what := ambiguity(data); what != "" {
		return nil, "JSON that parsers read differently: it has " + what
	}
	return value, ""
}

// ambiguity says what in a valid JSON text parsers read differently, or not at
// all (RFC 8259, sections 4 and 8.2).
func ambiguity(data []byte) string {
	if escape := halfCharacter(data); escape != "" {
		return fmt.Sprintf("half a character, the escape %s without its other half", escape)
	}
	if name, twice := repeatedMember(data); twice {
		return fmt.Sprintf("the member %q twice", shorten(name))
	}
	return ""
}

const escapeLength = len(`\ud83d`)

// halfCharacter returns the first escape of a surrogate without its other half,
// which stands for no character.
func halfCharacter(data []byte) string {
	for {
		at := bytes.IndexByte(data, '\\')
		if at < 0 {
			return ""
		}
		data = data[at:]
		unit, isUnit := codeUnit(data)
		if !isUnit {
			data = data[2:]
			continue
		}
		if utf16.IsSurrogate(unit) {
			other, _ := codeUnit(data[escapeLength:])
			if utf16.DecodeRune(unit, other) == utf8.RuneError {
				return string(data[:escapeLength])
			}
			data = data[escapeLength:]
		}
		data = data[escapeLength:]
	}
}

// codeUnit is the code unit of UTF-16 that an escape at the beginning stands for.
func codeUnit(data []byte) (rune, bool) {
	if len(data) < escapeLength || data[0] != '\\' || data[1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(string(data[2:escapeLength]), 16, 16)
	return rune(n), err == nil
}

// repeatedMember returns the first name that an object has twice.
func repeatedMember(data []byte) (name string, twice bool) {
	type level struct {
		names  map[string]bool // nil in an array
		isName bool            // of an object, the next token is a name
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	levels := []level{{}}
	for {
		token, err := d.Token()
		if err != nil { // the end, for the text is valid
			return "", false
		}
		top := &levels[len(levels)-1]
		name, isText := token.(string)
		if top.isName && isText {
			if top.names[name] {
				return name, true
			}
			top.names[name], top.isName = true, false
			continue
		}
		top.isName = top.names != nil // after a value
		switch token {
		case json.Delim('{'):
			levels = append(levels, level{map[string]bool{}, true})
		case json.Delim('['):
			levels = append(levels, level{})
		case json.Delim('}'), json.Delim(']'):
			levels = levels[:len(levels)-1]
		}
	}
}
