package toolcall

import (
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// maxRepairs is how many ways to mend one answer are looked at. More than a few
// come only from unions of much the same.
const maxRepairs = 8

// A mender finds the edits that answer the violations of one document.
type mender struct {
	schema  *schema
	doc     *document
	tooWide bool // there were more than maxRepairs ways
}

// repairs returns every way to answer the violation with edits: nil if there is
// none. A violation that edits elsewhere may resolve has one way: no edit.
//
// Violations that hold together must all be answered; of the branches of a
// union one is enough, which is where several ways come from.
func (m *mender) repairs(e *jsonschema.ValidationError) []repair {
	switch k := e.ErrorKind.(type) {
	case *kind.Schema, *kind.Group, *kind.AllOf, *kind.Reference:
		return m.every(e.Causes)
	case *kind.AnyOf:
		return m.either(e.Causes)
	case *kind.OneOf:
		if len(k.Subschemas) == 0 {
			return m.either(e.Causes)
		}
		return untouched()
	case *kind.Not, *kind.Contains, *kind.MinContains, *kind.MaxContains, *kind.FalseSchema,
		*kind.MaxProperties, *kind.PropertyNames, *kind.Dependency, *kind.DependentRequired:
		return untouched()
	}
	edits := m.spot(e)
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
func (m *mender) every(causes []*jsonschema.ValidationError) []repair {
	ways := untouched()
	for _, cause := range causes {
		more := m.repairs(cause)
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
func (m *mender) either(branches []*jsonschema.ValidationError) []repair {
	var ways []repair
	mayResolve := false // by edits elsewhere
	for i, branch := range branches {
		for _, way := range m.repairs(branch) {
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
func (m *mender) barred(way repair, branches []*jsonschema.ValidationError, own int) bool {
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
func onlyAt(e *jsonschema.ValidationError, at string) bool {
	if len(e.Causes) == 0 {
		return pointer(e.InstanceLocation) == at
	}
	for _, cause := range e.Causes {
		if !onlyAt(cause, at) {
			return false
		}
	}
	return true
}

// rejectsType reports whether the branch accepts no value of the type that the
// edit's target has.
func rejectsType(e *jsonschema.ValidationError, ed edit) bool {
	switch k := e.ErrorKind.(type) {
	case *kind.Type:
		return namedKinds(k.Want)&ed.target.kind == 0
	case *kind.Enum:
		return kindsOf(k.Want)&ed.target.kind == 0
	case *kind.Const:
		return kindOf(k.Want)&ed.target.kind == 0
	case *kind.FalseSchema:
		return true
	case *kind.AnyOf, *kind.OneOf:
		for _, cause := range e.Causes {
			if !rejectsType(cause, ed) {
				return false
			}
		}
		return len(e.Causes) > 0
	default:
		for _, cause := range e.Causes {
			if rejectsType(cause, ed) {
				return true
			}
		}
		return false
	}
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
func (m *mender) spot(e *jsonschema.ValidationError) []edit {
	n := m.doc.root.find(e.InstanceLocation)
	sch := m.schema.byLocation[e.SchemaURL]
	if n == nil || sch == nil {
		return nil
	}
	ed := edit{at: pointer(e.InstanceLocation), target: n}
	var found bool
	switch k := e.ErrorKind.(type) {
	case *kind.Type:
		found = m.retype(&ed, e, sch, namedKinds(k.Want))
	case *kind.Enum:
		found = m.pickOption(&ed, e, k.Want)
	case *kind.Const:
		found = m.pickOption(&ed, e, []any{k.Want})
	case *kind.MultipleOf, *kind.Minimum, *kind.Maximum, *kind.ExclusiveMinimum, *kind.ExclusiveMaximum:
		found = sch.MultipleOf != nil && denoise(&ed, sch.MultipleOf)
	case *kind.AdditionalProperties:
		return m.dropExtra(e, n, sch, k.Properties)
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
	parent := m.doc.root.find(path[:len(path)-1])
	if parent == nil || parent.kind != kindObject {
		return false
	}
	ed.drop, ed.parent, ed.index = true, parent, parent.index(path[len(path)-1])
	ed.code, ed.retypes = MendNullOptional, true
	return ed.index >= 0
}

// dropExtra returns edits that drop the properties that sch does not allow, but
// only if all it declares are there, and no extra is called like one of them or
// holds arguments of its own: else one of them may be meant by an extra.
func (m *mender) dropExtra(e *jsonschema.ValidationError, n *node, sch *jsonschema.Schema, extra []string) []edit {
	if len(sch.PatternProperties) > 0 {
		return nil
	}
	declared := make(map[string]bool, len(sch.Properties))
	for name := range sch.Properties {
		if n.index(name) < 0 && m.schema.kinds[sch.Properties[name]] != 0 {
			return nil
		}
		declared[looseProperty(name)] = true
	}
	edits := make([]edit, 0, len(extra))
	for _, name := range extra {
		i := n.index(name)
		if i < 0 || declared[looseProperty(name)] || wraps(n.members[i]) {
			return nil
		}
		edits = append(edits, edit{
			at:     pointer(append(e.InstanceLocation[:len(e.InstanceLocation):len(e.InstanceLocation)], name)),
			target: n.members[i].value, drop: true, parent: n, index: i, code: MendExtraProperty,
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
func wraps(m member) bool {
	if !slices.Contains(wrappers, m.name) {
		return false
	}
	_, encoded := undouble(m.value.text, kindObject)
	return m.value.kind == kindObject || m.value.kind == kindString && encoded
}
