package baseline

import "slices"

// annotations are the keywords that no value can break.
var annotations = []string{
	"$anchor", "$comment", "$defs", "$dynamicAnchor", "$id", "$schema", "default", "definitions", "deprecated",
	"description", "examples", "id", "readOnly", "title", "writeOnly",
}

// readCore reads type, enum, const and references.
func (r *reader) readCore(s *schema) {
	for _, name := range r.obj.names {
		if !slices.Contains(annotations, name) {
			s.keywords = append(s.keywords, name)
		}
	}
	if v, ok := r.obj.values["type"]; ok {
		if name, ok := v.(string); ok {
			v = []any{name}
		}
		s.types = 0
		for _, name := range r.strings("type", v) {
			if typeNames[name] == 0 {
				r.fault("type")
			}
			s.types |= typeNames[name]
		}
	}
	if v, ok := r.obj.values["const"]; ok {
		s.setOptions([]any{v})
	}
	if v, ok := r.obj.values["enum"]; ok {
		options, ok := v.([]any)
		if !ok {
			r.fault("enum")
		}
		if s.hasEnum { // beside a const
			s.allOf = append(s.allOf, enumOf(options))
		} else {
			s.setOptions(options)
		}
	}
	for _, keyword := range []string{"$ref", "$dynamicRef", "$recursiveRef"} {
		if _, ok := r.obj.values[keyword]; ok {
			s.refs = append(s.refs, r.text(keyword))
		}
	}
}

func enumOf(options []any) *schema {
	s := newSchema()
	s.setOptions(options)
	return s
}

// setOptions limits s to some values. One that is given twice counts once.
func (s *schema) setOptions(options []any) {
	s.hasEnum, s.optionKeys = true, map[string]bool{}
	for _, v := range options {
		if key := identity(v); !s.optionKeys[key] {
			s.optionKeys[key] = true
			s.options = append(s.options, v)
		}
	}
}

// readNumeric reads the bounds of numbers. Until draft 4 exclusiveMinimum and
// exclusiveMaximum were booleans that belong to minimum and maximum.
func (r *reader) readNumeric(s *schema) {
	if s.multipleOf = r.rational("multipleOf"); s.multipleOf != nil && s.multipleOf.Sign() <= 0 {
		r.fault("multipleOf")
	}
	s.minimum = r.bound("minimum", "exclusiveMinimum", -1)
	s.maximum = r.bound("maximum", "exclusiveMaximum", 1)
}

// bound reads the two keywords for one end of a range; outward is the sign of
// the direction in which it lies.
func (r *reader) bound(keyword, exclusive string, outward int) *limit {
	var l *limit
	if v := r.rational(keyword); v != nil {
		l = &limit{value: v}
	}
	if _, ok := r.obj.values[exclusive].(bool); ok {
		if l != nil {
			l.exclusive = r.flag(exclusive)
		}
		return l
	}
	if v := r.rational(exclusive); v != nil {
		l = tighter(l, &limit{value: v, exclusive: true}, outward)
	}
	return l
}

// tighter returns the one of two limits that allows less.
func tighter(a, b *limit, outward int) *limit {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	if c := a.value.Cmp(b.value) * outward; c > 0 || c == 0 && b.exclusive {
		return b
	}
	return a
}

func (r *reader) readString(s *schema) {
	s.minLength, s.maxLength = r.count("minLength"), r.count("maxLength")
	s.format = r.text("format")
	if _, ok := r.obj.values["pattern"]; ok {
		s.pattern = r.pattern(r.text("pattern"))
	}
}

func (r *reader) pattern(expression string) *pattern {
	const maxSize = 50_000 // of all patterns together, so that compiling them takes milliseconds
	if p := r.doc.patterns[expression]; p != nil {
		return p
	}
	p, err := newPattern(expression)
	if err == nil {
		r.doc.patterns[expression] = p
		if r.doc.patternSize += p.size; r.doc.patternSize > maxSize {
			err = errPattern
		}
	}
	if err != nil && r.err == nil {
		r.err = err
	}
	return p
}

// readArray reads the keywords of arrays. Until draft 2019-09 a tuple was
// written as items and what follows it as additionalItems.
func (r *reader) readArray(s *schema) {
	s.prefixItems = r.schemas("prefixItems")
	if _, ok := r.obj.values["items"].([]any); ok {
		s.prefixItems = r.schemas("items")
		s.items = r.schema("additionalItems")
	} else {
		s.items = r.schema("items")
	}
	s.minItems, s.maxItems = r.count("minItems"), r.count("maxItems")
	s.uniqueItems = r.flag("uniqueItems")
	if s.contains = r.schema("contains"); s.contains != nil {
		s.minContains, s.maxContains = r.count("minContains"), r.count("maxContains")
		if s.minContains < 0 {
			s.minContains = 1
		}
	}
	s.unevaluatedItems = r.schema("unevaluatedItems")
}

func (r *reader) readObject(s *schema) {
	properties := r.members("properties")
	s.names = properties.names
	s.properties = map[string]*schema{}
	for _, name := range properties.names {
		s.properties[name] = r.parse(properties.values[name])
	}
	byPattern := r.members("patternProperties")
	for _, expression := range byPattern.names {
		if p := r.pattern(expression); p != nil {
			s.patterns = append(s.patterns, patternProperty{p, r.parse(byPattern.values[expression])})
		}
	}
	s.additional = r.schema("additionalProperties")
	s.propertyNames = r.schema("propertyNames")
	s.unevaluatedProps = r.schema("unevaluatedProperties")
	s.minProps, s.maxProps = r.count("minProperties"), r.count("maxProperties")
	// Until draft 3 required was a boolean of the property itself.
	if v, ok := r.obj.values["required"]; ok {
		if _, old := v.(bool); !old {
			s.required = r.strings("required", v)
		}
	}
	r.readDependencies(s)
}

// readDependencies reads dependentRequired, dependentSchemas, and dependencies,
// which was both until draft 2019-09.
func (r *reader) readDependencies(s *schema) {
	s.dependentRequired = map[string][]string{}
	for _, keyword := range []string{"dependentRequired", "dependentSchemas", "dependencies"} {
		all := r.members(keyword)
		for _, name := range all.names {
			v := all.values[name]
			_, isList := v.([]any)
			if keyword == "dependentRequired" || keyword == "dependencies" && isList {
				s.dependentRequired[name] = append(s.dependentRequired[name], r.strings(keyword, v)...)
				continue
			}
			s.conditions = append(s.conditions, condition{when: requiring(name), then: r.parse(v)})
		}
	}
}

func (r *reader) readLogic(s *schema) {
	s.allOf = append(s.allOf, r.schemas("allOf")...)
	if _, ok := r.obj.values["anyOf"]; ok {
		s.choices = append(s.choices, choice{branches: r.schemas("anyOf")})
	}
	if _, ok := r.obj.values["oneOf"]; ok {
		s.choices = append(s.choices, choice{branches: r.schemas("oneOf"), exactlyOne: true})
	}
	s.not = r.schema("not")
	if when := r.schema("if"); when != nil {
		s.conditions = append(s.conditions, condition{when, r.schema("then"), r.schema("else")})
	}
}
