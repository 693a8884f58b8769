package baseline

import (
	"math/big"
)

const (
	defaultSpan  = 100  // how far a range goes that has no bound on that side
	gridSteps    = 1000 // how many steps a range has at least where nothing says so
	maxStepBits  = 4096
	maxGridDigit = 420 // decimals; no two bounds that can be read are closer
)

// A span is what the numbers of a plan have to keep to.
type span struct {
	low, high *limit   // nil if there is no bound
	step      *big.Rat // nil if there is none
}

func (p *plan) span() span {
	var s span
	for _, atom := range p.atoms {
		s.low = tighter(s.low, atom.minimum, -1)
		s.high = tighter(s.high, atom.maximum, 1)
		s.step = commonMultiple(s.step, atom.multipleOf)
	}
	if p.types&typeFraction == 0 {
		s.step = commonMultiple(s.step, big.NewRat(1, 1))
	}
	return s
}

// commonMultiple returns the least number that is a multiple of both.
func commonMultiple(a, b *big.Rat) *big.Rat {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	common := new(big.Int).GCD(nil, nil, a.Num(), b.Num())
	numerator := new(big.Int).Mul(a.Num(), b.Num())
	numerator.Quo(numerator, common)
	return new(big.Rat).SetFrac(numerator, new(big.Int).GCD(nil, nil, a.Denom(), b.Denom()))
}

// close fills in the bounds that are missing.
func (s *span) close() {
	width := big.NewRat(defaultSpan, 1)
	if s.step != nil && s.step.Cmp(big.NewRat(1, 1)) > 0 {
		width.Mul(width, s.step)
	}
	switch {
	case s.low == nil && s.high == nil:
		s.low, s.high = &limit{value: new(big.Rat)}, &limit{value: width}
	case s.high == nil:
		s.high = &limit{value: width.Add(width, s.low.value)}
	case s.low == nil && s.high.value.Sign() > 0:
		s.low = &limit{value: new(big.Rat)}
	case s.low == nil:
		s.low = &limit{value: new(big.Rat).Sub(s.high.value, width)}
	}
}

// grid returns the step to draw by where the schema has none: a power of ten,
// at most a tenth, of which the range holds a thousand.
func (s *span) grid() *big.Rat {
	step := big.NewRat(1, 10)
	width := new(big.Rat).Sub(s.high.value, s.low.value)
	for range maxGridDigit {
		if new(big.Rat).Mul(step, big.NewRat(gridSteps, 1)).Cmp(width) <= 0 {
			break
		}
		step.Mul(step, big.NewRat(1, 10))
	}
	return step
}

// steps returns the first multiple of the step within the span and how many
// there are.
func (s *span) steps() (first, count *big.Int) {
	first = floor(new(big.Rat).Quo(s.low.value, s.step))
	if at := new(big.Rat).Mul(new(big.Rat).SetInt(first), s.step); at.Cmp(s.low.value) < 0 || s.low.exclusive {
		first.Add(first, big.NewInt(1))
	}
	last := floor(new(big.Rat).Quo(s.high.value, s.step))
	if at := new(big.Rat).Mul(new(big.Rat).SetInt(last), s.step); at.Cmp(s.high.value) == 0 && s.high.exclusive {
		last.Sub(last, big.NewInt(1))
	}
	count = new(big.Int).Sub(last, first)
	return first, count.Add(count, big.NewInt(1))
}

// floor returns the greatest integer that is not above r.
func floor(r *big.Rat) *big.Int {
	return new(big.Int).Div(r.Num(), r.Denom()) // Euclidean, and the denominator is positive
}

// number draws a number uniformly from the steps within its bounds.
func (d *drawer) number(p *plan) (any, bool) {
	s := p.span()
	s.close()
	switch c := s.low.value.Cmp(s.high.value); {
	case c > 0 || c == 0 && (s.low.exclusive || s.high.exclusive):
		return nil, false
	case c == 0:
		return decimal(s.low.value), true // the check tells whether the step allows it
	case s.step == nil:
		s.step = s.grid()
	case s.step.Num().BitLen() > maxStepBits:
		return nil, false
	}
	first, count := s.steps()
	if count.Sign() <= 0 {
		return nil, false
	}
	at := new(big.Rat).SetInt(first.Add(first, d.random.bigBelow(count)))
	return decimal(at.Mul(at, s.step)), true
}
