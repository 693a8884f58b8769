package toolcall

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"hyperstudy-endpoint/internal/jsontree"
)

// An edit changes one spot of a document: it writes text in the place of a
// value, or drops a member.
type edit struct {
	target *jsontree.Node
	text   string
	drop   bool
	parent *jsontree.Node // of a member to drop
	index  int
	code   string
	// retypes marks an edit that is only allowed if the schema accepts no value
	// of the present type at that place.
	retypes bool
	stage   int // how loosely an option was matched; see matchOption
}

// A repair is a set of edits to be made together, by their targets.
type repair map[*jsontree.Node]edit

// add merges more into r and reports false if the two disagree about a spot.
func (r repair) add(more repair) bool {
	for target, e := range more {
		if have, ok := r[target]; ok && (have.text != e.text || have.drop != e.drop) {
			return false
		}
		r[target] = e
	}
	return true
}

// same reports whether two repairs come to the same text.
func (r repair) same(other repair) bool {
	return maps.EqualFunc(r, other, func(a, b edit) bool { return a.text == b.text && a.drop == b.drop })
}

// drops reports whether an edit of that kind is among them.
func (r repair) drops(code string) bool { return slices.Contains(r.codes(), code) }

// codes names the edits, each kind once.
func (r repair) codes() []string {
	var codes []string
	for _, e := range r {
		codes = append(codes, e.code)
	}
	slices.Sort(codes)
	return slices.Compact(codes)
}

// A splice replaces the bytes from start to end.
type splice struct {
	start, end int
	text       string
}

// apply makes the edits and parses what comes out. Every byte that no edit is
// about stays what it is. It returns nil if edits are about the same bytes.
func (r repair) apply(d *jsontree.Document, lim jsontree.Limits) *jsontree.Document {
	var splices []splice
	drops := map[*jsontree.Node][]bool{}
	for _, e := range r {
		if !e.drop {
			splices = append(splices, splice{e.target.Start, e.target.End, e.text})
			continue
		}
		if drops[e.parent] == nil {
			drops[e.parent] = make([]bool, len(e.parent.Members))
		}
		drops[e.parent][e.index] = true
	}
	for object, dropped := range drops {
		splices = append(splices, cuts(object, dropped)...)
	}
	slices.SortFunc(splices, func(a, b splice) int { return cmp.Compare(a.start, b.start) })
	var b strings.Builder
	done := 0
	for _, s := range splices {
		if s.start < done {
			return nil
		}
		b.WriteString(d.Text[done:s.start])
		b.WriteString(s.text)
		done = s.end
	}
	b.WriteString(d.Text[done:])
	next, bad := jsontree.Parse(b.String(), lim)
	if bad != nil {
		return nil
	}
	return next
}

// cuts returns what to take out of an object's text so that the dropped
// members are gone and as many commas with them.
func cuts(object *jsontree.Node, dropped []bool) []splice {
	var out []splice
	kept := false // a member before this one stays
	for i, m := range object.Members {
		switch {
		case !dropped[i]:
			kept = true
		case kept:
			out = append(out, splice{start: object.Members[i-1].Value.End, end: m.Value.End})
		case i+1 < len(object.Members):
			out = append(out, splice{start: m.Start, end: object.Members[i+1].Start})
		default:
			out = append(out, splice{start: m.Start, end: m.Value.End})
		}
	}
	return out
}
