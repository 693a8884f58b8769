package baseline

import "math/big"

const (
	maxItems     = 4096 // a schema that demands more is refused
	lengthAbove  = 10   // how many items more than it must have an array has at most
	lengthBeyond = 3    // the same where nothing limits it
	maxListed    = 1000 // values up to which a schema's are listed
	uniqueTries  = 200  // draws of an item before it is given up to find a new one
)

// A shape is what arrays of a plan have to keep to.
type shape struct {
	low, high int
	unique    bool
	contains  []*schema // of the atoms with contains
	least     []int     // minContains of each
	most      []int     // maxContains of each, -1 if there is none
}

func (d *drawer) shape(p *plan) (shape, bool) {
	s := shape{high: -1}
	tuple := 0
	for _, atom := range p.atoms {
		s.low = max(s.low, atom.minItems)
		s.unique = s.unique || atom.uniqueItems
		tuple = max(tuple, len(atom.prefixItems))
		if atom.maxItems >= 0 {
			s.limit(atom.maxItems)
		}
		if end := atom.items; end != nil && end.never {
			s.limit(len(atom.prefixItems))
		}
		if end := atom.unevaluatedItems; end != nil && end.never && atom.items == nil {
			s.limit(max(len(atom.prefixItems), s.low))
		}
		if atom.contains != nil {
			s.contains = append(s.contains, atom.contains)
			s.least = append(s.least, atom.minContains)
			s.most = append(s.most, atom.maxContains)
			s.low = max(s.low, atom.minContains)
		}
	}
	switch {
	case s.low > maxItems || s.high >= 0 && s.low > s.high || !d.spend(s.low):
		return s, false
	case d.brief():
		s.high = s.low
	case s.high < 0:
		s.high = max(s.low, tuple) + lengthBeyond
	default:
		s.high = min(s.high, s.low+lengthAbove)
	}
	return s, true
}

func (s *shape) limit(items int) {
	if s.high < 0 || items < s.high {
		s.high = items
	}
}

// array draws an array: first its length, then its items in order.
func (d *drawer) array(p *plan) (any, bool) {
	s, ok := d.shape(p)
	if !ok {
		return nil, false
	}
	if s.unique {
		if options, listed := d.listItems(p); listed {
			return d.sample(options, s.low, s.high)
		}
	}
	length := d.random.between(s.low, s.high)
	needed := d.placeContained(s, length)
	items := make([]any, 0, length)
	known := map[string]bool{}
	for i := range length {
		schemas := p.itemSchemas(i)
		for k, sub := range s.contains {
			switch {
			case needed[k][i]:
				schemas = append(schemas, sub)
			case s.most[k] >= 0:
				schemas = append(schemas, negation(sub))
			}
		}
		v, ok := d.drawNew(schemas, known, s.unique)
		if !ok {
			return items, i >= s.low
		}
		items = append(items, v)
	}
	return items, true
}

// placeContained chooses, for each contains, the places of the items that are
// to be what it asks for.
func (d *drawer) placeContained(s shape, length int) []map[int]bool {
	places := make([]map[int]bool, len(s.contains))
	for k := range s.contains {
		places[k] = map[int]bool{}
		for n, i := range d.random.permutation(length) {
			if n < s.least[k] {
				places[k][i] = true
			}
		}
	}
	return places
}

// itemSchemas returns what the item at i has to be valid for. Without any
// schema it may be anything.
func (p *plan) itemSchemas(i int) []*schema {
	var schemas []*schema
	for _, atom := range p.atoms {
		if of := atom.item(i); of != nil {
			schemas = append(schemas, of)
		}
	}
	if len(schemas) == 0 {
		schemas = append(schemas, newSchema())
	}
	return schemas
}

// drawNew draws an item, if need be one that is not known yet.
func (d *drawer) drawNew(schemas []*schema, known map[string]bool, unique bool) (any, bool) {
	if !unique {
		return d.draw(schemas)
	}
	for range uniqueTries {
		v, ok := d.draw(schemas)
		if !ok {
			return nil, false
		}
		if key := identity(v); !known[key] {
			known[key] = true
			return v, true
		}
	}
	return nil, false
}

// sample draws so many different options: each selection of a length is equally
// likely, and so is each order of it.
func (d *drawer) sample(options []any, low, high int) (any, bool) {
	if len(options) < low {
		return nil, false
	}
	order := d.random.permutation(len(options))
	order = order[:d.random.between(low, min(high, len(options)))]
	items := make([]any, len(order))
	for n, i := range order {
		items[n] = options[i]
	}
	return items, true
}

// listItems returns the values that the items of an array can have if all of
// them come from one list, such as the options of a question.
func (d *drawer) listItems(p *plan) (options []any, listed bool) {
	for _, atom := range p.atoms {
		if len(atom.prefixItems) > 0 || atom.contains != nil {
			return nil, false
		}
	}
	schemas := p.itemSchemas(0)
	for _, of := range schemas {
		list, ok := d.list(of, 0)
		if !ok {
			continue
		}
		known := map[string]bool{}
		for _, v := range list {
			if key := identity(v); !known[key] && d.validAll(schemas, v) {
				known[key] = true
				options = append(options, v)
			}
		}
		return options, true
	}
	return nil, false
}

// list returns values among which are all that are valid for a schema, if they
// are few.
func (d *drawer) list(s *schema, depth int) ([]any, bool) {
	switch {
	case depth > maxLevels || !d.spend(1):
		return nil, false
	case s.hasEnum:
		return s.options, len(s.options) <= maxListed
	case s.types&^(typeNull|typeBoolean) == 0:
		return []any{nil, false, true}, true
	case s.types == typeInteger:
		if list, ok := listNumbers(s); ok {
			return list, true
		}
	}
	for _, ref := range s.refs {
		if target := d.resolve(ref); target != nil {
			if list, ok := d.list(target, depth+1); ok {
				return list, true
			}
		}
	}
	for _, sub := range s.allOf {
		if list, ok := d.list(sub, depth+1); ok {
			return list, true
		}
	}
	for _, c := range s.choices {
		if list, ok := d.listAll(c.branches, depth+1); ok {
			return list, true
		}
	}
	return nil, false
}

func (d *drawer) listAll(branches []*schema, depth int) ([]any, bool) {
	var all []any
	for _, b := range branches {
		list, ok := d.list(b, depth)
		if all = append(all, list...); !ok || len(all) > maxListed {
			return nil, false
		}
	}
	return all, true
}

// listNumbers lists the integers between a schema's bounds.
func listNumbers(s *schema) ([]any, bool) {
	if s.minimum == nil || s.maximum == nil {
		return nil, false
	}
	p := plan{atoms: []*schema{s}, types: typeInteger}
	bounds := p.span()
	first, count := bounds.steps()
	if !count.IsInt64() || count.Int64() > maxListed {
		return nil, false
	}
	var list []any
	for range count.Int64() {
		at := new(big.Rat).SetInt(first)
		list = append(list, decimal(at.Mul(at, bounds.step)))
		first.Add(first, big.NewInt(1))
	}
	return list, true
}
