package jsonschema

import (
	"strconv"

	"hyperstudy-endpoint/internal/jsontree"
)

// evaluated are the members or items of a value that the keywords so far have
// looked at: unevaluatedProperties and unevaluatedItems are about the rest.
type evaluated struct{ done []bool }

func newEvaluated(n *jsontree.Node) *evaluated {
	return &evaluated{make([]bool, len(n.Members)+len(n.Items))}
}

// add marks one member or item. It does nothing if nobody wants to know.
func (e *evaluated) add(i int) {
	if e != nil {
		e.done[i] = true
	}
}

// merge adds what other has.
func (e *evaluated) merge(other *evaluated) {
	if e == nil || e == other {
		return
	}
	for i, done := range other.done {
		e.done[i] = e.done[i] || done
	}
}

func (a *application) object() {
	s, members := a.s, a.n.Members
	a.limit(len(members), s.MinProperties, s.MaxProperties, "minProperties", "maxProperties")
	if missing := a.missing(s.Required); missing != nil {
		a.failNames("required", missing)
	}
	var extra []string
	for i, m := range members {
		known := a.member(m)
		if !known && s.AdditionalProperties != nil {
			known = true
			if s.AdditionalProperties.Never {
				extra = append(extra, m.Name)
			} else {
				a.below(s.AdditionalProperties, m.Name, m.Value)
			}
		}
		if known {
			a.seen.add(i)
		}
	}
	if extra != nil {
		a.failNames("additionalProperties", extra)
	}
	for _, d := range s.Dependent {
		a.dependent(d)
	}
}

func (a *application) failNames(keyword string, names []string) *Violation {
	const perStep = 4
	a.spend(len(names) / perStep)
	found := a.fail(keyword)
	if found != quietly {
		found.Names = names
	}
	return found
}

// missing returns those of the names that the object does not have.
func (a *application) missing(names []string) (missing []string) {
	for _, name := range names {
		if a.n.Index(name) < 0 {
			missing = append(missing, name)
		}
	}
	return missing
}

// member validates a member's name and value by all that the schema says about
// properties of that name, and reports whether it says anything.
func (a *application) member(m jsontree.Member) (known bool) {
	s := a.s
	if s.PropertyNames != nil {
		a.propertyName(m)
	}
	if sub := s.Properties[m.Name]; sub != nil {
		a.below(sub, m.Name, m.Value)
		known = true
	}
	for _, p := range s.PatternProperties {
		if p.Pattern.MatchString(m.Name) {
			a.below(p.Schema, m.Name, m.Value)
			known = true
		}
	}
	return known
}

// propertyName reports a name that is not allowed as a violation at the member.
func (a *application) propertyName(m jsontree.Member) {
	if a.accepts(a.s.PropertyNames, &jsontree.Node{Kind: jsontree.String, Text: m.Name}) {
		return
	}
	outside := a.enter(m.Name)
	a.report(a.s, m.Value, "propertyNames")
	a.leave(outside)
}

func (a *application) dependent(d Dependent) {
	if a.n.Index(d.Property) < 0 {
		return
	}
	if d.Schema != nil {
		a.must(d.Schema)
	}
	if missing := a.missing(d.Required); missing != nil {
		if found := a.failNames("dependentRequired", missing); found != quietly {
			found.Given = d.Property
		}
	}
}

func (a *application) array() {
	s, items := a.s, a.n.Items
	a.limit(len(items), s.MinItems, s.MaxItems, "minItems", "maxItems")
	if s.UniqueItems && hasDuplicates(items) {
		a.fail("uniqueItems")
	}
	for i, item := range items {
		sub := s.Items
		if i < len(s.PrefixItems) {
			sub = s.PrefixItems[i]
		}
		switch {
		case sub == nil:
			continue
		case sub.Never && s.restItems && i >= len(s.PrefixItems):
			if i == len(s.PrefixItems) {
				a.fail("additionalItems")
			}
		default:
			a.below(sub, strconv.Itoa(i), item)
		}
		a.seen.add(i)
	}
	if s.Contains != nil {
		a.contains()
	}
}

func (a *application) contains() {
	s, matched := a.s, 0
	for i, item := range a.n.Items {
		if !a.accepts(s.Contains, item) {
			continue
		}
		matched++
		if s.containsEvaluates {
			a.seen.add(i)
		}
	}
	switch {
	case matched >= s.MinContains:
	case s.MinContains == 1:
		a.fail("contains")
	default:
		a.fail("minContains")
	}
	if s.MaxContains != noLimit && matched > s.MaxContains {
		a.fail("maxContains")
	}
}

// unevaluated applies the schemas for what no other keyword looked at.
func (a *application) unevaluated() {
	if a.seen == nil {
		return
	}
	if sub := a.s.UnevaluatedProperties; sub != nil {
		for i, m := range a.n.Members {
			if !a.seen.done[i] {
				a.below(sub, m.Name, m.Value)
				a.seen.add(i)
			}
		}
	}
	if sub := a.s.UnevaluatedItems; sub != nil {
		for i, item := range a.n.Items {
			if !a.seen.done[i] {
				a.below(sub, strconv.Itoa(i), item)
				a.seen.add(i)
			}
		}
	}
}
