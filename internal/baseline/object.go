package baseline

import (
	"maps"
	"slices"
)

const maxExtra = 3 // members that are made up where a schema describes them

// An outline is which members an object of a plan gets.
type outline struct {
	plan   *plan
	most   int // -1 if there is no limit
	chosen map[string]bool
}

// object draws an object: first which members it has, then their values, in the
// order in which the schema names them.
func (d *drawer) object(p *plan) (any, bool) {
	o := &outline{plan: p, most: -1, chosen: map[string]bool{}}
	least := 0
	for _, atom := range p.atoms {
		least = max(least, atom.minProps)
		if atom.maxProps >= 0 && (o.most < 0 || atom.maxProps < o.most) {
			o.most = atom.maxProps
		}
	}
	if least > maxItems || !d.chooseMembers(o, least) {
		return nil, false
	}
	result := &object{}
	for _, name := range p.memberNames() {
		if !o.chosen[name] {
			continue
		}
		v, ok := d.draw(d.memberSchemas(p, name))
		if ok {
			result.set(name, v)
		} else if p.requires(name) {
			return nil, false
		}
	}
	return result, d.addExtra(p, result, least, o.most)
}

// chooseMembers takes what is required, and each other member with probability
// 1/2; then more of them while there are too few.
func (d *drawer) chooseMembers(o *outline, least int) bool {
	for _, atom := range o.plan.atoms {
		for _, name := range atom.required {
			if !o.take(name) {
				return false
			}
		}
	}
	if o.most >= 0 && len(o.chosen) > o.most {
		return false
	}
	names := o.plan.memberNames()
	order := d.random.permutation(len(names))
	for _, i := range order {
		if !d.brief() && d.random.coin() {
			d.takeOptional(o, names[i])
		}
	}
	for _, i := range order {
		if len(o.chosen) < least {
			d.takeOptional(o, names[i])
		}
	}
	return true
}

// take chooses a member and those that depend on it. It reports false if one
// of them must not be there.
func (o *outline) take(name string) bool {
	if o.chosen[name] {
		return true
	}
	if o.plan.absent[name] {
		return false
	}
	o.chosen[name] = true
	for _, atom := range o.plan.atoms {
		for _, needed := range atom.dependentRequired[name] {
			if !o.take(needed) {
				return false
			}
		}
	}
	return true
}

// takeOptional chooses a member if that is possible.
func (d *drawer) takeOptional(o *outline, name string) {
	if !d.spend(1) || !d.allowsName(o.plan, name) || o.most >= 0 && len(o.chosen) >= o.most {
		return
	}
	var before map[string]bool
	if o.plan.hasDependents(name) {
		before = maps.Clone(o.chosen)
	}
	if !o.take(name) || o.most >= 0 && len(o.chosen) > o.most {
		o.chosen = before
	}
}

func (p *plan) hasDependents(name string) bool {
	return slices.ContainsFunc(p.atoms, func(s *schema) bool { return len(s.dependentRequired[name]) > 0 })
}

// memberNames returns the names that a plan knows, in order.
func (p *plan) memberNames() []string {
	var names []string
	known := map[string]bool{}
	add := func(list []string) {
		for _, name := range list {
			if !known[name] {
				known[name] = true
				names = append(names, name)
			}
		}
	}
	for _, atom := range p.atoms {
		add(atom.names)
	}
	for _, atom := range p.atoms {
		add(atom.required)
		for _, name := range names[:len(names):len(names)] {
			add(atom.dependentRequired[name])
		}
	}
	return names
}

func (p *plan) requires(name string) bool {
	return slices.ContainsFunc(p.atoms, func(s *schema) bool { return slices.Contains(s.required, name) })
}

// memberSchemas returns what the member of an object has to be valid for.
func (d *drawer) memberSchemas(p *plan, name string) []*schema {
	var schemas []*schema
	for _, atom := range p.atoms {
		schemas = append(schemas, d.member(atom, name)...)
	}
	if len(schemas) == 0 {
		schemas = append(schemas, newSchema())
	}
	return schemas
}

// allowsName reports whether an object may have a member of that name, as far
// as can be seen without a value for it.
func (d *drawer) allowsName(p *plan, name string) bool {
	for _, atom := range p.atoms {
		if atom.propertyNames != nil && !d.valid(atom.propertyNames, name, nil) {
			return false
		}
		for _, s := range d.member(atom, name) {
			if s.never || d.hopeless[s] {
				return false
			}
		}
	}
	return !p.absent[name]
}

// addExtra adds members that the schema has no name for: as many as are missing,
// and up to three where the schema says what they are.
func (d *drawer) addExtra(p *plan, o *object, least, most int) bool {
	wanted := least - len(o.names)
	if p.describesExtra() && !d.brief() {
		wanted = max(wanted, 0) + d.random.below(maxExtra+1)
	}
	if most >= 0 {
		wanted = min(wanted, most-len(o.names))
	}
	for range wanted {
		if !d.addOne(p, o) {
			break // the check tells whether there are enough
		}
	}
	return d.err == nil
}

func (p *plan) describesExtra() bool {
	for _, atom := range p.atoms {
		if len(atom.patterns) > 0 || atom.additional != nil && len(atom.additional.keywords) > 0 {
			return true
		}
	}
	return false
}

func (d *drawer) addOne(p *plan, o *object) bool {
	for range maxTries {
		name, ok := d.extraName(p)
		if !ok {
			return false
		}
		if o.has(name) || !d.allowsName(p, name) {
			continue
		}
		if v, ok := d.draw(d.memberSchemas(p, name)); ok {
			o.set(name, v)
			return true
		}
	}
	return false
}

// extraName draws a name: from what the schema says about names, else from its
// patterns, else a word.
func (d *drawer) extraName(p *plan) (string, bool) {
	var (
		rules    []*schema
		patterns []*pattern
	)
	for _, atom := range p.atoms {
		if atom.propertyNames != nil {
			rules = append(rules, atom.propertyNames)
		}
		for _, known := range atom.patterns {
			patterns = append(patterns, known.name)
		}
	}
	switch {
	case len(rules) > 0:
		asString := newSchema()
		asString.types = typeString
		v, _ := d.draw(append(rules, asString))
		name, ok := v.(string)
		return name, ok
	case len(patterns) > 0 && d.random.coin():
		return d.matching(pick(d.random, patterns...), 0, usualGrowth)
	default:
		name := d.random.words(1)
		if d.random.coin() {
			name += "-" + d.random.letters(2) // for when many are wanted
		}
		return name, d.spend(1)
	}
}
