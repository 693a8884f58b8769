package jsonschema

import (
	"math/big"
	"strings"

	"hyperstudy-endpoint/internal/jsontree"
)

// A Budget is the work that may still be done, in steps of about a microsecond.
// A small schema can ask for hours of work by referring to one subschema many
// times over.
type Budget struct {
	Steps int
	ticks int // that are left of the last step
}

// Spend takes n steps off the budget and reports false if it has not that many;
// then it has none any more.
func (b *Budget) Spend(n int) bool {
	if n > b.Steps {
		b.Steps = 0
		return false
	}
	b.Steps -= n
	return true
}

// Tick is Spend for a small part of a step.
func (b *Budget) Tick() bool {
	const perStep = 16
	if b.ticks == 0 {
		if !b.Spend(1) {
			return false
		}
		b.ticks = perStep
	}
	b.ticks--
	return true
}

// price works out what does not depend on the value.
func (s *Schema) price() {
	const bitsPerStep, bitsToDividePerStep, namesPerStep = 4096, 256, 16
	for _, r := range []*big.Rat{s.Minimum, s.Maximum, s.ExclusiveMinimum, s.ExclusiveMaximum} {
		s.arithmetic += bits(r) / bitsPerStep
	}
	s.arithmetic += bits(s.MultipleOf) / bitsToDividePerStep
	names := len(s.Required) + len(s.Dependent)
	for _, d := range s.Dependent {
		names += len(d.Required)
	}
	s.lookups = names / namesPerStep
}

func bits(r *big.Rat) int {
	if r == nil {
		return 0
	}
	return r.Num().BitLen() + r.Denom().BitLen()
}

// cost returns the steps that s itself takes with a value, without its subschemas.
func (s *Schema) cost(n *jsontree.Node) int {
	steps := 1
	if s.Enum != nil || s.Const != nil {
		steps += s.comparing(n)
	}
	switch n.Kind {
	case jsontree.Number:
		steps += weight(n.Text) + s.arithmetic
	case jsontree.String:
		steps += len(n.Text) / 500
		if s.Pattern != nil {
			steps += s.Pattern.Steps(len(n.Text))
		}
		if s.Format != nil {
			steps += s.Format.cost(n.Text)
		}
	case jsontree.Array:
		steps += len(n.Items) / 4
		if s.UniqueItems {
			steps += n.Size()
		}
	case jsontree.Object:
		steps += len(n.Members)/4 + s.lookups
		if s.PatternProperties != nil {
			steps += s.matchingNames(n.Members)
		}
	default: // costs nothing more
	}
	return steps
}

// matchingNames returns the steps to match all names with all patterns.
func (s *Schema) matchingNames(members []jsontree.Member) int {
	var all Pattern
	for _, p := range s.PatternProperties {
		all.size += p.Pattern.size
	}
	length := 0
	for _, m := range members {
		length += len(m.Name) + 1
	}
	return len(s.PatternProperties)*len(members)/4 + all.Steps(length)
}

// comparing returns the steps that it takes to compare a value with the options.
func (s *Schema) comparing(n *jsontree.Node) int {
	options := len(s.Enum) + 1
	switch n.Kind {
	case jsontree.Number: // each has to be brought into one form
		return options * (1 + len(n.Text)/64)
	case jsontree.Array, jsontree.Object:
		return options/4 + n.Size()*options/8
	default:
		return options / 4
	}
}

// weight is what computing with a number adds: little, unless it is a long one or
// has many digits once it is written without an exponent.
func weight(number string) int {
	steps := 0
	if len(number) > 24 {
		steps = len(number) / 8
	}
	for i := range len(number) {
		if number[i]|0x20 == 'e' && len(number)-i > 3 { // three digits, or two and a sign
			return steps + 20
		}
	}
	return steps
}

// Steps returns the steps that it takes to match a text of so many bytes.
func (p *Pattern) Steps(length int) int {
	const perStep = 60 // instructions of the regular expression machine
	return 1 + (length+1)*p.size/perStep
}

// cost returns the steps that it takes to check a text. A regular expression has
// to be translated and parsed, and properties such as \p{L} are large.
func (f *Format) cost(text string) int {
	if f.Name == "regex" && len(text) <= maxPatternLength {
		return 5 + len(text)/2 + 50*(strings.Count(text, `\p`)+strings.Count(text, `\P`))
	}
	return 5 + len(text)/20
}
