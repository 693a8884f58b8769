package conformance

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"hyperstudy-endpoint/internal/wording"
)

// A validation holds a value against a schema.
type validation struct {
	root  any
	found []string
	// partial is set if some keyword of the schema is not judged: then what fits
	// may not, and is not held against a value.
	partial bool
	// followed are the references under way, each with the place in the value: one
	// that leads back to itself without a step into the value says nothing more.
	followed map[[2]string]bool
}

// violations lists the rules of a schema that a value breaks, each with the
// JSON Pointer to the place, in a fixed order. It never quotes the value. No
// schema at all allows everything.
func violations(schema json.RawMessage, value any) []string {
	if absent(schema) {
		return nil
	}
	root, err := decodeJSON(schema)
	if err != nil {
		return []string{"the schema is not JSON"}
	}
	j := &validation{root: root, partial: len(notJudged(schema)) > 0, followed: map[[2]string]bool{}}
	j.judge(root, value, "")
	return j.found
}

func (j *validation) add(at, format string, args ...any) {
	if at == "" {
		at = "the object"
	}
	j.found = append(j.found, at+" "+fmt.Sprintf(format, args...))
}

// holds reports whether a value satisfies a schema, and adds nothing.
func (j *validation) holds(schema, value any, at string) bool {
	inner := &validation{root: j.root, partial: j.partial, followed: j.followed}
	inner.judge(schema, value, at)
	return len(inner.found) == 0
}

// judge adds what value breaks of schema at a place.
func (j *validation) judge(schema, value any, at string) {
	if allowed, isBool := schema.(bool); isBool {
		if !allowed {
			j.add(at, "is not allowed")
		}
		return
	}
	s, isObject := schema.(map[string]any)
	if !isObject {
		return
	}
	if ref, has := s["$ref"].(string); has {
		step := [2]string{ref, at}
		if target, found := lookUp(j.root, ref); found && !j.followed[step] {
			j.followed[step] = true
			j.judge(target, value, at)
			delete(j.followed, step)
		}
	}
	j.judgeAny(s, value, at)
	j.judgeCombinations(s, value, at)
	switch v := value.(type) {
	case json.Number:
		j.judgeNumber(s, v, at)
	case string:
		j.judgeString(s, v, at)
	case []any:
		j.judgeArray(s, v, at)
	case map[string]any:
		j.judgeObject(s, v, at)
	}
}

// judgeAny holds a value against the keywords for values of every type.
func (j *validation) judgeAny(s map[string]any, value any, at string) {
	var types []string
	switch t := s["type"].(type) {
	case string:
		types = []string{t}
	case []any:
		for _, one := range t {
			if name, ok := one.(string); ok {
				types = append(types, name)
			}
		}
	}
	if len(types) > 0 && !slices.ContainsFunc(types, func(t string) bool { return hasType(value, t) }) {
		j.add(at, "must be %s, not %s", strings.Join(types, " or "), typeOf(value))
	}
	if options, has := s["enum"].([]any); has && !slices.ContainsFunc(options, func(o any) bool { return equal(o, value) }) {
		j.add(at, "must be one of the %s, to the letter", wording.Count(len(options), "option"))
	}
	if only, has := s["const"]; has && !equal(only, value) {
		j.add(at, "must be the one value that is allowed")
	}
}

func (j *validation) judgeCombinations(s map[string]any, value any, at string) {
	count := func(keyword string) (fits, all int) {
		list, _ := s[keyword].([]any)
		for _, one := range list {
			if j.holds(one, value, at) {
				fits++
			}
		}
		return fits, len(list)
	}
	if list, has := s["allOf"].([]any); has {
		for _, one := range list {
			j.judge(one, value, at)
		}
	}
	if fits, all := count("anyOf"); all > 0 && fits == 0 {
		j.add(at, "must fit one of %s", wording.Count(all, "schema"))
	}
	if fits, all := count("oneOf"); all > 0 && (fits == 0 || fits > 1 && !j.partial) {
		j.add(at, "must fit exactly one of %s, and fits %d", wording.Count(all, "schema"), fits)
	}
	if not, has := s["not"]; has && !j.partial && j.holds(not, value, at) {
		j.add(at, "fits what is forbidden")
	}
}

func (j *validation) judgeArray(s map[string]any, v []any, at string) {
	if least, has := size(s["minItems"]); has && len(v) < least {
		j.add(at, "must have at least %s", wording.Count(least, "item"))
	}
	if most, has := size(s["maxItems"]); has && len(v) > most {
		j.add(at, "must have at most %s", wording.Count(most, "item"))
	}
	if s["uniqueItems"] == true && repeats(v) {
		j.add(at, "must not hold an item twice")
	}
	first, _ := s["prefixItems"].([]any)
	rest, hasRest := s["items"]
	if tuple, old := rest.([]any); old { // as before draft 2020-12
		first = tuple
		rest, hasRest = s["additionalItems"]
	}
	for i, item := range v {
		place := fmt.Sprintf("%s/%d", at, i)
		switch {
		case i < len(first):
			j.judge(first[i], item, place)
		case hasRest:
			j.judge(rest, item, place)
		}
	}
}

func repeats(v []any) bool {
	seen := make(map[string]bool, len(v))
	for _, item := range v {
		text := canonical(item)
		if seen[text] {
			return true
		}
		seen[text] = true
	}
	return false
}

func (j *validation) judgeObject(s, v map[string]any, at string) {
	properties, _ := s["properties"].(map[string]any)
	required, _ := s["required"].([]any)
	for _, name := range required {
		if n, ok := name.(string); ok {
			if _, has := v[n]; !has {
				j.add(at, "lacks the property %q", n)
			}
		}
	}
	for _, name := range sortedKeys(v) {
		place := at + "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
		if property, known := properties[name]; known {
			j.judge(property, v[name], place)
			continue
		}
		additional, has := s["additionalProperties"]
		if _, patterns := s["patternProperties"]; !has || patterns { // those are not judged
			continue
		}
		if additional == false {
			j.add(at, "has a property that is not in the schema")
			continue
		}
		j.judge(additional, v[name], place)
	}
}
