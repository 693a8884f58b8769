package toolcall

import (
	"slices"
	"strings"

	"hyperstudy-endpoint/internal/jsonschema"
	"hyperstudy-endpoint/internal/jsontree"
)

// maxRepairs is how many ways to mend one answer are looked at. More than a few
// come only from unions of much the same.
const maxRepairs = 8

// A mender finds the edits that answer the violations of one document.
type mender struct {
	doc    *jsontree.Document
	budget *jsonschema.Budget
	// loose are the names in the properties of a schema, as looseProperty has them.
	loose map[*jsonschema.Schema]map[string]bool
	// gaveUp marks that there were more than maxRepairs ways, or more work than the
	// budget allows.
	gaveUp bool
}

// pay takes steps off the budget and reports whether it lasts.
func (m *mender) pay(steps int) bool {
	m.gaveUp = m.gaveUp || !m.budget.Spend(steps)
	return !m.gaveUp
}

// repairs returns every way to answer the violation with edits: nil if there is
// none. A violation that edits elsewhere may resolve has one way: no edit.
//
// Violations that hold together must all be answered; of the branches of a
// union one is enough, which is where several ways come from.
func (m *mender) repairs(v *jsonschema.Violation) []repair {
	switch v.Keyword {
	case "anyOf", "oneOf":
		if v.Branches == nil { // several match
			return untouched()
		}
		return m.either(v)
	case "not", "contains", "minContains", "maxContains", "false", "maxProperties", "propertyNames", "dependentRequired":
		return untouched()
	}
	edits := m.spot(v)
	if len(edits) == 0 {
		return nil
	}
	r := repair{}
	for _, ed := range edits {
		r[ed.target] = ed
	}
	return []repair{r}
}

// untouched is the one way to mend that consists of no edit.
func untouched() []repair { return []repair{{}} }

// every combines the ways to answer violations that hold together.
func (m *mender) every(violations []*jsonschema.Violation) []repair {
	ways := untouched()
	for _, v := range violations {
		more := m.repairs(v)
		if len(more) == 1 {
			ways = addToAll(ways, more[0])
		} else {
			ways = m.combine(ways, more)
		}
		if len(ways) == 0 {
			return nil
		}
	}
	return ways
}

func addToAll(ways []repair, more repair) []repair {
	var kept []repair
	for _, way := range ways {
		if way.add(more) {
			kept = append(kept, way)
		}
	}
	return kept
}

func (m *mender) combine(ways, more []repair) []repair {
	var all []repair
	for _, a := range ways {
		for _, b := range more {
			both := repair{}
			if both.add(a) && both.add(b) {
				all = append(all, both)
			}
		}
		if len(all) > maxRepairs {
			m.gaveUp = true
			return nil
		}
	}
	return all
}

// either collects the ways to satisfy one branch of a union.
func (m *mender) either(union *jsonschema.Violation) []repair {
	const maxWays = 8 * maxRepairs // of which few are left in the end
	var ways []repair
	mayResolve := false // by edits elsewhere
	takers := map[*jsontree.Node][]int{}
	for i, branch := range union.Branches {
		for _, way := range m.every(branch) {
			switch {
			case len(way) == 0:
				mayResolve = true
			case m.barred(way, union.Branches, i, takers) || m.dropsDeclared(way, union, i):
				return nil // a second reading, even if another branch has an edit of its own
			case !slices.ContainsFunc(ways, way.same):
				ways = append(ways, way)
			}
		}
		if m.gaveUp = m.gaveUp || len(ways) > maxWays; m.gaveUp {
			return nil
		}
	}
	ways = closest(ways)
	switch {
	case len(ways) > maxRepairs:
		m.gaveUp = true
		return nil
	case len(ways) == 0 && mayResolve:
		return untouched()
	}
	return ways
}

// barred reports whether an edit of the way changes the type of a value that
// another branch would have taken as it is, were it not for some other rule
// about it: then the value has two readings. known are the takers found before.
func (m *mender) barred(way repair, branches [][]*jsonschema.Violation, own int, known map[*jsontree.Node][]int) bool {
	for _, e := range way {
		if !e.retypes {
			continue
		}
		if _, done := known[e.target]; !done {
			known[e.target] = takers(branches, e.target, m.budget)
		}
		if slices.ContainsFunc(known[e.target], func(i int) bool { return i != own }) {
			return true
		}
	}
	return false
}

// dropsDeclared reports whether an edit of the way drops a property that another
// branch has by name: then it may be meant, and that branch with it.
func (m *mender) dropsDeclared(way repair, union *jsonschema.Violation, own int) bool {
	branches := union.Schema.AnyOf
	if union.Keyword == "oneOf" {
		branches = union.Schema.OneOf
	}
	for _, e := range way {
		if e.code != MendExtraProperty || e.parent != union.Value {
			continue
		}
		for i, s := range branches {
			if i != own && declaredBy(s, m.budget).has(e.parent.Members[e.index].Name) {
				return true
			}
		}
	}
	return false
}

// takers returns the branches, up to two, that find nothing wrong but with the
// value n, and accept values of its type.
func takers(branches [][]*jsonschema.Violation, n *jsontree.Node, b *jsonschema.Budget) []int {
	var found []int
	for i, branch := range branches {
		if onlyAt(branch, n, b) && !rejectsType(branch, n, b) {
			if found = append(found, i); len(found) == 2 {
				break
			}
		}
	}
	return found
}

// onlyAt reports whether everything wrong in the branch is wrong with the value n.
// It is true as well if the budget did not last.
func onlyAt(branch []*jsonschema.Violation, n *jsontree.Node, b *jsonschema.Budget) bool {
	for _, v := range branch {
		if !b.Tick() {
			return true
		}
		if v.Branches == nil && v.Value != n {
			return false
		}
		for _, inner := range v.Branches {
			if !onlyAt(inner, n, b) {
				return false
			}
		}
	}
	return true
}

// rejectsType reports whether the branch accepts no value of the type that n has.
// It is false as well if the budget did not last.
func rejectsType(branch []*jsonschema.Violation, n *jsontree.Node, b *jsonschema.Budget) bool {
	return slices.ContainsFunc(branch, func(v *jsonschema.Violation) bool {
		if !b.Tick() {
			return false
		}
		switch v.Keyword {
		case "type":
			return v.Schema.Types.Kinds&n.Kind == 0
		case "enum", "const":
			return jsonschema.KindsOf(v.Options())&n.Kind == 0
		case "false":
			return true
		}
		accepted := slices.ContainsFunc(v.Branches, func(inner []*jsonschema.Violation) bool { return !rejectsType(inner, n, b) })
		return v.Branches != nil && !accepted
	})
}

// closest keeps, where the branches of a union are options of one enumeration,
// the options that match most strictly: what a single enum does.
func closest(ways []repair) []repair {
	best := 0
	var at *jsontree.Node
	for i, way := range ways {
		if len(way) != 1 {
			return ways
		}
		for target, e := range way {
			if e.code != MendEnumMatch || i > 0 && target != at {
				return ways
			}
			if i == 0 || e.stage < best {
				best = e.stage
			}
			at = target
		}
	}
	var kept []repair
	for _, way := range ways {
		if way[at].stage == best {
			kept = append(kept, way)
		}
	}
	return kept
}

// spot returns the edits that answer a violation about one value; none if there
// is no single one.
func (m *mender) spot(v *jsonschema.Violation) []edit {
	if !m.pay(1) {
		return nil
	}
	ed := edit{target: v.Value}
	var found bool
	switch v.Keyword {
	case "type":
		found = m.retype(&ed, v)
	case "enum", "const":
		found = m.pickOption(&ed, v)
	case "multipleOf", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum":
		found = v.Schema.MultipleOf != nil && m.denoise(&ed, v.Schema.MultipleOf)
	case "additionalProperties":
		return m.dropExtra(v)
	}
	if !found {
		return nil
	}
	return []edit{ed}
}

// dropNull makes ed drop the member whose value is null.
func (m *mender) dropNull(ed *edit, path []string) bool {
	if len(path) == 0 {
		return false
	}
	parent := m.doc.Root.Find(path[:len(path)-1])
	if parent == nil || parent.Kind != jsontree.Object {
		return false
	}
	ed.drop, ed.parent, ed.index = true, parent, parent.Index(path[len(path)-1])
	ed.code, ed.retypes = MendNullOptional, true
	return ed.index >= 0
}

// dropExtra returns edits that drop the properties that the schema does not allow, but
// only if all it declares are there, and no extra is called like one of them or
// holds arguments of its own: else one of them may be meant by an extra.
func (m *mender) dropExtra(v *jsonschema.Violation) []edit {
	n, s := v.Value, v.Schema
	if len(s.PatternProperties) > 0 || !m.pay(len(s.Properties)/32) {
		return nil
	}
	for name, sub := range s.Properties {
		if n.Index(name) < 0 && sub.Kinds != 0 {
			return nil
		}
	}
	edits := make([]edit, 0, len(v.Names))
	for _, name := range v.Names {
		i := n.Index(name)
		meant, ok := m.likeDeclared(s, name)
		if meant || !ok || m.wraps(n.Members[i]) {
			return nil
		}
		edits = append(edits, edit{target: n.Members[i].Value, drop: true, parent: n, index: i, code: MendExtraProperty})
	}
	return edits
}

// likeDeclared reports whether a name is easily written for one in the properties
// of the schema. ok is false if the budget did not last.
func (m *mender) likeDeclared(s *jsonschema.Schema, name string) (like, ok bool) {
	if m.loose[s] == nil {
		declared := make(map[string]bool, len(s.Properties))
		for name := range s.Properties {
			if !m.pay(reducing(name)) {
				return false, false
			}
			declared[looseProperty(name)] = true
		}
		if m.loose == nil {
			m.loose = map[*jsonschema.Schema]map[string]bool{}
		}
		m.loose[s] = declared
	}
	return m.pay(reducing(name)) && m.loose[s][looseProperty(name)], !m.gaveUp
}

// looseProperty is what a name has in common with those that are easily written
// for it: white space, case, hyphens and underscores do not count.
func looseProperty(name string) string {
	return strings.ReplaceAll(bare(name), "_", "")
}

// wraps reports whether a member is a wrapper with an object in it.
func (m *mender) wraps(member jsontree.Member) bool {
	if !slices.Contains(wrappers, member.Name) {
		return false
	}
	if v := member.Value; v.Kind != jsontree.String {
		return v.Kind == jsontree.Object
	}
	if !m.pay(parsing(member.Value.Text)) {
		return false
	}
	_, encoded := undouble(member.Value.Text, jsontree.Object)
	return encoded
}
