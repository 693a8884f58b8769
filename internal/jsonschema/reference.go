package jsonschema

import (
	"net/url"
	"strings"

	"hyperstudy-endpoint/internal/jsontree"
)

// reference reads $ref.
func (c *compiler) reference(p *place, v *jsontree.Node) *Error {
	if err := mustBe(jsontree.String, v, "/$ref"); err != nil {
		return p.locate(err)
	}
	u, err := url.Parse(v.Text)
	if err != nil {
		return p.locate(notValid("/$ref", "a reference"))
	}
	if c.idle {
		return nil // where it leads makes no difference
	}
	target, fault := c.resolve(p, u)
	if fault != nil {
		return fault
	}
	p.schema.Ref = c.use(target)
	return nil
}

// readDynamic reads a reference that is resolved when a value is there.
func (c *compiler) readDynamic(v *jsontree.Node, at string) *Error {
	if c.idle {
		return mustBe(jsontree.String, v, at)
	}
	return &Error{at, "is not supported; use $ref"}
}

// resolve returns the place that a reference at p leads to.
func (c *compiler) resolve(p *place, ref *url.URL) (*place, *Error) {
	const at = "/$ref"
	uri := p.uri
	if *withoutFragment(ref) != (url.URL{}) {
		uri = withoutFragment(p.base.ResolveReference(ref)).String()
	}
	resource := c.resources[uri]
	if resource == nil {
		return nil, p.locate(&Error{at, "refers to another document; only references within the schema are supported"})
	}
	n := resource.node
	switch {
	case ref.Fragment == "":
	case strings.HasPrefix(ref.Fragment, "/"):
		if found, err := c.follow(resource, tokens(ref.Fragment)); found != nil || err != nil {
			return found, err
		}
		n = nil
	default:
		n = c.anchors[anchorKey{uri, ref.Fragment}]
	}
	if n == nil {
		return nil, p.locate(&Error{at, "has a reference to something it does not hold"})
	}
	return c.byNode[n], nil
}

// follow returns the place that a pointer from p leads to, and nil if there is
// nothing. It becomes a place if it is not one by a keyword that holds schemas.
func (c *compiler) follow(p *place, pointer []string) (*place, *Error) {
	n, at := p.node, ""
	for _, token := range pointer {
		if n = n.Find([]string{token}); n == nil {
			return nil, nil //nolint:nilnil // there is nothing, which the caller words
		}
		at += jsontree.Pointer(token)
		if inner := c.byNode[n]; inner != nil {
			p, at = inner, ""
		}
	}
	err := c.collect(n, p, at)
	return c.byNode[n], err
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
