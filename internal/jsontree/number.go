package jsontree

import (
	"math/big"
	"strconv"
	"strings"

	"hyperstudy-endpoint/internal/rawjson"
)

// Limits of numbers. What is beyond them cannot be told from 0 or from infinity as
// an IEEE 754 double, which is what a client in JavaScript makes of a number.
const (
	MaxNumberLength = 512
	MaxExponent     = 400
)

// reasonable reports whether the value of a JSON number can be computed exactly at
// little cost, and is no infinity for those who compute in doubles.
func reasonable(number string) bool {
	if len(number) > MaxNumberLength {
		return false
	}
	if _, exponent := cutExponent(number); exponent < -MaxExponent || exponent > MaxExponent {
		return false
	}
	_, err := strconv.ParseFloat(number, 64)
	return err == nil
}

// cutExponent takes the exponent off a number. One that is too large to be read
// comes back as one that is too large.
func cutExponent(number string) (rest string, exponent int) {
	i := strings.IndexAny(number, "eE")
	if i < 0 {
		return number, 0
	}
	exponent, err := strconv.Atoi(number[i+1:])
	if err != nil {
		exponent = MaxExponent + 1
	}
	return number[:i], exponent
}

// IsNumber reports whether s is exactly one JSON number of reasonable size.
func IsNumber(s string) bool {
	return s != "" && strings.IndexByte("-0123456789", s[0]) >= 0 && rawjson.Valid([]byte(s)) &&
		strings.TrimRight(s, " \t\r\n") == s && reasonable(s)
}

// Normal returns the one form in which numbers of the same value are written
// alike: their digits from the first to the last that is not 0, and the power of
// ten of the last one.
func Normal(number string) string {
	rest, exponent := cutExponent(number)
	digits, negative := strings.CutPrefix(rest, "-")
	whole, fraction, _ := strings.Cut(digits, ".")
	digits = whole + fraction
	exponent -= len(fraction)
	significant := strings.TrimRight(digits, "0")
	exponent += len(digits) - len(significant)
	significant = strings.TrimLeft(significant, "0")
	if significant == "" {
		return "0"
	}
	if negative {
		significant = "-" + significant
	}
	return significant + "e" + strconv.Itoa(exponent)
}

// Rat returns the exact value of a number, and 0 for what is none.
func (n *Node) Rat() *big.Rat {
	r, ok := new(big.Rat).SetString(n.Text)
	if !ok || n.Kind != Number {
		return new(big.Rat)
	}
	return r
}
