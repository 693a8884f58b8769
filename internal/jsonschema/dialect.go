package jsonschema

import (
	"strings"

	"hyperstudy-endpoint/internal/jsontree"
)

// A dialect is a version of JSON Schema. Later ones are greater.
type dialect int

const (
	draft04 dialect = iota
	draft06
	draft07
	draft2019
	draft2020
)

// dialectOf returns the dialect that the value of $schema names, and otherwise
// for what names none.
func dialectOf(schema *jsontree.Node, otherwise dialect) dialect {
	if schema == nil {
		return otherwise
	}
	uri := strings.TrimSuffix(schema.Text, "#")
	if rest, ok := strings.CutPrefix(uri, "http://"); ok {
		uri = rest
	} else {
		uri = strings.TrimPrefix(uri, "https://")
	}
	switch uri {
	case "json-schema.org/draft-04/schema":
		return draft04
	case "json-schema.org/draft-06/schema":
		return draft06
	case "json-schema.org/draft-07/schema":
		return draft07
	case "json-schema.org/draft/2019-09/schema":
		return draft2019
	default: // 2020-12 itself, json-schema.org/schema, and what nobody knows
		return draft2020
	}
}

// has reports whether a keyword means anything in the dialect. Names that are no
// keyword in any are none of its business.
func (d dialect) has(keyword string) bool {
	switch keyword {
	case "id":
		return d == draft04
	case "$id", "const", "contains", "examples", "propertyNames":
		return d >= draft06
	case "$comment", "contentEncoding", "contentMediaType", "if", "then", "else", "readOnly", "writeOnly":
		return d >= draft07
	case "$recursiveRef":
		return d == draft2019
	case "$anchor", "$defs", "minContains", "maxContains", "dependentRequired", "dependentSchemas", "contentSchema",
		"deprecated", "unevaluatedItems", "unevaluatedProperties":
		return d >= draft2019
	case "additionalItems":
		return d <= draft2019
	case "$dynamicAnchor", "$dynamicRef", "prefixItems":
		return d == draft2020
	default:
		return true
	}
}

// refAlone reports whether everything beside a $ref is ignored: section 8.3 of
// draft-07's core specification, and its like before.
func (d dialect) refAlone() bool { return d <= draft07 }
