package bedrock

import (
	"bytes"
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"hyperstudy-endpoint/internal/openai"
)

// emptySchema is the schema of a tool without parameters.
const emptySchema = `{"type":"object","properties":{}}`

// toolSchema returns the copy of a tool's schema that is sent upstream: of the
// family's dialect, with an object at the top, and otherwise as it came.
func toolSchema(raw json.RawMessage, d dialect) (json.RawMessage, error) {
	raw = compact(raw)
	if len(raw) == 0 || isNull(raw) {
		return json.RawMessage(emptySchema), nil
	}
	if !isObject(raw) {
		return nil, errNoSchema
	}
	if tooDeep(raw) {
		return nil, errDepth
	}
	s := &schema{root: raw, dialect: d}
	o, err := s.top(raw)
	if err != nil {
		return nil, err
	}
	return s.object(o, nil)
}

// plainTop are the keywords that the plain dialect has at the top.
var plainTop = []string{"type", "properties", "required"}

// top returns the schema with nothing but an object at its top level.
func (s *schema) top(raw json.RawMessage) (openai.Object, error) {
	merged, err := s.merge(raw, 0)
	if err != nil {
		return openai.Object{}, err
	}
	var o openai.Object
	switch t := string(merged.Get("type")); {
	case !merged.Has("type"):
		o.Set("type", quote("object"))
	case t != `"object"` && !slices.Contains(stringsOf(merged.Get("type")), "object"):
		return o, errNoObject
	}
	for _, m := range merged.Members() {
		if s.dialect != plain || slices.Contains(plainTop, m.Name) {
			o.Set(m.Name, m.Value)
		}
	}
	o.Set("type", quote("object"))
	if !o.Has("properties") {
		o.Set("properties", json.RawMessage("{}"))
	}
	return o, nil
}

// A schema is changed into a dialect. References are looked up in root.
type schema struct {
	root    json.RawMessage
	dialect dialect
	size    int // bytes written
}

// maxSchema is how large a schema may become, in bytes: references that lead to
// references can make much out of little.
const maxSchema = 1 << 20

// value changes a schema that stands somewhere within another. The references
// that led here are in path.
func (s *schema) value(raw json.RawMessage, path []string) (json.RawMessage, error) {
	if !isObject(raw) {
		if isBoolean(raw) {
			return raw, nil
		}
		return nil, errKeyword
	}
	o, err := openai.ParseObject(raw)
	if err != nil {
		return nil, errKeyword
	}
	return s.object(o, path)
}

func (s *schema) object(o openai.Object, path []string) (json.RawMessage, error) {
	o, path, err := s.inline(modern(o), path)
	if err != nil {
		return nil, err
	}
	var out openai.Object
	for _, m := range o.Members() {
		if slices.Contains(references, m.Name) || s.dialect == plain && leftOut(m) {
			continue
		}
		if err := checkKeyword(m.Name, m.Value); err != nil {
			return nil, err
		}
		value, err := s.keyword(m, path)
		if err != nil {
			return nil, err
		}
		out.Set(m.Name, value)
	}
	raw, err := encode(out)
	if s.size += len(raw); err == nil && s.size > maxSchema {
		err = errSize
	}
	return raw, err
}

// leftOut reports whether the plain dialect has no such keyword.
func leftOut(m openai.Member) bool {
	switch m.Name {
	case "additionalProperties", "unevaluatedProperties", "unevaluatedItems", "$defs", "definitions", "$comment":
		return true
	case "items":
		return isBoolean(m.Value)
	}
	return false
}

// keyword changes the schemas in the value of a keyword.
func (s *schema) keyword(m openai.Member, path []string) (json.RawMessage, error) {
	switch keywords[m.Name] {
	case oneSchema:
		return s.value(m.Value, path)
	case schemaList:
		list := listOf(m.Value)
		for i := range list {
			changed, err := s.value(list[i], path)
			if err != nil {
				return nil, err
			}
			list[i] = changed
		}
		return array(list), nil
	case schemaMap:
		return s.named(m, path)
	default:
		if m.Name == "$ref" && s.dialect == draft2020 && s.lookup(m.Value) == nil {
			return nil, errReference
		}
		return m.Value, nil
	}
}

func (s *schema) named(m openai.Member, path []string) (json.RawMessage, error) {
	o, err := openai.ParseObject(m.Value)
	if err != nil {
		return nil, errKeyword
	}
	for _, p := range o.Members() {
		changed, err := s.value(p.Value, path)
		if err != nil {
			return nil, err
		}
		o.Set(p.Name, changed)
	}
	return encode(o)
}

// inline replaces references by what they lead to, in a dialect without them. A
// reference within its own target is left out, which allows anything there.
func (s *schema) inline(o openai.Object, path []string) (openai.Object, []string, error) {
	for s.dialect == plain && o.Has("$ref") {
		ref := string(o.Get("$ref"))
		target := s.lookup(o.Get("$ref"))
		rest := o.Clone()
		rest.Delete("$ref")
		if target == nil {
			return o, path, errReference
		}
		if slices.Contains(path, ref) || !isObject(target) {
			return rest, path, nil
		}
		inner, err := openai.ParseObject(target)
		if err != nil {
			return o, path, errReference
		}
		inner = modern(inner)
		for _, m := range rest.Members() {
			inner.Set(m.Name, m.Value)
		}
		o, path = inner, append(slices.Clone(path), ref)
	}
	return o, path, nil
}

// lookup returns the part of the schema that a reference leads to, or nil.
func (s *schema) lookup(ref json.RawMessage) json.RawMessage {
	var pointer string
	if json.Unmarshal(ref, &pointer) != nil || !strings.HasPrefix(pointer, "#") {
		return nil
	}
	pointer, err := url.PathUnescape(pointer[1:])
	if err != nil || pointer != "" && pointer[0] != '/' {
		return nil
	}
	at := s.root
	for part := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		if pointer == "" {
			break
		}
		if at = step(at, slashes.Replace(part)); at == nil {
			return nil
		}
	}
	if !isObject(at) && !isBoolean(at) {
		return nil
	}
	return at
}

// slashes turns a step of a pointer into the name it stands for.
var slashes = strings.NewReplacer("~1", "/", "~0", "~")

// unescape returns the name that a step of a pointer within a URL stands for.
func unescape(step string) string {
	if name, err := url.PathUnescape(step); err == nil {
		step = name
	}
	return slashes.Replace(step)
}

// step returns the member or element of a value, or nil.
func step(at json.RawMessage, name string) json.RawMessage {
	if bytes.HasPrefix(at, []byte("[")) {
		list := listOf(at)
		if i, err := strconv.Atoi(name); err == nil && i >= 0 && i < len(list) {
			return list[i]
		}
		return nil
	}
	o, err := openai.ParseObject(at)
	if err != nil {
		return nil
	}
	return o.Get(name)
}

// modern turns forms of older drafts into those of draft 2020-12: limits that
// are exclusive by a boolean, tuples in items, and required within a property.
func modern(o openai.Object) openai.Object {
	o = o.Clone()
	for exclusive, limit := range map[string]string{"exclusiveMinimum": "minimum", "exclusiveMaximum": "maximum"} {
		switch string(o.Get(exclusive)) {
		case "true":
			value := o.Get(limit)
			o.Delete(limit)
			o.Delete(exclusive)
			if value != nil {
				o.Set(exclusive, value)
			}
		case "false":
			o.Delete(exclusive)
		}
	}
	if list := o.Get("items"); bytes.HasPrefix(list, []byte("[")) {
		rest := o.Get("additionalItems")
		o.Delete("items")
		o.Delete("additionalItems")
		if len(listOf(list)) > 0 {
			o.Set("prefixItems", list)
		}
		if rest != nil {
			o.Set("items", rest)
		}
	}
	if isBoolean(o.Get("required")) {
		o.Delete("required")
	}
	return o
}
