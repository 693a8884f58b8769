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
	pointer string
	dialect dialect
	base    *url.URL // without a fragment
	schema  Schema
}

// unnamed is the URI of a schema that says none: a name that cannot exist (RFC 6761).
const unnamed = "https://schema.invalid/"

// collect registers the subschema in n and all within it, and the names by which
// they can be referred to.
func (c *compiler) collect(n *jsontree.Node, pointer string, base *url.URL, d dialect) *Error {
	if c.byNode[n] != nil {
		return nil
	}
	if len(c.places) == maxSubschemas {
		return &Error{Reason: "has more than " + strconv.Itoa(maxSubschemas) + " subschemas"}
	}
	p := &place{node: n, pointer: pointer, dialect: d, base: base}
	c.byNode[n] = p
	c.places = append(c.places, p)
	if err := c.name(p); err != nil {
		return err
	}
	for _, m := range n.Members {
		if !p.dialect.has(m.Name) {
			continue
		}
		for _, sub := range subschemas(m) {
			if err := c.collect(sub.node, pointer+sub.pointer, p.base, p.dialect); err != nil {
				return err
			}
		}
	}
	return nil
}

// subschemas returns the subschemas in the value of a keyword, and where they are.
func subschemas(keyword jsontree.Member) []place {
	v, at := keyword.Value, jsontree.Pointer(keyword.Name)
	var subs []place
	switch holds(keyword.Name) {
	case oneSchema:
		if keyword.Name != "items" || v.Kind != jsontree.Array { // before 2020-12 it was one or the other
			return []place{{node: v, pointer: at}}
		}
		fallthrough
	case schemaArray:
		for i, item := range v.Items {
			subs = append(subs, place{node: item, pointer: at + "/" + strconv.Itoa(i)})
		}
	case schemaMap:
		for _, m := range v.Members {
			if keyword.Name != "dependencies" || m.Value.Kind != jsontree.Array {
				subs = append(subs, place{node: m.Value, pointer: at + jsontree.Pointer(m.Name)})
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

// name reads what the schema at p is called, and its dialect if it says one.
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
				return notValid(p.pointer+"/"+keyword, "a plain name")
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
	at := p.pointer + "/" + keyword
	u, err := url.Parse(id)
	if err != nil {
		return notValid(at, "a URI")
	}
	fragment := u.Fragment
	if fragment != "" && !p.dialect.refAlone() {
		return notValid(at, "a URI without a fragment")
	}
	base := withoutFragment(p.base.ResolveReference(u))
	if id != "" && !strings.HasPrefix(id, "#") {
		p.base = base
		p.dialect = dialectOf(p.node.Get("$schema"), p.dialect)
		if taken := c.resources[base.String()]; taken != nil && taken != p.node {
			return &Error{at, "is the id of another part of the schema as well"}
		}
		c.resources[base.String()] = p.node
	}
	if fragment == "" {
		return nil
	}
	return c.anchor(p, keyword, fragment)
}

// anchor registers the schema at p under a plain name.
func (c *compiler) anchor(p *place, keyword, name string) *Error {
	at := p.pointer + "/" + keyword
	if name == "" || strings.HasPrefix(name, "/") {
		return notValid(at, "a plain name")
	}
	key := p.base.String() + "#" + name
	if taken := c.anchors[key]; taken != nil && taken != p.node {
		return &Error{at, "is the name of another part of the schema as well"}
	}
	c.anchors[key] = p.node
	return nil
}

// resolve returns the place that a reference at p leads to.
func (c *compiler) resolve(p *place, keyword, ref string) (*place, *Error) {
	at := p.pointer + "/" + keyword
	u, err := url.Parse(ref)
	if err != nil {
		return nil, notValid(at, "a reference")
	}
	u = p.base.ResolveReference(u)
	base := withoutFragment(u)
	n := c.resources[base.String()]
	if n == nil {
		return nil, &Error{at, "refers to another document; only references within the schema are supported"}
	}
	root, pointer := c.byNode[n], ""
	switch {
	case u.Fragment == "":
	case strings.HasPrefix(u.Fragment, "/"):
		n, pointer = n.Find(tokens(u.Fragment)), u.Fragment
	default:
		n = c.anchors[base.String()+"#"+u.Fragment]
	}
	if n == nil {
		return nil, &Error{at, "has a reference to something it does not hold"}
	}
	if c.byNode[n] == nil { // not the value of a keyword that holds schemas
		if err := c.collect(n, root.pointer+pointer, root.base, root.dialect); err != nil {
			return nil, err
		}
	}
	return c.byNode[n], nil
}

// tokens splits a JSON pointer into names and indexes.
func tokens(pointer string) []string {
	list := strings.Split(pointer, "/")[1:]
	for i, token := range list {
		list[i] = strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
	}
	return list
}

func withoutFragment(u *url.URL) *url.URL {
	bare := *u
	bare.Fragment, bare.RawFragment = "", ""
	return &bare
}

func isString(n *jsontree.Node) bool { return n != nil && n.Kind == jsontree.String }
