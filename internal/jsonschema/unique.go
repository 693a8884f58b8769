package jsonschema

import (
	"cmp"
	"slices"
	"strconv"

	"hyperstudy-endpoint/internal/jsontree"
)

// hasDuplicates reports whether two of the values are equal, in time that grows
// no faster than their size.
func hasDuplicates(values []*jsontree.Node) bool {
	const few = 8
	if len(values) <= few {
		for i, v := range values {
			if slices.ContainsFunc(values[:i], func(other *jsontree.Node) bool { return jsontree.Equal(v, other) }) {
				return true
			}
		}
		return false
	}
	seen := make(map[string]bool, len(values))
	for _, v := range values {
		key := string(appendKey(nil, v))
		if seen[key] {
			return true
		}
		seen[key] = true
	}
	return false
}

// appendKey appends a text that equal values have in common, and no others.
func appendKey(key []byte, n *jsontree.Node) []byte {
	key = append(key, byte(n.Kind))
	switch n.Kind {
	case jsontree.Number:
		key = appendText(key, jsontree.Normal(n.Text))
	case jsontree.Array:
		key = appendCount(key, len(n.Items))
		for _, item := range n.Items {
			key = appendKey(key, item)
		}
	case jsontree.Object:
		members := slices.SortedFunc(slices.Values(n.Members), func(a, b jsontree.Member) int { return cmp.Compare(a.Name, b.Name) })
		key = appendCount(key, len(members))
		for _, m := range members {
			key = appendKey(appendText(key, m.Name), m.Value)
		}
	default:
		key = appendText(key, n.Text)
	}
	return key
}

// appendText appends a text in such a way that its end can be told.
func appendText(key []byte, text string) []byte { return append(appendCount(key, len(text)), text...) }

func appendCount(key []byte, n int) []byte { return append(strconv.AppendInt(key, int64(n), 10), ':') }
