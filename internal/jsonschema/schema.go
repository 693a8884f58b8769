package jsonschema

import (
	"math/big"
	"slices"

	"hyperstudy-endpoint/internal/jsontree"
)

// Limits of a schema. They are far above what a screen of an experiment needs and
// low enough that no schema can keep the compiler busy.
const (
	maxDepth      = 64
	maxValues     = 30000 // JSON values of one schema
	maxSubschemas = 4000
	maxEnum       = 2000
)

// A Schema is a compiled JSON Schema or a subschema of one, safe for concurrent
// use. Only what applies in its dialect is set: a draft-07 schema with a $ref has
// nothing else, and what earlier dialects name otherwise is at the present name.
// What a schema does not have is nil, and -1 for a limit of a count. Fields without
// a comment are the keywords of their names.
type Schema struct {
	// Kinds are the kinds of values that may be valid. What it leaves out is
	// certainly invalid; what it holds may still be.
	Kinds jsontree.Kind
	// PatternEffort is what it took to compile all patterns, and Memory about how many
	// bytes the whole schema takes up. They are set in the schema that [Compile]
	// returns.
	PatternEffort, Memory int

	Never  bool // the schema false
	Types  Types
	Const  *jsontree.Node
	Enum   []*jsontree.Node
	Format *Format
	Ref    *Schema
	AllOf  []*Schema
	AnyOf  []*Schema
	OneOf  []*Schema
	Not    *Schema
	If     *Schema
	Then   *Schema
	Else   *Schema

	Minimum, Maximum, ExclusiveMinimum, ExclusiveMaximum, MultipleOf *big.Rat

	MinLength, MaxLength int // in code points
	Pattern              *Pattern

	Properties            map[string]*Schema
	PatternProperties     []PatternSchema
	AdditionalProperties  *Schema
	UnevaluatedProperties *Schema
	PropertyNames         *Schema
	Required              []string
	Dependent             []Dependent
	MinProperties         int
	MaxProperties         int

	PrefixItems      []*Schema
	Items            *Schema // those behind PrefixItems
	UnevaluatedItems *Schema
	Contains         *Schema
	MinContains      int // 1 unless the schema says otherwise
	MaxContains      int
	MinItems         int
	MaxItems         int
	UniqueItems      bool

	additionalItems *Schema // before settle
	// arithmetic and lookups are the steps that the limits of a number and the names
	// of properties add to what a value costs.
	arithmetic, lookups int
	// restItems marks that Items is draft 2019-09's additionalItems or older, of
	// which violations are reported as one of the array.
	restItems bool
	// containsEvaluates marks that an item that Contains accepts counts as evaluated.
	containsEvaluates bool
}

// noLimit is a limit of a count that is not given.
const noLimit = -1

// Types are the names in the keyword type.
type Types struct {
	Names []string // as the schema has them; nil if there is none
	Kinds jsontree.Kind
	whole bool // numbers have to be integers
}

// A PatternSchema is a member of patternProperties.
type PatternSchema struct {
	Pattern *Pattern
	Schema  *Schema
}

// A Dependent is what the presence of a property demands of the object it is in.
type Dependent struct {
	Property string
	Required []string
	Schema   *Schema // nil if there is none
}

// InPlace returns the subschemas that apply to the same value as s.
func (s *Schema) InPlace() []*Schema {
	subs := slices.Concat(s.AllOf, s.AnyOf, s.OneOf)
	for _, d := range s.Dependent {
		subs = append(subs, d.Schema)
	}
	subs = append(subs, s.Ref, s.Not, s.If, s.Then, s.Else)
	return slices.DeleteFunc(subs, func(sub *Schema) bool { return sub == nil })
}

// one returns the field of a keyword that holds one schema, and nil if it is none.
func (s *Schema) one(keyword string) **Schema {
	switch keyword {
	case "additionalItems":
		return &s.additionalItems
	case "additionalProperties":
		return &s.AdditionalProperties
	case "contains":
		return &s.Contains
	case "else":
		return &s.Else
	case "if":
		return &s.If
	case "items":
		return &s.Items
	case "not":
		return &s.Not
	case "propertyNames":
		return &s.PropertyNames
	case "then":
		return &s.Then
	case "unevaluatedItems":
		return &s.UnevaluatedItems
	case "unevaluatedProperties":
		return &s.UnevaluatedProperties
	}
	return nil
}

// listed returns the field of a keyword that holds an array of schemas, and nil
// if it is none.
func (s *Schema) listed(keyword string) *[]*Schema {
	switch keyword {
	case "allOf":
		return &s.AllOf
	case "anyOf":
		return &s.AnyOf
	case "oneOf":
		return &s.OneOf
	case "prefixItems":
		return &s.PrefixItems
	}
	return nil
}

// count returns the field of a keyword that limits a count, and nil if it is none.
func (s *Schema) count(keyword string) *int {
	switch keyword {
	case "maxContains":
		return &s.MaxContains
	case "maxItems":
		return &s.MaxItems
	case "maxLength":
		return &s.MaxLength
	case "maxProperties":
		return &s.MaxProperties
	case "minContains":
		return &s.MinContains
	case "minItems":
		return &s.MinItems
	case "minLength":
		return &s.MinLength
	case "minProperties":
		return &s.MinProperties
	}
	return nil
}

// bound returns the field of a keyword that limits a number, and nil if it is none.
func (s *Schema) bound(keyword string) **big.Rat {
	switch keyword {
	case "exclusiveMaximum":
		return &s.ExclusiveMaximum
	case "exclusiveMinimum":
		return &s.ExclusiveMinimum
	case "maximum":
		return &s.Maximum
	case "minimum":
		return &s.Minimum
	case "multipleOf":
		return &s.MultipleOf
	}
	return nil
}
