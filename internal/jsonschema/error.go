package jsonschema

import (
	"fmt"
	"slices"
	"strings"
)

// An Error says what is wrong with a schema, without a word of it: the schema may
// hold a participant's words.
type Error struct {
	Pointer string // to the faulty keyword; empty for the schema as a whole
	Reason  string // such as "is not valid JSON Schema"
}

func (e *Error) Error() string {
	if e.Pointer == "" {
		return "the schema " + e.Reason
	}
	return fmt.Sprintf("the schema at %s %s", anonymous(e.Pointer), e.Reason)
}

// anonymous returns a pointer into a schema with * in place of all names but those
// of keywords: its author gave them, and they may be the words of a question.
func anonymous(pointer string) string {
	tokens := strings.Split(pointer, "/")
	before := ""
	for i, token := range tokens {
		if i > 0 && !isPublic(before, token) {
			tokens[i] = "*"
		}
		before = tokens[i]
	}
	return strings.Join(tokens, "/")
}

// isPublic reports whether a token behind another one is the name of a keyword, or
// an index in the value of one.
func isPublic(before, token string) bool {
	if holds(before) == schemaMap || before == "dependentRequired" {
		return false
	}
	if isDigits(token) {
		return holds(before) == schemaArray || slices.Contains([]string{"items", "enum", "required", "type"}, before)
	}
	return isKeyword(token)
}

// isKeyword reports whether a name means something in some dialect.
func isKeyword(name string) bool {
	var s Schema
	return s.one(name) != nil || s.listed(name) != nil || s.count(name) != nil || s.bound(name) != nil || holds(name) != noSchema ||
		slices.Contains([]string{
			"$anchor", "$comment", "$dynamicAnchor", "$dynamicRef", "$id", "$recursiveRef", "$ref", "$schema", "const",
			"contentEncoding", "contentMediaType", "default", "dependentRequired", "deprecated", "description", "enum", "examples",
			"format", "id", "pattern", "readOnly", "required", "title", "type", "uniqueItems", "writeOnly",
		}, name)
}
