package jsontree

import (
	"strconv"
	"strings"
)

// A Kind is the type of a JSON value. The kinds are bits, so that a set of them
// is their union.
type Kind uint8

// The kinds of values.
const (
	Null Kind = 1 << iota
	Boolean
	Number
	String
	Array
	Object

	Any = Null | Boolean | Number | String | Array | Object
)

// Names returns the names that JSON Schema has for the kinds in the set, in a
// fixed order.
func (k Kind) Names() []string {
	var names []string
	for i, name := range [...]string{"null", "boolean", "number", "string", "array", "object"} {
		if k&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return names
}

// A Node is one value of a [Document] and the place where it is written.
type Node struct {
	Kind       Kind
	Start, End int    // offsets in the text
	Text       string // of a string: what it says; of a number or a boolean: how it is written
	Items      []*Node
	Members    []Member
	indexes    map[string]int // of the members by name, once there are many
}

// A Member is one name and value of an object.
type Member struct {
	Name  string
	Start int // offset of the quote that opens the name
	Value *Node
}

// A Document is a JSON text and the values in it.
type Document struct {
	Text string
	Root *Node
}

// Get returns the value of the member of that name, and nil if there is none.
func (n *Node) Get(name string) *Node {
	if i := n.Index(name); i >= 0 {
		return n.Members[i].Value
	}
	return nil
}

// Index returns the place of the member of that name, and -1 if there is none.
func (n *Node) Index(name string) int {
	if n.indexes != nil {
		if i, ok := n.indexes[name]; ok {
			return i
		}
		return -1
	}
	for i := range n.Members {
		if n.Members[i].Name == name {
			return i
		}
	}
	return -1
}

// add appends a member.
func (n *Node) add(m Member) {
	const few = 8
	n.Members = append(n.Members, m)
	switch {
	case n.indexes != nil:
		n.indexes[m.Name] = len(n.Members) - 1
	case len(n.Members) > few:
		n.indexes = make(map[string]int, 2*len(n.Members))
		for i := range n.Members {
			n.indexes[n.Members[i].Name] = i
		}
	}
}

// Find follows a path of names and indexes. It returns nil where there is nothing.
func (n *Node) Find(path []string) *Node {
	for _, token := range path {
		switch {
		case n == nil:
			return nil
		case n.Kind == Array:
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= len(n.Items) || strconv.Itoa(i) != token {
				return nil
			}
			n = n.Items[i]
		default:
			n = n.Get(token)
		}
	}
	return n
}

// Size counts the values in a node, itself included.
func (n *Node) Size() int {
	total := 1
	for _, item := range n.Items {
		total += item.Size()
	}
	for _, m := range n.Members {
		total += m.Value.Size()
	}
	return total
}

// Equal reports whether two nodes are the same JSON value: the order of members
// and the spelling of numbers do not count.
func Equal(a, b *Node) bool {
	if a.Kind != b.Kind || len(a.Items) != len(b.Items) || len(a.Members) != len(b.Members) {
		return false
	}
	switch a.Kind {
	case Number:
		return a.Text == b.Text || Normal(a.Text) == Normal(b.Text)
	case Array:
		for i := range a.Items {
			if !Equal(a.Items[i], b.Items[i]) {
				return false
			}
		}
	case Object:
		for _, m := range a.Members {
			if v := b.Get(m.Name); v == nil || !Equal(m.Value, v) {
				return false
			}
		}
	default:
		return a.Text == b.Text
	}
	return true
}

// Pointer writes a path as a JSON pointer (RFC 6901).
func Pointer(path ...string) string {
	var b strings.Builder
	for _, token := range path {
		b.WriteByte('/')
		for i := range len(token) {
			switch c := token[i]; c {
			case '~':
				b.WriteString("~0")
			case '/':
				b.WriteString("~1")
			default:
				b.WriteByte(c)
			}
		}
	}
	return b.String()
}
