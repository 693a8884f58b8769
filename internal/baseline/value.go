package baseline

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"hyperstudy-endpoint/internal/openai"
)

// maxNesting bounds how deep a schema may be nested.
const maxNesting = 200

var (
	errNotJSON = errors.New("it is not valid JSON")
	errTooDeep = errors.New("it is nested too deeply")
)

// A JSON value is nil, a bool, a string, a number, a []any or an *object.

// A number is a JSON number as it was written, and its exact value. The value
// is nil if it has so many digits that working with it would take too long.
type number struct {
	text string
	rat  *big.Rat
}

// An object is a JSON object whose members keep their order.
type object struct {
	names  []string
	values map[string]any
}

func (o *object) set(name string, value any) {
	if o.values == nil {
		o.values = map[string]any{}
	}
	if _, ok := o.values[name]; !ok {
		o.names = append(o.names, name)
	}
	o.values[name] = value
}

func (o *object) has(name string) bool {
	_, ok := o.values[name]
	return ok
}

// decodeValue decodes one JSON value.
func decodeValue(data []byte) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	v, err := readValue(dec, 0)
	if err != nil {
		return nil, err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errNotJSON
	}
	return v, nil
}

func readValue(dec *json.Decoder, depth int) (any, error) {
	token, err := dec.Token()
	switch {
	case err != nil:
		return nil, errNotJSON
	case depth > maxNesting:
		return nil, errTooDeep
	}
	switch t := token.(type) {
	case json.Number:
		return newNumber(t.String()), nil
	case json.Delim:
		if t == '[' {
			return readArray(dec, depth)
		}
		return readObject(dec, depth)
	default:
		return t, nil
	}
}

func readArray(dec *json.Decoder, depth int) (any, error) {
	items := []any{}
	for dec.More() {
		v, err := readValue(dec, depth+1)
		if err != nil {
			return nil, err
		}
		items = append(items, v)
	}
	return items, readEnd(dec)
}

func readObject(dec *json.Decoder, depth int) (any, error) {
	o := &object{}
	for dec.More() {
		token, err := dec.Token()
		name, ok := token.(string)
		if err != nil || !ok {
			return nil, errNotJSON
		}
		v, err := readValue(dec, depth+1)
		if err != nil {
			return nil, err
		}
		o.set(name, v)
	}
	return o, readEnd(dec)
}

func readEnd(dec *json.Decoder) error {
	if _, err := dec.Token(); err != nil {
		return errNotJSON
	}
	return nil
}

// newNumber reads the text of a JSON number.
func newNumber(text string) number {
	const (
		longest     = 1000
		maxExponent = 400 // beyond what a binary64 number reaches
	)
	n := number{text: text}
	if len(text) > longest {
		return n
	}
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		if e, err := strconv.Atoi(text[i+1:]); err != nil || e > maxExponent || e < -maxExponent {
			return n
		}
	}
	if r, ok := new(big.Rat).SetString(text); ok {
		n.rat = r
	}
	return n
}

// decimal returns a number as a schema's author would write it: all digits,
// none too many, no exponent. Its denominator has no factor but 2 and 5.
func decimal(r *big.Rat) number {
	if r.IsInt() {
		return number{text: r.Num().String(), rat: r}
	}
	digits, _ := r.FloatPrec()
	return number{text: r.FloatString(digits), rat: r}
}

// appendValue appends the JSON text of a value.
func appendValue(b []byte, v any) []byte {
	switch v := v.(type) {
	case nil:
		return append(b, "null"...)
	case bool:
		return strconv.AppendBool(b, v)
	case number:
		return append(b, v.text...)
	case string:
		return appendString(b, v)
	case []any:
		b = append(b, '[')
		for i, item := range v {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendValue(b, item)
		}
		return append(b, ']')
	case *object:
		b = append(b, '{')
		for i, name := range v.names {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(appendString(b, name), ':')
			b = appendValue(b, v.values[name])
		}
		return append(b, '}')
	}
	return b
}

func appendString(b []byte, s string) []byte {
	text, err := openai.Marshal(s)
	if err != nil { // no string fails to encode
		return append(b, `""`...)
	}
	return append(b, text...)
}

// identity returns a text that two values share exactly if JSON Schema holds
// them to be equal: 1 and 1.0 are, and the order of members does not matter.
// See https://json-schema.org/draft/2020-12/json-schema-core#section-4.2.2.
func identity(v any) string { return string(appendIdentity(nil, v)) }

func appendIdentity(b []byte, v any) []byte {
	switch v := v.(type) {
	case number:
		if v.rat != nil {
			return append(b, v.rat.RatString()...)
		}
	case string:
		b = strconv.AppendInt(append(b, '"'), int64(len(v)), 10) // tells where it ends
		return append(append(b, ':'), v...)
	case []any:
		b = append(b, '[')
		for _, item := range v {
			b = append(appendIdentity(b, item), ',')
		}
		return append(b, ']')
	case *object:
		b = append(b, '{')
		for _, name := range slices.Sorted(slices.Values(v.names)) {
			b = append(appendIdentity(appendIdentity(b, name), v.values[name]), ',')
		}
		return append(b, '}')
	}
	return appendValue(b, v)
}
