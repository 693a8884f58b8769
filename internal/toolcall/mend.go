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
	doc     *jsontree.Document
	tooWide bool // there were more than maxRepairs ways
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
		return m.either(v.Branches)
	case "not", "contains", "minContains", "maxContains", "false", "maxProperties", "propertyNames", "dependentRequired":
		return untouched()
	}
	edits := m.spot(v)
	if len(edits) == 0 {
		return nil
	}
	r := repair{}
	for _, ed := range edits {
		r[ed.at] = ed
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
			m.tooWide = true
			return nil
		}
	}
	return all
}

// either collects the ways to satisfy one branch of a union.
func (m *mender) either(branches [][]*jsonschema.Violation) []repair {
	var ways []repair
	mayResolve := false // by edits elsewhere
	for i, branch := range branches {
		for _, way := range m.every(branch) {
			switch {
			case len(way) == 0:
				mayResolve = true
			case m.barred(way, branches, i):
				return nil // a second reading, even if another branch has an edit of its own
			case !slices.ContainsFunc(ways, way.same):
				ways = append(ways, way)
			}
		}
	}
	ways = closest(ways)
	switch {
	case len(ways) > maxRepairs:
		m.tooWide = true
		return nil
	case len(ways) == 0 && mayResolve:
		return untouched()
	}
	return ways
}

// barred reports whether an edit of the way changes the type of a value that
// another branch would have taken as it is, were it not for some other rule
// about it: then the value has two readings.
func (m *mender) barred(way repair, branches [][]*jsonschema.Violation, own int) bool {
	for _, e := range way {
		if !e.retypes {
			continue
		}
		for i, branch := range branches {
			if i != own && onlyAt(branch, e.at) && !rejectsType(branch, e) {
				return true
			}
		}
	}
	return false
}

// onlyAt reports whether everything wrong in the branch is wrong with the value at.
func onlyAt(branch []*jsonschema.Violation, at string) bool {
	for _, v := range branch {
		if v.Branches == nil && jsontree.Pointer(v.Path...) != at {
			return false
		}
		for _, inner := range v.Branches {
			if !onlyAt(inner, at) {
				return false
			}
		}
	}
	return true
}

// rejectsType reports whether the branch accepts no value of the type that the
// edit's target has.
func rejectsType(branch []*jsonschema.Violation, ed edit) bool {
	return slices.ContainsFunc(branch, func(v *jsonschema.Violation) bool {
		switch v.Keyword {
		case "type":
			return v.Schema.Types.Kinds&ed.target.Kind == 0
		case "enum", "const":
			return jsonschema.KindsOf(v.Options())&ed.target.Kind == 0
		case "false":
			return true
		}
		accepted := slices.ContainsFunc(v.Branches, func(inner []*jsonschema.Violation) bool { return !rejectsType(inner, ed) })
		return v.Branches != nil && !accepted
	})
}

// closest keeps, where the branches of a union are options of one enumeration,
// the options that match most strictly: what a single enum does.
func closest(ways []repair) []repair {
	best, at := 0, ""
	for i, way := range ways {
		if len(way) != 1 {
			return ways
		}
		for p, e := range way {
			if e.code != MendEnumMatch || i > 0 && p != at {
				return ways
			}
			if i == 0 || e.stage < best {
				best = e.stage
			}
			at = p
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
	ed := edit{at: jsontree.Pointer(v.Path...), target: v.Value}
	var found bool
	switch v.Keyword {
	case "type":
		found = m.retype(&ed, v)
	case "enum", "const":
		found = m.pickOption(&ed, v)
	case "multipleOf", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum":
		found = v.Schema.MultipleOf != nil && denoise(&ed, v.Schema.MultipleOf)
	case "additionalProperties":
		return dropExtra(v)
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
func dropExtra(v *jsonschema.Violation) []edit {
	n, s := v.Value, v.Schema
	if len(s.PatternProperties) > 0 {
		return nil
	}
	declared := make(map[string]bool, len(s.Properties))
	for name, sub := range s.Properties {
		if n.Index(name) < 0 && sub.Kinds != 0 {
			return nil
		}
		declared[looseProperty(name)] = true
	}
	edits := make([]edit, 0, len(v.Names))
	for _, name := range v.Names {
		i := n.Index(name)
		if declared[looseProperty(name)] || wraps(n.Members[i]) {
			return nil
		}
		edits = append(edits, edit{
			at:     jsontree.Pointer(v.Path...) + jsontree.Pointer(name),
			target: n.Members[i].Value, drop: true, parent: n, index: i, code: MendExtraProperty,
		})
	}
	return edits
}

// looseProperty is what a name has in common with those that are easily written
// for it: white space, case, hyphens and underscores do not count.
func looseProperty(name string) string {
	return strings.ReplaceAll(bare(name), "_", "")
}

// wraps reports whether a member is a wrapper with an object in it.
func wraps(m jsontree.Member) bool {
	if !slices.Contains(wrappers, m.Name) {
		return false
	}
	_, encoded := undouble(m.Value.Text, jsontree.Object)
	return m.Value.Kind == jsontree.Object || m.Value.Kind == jsontree.String && encoded
}
