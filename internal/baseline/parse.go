package baseline

import (
	"errors"
	"fmt"
	"math/big"
)

// A keywordFault is a keyword whose value has no meaning. Its text names the
// keyword, which is one of this package's, and not the value.
type keywordFault string

func (k keywordFault) Error() string {
	return fmt.Sprintf("its schema has a wrong value for %s", string(k))
}

var errNotSchema = errors.New("its schema has something other than an object, true or false where a schema belongs")

// A reader reads the keywords of one schema and keeps the first fault.
type reader struct {
	doc *document
	obj *object
	err error
}

// parse reads a schema with all of its subschemas.
func (d *document) parse(v any) (*schema, error) {
	s := newSchema()
	switch v := v.(type) {
	case bool:
		s.never = !v
		return s, nil
	case *object:
		if known := d.read[v]; known != nil {
			return known, nil
		}
		r := &reader{doc: d, obj: v}
		for _, read := range []func(*schema){r.readCore, r.readNumeric, r.readString, r.readArray, r.readObject, r.readLogic} {
			if read(s); r.err != nil {
				return nil, r.err
			}
		}
		d.read[v] = s
		return s, nil
	default:
		return nil, errNotSchema
	}
}

func (r *reader) fault(keyword string) {
	if r.err == nil {
		r.err = keywordFault(keyword)
	}
}

// schema reads a subschema; nil if it is absent.
func (r *reader) schema(keyword string) *schema {
	v, ok := r.obj.values[keyword]
	if !ok {
		return nil
	}
	return r.parse(v)
}

func (r *reader) parse(v any) *schema {
	s, err := r.doc.parse(v)
	if err != nil && r.err == nil {
		r.err = err
	}
	return s
}

// schemas reads an array of subschemas.
func (r *reader) schemas(keyword string) []*schema {
	v, ok := r.obj.values[keyword]
	if !ok {
		return nil
	}
	items, ok := v.([]any)
	if !ok {
		r.fault(keyword)
	}
	list := make([]*schema, len(items))
	for i, item := range items {
		list[i] = r.parse(item)
	}
	return list
}

// members reads an object of anything.
func (r *reader) members(keyword string) *object {
	v, ok := r.obj.values[keyword]
	if !ok {
		return &object{}
	}
	o, ok := v.(*object)
	if !ok {
		r.fault(keyword)
		return &object{}
	}
	return o
}

// strings reads an array of strings.
func (r *reader) strings(keyword string, v any) []string {
	items, ok := v.([]any)
	if !ok {
		r.fault(keyword)
	}
	list := make([]string, len(items))
	for i, item := range items {
		if list[i], ok = item.(string); !ok {
			r.fault(keyword)
		}
	}
	return list
}

func (r *reader) text(keyword string) string {
	v, ok := r.obj.values[keyword]
	if !ok {
		return ""
	}
	s, ok := v.(string)
	if !ok {
		r.fault(keyword)
	}
	return s
}

func (r *reader) flag(keyword string) bool {
	v, ok := r.obj.values[keyword]
	if !ok {
		return false
	}
	b, ok := v.(bool)
	if !ok {
		r.fault(keyword)
	}
	return b
}

// rational reads a number; nil if it is absent.
func (r *reader) rational(keyword string) *big.Rat {
	v, ok := r.obj.values[keyword]
	if !ok {
		return nil
	}
	n, ok := v.(number)
	if !ok || n.rat == nil {
		r.fault(keyword)
		return nil
	}
	return n.rat
}

// count reads a limit on how many there may be; -1 if it is absent. What is
// beyond any use becomes unbounded, far above what is drawn.
func (r *reader) count(keyword string) int {
	const unbounded = 1 << 30
	n := r.rational(keyword)
	switch {
	case n == nil:
		return -1
	case n.Sign() < 0 || !n.IsInt():
		r.fault(keyword)
		return -1
	case n.Cmp(big.NewRat(unbounded, 1)) > 0:
		return unbounded
	}
	return int(n.Num().Int64())
}
