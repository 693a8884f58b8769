package awstest

import (
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

//go:embed shapes.json
var shapesJSON []byte

// A shape is one entry of the service model.
type shape struct {
	Type     string // structure, list, map, string, blob, integer, float, boolean or document
	Union    bool   // of a structure: exactly one member is set
	Required []string
	Members  map[string]string // of a structure: the shapes' names
	Member   string            // of a list
	Key      string            // of a map
	Value    string            // of a map
	Min, Max *int64            // of a length or a number
	Pattern  string
	Enum     []string

	pattern *regexp.Regexp
}

// shapes are the request shapes by name. The model is part of the program, so
// that it cannot be read is a bug, which panics as regexp.MustCompile does.
var shapes = sync.OnceValue(func() map[string]*shape {
	all := map[string]*shape{}
	if err := json.Unmarshal(shapesJSON, &all); err != nil {
		panic("awstest: shapes.json: " + err.Error())
	}
	for _, s := range all {
		if s.Pattern != "" {
			s.pattern = regexp.MustCompile(`^(?:` + s.Pattern + `)$`)
		}
	}
	return all
})

// A violation is one rule of the service model that a request breaks.
type violation struct {
	path       string // e.g. toolConfig.tools.1.member.toolSpec.name; lists count from 1
	constraint string // type, unknown, required, union, enum, pattern, length or range
	message    string
}

// checkShape finds all violations of a shape, in a fixed order.
func checkShape(name, path string, value any) []violation {
	s := shapes()[name]
	if !s.typed(value) {
		return []violation{{path, "type", fmt.Sprintf("The value at %s must be of type %s.", path, s.Type)}}
	}
	switch v := value.(type) {
	case map[string]any:
		if s.Type == "structure" {
			return s.checkStructure(path, v)
		}
		if s.Type == "map" {
			return s.checkMap(path, v)
		}
	case []any:
		if s.Type == "list" {
			return s.checkList(path, v)
		}
	}
	return s.checkScalar(path, value)
}

// typed says whether a JSON value has the shape's type.
func (s *shape) typed(value any) (ok bool) {
	switch s.Type {
	case "structure", "map":
		_, ok = value.(map[string]any)
	case "list":
		_, ok = value.([]any)
	case "string":
		_, ok = value.(string)
	case "boolean":
		_, ok = value.(bool)
	case "float":
		_, ok = value.(json.Number)
	case "integer":
		var n json.Number
		if n, ok = value.(json.Number); ok {
			_, err := strconv.ParseInt(n.String(), 10, 32)
			ok = err == nil
		}
	case "blob":
		var text string
		if text, ok = value.(string); ok {
			_, err := base64.StdEncoding.Strict().DecodeString(text)
			ok = err == nil
		}
	default: // a document is any JSON
		ok = true
	}
	return ok
}

func (s *shape) checkStructure(path string, v map[string]any) (out []violation) {
	set := 0
	for _, key := range slices.Sorted(maps.Keys(v)) {
		switch member, known := s.Members[key]; {
		case !known:
			out = append(out, violation{join(path, key), "unknown", fmt.Sprintf("#/%s: extraneous key [%s] is not permitted", strings.ReplaceAll(path, ".", "/"), key)})
		case v[key] != nil: // null is the same as absent
			set++
			out = append(out, checkShape(member, join(path, key), v[key])...)
		}
	}
	for _, key := range s.Required {
		if v[key] == nil {
			out = append(out, constraint(join(path, key), "required", nil, "Member must not be null"))
		}
	}
	if s.Union && set != 1 && len(out) == 0 {
		out = append(out, violation{path, "union", fmt.Sprintf("The union at %s must have exactly one member set, but has %d.", path, set)})
	}
	return out
}

func (s *shape) checkList(path string, v []any) []violation {
	out := s.checkLength(path, nil, len(v))
	for i, item := range v {
		out = append(out, checkShape(s.Member, fmt.Sprintf("%s.%d.member", path, i+1), item)...)
	}
	return out
}

func (s *shape) checkMap(path string, v map[string]any) []violation {
	out := s.checkLength(path, nil, len(v))
	for _, key := range slices.Sorted(maps.Keys(v)) {
		out = append(out, checkShape(s.Key, join(path, "key"), key)...)
		out = append(out, checkShape(s.Value, join(path, key+".value"), v[key])...)
	}
	return out
}

func (s *shape) checkScalar(path string, value any) []violation {
	switch v := value.(type) {
	case json.Number:
		return s.checkRange(path, v)
	case string:
		if s.Type == "blob" {
			raw, err := base64.StdEncoding.DecodeString(v)
			if err != nil {
				return nil // refused by typed
			}
			return s.checkLength(path, nil, len(raw))
		}
		return s.checkString(path, v)
	}
	return nil
}

func (s *shape) checkString(path, v string) (out []violation) {
	if s.Enum != nil && !slices.Contains(s.Enum, v) {
		out = append(out, constraint(path, "enum", v, "Member must satisfy enum value set: ["+strings.Join(s.Enum, ", ")+"]"))
	}
	if s.pattern != nil && !s.pattern.MatchString(v) {
		out = append(out, constraint(path, "pattern", v, "Member must satisfy regular expression pattern: "+s.Pattern))
	}
	if s.Type == "string" {
		out = append(out, s.checkLength(path, v, utf8.RuneCountInString(v))...)
	}
	return out
}

func (s *shape) checkLength(path string, value any, n int) (out []violation) {
	if s.Min != nil && int64(n) < *s.Min {
		out = append(out, constraint(path, "length", value, fmt.Sprintf("Member must have length greater than or equal to %d", *s.Min)))
	}
	if s.Max != nil && int64(n) > *s.Max {
		out = append(out, constraint(path, "length", value, fmt.Sprintf("Member must have length less than or equal to %d", *s.Max)))
	}
	return out
}

func (s *shape) checkRange(path string, v json.Number) (out []violation) {
	if s.Type == "document" {
		return nil
	}
	n, _ := strconv.ParseFloat(v.String(), 64) // what overflows is infinite, and so out of range
	if s.Min != nil && n < float64(*s.Min) {
		out = append(out, constraint(path, "range", v.String(), fmt.Sprintf("Member must have value greater than or equal to %d", *s.Min)))
	}
	if s.Max != nil && n > float64(*s.Max) {
		out = append(out, constraint(path, "range", v.String(), fmt.Sprintf("Member must have value less than or equal to %d", *s.Max)))
	}
	return out
}

// constraint words a violation as the service does. What the user wrote is
// quoted, but for the messages, which the model marks as sensitive.
func constraint(path, kind string, value any, must string) violation {
	quoted := ""
	if v, ok := value.(string); ok && !strings.HasPrefix(path, "messages.") && !strings.HasPrefix(path, "requestMetadata") {
		quoted = " '" + v + "'"
	}
	return violation{path, kind, fmt.Sprintf("Value%s at '%s' failed to satisfy constraint: %s", quoted, path, must)}
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}
