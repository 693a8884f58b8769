package schematest

import (
	"encoding/json"
	"math"
	"math/big"
	"slices"
	"strconv"
)

// adapt rewrites a subschema where the library gets something wrong, or is right in
// another way than we are, into one that says to it what the schema says to us.
func adapt(o object, draft int) {
	if _, ok := o["$ref"].(string); ok && draft <= 7 {
		delete(o, "const") // what is beside a $ref is to be ignored, and const is not
	}
	if uri, ok := o["$schema"].(string); ok && draftNamed(uri) == 0 {
		o["$schema"] = dialects["draft2020-12"] // which an unknown dialect counts as, and which is a fault to the library
	}
	if condition, ok := o["if"].(bool); ok { // the library does not look at what then never applies
		o["if"] = object{"not": object{"not": condition}}
	}
	for _, keyword := range counts { // it reads only the last 64 bits
		if n, ok := o[keyword].(json.Number); ok && beyond(n, math.MaxInt32) {
			o[keyword] = json.Number(strconv.Itoa(math.MaxInt32))
		}
	}
	for exclusive, bound := range map[string]string{"exclusiveMinimum": "minimum", "exclusiveMaximum": "maximum"} {
		if _, ok := o[exclusive].(bool); ok && draft == 4 && o[bound] == nil {
			delete(o, exclusive) // draft-04 forbids what says nothing
		}
	}
	allowEmpty(o)
}

// allowEmpty gives lists a form that all dialects allow. The older ones want
// something in each, and no option twice, which changes nothing about any value.
func allowEmpty(o object) {
	if options, ok := o["enum"].([]any); ok {
		list := []any{object{"a value that": "no value equals"}}
		for _, option := range options {
			if !slices.ContainsFunc(list, func(other any) bool { return same(option, other) }) {
				list = append(list, option)
			}
		}
		o["enum"] = list
	}
	if isEmpty(o["required"]) {
		delete(o, "required")
	}
	dependencies, _ := o["dependencies"].(object)
	for name, list := range dependencies {
		if isEmpty(list) {
			delete(dependencies, name)
		}
	}
}

func isEmpty(v any) bool {
	list, ok := v.([]any)
	return ok && len(list) == 0
}

var counts = []string{"maxContains", "maxItems", "maxLength", "maxProperties", "minContains", "minItems", "minLength", "minProperties"}

func beyond(n json.Number, limit int64) bool {
	r, ok := new(big.Rat).SetString(n.String())
	return ok && r.IsInt() && r.Cmp(new(big.Rat).SetInt64(limit)) > 0
}
