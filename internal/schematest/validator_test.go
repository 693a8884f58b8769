package schematest

import (
	"slices"
	"strings"
)

// A judge is a compiled schema: it decides about the text of a value. The error says why it cannot.
type judge func(value string) (verdict, error)

// A verdict is what a validator says about a value.
type verdict struct {
	valid bool
	// leaves are the violations that no other one consists of, each as a pointer
	// and a keyword, in order. That no branch of a union is valid is one leaf, with
	// those of its branches in it.
	leaves []string
	// incomplete says that some leaves may hide others.
	incomplete bool
}

// union writes a leaf about branches none of which is valid.
func union(at, keyword string, branches [][]string) string {
	var parts []string
	for _, branch := range branches {
		parts = append(parts, strings.Join(branch, ", "))
	}
	return at + " " + keyword + " {" + strings.Join(parts, " | ") + "}"
}

// propertyName writes a leaf about the name of a property. Where it is cannot be compared.
func propertyName(name string) string { return "* propertyNames " + name }

// sorted returns the list in order, and everything in it once.
func sorted(list []string) []string {
	slices.Sort(list)
	return slices.Compact(list)
}
