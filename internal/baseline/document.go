package baseline

import (
	"errors"
	"net/url"
	"strconv"
	"strings"
)

// maxSchemaBytes bounds the text of a schema, so that reading it takes no more
// than a few milliseconds.
const maxSchemaBytes = 128 << 10

var (
	errTooLarge = errors.New("its schema is larger than 128 KiB")
	errRef      = errors.New("its schema has a $ref to something outside of it or not there")
)

// A document is a schema and what its references point to.
type document struct {
	root    any
	id      string
	anchors map[string]any      // by name; nil until the first is asked for
	refs    map[string]*schema  // by reference
	read    map[*object]*schema // by where they stand, so that none is read twice

	patterns    map[string]*pattern // by expression
	patternSize int                 // of all of them together
}

// parseDocument reads a schema. References are read when they are followed.
func parseDocument(data []byte) (*document, *schema, error) {
	if len(data) > maxSchemaBytes {
		return nil, nil, errTooLarge
	}
	root, err := decodeValue(data)
	if err != nil {
		return nil, nil, err
	}
	doc := &document{root: root, refs: map[string]*schema{}, read: map[*object]*schema{}, patterns: map[string]*pattern{}}
	if o, ok := root.(*object); ok {
		doc.id, _ = o.values["$id"].(string)
	}
	s, err := doc.resolve("#")
	return doc, s, err
}

// resolve returns the schema that a reference points to: the document itself,
// a JSON pointer into it, or an anchor.
func (d *document) resolve(ref string) (*schema, error) {
	if s, ok := d.refs[ref]; ok {
		return s, nil
	}
	target, ok := d.lookUp(ref)
	if !ok {
		return nil, errRef
	}
	s, err := d.parse(target)
	if err != nil {
		return nil, err
	}
	d.refs[ref] = s
	return s, nil
}

func (d *document) lookUp(ref string) (any, bool) {
	base, fragment, _ := strings.Cut(ref, "#")
	if base != "" && base != strings.TrimSuffix(d.id, "#") {
		return nil, false
	}
	fragment, err := url.PathUnescape(fragment)
	switch {
	case err != nil:
		return nil, false
	case fragment == "":
		return d.root, true
	case fragment[0] != '/':
		if d.anchors == nil {
			d.anchors = map[string]any{}
			d.findAnchors(d.root)
		}
		v, ok := d.anchors[fragment]
		return v, ok
	}
	return follow(d.root, strings.Split(fragment[1:], "/"))
}

// follow walks along a JSON pointer (RFC 6901).
func follow(v any, path []string) (any, bool) {
	unescape := strings.NewReplacer("~1", "/", "~0", "~")
	for _, step := range path {
		switch at := v.(type) {
		case *object:
			next, ok := at.values[unescape.Replace(step)]
			if !ok {
				return nil, false
			}
			v = next
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i < 0 || i >= len(at) {
				return nil, false
			}
			v = at[i]
		default:
			return nil, false
		}
	}
	return v, true
}

func (d *document) findAnchors(v any) {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			d.findAnchors(item)
		}
	case *object:
		for _, keyword := range []string{"$anchor", "$dynamicAnchor"} {
			name, ok := v.values[keyword].(string)
			if _, taken := d.anchors[name]; ok && !taken {
				d.anchors[name] = v
			}
		}
		for _, name := range v.names {
			d.findAnchors(v.values[name])
		}
	}
}
