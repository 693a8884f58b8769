package toolcall

import (
	"encoding/json"
	"math/big"
	"strconv"
	"strings"
)

// A valueKind is the type of a JSON value. The kinds are bits, so that a set of
// them is their union.
type valueKind uint8

const (
	kindNull valueKind = 1 << iota
	kindBoolean
	kindNumber
	kindString
	kindArray
	kindObject

	anyKind = kindNull | kindBoolean | kindNumber | kindString | kindArray | kindObject
)

// A node is one value of a [document] and the place where it is written.
type node struct {
	kind       valueKind
	start, end int
	text       string // of a string: what it says; of a number or a boolean: how it is written
	items      []*node
	members    []member
	indexes    map[string]int // of the members by name, once there are many
}

// A member is one name and value of an object.
type member struct {
	name  string
	start int // offset of the quote that opens the name
	value *node
}

// A document is a JSON text and the values in it.
type document struct {
	text string
	root *node
}

const (
	maxNumberLength = 512
	maxExponent     = 400 // more than any IEEE 754 double has
)

// reasonable reports whether the value of a JSON number can be computed
// exactly at little cost.
func reasonable(number string) bool {
	if len(number) > maxNumberLength {
		return false
	}
	_, exp, found := strings.Cut(strings.ToLower(number), "e")
	if !found {
		return true
	}
	n, err := strconv.Atoi(exp)
	return err == nil && -maxExponent <= n && n <= maxExponent
}

// isNumber reports whether s is exactly one JSON number of reasonable size.
func isNumber(s string) bool {
	return s != "" && strings.IndexByte("-0123456789", s[0]) >= 0 && json.Valid([]byte(s)) &&
		strings.TrimRight(s, " \t\r\n") == s && reasonable(s)
}

// value returns the node as encoding/json would decode it, numbers as [json.Number].
func (n *node) value() any {
	switch n.kind {
	case kindNull:
		return nil
	case kindBoolean:
		return n.text == "true"
	case kindNumber:
		return json.Number(n.text)
	case kindString:
		return n.text
	case kindArray:
		items := make([]any, len(n.items))
		for i, item := range n.items {
			items[i] = item.value()
		}
		return items
	default:
		members := make(map[string]any, len(n.members))
		for _, m := range n.members {
			members[m.name] = m.value.value()
		}
		return members
	}
}

// get returns the value of the member of that name, and nil if there is none.
func (n *node) get(name string) *node {
	if i := n.index(name); i >= 0 {
		return n.members[i].value
	}
	return nil
}

// index returns the place of the member of that name, and -1 if there is none.
func (n *node) index(name string) int {
	if n.indexes != nil {
		if i, ok := n.indexes[name]; ok {
			return i
		}
		return -1
	}
	for i := range n.members {
		if n.members[i].name == name {
			return i
		}
	}
	return -1
}

// add appends a member.
func (n *node) add(m member) {
	const few = 8
	n.members = append(n.members, m)
	switch {
	case n.indexes != nil:
		n.indexes[m.name] = len(n.members) - 1
	case len(n.members) > few:
		n.indexes = make(map[string]int, 2*len(n.members))
		for i := range n.members {
			n.indexes[n.members[i].name] = i
		}
	}
}

// find follows a path of names and indexes. It returns nil where there is nothing.
func (n *node) find(path []string) *node {
	for _, token := range path {
		switch {
		case n == nil:
			return nil
		case n.kind == kindArray:
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= len(n.items) {
				return nil
			}
			n = n.items[i]
		default:
			n = n.get(token)
		}
	}
	return n
}

// rat returns the exact value of a number.
func (n *node) rat() *big.Rat {
	r, ok := new(big.Rat).SetString(n.text)
	if !ok {
		return new(big.Rat)
	}
	return r
}

// equal reports whether two nodes are the same JSON value: the order of members
// and the spelling of numbers do not count.
func equal(a, b *node) bool {
	if a.kind != b.kind || len(a.items) != len(b.items) || len(a.members) != len(b.members) {
		return false
	}
	switch a.kind {
	case kindNumber:
		return a.text == b.text || a.rat().Cmp(b.rat()) == 0
	case kindArray:
		for i := range a.items {
			if !equal(a.items[i], b.items[i]) {
				return false
			}
		}
	case kindObject:
		for _, m := range a.members {
			if v := b.get(m.name); v == nil || !equal(m.value, v) {
				return false
			}
		}
	default:
		return a.text == b.text
	}
	return true
}

// pointer writes a path as a JSON pointer (RFC 6901).
func pointer(path []string) string {
	var b strings.Builder
	for _, token := range path {
		b.WriteByte('/')
		b.WriteString(pointerEscapes.Replace(token))
	}
	return b.String()
}

var pointerEscapes = strings.NewReplacer("~", "~0", "/", "~1")
