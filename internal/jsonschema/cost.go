package jsonschema

import "hyperstudy-endpoint/internal/jsontree"

// A Budget is the work that may still be done, in steps of about a microsecond.
// A small schema can ask for hours of work by referring to one subschema many
// times over.
type Budget struct{ Steps int }

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

// cost returns the steps that s itself takes with a value, without its subschemas.
func (s *Schema) cost(n *jsontree.Node) int {
	steps := 1
	if s.Enum != nil || s.Const != nil {
		steps += s.comparing(n)
	}
	switch n.Kind {
	case jsontree.Number:
		steps += weight(n.Text)
	case jsontree.String:
		steps += len(n.Text) / 500
		if s.Pattern != nil {
			steps += s.Pattern.matching(len(n.Text))
		}
		if s.Format != nil {
			steps += 5 + len(n.Text)/20
		}
	case jsontree.Array:
		steps += len(n.Items) / 4
		if s.UniqueItems {
			steps += n.Size()
		}
	case jsontree.Object:
		steps += len(n.Members) / 4
		for _, p := range s.PatternProperties {
			for _, m := range n.Members {
				steps += p.Pattern.matching(len(m.Name))
			}
		}
	default: // costs nothing more
	}
	return steps
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

// matching returns the steps to match a text of so many bytes.
func (p *Pattern) matching(length int) int {
	const perStep = 60 // instructions of the regular expression machine
	return 1 + (length+1)*p.size/perStep
}
