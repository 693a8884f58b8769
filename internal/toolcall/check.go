package toolcall

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
)

const (
	maxSubschemas = 4000
	maxIDs        = 32
	// maxOddRefs bounds the references to places where no keyword has a schema.
	// The compiler spends time on each that grows with the schema.
	maxOddRefs = 50
)

// Keywords whose value is a schema, an object of schemas, or an array of them.
var (
	schemaKeywords = []string{
		"additionalItems", "additionalProperties", "contains", "contentSchema", "else", "if", "items",
		"not", "propertyNames", "then", "unevaluatedItems", "unevaluatedProperties",
	}
	schemaMaps   = []string{"$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties"}
	schemaArrays = []string{"allOf", "anyOf", "items", "oneOf", "prefixItems"}
	countLimits  = []string{
		"maxContains", "maxItems", "maxLength", "maxProperties",
		"minContains", "minItems", "minLength", "minProperties",
	}
)

// A schemaChecker looks through a decoded schema before it is compiled, counts
// what the compiler spends time on, and evens out what it would stumble over.
type schemaChecker struct {
	places     map[string]bool // pointers to the subschemas
	references []string
	ids        int
	err        *schemaError
}

// checkSchema checks the decoded schema v. It takes out what names an unknown
// dialect, which then counts as draft 2020-12.
func checkSchema(v any) error {
	c := &schemaChecker{places: map[string]bool{}}
	c.schema(v, "")
	if c.err == nil {
		c.checkReferences()
	}
	if c.err != nil {
		return c.err
	}
	return nil
}

func (c *schemaChecker) fail(at, format string, args ...any) {
	if c.err == nil || at < c.err.pointer { // maps come in any order, errors always in the same
		c.err = &schemaError{at, fmt.Sprintf(format, args...)}
	}
}

func (c *schemaChecker) schema(v any, at string) {
	c.places[at] = true
	if len(c.places) > maxSubschemas {
		c.fail("", "has more than %d subschemas", maxSubschemas)
		return
	}
	o, ok := v.(map[string]any)
	if !ok {
		return
	}
	c.keywords(o, at)
	for _, name := range schemaKeywords {
		if sub, ok := o[name]; ok {
			c.schema(sub, at+"/"+name)
		}
	}
	for _, name := range schemaMaps {
		subs, _ := o[name].(map[string]any)
		for key, sub := range subs {
			c.schema(sub, at+"/"+name+pointer([]string{key}))
		}
	}
	for _, name := range schemaArrays {
		subs, _ := o[name].([]any)
		for i, sub := range subs {
			c.schema(sub, at+"/"+name+"/"+strconv.Itoa(i))
		}
	}
}

// keywords checks those keywords that are no subschemas.
func (c *schemaChecker) keywords(o map[string]any, at string) {
	if s, ok := o["$schema"].(string); ok && !knownDialect(s) {
		delete(o, "$schema")
	}
	if ref, ok := o["$ref"].(string); ok {
		c.references = append(c.references, ref)
	}
	for _, name := range []string{"$id", "id"} {
		if _, ok := o[name].(string); ok {
			c.ids++
		}
	}
	if options, ok := o["enum"].([]any); ok && len(options) > maxEnum {
		c.fail(at+"/enum", "has more than %d options", maxEnum)
	}
	for _, name := range countLimits {
		if n, ok := o[name].(json.Number); ok && beyondInt32(n) {
			o[name] = json.Number(strconv.Itoa(math.MaxInt32)) // no answer is that large
		}
	}
}

func beyondInt32(n json.Number) bool {
	r, ok := new(big.Rat).SetString(n.String())
	return ok && r.Cmp(new(big.Rat).SetInt64(math.MaxInt32)) > 0
}

// knownDialect reports whether the schema library knows the $schema.
func knownDialect(uri string) bool {
	uri = strings.TrimSuffix(uri, "#")
	if rest, ok := strings.CutPrefix(uri, "http://"); ok {
		uri = rest
	} else {
		uri = strings.TrimPrefix(uri, "https://")
	}
	switch uri {
	case "json-schema.org/schema", "json-schema.org/draft/2020-12/schema", "json-schema.org/draft/2019-09/schema",
		"json-schema.org/draft-07/schema", "json-schema.org/draft-06/schema", "json-schema.org/draft-04/schema":
		return true
	}
	return false
}

func (c *schemaChecker) checkReferences() {
	if c.ids > maxIDs {
		c.fail("", "has more than %d ids", maxIDs)
	}
	odd := 0
	for _, ref := range c.references {
		at, local := strings.CutPrefix(ref, "#")
		if !local || !c.places[at] || c.ids > 1 {
			odd++
		}
	}
	if odd > maxOddRefs {
		c.fail("", "has more than %d references to places that hold no schema", maxOddRefs)
	}
}
