package jsonschema

import (
	"net/url"
	"strings"

	"hyperstudy-endpoint/internal/jsontree"
)

// A compiler compiles one document.
type compiler struct {
	places        []*place // in the order of the document
	byNode        map[*jsontree.Node]*place
	used          []*place          // those that apply to some value
	idle          bool              // what is compiled is of no use: only its form counts
	resources     map[string]*place // by URI
	anchors       map[anchorKey]*jsontree.Node
	patterns      map[string]*Pattern
	patternEffort int
}

// An anchorKey is the URI of a resource and a plain name in it.
type anchorKey struct{ uri, name string }

// Compile compiles a JSON Schema. The error is an *[Error].
func Compile(text string) (*Schema, error) {
	doc, bad := jsontree.Parse(text, jsontree.Limits{Depth: maxDepth, Values: maxValues})
	if bad != nil {
		return nil, &Error{bad.Pointer, bad.Message}
	}
	s, err := compile(doc.Root)
	if err != nil {
		return nil, err
	}
	s.Memory += len(text) // which names and strings are parts of
	return s, nil
}

func compile(root *jsontree.Node) (*Schema, *Error) {
	base, _ := url.Parse(unnamed) // a constant
	c := &compiler{
		byNode:    map[*jsontree.Node]*place{},
		resources: map[string]*place{},
		anchors:   map[anchorKey]*jsontree.Node{},
		patterns:  map[string]*Pattern{},
	}
	outside := &place{dialect: dialectOf(root.Get("$schema"), draft2020), base: base, uri: unnamed}
	if err := c.collect(root, outside, ""); err != nil {
		return nil, err
	}
	c.resources[unnamed] = c.places[0]
	if err := c.compileAll(); err != nil {
		return nil, err
	}
	if err := c.analyse(); err != nil {
		return nil, err
	}
	s := c.places[0].schema
	s.PatternEffort = c.patternEffort
	const perValue, perSchema, perEffort = 150, 1000, 100
	s.Memory = perValue*root.Size() + perSchema*len(c.places) + perEffort*c.patternEffort
	return s, nil
}

// compileAll compiles what applies to values, beginning with the document itself,
// and checks the form of the rest, such as definitions that nothing refers to.
func (c *compiler) compileAll() *Error {
	c.use(c.places[0])
	for i := 0; i < len(c.used); i++ { // each may bring others into use
		if err := c.compile(c.used[i]); err != nil {
			return err
		}
	}
	c.idle = true
	for _, p := range c.places {
		if !p.used {
			if err := c.compile(p); err != nil {
				return err
			}
		}
	}
	return nil
}

// use returns the schema at p, which may not be filled in yet.
func (c *compiler) use(p *place) *Schema {
	if !c.idle && !p.used {
		p.used = true
		c.used = append(c.used, p)
	}
	return p.schema
}

// compile fills in the schema at p. Subschemas are places of their own.
func (c *compiler) compile(p *place) *Error {
	s := p.schema
	s.MinLength, s.MaxLength, s.MinItems, s.MaxItems = noLimit, noLimit, noLimit, noLimit
	s.MinProperties, s.MaxProperties, s.MinContains, s.MaxContains = noLimit, noLimit, noLimit, noLimit
	switch p.node.Kind {
	case jsontree.Object:
	case jsontree.Boolean:
		s.Never = p.node.Text == "false"
		return nil
	default:
		return p.locate(notValid("", "an object or a boolean"))
	}
	if ref := p.node.Get("$ref"); isString(ref) && p.dialect.refAlone() {
		return c.reference(p, ref)
	}
	for _, m := range p.node.Members {
		if !p.dialect.has(m.Name) {
			continue
		}
		if m.Name == "$ref" {
			if err := c.reference(p, m.Value); err != nil {
				return err
			}
		} else if err := c.keyword(p, m.Name, m.Value); err != nil {
			return p.locate(err)
		}
	}
	p.settle()
	return nil
}

// keyword reads one keyword of the schema at p, except $ref. Names that are none
// say nothing. Errors are at a pointer from p.
func (c *compiler) keyword(p *place, name string, v *jsontree.Node) *Error {
	s, at := p.schema, jsontree.Pointer(name)
	if field := s.one(name); field != nil {
		switch {
		case name == "items" && v.Kind == jsontree.Array:
			return c.itemList(p, v, at)
		case !p.ignores(name):
			*field = c.schema(v)
		}
		return nil // it is checked at its own place
	}
	if field := s.listed(name); field != nil {
		return c.list(field, v, at)
	}
	if field := s.count(name); field != nil {
		return readCount(field, v, at)
	}
	if field := s.bound(name); field != nil {
		if p.dialect == draft04 && strings.HasPrefix(name, "exclusive") {
			return mustBe(jsontree.Boolean, v, at) // settle sees to it
		}
		return readBound(field, name, v, at)
	}
	switch name {
	case "$dynamicRef", "$recursiveRef":
		return c.readDynamic(v, at)
	case "type":
		return s.Types.read(v, at)
	case "const":
		s.Const = v
	case "enum":
		return readEnum(s, v, at)
	case "required":
		return readNames(&s.Required, v, at)
	case "uniqueItems":
		s.UniqueItems = v.Text == "true"
		return mustBe(jsontree.Boolean, v, at)
	case "format":
		s.Format = formatNamed(v.Text)
		return mustBe(jsontree.String, v, at)
	case "pattern":
		return c.readPattern(s, v, at)
	case "properties", "patternProperties", "dependentSchemas", "dependencies", "dependentRequired", "$defs", "definitions":
		return c.mapped(s, name, v, at)
	default:
		return annotation(name, v, at)
	}
	return nil
}

// ignores reports whether a keyword says nothing for want of another one.
func (p *place) ignores(keyword string) bool {
	switch keyword {
	case "then", "else":
		return p.node.Get("if") == nil
	case "additionalItems":
		items := p.node.Get("items")
		return items == nil || items.Kind != jsontree.Array
	}
	return false
}

// schema returns the schema in n, which may not be filled in yet.
func (c *compiler) schema(n *jsontree.Node) *Schema { return c.use(c.byNode[n]) }

func (c *compiler) list(field *[]*Schema, v *jsontree.Node, at string) *Error {
	if v.Kind != jsontree.Array || len(v.Items) == 0 {
		return notValid(at, "an array of schemas")
	}
	for _, item := range v.Items {
		*field = append(*field, c.schema(item))
	}
	return nil
}

// itemList reads the form of items that is called prefixItems now.
func (c *compiler) itemList(p *place, v *jsontree.Node, at string) *Error {
	if p.dialect >= draft2020 {
		return notValid(at, "an object or a boolean; schemas for the first items are in prefixItems")
	}
	return c.list(&p.schema.PrefixItems, v, at)
}

// mapped reads the keywords whose members have names of the author's.
func (c *compiler) mapped(s *Schema, name string, v *jsontree.Node, at string) *Error {
	if err := mustBe(jsontree.Object, v, at); err != nil {
		return err
	}
	for _, m := range v.Members {
		if err := c.member(s, name, m, at+jsontree.Pointer(m.Name)); err != nil {
			return err
		}
	}
	return nil
}

func (c *compiler) member(s *Schema, keyword string, m jsontree.Member, at string) *Error {
	switch keyword {
	case "properties":
		if s.Properties == nil {
			s.Properties = map[string]*Schema{}
		}
		s.Properties[m.Name] = c.schema(m.Value)
	case "patternProperties":
		re, err := c.pattern(m.Name, at)
		if err != nil {
			return err
		}
		s.PatternProperties = append(s.PatternProperties, PatternSchema{re, c.schema(m.Value)})
	case "dependentRequired", "dependencies", "dependentSchemas":
		d := Dependent{Property: m.Name}
		if keyword == "dependentRequired" || keyword == "dependencies" && m.Value.Kind == jsontree.Array {
			if err := readNames(&d.Required, m.Value, at); err != nil {
				return err
			}
		} else {
			d.Schema = c.schema(m.Value)
		}
		s.Dependent = append(s.Dependent, d)
	}
	return nil
}

func (c *compiler) readPattern(s *Schema, v *jsontree.Node, at string) (err *Error) {
	if err := mustBe(jsontree.String, v, at); err != nil {
		return err
	}
	s.Pattern, err = c.pattern(v.Text, at)
	return err
}

// pattern compiles a pattern, each once.
func (c *compiler) pattern(source, at string) (*Pattern, *Error) {
	if p := c.patterns[source]; p != nil {
		return p, nil
	}
	p, err := compilePattern(source)
	if err == nil && c.patternEffort+p.effort > MaxPatternEffort {
		err = errPatternSize
	}
	if err != nil {
		return nil, &Error{at, err.Error()}
	}
	c.patternEffort += p.effort
	c.patterns[source] = p
	return p, nil
}

// settle brings what earlier dialects say otherwise into the one form, and lets
// go of what says nothing.
func (p *place) settle() {
	s := p.schema
	if p.dialect == draft04 { // whether the limit is exclusive is said beside it
		if exclusive := p.node.Get("exclusiveMinimum"); exclusive != nil && exclusive.Text == "true" {
			s.Minimum, s.ExclusiveMinimum = nil, s.Minimum
		}
		if exclusive := p.node.Get("exclusiveMaximum"); exclusive != nil && exclusive.Text == "true" {
			s.Maximum, s.ExclusiveMaximum = nil, s.Maximum
		}
	}
	if p.dialect < draft2020 && s.PrefixItems != nil {
		s.Items, s.restItems = s.additionalItems, true
	}
	if s.MinContains == noLimit {
		s.MinContains = 1
	}
	s.containsEvaluates = p.dialect >= draft2020
	s.price()
}
