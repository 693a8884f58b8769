package bedrock

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"slices"

	"hyperstudy-endpoint/internal/openai"
)

// A valueKind is what the value of a keyword of JSON Schema has to be.
type valueKind int

const (
	anyValue valueKind = iota
	oneSchema
	schemaList
	schemaMap
	typeNames
	stringList
	stringListMap
	valueList
	number
	positive
	count
	boolean
	text
)

// keywords are those of JSON Schema draft 2020-12
// (https://json-schema.org/draft/2020-12/schema), with definitions of older drafts.
var keywords = map[string]valueKind{
	"properties": schemaMap, "patternProperties": schemaMap, "dependentSchemas": schemaMap, "$defs": schemaMap, "definitions": schemaMap,
	"items": oneSchema, "additionalProperties": oneSchema, "unevaluatedItems": oneSchema, "unevaluatedProperties": oneSchema,
	"contains": oneSchema, "propertyNames": oneSchema, "not": oneSchema, "if": oneSchema, "then": oneSchema, "else": oneSchema,
	"allOf": schemaList, "anyOf": schemaList, "oneOf": schemaList, "prefixItems": schemaList,
	"type": typeNames, "required": stringList, "dependentRequired": stringListMap, "enum": valueList, "examples": valueList,
	"minimum": number, "maximum": number, "exclusiveMinimum": number, "exclusiveMaximum": number, "multipleOf": positive,
	"minLength": count, "maxLength": count, "minItems": count, "maxItems": count, "minContains": count, "maxContains": count,
	"minProperties": count, "maxProperties": count,
	"uniqueItems": boolean, "deprecated": boolean, "readOnly": boolean, "writeOnly": boolean,
	"title": text, "description": text, "pattern": text, "format": text, "$ref": text, "$comment": text,
	"contentEncoding": text, "contentMediaType": text,
}

// references are keywords about the identity of a schema. None of them means
// anything in the copy sent upstream, where references are by pointer or gone.
var references = []string{"$schema", "$id", "id", "$anchor", "$dynamicAnchor", "$dynamicRef", "$recursiveRef", "$recursiveAnchor", "$vocabulary"}

var schemaTypes = []string{"array", "boolean", "integer", "null", "number", "object", "string"}

// Faults of schemas. They name no part of the schema, which is the caller's text.
var (
	errKeyword   = errors.New("a keyword has a value of the wrong type, so that it is not valid under JSON Schema draft 2020-12")
	errNoSchema  = errors.New("it must be a JSON Schema, given as an object")
	errNoObject  = errors.New("its top level must be of type 'object', because a tool's arguments are an object")
	errReference = errors.New("a '$ref' does not lead to a part of the same schema")
	errDepth     = errors.New("it is nested too deeply")
	errSize      = errors.New("it is too large once its references are resolved")
)

// checkKeyword reports a value that no schema of draft 2020-12 can have. Schemas
// in the value are not looked into.
func checkKeyword(name string, value json.RawMessage) error {
	var into any
	switch keywords[name] {
	case anyValue:
		return nil
	case oneSchema:
		if isObject(value) || isBoolean(value) {
			return nil
		}
		return errKeyword
	case schemaList:
		var list []json.RawMessage
		if json.Unmarshal(value, &list) != nil || len(list) == 0 {
			return errKeyword
		}
		return nil
	case schemaMap:
		if !isObject(value) {
			return errKeyword
		}
		return nil
	case typeNames:
		return checkTypes(value)
	case stringList:
		return checkStrings(value)
	case stringListMap:
		into = &map[string][]string{}
	case valueList:
		into = &[]json.RawMessage{}
	case number, positive, count:
		return checkNumber(keywords[name], value)
	case boolean:
		into = new(bool)
	case text:
		into = new(string)
	}
	if isNull(value) || json.Unmarshal(value, into) != nil {
		return errKeyword
	}
	return nil
}

func checkNumber(kind valueKind, value json.RawMessage) error {
	var n json.Number
	if value[0] == '"' || isNull(value) || json.Unmarshal(value, &n) != nil {
		return errKeyword
	}
	f, err := n.Float64()
	switch {
	case kind == number:
		return nil
	case kind == positive && (err != nil || f <= 0):
		return errKeyword
	case kind == count && (err != nil || f < 0 || f != float64(int64(f))):
		return errKeyword
	}
	return nil
}

func checkTypes(value json.RawMessage) error {
	var one string
	if json.Unmarshal(value, &one) == nil && slices.Contains(schemaTypes, one) {
		return nil
	}
	if err := checkStrings(value); err != nil {
		return err
	}
	list := stringsOf(value)
	if len(list) == 0 || slices.ContainsFunc(list, func(s string) bool { return !slices.Contains(schemaTypes, s) }) {
		return errKeyword
	}
	return nil
}

// checkStrings wants an array of strings that are all different.
func checkStrings(value json.RawMessage) error {
	var list []*string
	if value[0] != '[' || json.Unmarshal(value, &list) != nil {
		return errKeyword
	}
	seen := map[string]bool{}
	for _, s := range list {
		if s == nil || seen[*s] {
			return errKeyword
		}
		seen[*s] = true
	}
	return nil
}

// stringsOf decodes an array of strings; of anything else it is nil.
func stringsOf(value json.RawMessage) []string {
	var list []string
	if !startsWith(value, '[') || json.Unmarshal(value, &list) != nil {
		return nil
	}
	return list
}

// listOf splits an array of valid JSON; of anything else it is nil.
func listOf(value json.RawMessage) []json.RawMessage {
	list, _ := openai.SplitArray(value, math.MaxInt)
	return list
}

// startsWith tells the kind of a value by its first byte, which saves reading all
// of one of another kind.
func startsWith(value json.RawMessage, first byte) bool {
	value = bytes.TrimLeft(value, " \t\r\n")
	return len(value) > 0 && value[0] == first
}

// array is the JSON array of values.
func array(values []json.RawMessage) json.RawMessage {
	return slices.Concat([]byte("["), bytes.Join(values2bytes(values), []byte(",")), []byte("]"))
}

func values2bytes(values []json.RawMessage) [][]byte {
	out := make([][]byte, len(values))
	for i, v := range values {
		out[i] = v
	}
	return out
}

// encode is an object as JSON.
func encode(o openai.Object) (json.RawMessage, error) { return o.MarshalJSON() }

func isNull(value []byte) bool    { return string(value) == "null" }
func isBoolean(value []byte) bool { return string(value) == "true" || string(value) == "false" }

// tooDeep reports whether valid JSON nests further than any schema needs to.
func tooDeep(raw []byte) bool {
	const most = 64
	depth, quoted := 0, false
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			if depth++; depth > most {
				return true
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return false
}
