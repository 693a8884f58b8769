package baseline

import (
	"encoding/json"
	"errors"
	"slices"
)

const (
	maxSteps   = 60_000 // what drawing one value may cost, some tens of milliseconds
	maxTries   = 48     // draws of one value before it is given up
	looseTry   = 32     // from this try on, any type is drawn where none is asked for
	freeDepth  = 12     // below it, values are kept short
	freeValues = 1000   // the same once there are so many
	maxDepth   = 150
)

var (
	errNoValue = errors.New("no value was found that is valid for its schema; look for contradictions, or simplify it")
	errBudget  = errors.New("its schema is too complex to draw from")
)

// drawArguments returns arguments for a tool as JSON text: an object that is
// valid for the tool's schema. Without a schema it is an empty one.
func drawArguments(random *source, parameters json.RawMessage) (string, error) {
	if parameters == nil {
		return "{}", nil
	}
	asObject := newSchema()
	asObject.types = typeObject
	return drawText(random, parameters, asObject)
}

// drawValue returns any value that is valid for a schema as JSON text.
func drawValue(random *source, schemaText json.RawMessage) (string, error) {
	return drawText(random, schemaText)
}

func drawText(random *source, schemaText json.RawMessage, more ...*schema) (string, error) {
	doc, root, err := parseDocument(schemaText)
	if err != nil {
		return "", err
	}
	d := newDrawer(random, doc)
	v, ok := d.draw(append(more, root))
	switch {
	case d.err != nil:
		return "", d.err
	case !ok:
		return "", errNoValue
	}
	return string(appendValue(nil, v)), nil
}

// A drawer draws one value. It counts steps, not time, so that the same seed
// gives the same value on any machine.
type drawer struct {
	random *source
	doc    *document

	steps   int
	err     error // why drawing was given up; nothing succeeds once it is set
	depth   int   // of the value being drawn
	values  int   // drawn so far
	inPlace int   // schemas being checked, one inside the other

	fit      map[fitKey]bool
	options  map[*schema][]any // valid options of schemas that stand alone
	hopeless map[*schema]bool  // schemas that stood alone and gave no value
}

func newDrawer(random *source, doc *document) *drawer {
	return &drawer{
		random: random, doc: doc,
		fit: map[fitKey]bool{}, options: map[*schema][]any{}, hopeless: map[*schema]bool{},
	}
}

// spend counts steps and reports whether there are any left.
func (d *drawer) spend(steps int) bool {
	if d.steps += steps; d.steps > maxSteps {
		d.fail(errBudget)
	}
	return d.err == nil
}

func (d *drawer) fail(err error) {
	if d.err == nil {
		d.err = err
	}
}

// resolve returns the schema behind a reference, nil if there is none.
func (d *drawer) resolve(ref string) *schema {
	s, err := d.doc.resolve(ref)
	if err != nil {
		d.fail(err)
		return nil
	}
	return s
}

// draw returns a value that is valid for all of the schemas, and false if none
// was found.
func (d *drawer) draw(schemas []*schema) (any, bool) {
	alone := len(schemas) == 1
	if alone && d.hopeless[schemas[0]] || d.depth > maxDepth {
		return nil, false
	}
	d.depth++
	defer func() { d.depth-- }()
	values := d.values
	for try := range maxTries {
		if !d.spend(1) {
			return nil, false
		}
		d.values = values + 1
		if v, ok := d.attempt(schemas, try >= looseTry); ok && d.validAll(schemas, v) {
			return v, true
		}
	}
	if alone {
		d.hopeless[schemas[0]] = true
	}
	return nil, false
}

// attempt draws a value that may turn out not to be valid. Conditions are taken
// to hold or not as they do for a value that was drawn without regard to them.
func (d *drawer) attempt(schemas []*schema, loose bool) (any, bool) {
	p := newPlan(schemas)
	for _, s := range schemas {
		if !d.expand(p, s) {
			return nil, false
		}
	}
	const rounds = 3 // a consequence may hold further conditions
	for range rounds {
		conditions := p.conditions
		v, ok := d.build(p, loose)
		if !ok || len(conditions) == 0 || d.validAll(schemas, v) {
			return v, ok
		}
		p.conditions = nil
		for _, c := range conditions {
			if !d.settle(p, c, v) {
				return nil, false
			}
		}
	}
	return d.build(p, loose)
}

// settle adds to a plan that a condition holds, or does not, as it is for v.
// The members that the condition is about keep the values that they have in v.
func (d *drawer) settle(p *plan, c condition, v any) bool {
	when, next := c.when, c.then
	if !d.valid(c.when, v, nil) {
		when, next = negation(c.when), c.otherwise
	}
	for _, s := range []*schema{when, pin(c.when, v), next} {
		if s != nil {
			p.schemas = append(p.schemas, s)
		}
		if !d.expand(p, s) {
			return false
		}
	}
	return true
}

// pin returns the schema of objects whose members are those of v as far as a
// condition names them; nil if v is no object.
func pin(when *schema, v any) *schema {
	o, ok := v.(*object)
	if !ok {
		return nil
	}
	s := newSchema()
	s.properties = map[string]*schema{}
	for _, name := range slices.Concat(when.names, when.required) {
		if o.has(name) {
			s.properties[name] = enumOf([]any{o.values[name]})
			s.required = append(s.required, name)
		} else {
			s.properties[name] = &schema{never: true}
		}
	}
	return s
}

// build carries out a plan.
func (d *drawer) build(p *plan, loose bool) (any, bool) {
	if options, limited := d.optionsOf(p); limited {
		if len(options) == 0 {
			return nil, false
		}
		return pick(d.random, options...), true
	}
	switch types := d.chooseType(p, loose); types {
	case typeNull:
		return nil, true
	case typeBoolean:
		return d.random.coin(), true
	case typeString:
		return d.text(p)
	case typeArray:
		return d.array(p)
	case typeObject:
		return d.object(p)
	default:
		return d.number(p)
	}
}

// optionsOf returns the options of the plan's enum that are valid for all of
// its schemas, and false if it has no enum.
func (d *drawer) optionsOf(p *plan) (options []any, limited bool) {
	for _, atom := range p.atoms {
		if !atom.hasEnum {
			continue
		}
		alone := len(p.schemas) == 1 && p.schemas[0] == atom
		if known, ok := d.options[atom]; ok && alone {
			return known, true
		}
		for _, v := range atom.options {
			if d.validAll(p.schemas, v) {
				options = append(options, v)
			}
		}
		if alone {
			d.options[atom] = options
		}
		return options, true
	}
	return nil, false
}

// chooseType picks one of the types that a plan allows, each equally likely.
// Where nothing is said about the type, the plan's other keywords tell which is
// meant; without those it is a string, a number or a boolean.
func (d *drawer) chooseType(p *plan, loose bool) typeSet {
	types := p.types
	silent := !slices.ContainsFunc(p.atoms, func(s *schema) bool { return s.types != anyType })
	if silent && !loose {
		for _, meant := range []typeSet{p.meant(), typeString | typeNumber | typeBoolean} {
			if meant&types != 0 {
				types &= meant
				break
			}
		}
	}
	if scalars := types &^ (typeArray | typeObject); d.brief() && scalars != 0 {
		types = scalars
	}
	var kinds []typeSet
	for _, kind := range []typeSet{typeNull, typeBoolean, typeNumber, typeString, typeArray, typeObject} {
		if types&kind != 0 {
			kinds = append(kinds, kind)
		}
	}
	return pick(d.random, kinds...)
}

// meant returns the types that a plan's keywords are about.
func (p *plan) meant() typeSet {
	var types typeSet
	for _, s := range p.atoms {
		if s.minimum != nil || s.maximum != nil || s.multipleOf != nil {
			types |= typeNumber
		}
		if s.minLength >= 0 || s.maxLength >= 0 || s.pattern != nil || s.format != "" {
			types |= typeString
		}
		if s.items != nil || s.prefixItems != nil || s.contains != nil || s.minItems >= 0 || s.maxItems >= 0 || s.uniqueItems {
			types |= typeArray
		}
		if len(s.names)+len(s.required)+len(s.patterns) > 0 || s.additional != nil || s.propertyNames != nil || s.minProps >= 0 || s.maxProps >= 0 {
			types |= typeObject
		}
	}
	return types
}
