package toolcall

import (
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// A budget is the work that may still be done for one answer, in steps of about
// a microsecond.
type budget struct{ steps int }

// maxSteps is the work for one answer. It keeps the judgement of any answer
// well under 100 ms.
const maxSteps = 40000

// spend takes n steps off the budget and reports false if it has not that many.
func (b *budget) spend(n int) bool {
	if n > b.steps {
		b.steps = 0
		return false
	}
	b.steps -= n
	return true
}

// parsing returns the steps that it takes to read a text.
func parsing(text string) int { return 1 + len(text)/64 }

// validate checks the document. ok is false if that would cost more than is
// left of the budget; the document is then neither valid nor invalid.
//
// The library cannot be interrupted, and a small schema can make it work for
// hours by referring to one subschema many times over. So the work is counted
// first, as if no subschema ever failed early.
func (s *schema) validate(d *document, b *budget) (err *jsonschema.ValidationError, ok bool) {
	m := meter{left: b.steps, memo: map[application]int{}}
	cost := m.cost(s.root, d.root)
	if m.left < 0 || !b.spend(cost+len(m.memo)/4) {
		b.steps = 0
		return nil, false
	}
	if e := s.root.Validate(d.root.value()); e != nil {
		return asValidationError(e), true
	}
	return nil, true
}

func asValidationError(err error) *jsonschema.ValidationError {
	e, ok := err.(*jsonschema.ValidationError) //nolint:errorlint // the library returns nothing else, and wraps nothing
	if !ok {
		return &jsonschema.ValidationError{}
	}
	return e
}

// An application is one use of a subschema on one value.
type application struct {
	sch *jsonschema.Schema
	n   *node
}

// A meter counts the steps that a validation takes at most.
type meter struct {
	left int // negative when the count has gone beyond every budget
	memo map[application]int
}

// cost returns the steps for one application, those beneath it included.
func (m *meter) cost(sch *jsonschema.Schema, n *node) int {
	at := application{sch, n}
	if cost, ok := m.memo[at]; ok {
		return m.charge(cost)
	}
	cost := m.charge(own(sch, n))
	if sch.Bool == nil {
		for _, sub := range inPlace(sch) {
			cost += m.costUnless(sub, n)
		}
		switch n.kind {
		case kindObject:
			cost += m.members(sch, n)
		case kindArray:
			cost += m.items(sch, n)
		default: // nothing is beneath
		}
	}
	m.memo[at] = cost
	return cost
}

// charge counts steps. It lets no sum overflow: a count that is beyond the
// budget stays where it is.
func (m *meter) charge(steps int) int {
	m.left -= min(steps, m.left+1)
	return steps
}

// costUnless is cost, unless the budget is used up: then nothing more is counted.
func (m *meter) costUnless(sch *jsonschema.Schema, n *node) int {
	if m.left < 0 {
		return 0
	}
	return m.cost(sch, n)
}

func (m *meter) members(sch *jsonschema.Schema, n *node) int {
	cost := m.charge(len(n.members))
	additional, _ := sch.AdditionalProperties.(*jsonschema.Schema)
	names := propertyNames(sch)
	for _, mem := range n.members {
		if sub := sch.Properties[mem.name]; sub != nil {
			cost += m.costUnless(sub, mem.value)
		}
		for re, sub := range sch.PatternProperties {
			cost += m.charge(1+matching(re, len(mem.name))) + m.costUnless(sub, mem.value)
		}
		for _, sub := range []*jsonschema.Schema{additional, sch.UnevaluatedProperties} {
			if sub != nil {
				cost += m.costUnless(sub, mem.value)
			}
		}
		if names != nil {
			cost += m.costUnless(names, &node{kind: kindString, text: mem.name})
		}
	}
	return cost
}

func (m *meter) items(sch *jsonschema.Schema, n *node) int {
	cost := m.charge(len(n.items))
	each := forItems(sch)
	first := sch.PrefixItems
	if list, ok := sch.Items.([]*jsonschema.Schema); ok {
		first = list
	}
	for i, item := range n.items {
		if i < len(first) {
			cost += m.costUnless(first[i], item)
		}
		for _, sub := range each {
			cost += m.costUnless(sub, item)
		}
	}
	return cost
}

// own returns the steps that sch itself takes with the value.
func own(sch *jsonschema.Schema, n *node) int {
	steps := 1
	if sch.Enum != nil {
		steps += len(sch.Enum.Values) / 4
	}
	switch n.kind {
	case kindNumber:
		steps += weight(n.text)
		if sch.Enum != nil { // every option is read as a number
			steps += len(sch.Enum.Values) * (1 + weight(n.text))
		}
	case kindString:
		steps += len(n.text) / 500
		if sch.Pattern != nil {
			steps += matching(sch.Pattern, len(n.text))
		}
		if len(sch.Extensions) > 0 {
			steps += 5 + len(n.text)/20
		}
	case kindArray:
		if sch.UniqueItems {
			steps += 2 * size(n)
		}
	default: // costs nothing more
	}
	if sch.Enum != nil && n.kind&(kindArray|kindObject) != 0 || sch.Const != nil {
		steps += size(n)
	}
	return steps
}

// weight is what computing with a number adds: little, unless it is a long one.
func weight(number string) int {
	if len(number) <= 24 {
		return heavyExponent(number)
	}
	return len(number)/8 + heavyExponent(number)
}

func heavyExponent(number string) int {
	for i := 0; i < len(number); i++ {
		if number[i]|0x20 == 'e' && len(number)-i > 3 { // three digits, or two and a sign
			return 20
		}
	}
	return 0
}

// size counts the values in a node.
func size(n *node) int {
	total := 1
	for _, item := range n.items {
		total += size(item)
	}
	for _, m := range n.members {
		total += size(m.value)
	}
	return total
}

// matching returns the steps to match a pattern with a text of so many bytes.
func matching(re jsonschema.Regexp, length int) int {
	p, ok := re.(*pattern)
	if !ok {
		return length
	}
	const perStep = 60 // instructions of the regular expression machine
	return 1 + (length+1)*p.size/perStep
}
