package baseline

import (
	"maps"
	"slices"
)

const maxAtoms = 256 // schemas that apply to one value

// A plan is what one value has to keep to, once a branch is chosen wherever
// schemas leave a choice: all of its atoms, of which only the keywords count
// that say something about the value itself or about its parts.
type plan struct {
	schemas    []*schema // what the value must be valid for, choices included
	atoms      []*schema
	types      typeSet
	absent     map[string]bool // members that an object must not have
	conditions []condition
}

func newPlan(schemas []*schema) *plan {
	return &plan{schemas: slices.Clone(schemas), types: anyType}
}

func (p *plan) clone() *plan {
	c := *p
	c.atoms = slices.Clone(p.atoms)
	c.conditions = slices.Clone(p.conditions)
	c.absent = maps.Clone(p.absent)
	return &c
}

// expand adds a schema to a plan, with all that it refers to, and chooses among
// its branches. It reports whether the plan can still be carried out as far as
// can be seen. Conditions are put off until there is a value to test.
func (d *drawer) expand(p *plan, s *schema) bool {
	if s == nil || slices.Contains(p.atoms, s) { // twice says no more than once
		return true
	}
	p.atoms = append(p.atoms, s)
	p.types &= s.types
	if s.never || p.types == 0 || len(p.atoms) > maxAtoms || !d.spend(1) {
		return false
	}
	if s.not != nil && !d.exclude(p, s.not) {
		return false
	}
	for _, ref := range s.refs {
		if target := d.resolve(ref); target == nil || !d.expand(p, target) {
			return false
		}
	}
	for _, sub := range s.allOf {
		if !d.expand(p, sub) {
			return false
		}
	}
	p.conditions = append(p.conditions, s.conditions...)
	for _, c := range s.choices {
		if !d.choose(p, c.branches) {
			return false
		}
	}
	return true
}

// choose adds one of the branches to a plan: each equally likely, but for those
// that cannot be carried out. Where the value has to be short, the branches
// come first that can do with the fewest levels.
func (d *drawer) choose(p *plan, branches []*schema) bool {
	order := d.random.permutation(len(branches))
	if d.brief() {
		slices.SortStableFunc(order, func(a, b int) int {
			return d.levels(branches[a]) - d.levels(branches[b])
		})
	}
	for _, i := range order {
		q := p.clone()
		if d.spend(len(p.atoms)/8) && d.expand(q, branches[i]) {
			*p = *q
			return true
		}
	}
	return false
}

// exclude takes the easy cases of a negation into account. The other ones are
// left to the check.
func (d *drawer) exclude(p *plan, not *schema) bool {
	switch {
	case not.only("type"):
		p.types &^= not.types
	case p.types == typeObject && not.types&typeObject != 0 && not.only("type", "required") && len(not.required) > 0:
		if p.absent == nil {
			p.absent = map[string]bool{}
		}
		p.absent[pick(d.random, not.required...)] = true
	}
	return p.types != 0
}

// brief reports whether values have to be as short as their schemas allow,
// because they are deep inside of others or there are many of them.
func (d *drawer) brief() bool { return d.depth > freeDepth || d.values > freeValues }

// maxLevels is how many levels down brief values are looked ahead.
const maxLevels = 8

// levels returns how many levels of values a schema needs, up to maxLevels+1.
func (d *drawer) levels(s *schema) int {
	for n := range maxLevels + 1 {
		if d.fits(s, n) {
			return n
		}
	}
	return maxLevels + 1
}

// A fitKey is a question that fits answers.
type fitKey struct {
	schema *schema
	levels int
}

// fits reports whether a schema has values with at most so many levels below
// them. It looks at what the schema requires and no further, so that it may be
// too hopeful, which costs a detour.
func (d *drawer) fits(s *schema, levels int) bool {
	switch {
	case s == nil:
		return true
	case s.never, levels < 0, !d.spend(1):
		return false
	}
	key := fitKey{s, levels}
	if answer, known := d.fit[key]; known {
		return answer
	}
	d.fit[key] = false // whoever comes back here goes in a circle
	d.fit[key] = d.fitsInPlace(s, levels) && d.fitsBelow(s, levels)
	return d.fit[key]
}

func (d *drawer) fitsInPlace(s *schema, levels int) bool {
	for _, ref := range s.refs {
		if target := d.resolve(ref); target == nil || !d.fits(target, levels) {
			return false
		}
	}
	for _, sub := range s.allOf {
		if !d.fits(sub, levels) {
			return false
		}
	}
	for _, c := range s.choices {
		if !slices.ContainsFunc(c.branches, func(b *schema) bool { return d.fits(b, levels) }) {
			return false
		}
	}
	return true
}

func (d *drawer) fitsBelow(s *schema, levels int) bool {
	if s.types&^(typeArray|typeObject) != 0 && s.types != anyType {
		return true // a scalar will do
	}
	for _, name := range s.required {
		if !d.fits(s.properties[name], levels-1) && s.properties[name] != nil {
			return false
		}
	}
	for i := range min(s.minItems, len(s.prefixItems)+1) {
		if of := s.item(i); of != nil && !d.fits(of, levels-1) {
			return false
		}
	}
	return true
}
