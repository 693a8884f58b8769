package baseline

import (
	"math/big"
	"slices"
)

// A typeSet is a set of JSON types. Numbers are two of them, so that integer is
// a subset of number.
type typeSet uint8

const (
	typeNull typeSet = 1 << iota
	typeBoolean
	typeInteger
	typeFraction // a number that is no integer
	typeString
	typeArray
	typeObject

	typeNumber = typeInteger | typeFraction
	anyType    = typeNull | typeBoolean | typeNumber | typeString | typeArray | typeObject
)

var typeNames = map[string]typeSet{
	"null": typeNull, "boolean": typeBoolean, "integer": typeInteger, "number": typeNumber,
	"string": typeString, "array": typeArray, "object": typeObject,
}

// typeOf returns the one type of a value. A number too long to be worked with
// may be either kind.
func typeOf(v any) typeSet {
	switch v := v.(type) {
	case nil:
		return typeNull
	case bool:
		return typeBoolean
	case number:
		switch {
		case v.rat == nil:
			return typeNumber
		case v.rat.IsInt():
			return typeInteger
		}
		return typeFraction
	case string:
		return typeString
	case []any:
		return typeArray
	default:
		return typeObject
	}
}

// A schema is one JSON Schema, read. Limits that are absent are -1 or nil.
type schema struct {
	never    bool     // the schema false
	keywords []string // that can make a value invalid, or hold schemas
	types    typeSet
	refs     []string

	hasEnum    bool
	options    []any // of enum or const, without duplicates
	optionKeys map[string]bool

	minimum, maximum *limit
	multipleOf       *big.Rat

	minLength, maxLength int
	pattern              *pattern
	format               string

	prefixItems              []*schema
	items                    *schema
	contains                 *schema
	minContains, maxContains int
	minItems, maxItems       int
	uniqueItems              bool
	unevaluatedItems         *schema

	names             []string // of properties, in order
	properties        map[string]*schema
	patterns          []patternProperty
	additional        *schema
	propertyNames     *schema
	required          []string
	minProps          int
	maxProps          int
	dependentRequired map[string][]string
	conditions        []condition // if, dependentSchemas
	unevaluatedProps  *schema

	allOf   []*schema
	choices []choice // anyOf and oneOf
	not     *schema
}

// A choice asks for at least or exactly one of several schemas.
type choice struct {
	branches   []*schema
	exactlyOne bool
}

// A limit is the bound of a number.
type limit struct {
	value     *big.Rat
	exclusive bool
}

// A patternProperty is the schema of the members whose names match.
type patternProperty struct {
	name   *pattern
	schema *schema
}

// A condition asks for one schema or another, either of which may be nil.
type condition struct{ when, then, otherwise *schema }

func newSchema() *schema {
	return &schema{
		types: anyType, minLength: -1, maxLength: -1, minItems: -1, maxItems: -1,
		minContains: -1, maxContains: -1, minProps: -1, maxProps: -1,
	}
}

// negation returns the schema of all that is not valid for s.
func negation(s *schema) *schema {
	n := newSchema()
	n.not = s
	n.keywords = []string{"not"}
	return n
}

// requiring returns the schema of objects that have a member.
func requiring(name string) *schema {
	s := newSchema()
	s.types = typeObject
	s.required = []string{name}
	s.keywords = []string{"type", "required"}
	return s
}

// only reports whether a schema has no keywords but these, and has any.
func (s *schema) only(keywords ...string) bool {
	for _, k := range s.keywords {
		if !slices.Contains(keywords, k) {
			return false
		}
	}
	return len(s.keywords) > 0
}

// item returns the schema that s has for the item at i, nil if it has none.
func (s *schema) item(i int) *schema {
	if i < len(s.prefixItems) {
		return s.prefixItems[i]
	}
	return s.items
}
