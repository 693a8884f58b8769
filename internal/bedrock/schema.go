package bedrock

import (
	"bytes"
	"encoding/json"
	"net/url"
	"slices"
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
	work    int // bytes read again because of references and combinators

	found  map[string]json.RawMessage // what references lead to, nil if nowhere
	nodes  map[string]*node           // by pointer: the values on the way there
	inners map[string]openai.Object   // targets of references that were inlined
}

// Limits on what references may make of a schema: those that lead to references
// can make much out of little.
const (
	maxSchema = 512 << 10 // bytes written
	maxWork   = 4 << 20
	maxPath   = 64 // references within one another
)

// spend counts work, so that it ends.
func (s *schema) spend(n int) error {
	if s.work += n; s.work > maxWork {
		return errSize
	}
	return nil
}

// value changes a schema that stands somewhere within another. The references
// that led here are in path.
func (s *schema) value(raw json.RawMessage, path []string) (json.RawMessage, error) {
	if !isObject(raw) {
		if isBoolean(raw) {
			return raw, nil
		}
		return nil, errKeyword
	}
	o, err := openai.SplitObject(raw)
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
	before := s.size
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
	if s.size = before + len(raw); err == nil && s.size > maxSchema { // raw has what was written within
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
	o, err := openai.SplitObject(m.Value)
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
		if len(path) == maxPath {
			return o, path, errDepth
		}
		inner, err := s.inner(ref, target)
		if err != nil {
			return o, path, err
		}
		for _, m := range rest.Members() {
			inner.Set(m.Name, m.Value)
		}
		o, path = inner, append(slices.Clone(path), ref)
	}
	return o, path, nil
}

// inner is a copy of the target of a reference, which is parsed once.
func (s *schema) inner(ref string, target json.RawMessage) (openai.Object, error) {
	const member = 64 // what a member costs, in bytes read
	inner, ok := s.inners[ref]
	if !ok {
		o, err := openai.SplitObject(target)
		if err != nil {
			return o, errReference
		}
		inner = modern(o)
		if s.inners == nil {
			s.inners = map[string]openai.Object{}
		}
		s.inners[ref] = inner
	}
	return inner.Clone(), s.spend(member * (1 + len(inner.Members())))
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
