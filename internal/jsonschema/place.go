package jsonschema

import (
	"net/url"
	"strconv"
	"strings"

	"hyperstudy-endpoint/internal/jsontree"
)

// A place is where a document holds a subschema.
type place struct {
	node    *jsontree.Node
	parent  *place // nil for the document itself
	at      string // pointer from there
	dialect dialect
	base    *url.URL // without a fragment
	uri     string   // the base, written out
	schema  *Schema
	used    bool // it applies to some value
}

// pointer returns the pointer from the document. It is put together only for an
// error, since a schema with long names can have thousands of long pointers.
func (p *place) pointer() string {
	if p.parent == nil {
		return p.at
	}
	return p.parent.pointer() + p.at
}

// locate completes an error whose pointer begins at the place.
func (p *place) locate(err *Error) *Error {
	err.Pointer = p.pointer() + err.Pointer
	return err
}

// unnamed is the URI of a schema that says none: a name that cannot exist (RFC 6761).
const unnamed = "https://schema.invalid/"

// maxURI bounds the URIs that ids make, each of which references are resolved against.
const maxURI = 2000

// collect registers the subschema in n and all within it, and the names by which
// they can be referred to. It is at a pointer from the parent, whose base and
// dialect it has unless it says otherwise.
func (c *compiler) collect(n *jsontree.Node, parent *place, at string) *Error {
	if c.byNode[n] != nil {
		return nil
	}
	if len(c.places) == maxSubschemas {
		return &Error{Reason: "has more than " + strconv.Itoa(maxSubschemas) + " subschemas"}
	}
	p := &place{node: n, parent: parent, at: at, dialect: parent.dialect, base: parent.base, uri: parent.uri, schema: &Schema{}}
	c.byNode[n] = p
	c.places = append(c.places, p)
	if err := c.name(p); err != nil {
		return p.locate(err)
	}
	for _, m := range n.Members {
		if !p.dialect.has(m.Name) {
			continue
		}
		for _, sub := range subschemas(m) {
			if err := c.collect(sub.node, p, sub.at); err != nil {
				return err
			}
		}
	}
	return nil
}

// A located subschema is one at a pointer from the schema that it is in.
type located struct {
	node *jsontree.Node
	at   string
}

// subschemas returns the subschemas in the value of a keyword, and where they are.
func subschemas(keyword jsontree.Member) []located {
	v, at := keyword.Value, jsontree.Pointer(keyword.Name)
	var subs []located
	switch holds(keyword.Name) {
	case oneSchema:
		if keyword.Name != "items" || v.Kind != jsontree.Array { // before 2020-12 it was one or the other
			return []located{{v, at}}
		}
		fallthrough
	case schemaArray:
		for i, item := range v.Items {
			subs = append(subs, located{item, at + "/" + strconv.Itoa(i)})
		}
	case schemaMap:
		for _, m := range v.Members {
			if keyword.Name != "dependencies" || m.Value.Kind != jsontree.Array {
				subs = append(subs, located{m.Value, at + jsontree.Pointer(m.Name)})
			}
		}
	case noSchema:
	}
	return subs
}

// A holding is how the value of a keyword holds subschemas.
type holding int

const (
	noSchema holding = iota
	oneSchema
	schemaArray
	schemaMap
)

func holds(keyword string) holding {
	switch keyword {
	case "additionalItems", "additionalProperties", "contains", "contentSchema", "else", "if", "items", "not",
		"propertyNames", "then", "unevaluatedItems", "unevaluatedProperties":
		return oneSchema
	case "allOf", "anyOf", "oneOf", "prefixItems":
		return schemaArray
	case "$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties":
		return schemaMap
	default:
		return noSchema
	}
}

// name reads what the schema at p is called, and its dialect if it says one. Errors
// are at a pointer from p.
func (c *compiler) name(p *place) *Error {
	if p.dialect.refAlone() && isString(p.node.Get("$ref")) {
		return nil
	}
	keyword := "$id"
	if p.dialect == draft04 {
		keyword = "id"
	}
	if id := p.node.Get(keyword); isString(id) {
		if err := c.identify(p, keyword, id.Text); err != nil {
			return err
		}
	}
	for _, keyword := range []string{"$anchor", "$dynamicAnchor"} {
		if anchor := p.node.Get(keyword); isString(anchor) && p.dialect.has(keyword) {
			if !isPlainName(anchor.Text) {
				return notValid("/"+keyword, "a plain name")
			}
			if err := c.anchor(p, keyword, anchor.Text); err != nil {
				return err
			}
		}
	}
	return nil
}

// isPlainName reports whether s may be an anchor: section 8.2.2 of draft 2020-12's core
// specification. The colon was there up to draft 2019-09.
func isPlainName(s string) bool {
	return s != "" && (isLetter(s[0]) || s[0] == '_') && madeOf(s, letters("-._:"))
}

// identify registers the schema at p under its id.
func (c *compiler) identify(p *place, keyword, id string) *Error {
	at := "/" + keyword
	u, err := url.Parse(id)
	if err != nil {
		return notValid(at, "a URI")
	}
	fragment := u.Fragment
	if fragment != "" && !p.dialect.refAlone() {
		return notValid(at, "a URI without a fragment")
	}
	if id != "" && !strings.HasPrefix(id, "#") {
		p.base = withoutFragment(p.base.ResolveReference(u))
		p.uri = p.base.String()
		p.dialect = dialectOf(p.node.Get("$schema"), p.dialect)
		if len(p.uri) > maxURI {
			return &Error{at, "is too long an id"}
		}
		if taken := c.resources[p.uri]; taken != nil && taken != p {
			return &Error{at, "is the id of another part of the schema as well"}
		}
		c.resources[p.uri] = p
	}
	if fragment == "" {
		return nil
	}
	return c.anchor(p, keyword, fragment)
}

// anchor registers the schema at p under a plain name.
func (c *compiler) anchor(p *place, keyword, name string) *Error {
	at := "/" + keyword
	if name == "" || strings.HasPrefix(name, "/") {
		return notValid(at, "a plain name")
	}
	key := anchorKey{p.uri, name}
	if taken := c.anchors[key]; taken != nil && taken != p.node {
		return &Error{at, "is the name of another part of the schema as well"}
	}
	c.anchors[key] = p.node
	return nil
}

func isString(n *jsontree.Node) bool { return n != nil && n.Kind == jsontree.String }
