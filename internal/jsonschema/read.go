package jsonschema

import (
	"math"
	"math/big"
	"slices"
	"strconv"

	"hyperstudy-endpoint/internal/jsontree"
)

// notValid is the error about what is no JSON Schema, at a pointer from the place
// that is compiled. want says what the value there would have to be.
func notValid(at, want string) *Error {
	return &Error{at, "is not valid JSON Schema: it must be " + want}
}

// annotation checks the keywords that say nothing about validity.
func annotation(name string, v *jsontree.Node, at string) *Error {
	switch name {
	case "$id", "id", "$anchor", "$dynamicAnchor", "$schema", "$comment", "title", "description", "contentEncoding", "contentMediaType":
		return mustBe(jsontree.String, v, at)
	case "deprecated", "readOnly", "writeOnly":
		return mustBe(jsontree.Boolean, v, at)
	case "examples":
		return mustBe(jsontree.Array, v, at)
	}
	return nil
}

func mustBe(kind jsontree.Kind, v *jsontree.Node, at string) *Error {
	if v.Kind&kind == 0 {
		return notValid(at, "of type "+kind.Names()[0])
	}
	return nil
}

func readCount(field *int, v *jsontree.Node, at string) *Error {
	r := v.Rat()
	if v.Kind != jsontree.Number || !r.IsInt() || r.Sign() < 0 {
		return notValid(at, "an integer of at least 0")
	}
	*field = math.MaxInt32 // no answer is larger
	if r.Cmp(new(big.Rat).SetInt64(math.MaxInt32)) < 0 {
		*field = int(r.Num().Int64())
	}
	return nil
}

func readBound(field **big.Rat, name string, v *jsontree.Node, at string) *Error {
	if err := mustBe(jsontree.Number, v, at); err != nil {
		return err
	}
	*field = v.Rat()
	if name == "multipleOf" && (*field).Sign() <= 0 {
		return notValid(at, "greater than 0")
	}
	return nil
}

func readNames(field *[]string, v *jsontree.Node, at string) *Error {
	seen := make(map[string]bool, len(v.Items))
	for _, item := range v.Items {
		if item.Kind != jsontree.String || seen[item.Text] {
			return notValid(at, "an array of different strings")
		}
		seen[item.Text] = true
		*field = append(*field, item.Text)
	}
	return mustBe(jsontree.Array, v, at)
}

func readEnum(s *Schema, v *jsontree.Node, at string) *Error {
	if len(v.Items) > maxEnum {
		return &Error{at, "has more than " + strconv.Itoa(maxEnum) + " options"}
	}
	s.Enum = append([]*jsontree.Node{}, v.Items...) // never nil
	return mustBe(jsontree.Array, v, at)
}

// read reads the names of types.
func (t *Types) read(v *jsontree.Node, at string) *Error {
	names := v.Items
	if v.Kind == jsontree.String {
		names = []*jsontree.Node{v}
	}
	whole := false
	for _, n := range names {
		kind, ok := kindOf(n.Text)
		if !ok || n.Kind != jsontree.String || slices.Contains(t.Names, n.Text) {
			return notValid(at, "the name of a type or an array of different ones")
		}
		t.Names = append(t.Names, n.Text)
		t.Kinds |= kind
		whole = whole || n.Text == "integer"
	}
	t.whole = whole && !slices.Contains(t.Names, "number")
	if len(t.Names) == 0 {
		return notValid(at, "the name of a type or an array of different ones")
	}
	return nil
}

// kindOf returns the kind of values that a name of the keyword type stands for.
func kindOf(name string) (jsontree.Kind, bool) {
	if name == "integer" {
		return jsontree.Number, true
	}
	for kind := jsontree.Null; kind <= jsontree.Object; kind <<= 1 {
		if kind.Names()[0] == name {
			return kind, true
		}
	}
	return 0, false
}
