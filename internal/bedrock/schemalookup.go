package bedrock

import (
	"bytes"
	"encoding/json"
	"net/url"
	"strconv"
	"strings"

	"hyperstudy-endpoint/internal/openai"
)

// A node is a value of a schema, taken apart.
type node struct {
	value  json.RawMessage
	list   []json.RawMessage
	object openai.Object
}

func newNode(value json.RawMessage) *node {
	n := &node{value: value}
	if bytes.HasPrefix(value, []byte("[")) {
		n.list = listOf(value)
	} else if o, err := openai.SplitObject(value); err == nil {
		n.object = o
	}
	return n
}

// step returns a member or an element, or nil.
func (n *node) step(name string) json.RawMessage {
	if n.list == nil {
		return n.object.Get(name)
	}
	if i, err := strconv.Atoi(name); err == nil && i >= 0 && i < len(n.list) {
		return n.list[i]
	}
	return nil
}

// lookup returns the part of the schema that a reference leads to, or nil.
func (s *schema) lookup(ref json.RawMessage) json.RawMessage {
	if target, ok := s.found[string(ref)]; ok {
		return target
	}
	target := s.find(ref)
	if s.found == nil {
		s.found = map[string]json.RawMessage{}
	}
	s.found[string(ref)] = target
	return target
}

// find follows a reference. Every value on the way is taken apart once.
func (s *schema) find(ref json.RawMessage) json.RawMessage {
	var pointer string
	if json.Unmarshal(ref, &pointer) != nil || !strings.HasPrefix(pointer, "#") {
		return nil
	}
	pointer, err := url.PathUnescape(pointer[1:])
	if err != nil || pointer != "" && pointer[0] != '/' {
		return nil
	}
	at, end := s.root, 0
	for end < len(pointer) {
		from := s.node(pointer[:end], at)
		start := end + 1
		if n := strings.IndexByte(pointer[start:], '/'); n >= 0 {
			end = start + n
		} else {
			end = len(pointer)
		}
		if at = from.step(slashes.Replace(pointer[start:end])); at == nil {
			return nil
		}
	}
	if !isObject(at) && !isBoolean(at) {
		return nil
	}
	return at
}

// node returns the value at a pointer, taken apart.
func (s *schema) node(pointer string, value json.RawMessage) *node {
	if n, ok := s.nodes[pointer]; ok {
		return n
	}
	if s.nodes == nil {
		s.nodes = map[string]*node{}
	}
	n := newNode(value)
	s.nodes[pointer] = n
	return n
}
