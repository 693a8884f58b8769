package conformance

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"net/mail"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"hyperstudy-endpoint/internal/wording"
)

// hasType reports whether a value has a type of JSON Schema. 5.0 is an integer.
func hasType(value any, name string) bool {
	if name == "integer" {
		n, isNumber := value.(json.Number)
		r := exact(n)
		return isNumber && r != nil && r.IsInt()
	}
	return typeOf(value) == name
}

func typeOf(value any) string {
	switch value.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case json.Number:
		return "number"
	case string:
		return "string"
	case []any:
		return "array"
	default:
		return "object"
	}
}

// Numbers beyond these are not calculated with: 1e999999999 would fill the memory,
// and a million digits take seconds.
const (
	largestExponent = 1000
	longestNumber   = 1000 // in characters
)

// exact is a number to the last digit, or nil if it is beyond all reason.
func exact(n json.Number) *big.Rat {
	if len(n) > longestNumber {
		return nil
	}
	if i := strings.IndexAny(string(n), "eE"); i >= 0 {
		if e, err := strconv.Atoi(string(n)[i+1:]); err != nil || e > largestExponent || e < -largestExponent {
			return nil
		}
	}
	r, ok := new(big.Rat).SetString(string(n))
	if !ok {
		return nil
	}
	return r
}

// equal compares two JSON values; numbers by their value.
func equal(a, b any) bool { return canonical(a) == canonical(b) }

// canonical is the one text that stands for a JSON value and all that are equal
// to it, so that many can be compared without comparing each to each.
func canonical(value any) string {
	var b strings.Builder
	writeCanonical(&b, value)
	return b.String()
}

func writeCanonical(b *strings.Builder, value any) {
	switch v := value.(type) {
	case json.Number:
		b.WriteString(canonicalNumber(string(v)))
	case string:
		b.Write(quoted(v))
	case []any:
		b.WriteByte('[')
		for _, item := range v {
			writeCanonical(b, item)
			b.WriteByte(',')
		}
		b.WriteByte(']')
	case map[string]any:
		b.WriteByte('{')
		for _, name := range sortedKeys(v) {
			b.Write(quoted(name))
			b.WriteByte(':')
			writeCanonical(b, v[name])
			b.WriteByte(',')
		}
		b.WriteByte('}')
	default:
		fmt.Fprint(b, v) // null, true or false
	}
}

// canonicalNumber is a number as digits without zeros at either end, times a
// power of ten.
func canonicalNumber(text string) string {
	sign := ""
	if strings.HasPrefix(text, "-") {
		sign, text = "-", text[1:]
	}
	mantissa, power, _ := strings.Cut(strings.ToLower(text), "e")
	exponent := 0
	if power != "" {
		var err error
		if exponent, err = strconv.Atoi(power); err != nil { // too large to calculate with
			return sign + mantissa + "e" + power
		}
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := strings.TrimLeft(whole+fraction, "0")
	significant := strings.TrimRight(digits, "0")
	if significant == "" {
		return "0"
	}
	return fmt.Sprintf("%s%se%d", sign, significant, exponent-len(fraction)+len(digits)-len(significant))
}

func (j *validation) judgeNumber(s map[string]any, v json.Number, at string) {
	value := exact(v)
	if value == nil {
		j.add(at, "is a number beyond all reason")
		return
	}
	for _, rule := range []struct {
		keyword, words string
		breaks         func(sign int) bool
	}{
		{"minimum", "at least", func(sign int) bool { return sign < 0 }},
		{"maximum", "at most", func(sign int) bool { return sign > 0 }},
		{"exclusiveMinimum", "more than", func(sign int) bool { return sign <= 0 }},
		{"exclusiveMaximum", "less than", func(sign int) bool { return sign >= 0 }},
	} {
		limit, isNumber := s[rule.keyword].(json.Number)
		if r := exact(limit); isNumber && r != nil && rule.breaks(value.Cmp(r)) {
			j.add(at, "must be %s %s", rule.words, limit)
		}
	}
	step, isNumber := s["multipleOf"].(json.Number)
	if r := exact(step); isNumber && r != nil && r.Sign() > 0 && !new(big.Rat).Quo(value, r).IsInt() {
		j.add(at, "must be a multiple of %s", step)
	}
}

func (j *validation) judgeString(s map[string]any, v, at string) {
	length := utf8.RuneCountInString(v)
	if least, has := size(s["minLength"]); has && length < least {
		j.add(at, "must have at least %s", wording.Count(least, "character"))
	}
	if most, has := size(s["maxLength"]); has && length > most {
		j.add(at, "must have at most %s", wording.Count(most, "character"))
	}
	if pattern, has := s["pattern"].(string); has {
		if re, err := regexp.Compile(pattern); err == nil && !re.MatchString(v) {
			j.add(at, "must match the pattern")
		}
	}
	if s["format"] == "email" && !isEmail(v) {
		j.add(at, "must be an e-mail address")
	}
}

// isEmail takes an address alone, without the name that mail.ParseAddress also
// takes.
func isEmail(s string) bool {
	a, err := mail.ParseAddress(s)
	return err == nil && a.Address == s && !strings.Contains(s, "<")
}

// size is the number of a keyword that counts.
func size(keyword any) (int, bool) {
	n, isNumber := keyword.(json.Number)
	r := exact(n)
	if !isNumber || r == nil || !r.IsInt() || !r.Num().IsInt64() {
		return 0, false
	}
	return int(r.Num().Int64()), true
}

// lookUp follows a reference within a document.
func lookUp(root any, ref string) (any, bool) {
	pointer, local := strings.CutPrefix(ref, "#")
	pointer, err := url.PathUnescape(pointer)
	if !local || err != nil || (pointer != "" && pointer[0] != '/') {
		return nil, false
	}
	at := root
	for i, token := range strings.Split(pointer, "/") {
		if i == 0 {
			continue
		}
		token = strings.NewReplacer("~1", "/", "~0", "~").Replace(token)
		switch v := at.(type) {
		case map[string]any:
			next, has := v[token]
			if !has {
				return nil, false
			}
			at = next
		case []any:
			n, err := strconv.Atoi(token)
			if err != nil || n < 0 || n >= len(v) {
				return nil, false
			}
			at = v[n]
		default:
			return nil, false
		}
	}
	return at, true
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
