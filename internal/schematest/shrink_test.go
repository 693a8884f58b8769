package schematest

import (
	"encoding/json"
	"maps"
	"slices"
)

// shrink makes a schema and a value smaller as long as they differ, so that a
// failure shows what matters.
func shrink(schema, value any, differs func(schema, value any) bool) (smallSchema, smallValue any) {
	tries := 3000
	smaller := func(v any, differs func(any) bool) (any, bool) {
		for _, candidate := range simpler(v) {
			if tries--; tries < 0 {
				return v, false
			}
			if differs(candidate) {
				return candidate, true
			}
		}
		return v, false
	}
	for again := true; again; {
		var first, second bool
		schema, first = smaller(schema, func(s any) bool { return differs(s, value) })
		value, second = smaller(value, func(v any) bool { return differs(schema, v) })
		again = first || second
	}
	return schema, value
}

// simpler returns what v becomes if one thing in it is left out or made simpler.
func simpler(v any) []any {
	var found []any
	switch v := v.(type) {
	case object:
		found = slices.Collect(maps.Values(v))
		for _, key := range sortedKeys(v) {
			less := maps.Clone(v)
			delete(less, key)
			found = append(found, less)
		}
		for _, key := range sortedKeys(v) {
			for _, inner := range simpler(v[key]) {
				other := maps.Clone(v)
				other[key] = inner
				found = append(found, other)
			}
		}
	case []any:
		found = slices.Clone(v)
		for i := range v {
			found = append(found, slices.Delete(slices.Clone(v), i, i+1))
		}
		for i := range v {
			for _, inner := range simpler(v[i]) {
				other := slices.Clone(v)
				other[i] = inner
				found = append(found, other)
			}
		}
	case json.Number:
		if v != "1" && v != "0" {
			found = []any{json.Number("1"), json.Number("0")}
		}
	case string:
		if v != "" {
			found = []any{""}
		}
	}
	return found
}
