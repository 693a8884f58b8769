package conformance

import (
	"encoding/json"
	"regexp"
	"slices"
)

// judged are the keywords that violations looks at, silent those that allow
// everything: they describe, or hold schemas to refer to. nullable is OpenAPI's and
// says nothing in JSON Schema: beside "type": "string" null is not allowed.
var (
	judged = []string{
		"$ref", "additionalItems", "additionalProperties", "allOf", "anyOf", "const", "enum", "exclusiveMaximum", "exclusiveMinimum",
		"format", "items", "maxItems", "maxLength", "maximum", "minItems", "minLength", "minimum", "multipleOf", "not",
		"oneOf", "pattern", "prefixItems", "properties", "required", "type", "uniqueItems",
	}
	silent = []string{
		"$anchor", "$comment", "$defs", "$id", "$schema", "default", "definitions", "deprecated", "description", "example", "examples",
		"nullable", "readOnly", "title", "writeOnly",
	}
)

// notJudged lists the keywords of a schema that violations does not look at, in
// alphabetical order; "pattern" and the like with why.
func notJudged(schema json.RawMessage) []string {
	root, err := decodeJSON(schema)
	if err != nil {
		return nil
	}
	found := map[string]bool{}
	var walk func(schema any)
	walk = func(schema any) {
		s, isObject := schema.(map[string]any)
		if !isObject {
			return
		}
		for keyword, value := range s {
			if word := unjudged(root, keyword, value); word != "" {
				found[word] = true
			}
			for _, inner := range subschemas(keyword, value) {
				walk(inner)
			}
		}
	}
	walk(root)
	return sortedKeys(found)
}

// unjudged names a keyword if it is not looked at with this value.
func unjudged(root any, keyword string, value any) string {
	switch keyword {
	case "format":
		if value != "email" {
			format, _ := value.(string)
			return "format " + format
		}
	case "pattern":
		expression, _ := value.(string)
		if _, err := regexp.Compile(expression); err != nil {
			return "pattern (with look-around or back-references)"
		}
	case "exclusiveMinimum", "exclusiveMaximum":
		if _, isBool := value.(bool); isBool {
			return keyword + " (as in draft 4)"
		}
	case "$ref":
		ref, _ := value.(string)
		if _, found := lookUp(root, ref); !found {
			return "$ref (to another document, or to nothing)"
		}
	}
	if !slices.Contains(judged, keyword) && !slices.Contains(silent, keyword) {
		return keyword
	}
	return ""
}

// subschemas are the schemas that a keyword holds.
func subschemas(keyword string, value any) []any {
	switch keyword {
	case "properties", "$defs", "definitions":
		members, _ := value.(map[string]any)
		var list []any
		for _, name := range sortedKeys(members) {
			list = append(list, members[name])
		}
		return list
	case "allOf", "anyOf", "oneOf", "prefixItems":
		list, _ := value.([]any)
		return list
	case "items", "additionalItems", "additionalProperties", "not":
		if list, isTuple := value.([]any); isTuple {
			return list
		}
		return []any{value}
	}
	return nil
}
