package openai

import (
	"bytes"
	"encoding/json"
	"errors"
)

// A Member is one name and value of an [Object].
type Member struct {
	Name  string
	Value json.RawMessage
}

// An Object is a JSON object whose members keep their order and whose values
// are the bytes they were read from.
type Object struct {
	members []Member
	index   map[string]int
}

// errNotObject is reported for JSON that is valid but not an object.
var errNotObject = errors.New("not a JSON object")

// ParseObject splits one JSON object into its members without decoding their
// values, which share memory with data. Of a name given twice the last value
// counts, as everywhere in encoding/json.
func ParseObject(data []byte) (Object, error) {
	if !json.Valid(data) {
		var v any
		return Object{}, json.Unmarshal(data, &v) // names the offset
	}
	return SplitObject(data)
}

// Get returns the value of name, and nil if there is none.
func (o *Object) Get(name string) json.RawMessage {
	if i, ok := o.index[name]; ok {
		return o.members[i].Value
	}
	return nil
}

// Has reports whether there is a member of that name with a value other than null.
func (o *Object) Has(name string) bool {
	v := o.Get(name)
	return v != nil && !isNull(v)
}

// Set replaces the value of name where it stands, or appends it.
func (o *Object) Set(name string, value json.RawMessage) {
	if i, ok := o.index[name]; ok {
		o.members[i].Value = value
		return
	}
	if o.index == nil {
		o.index = map[string]int{}
	}
	o.index[name] = len(o.members)
	o.members = append(o.members, Member{name, value})
}

// Delete removes name if it is there.
func (o *Object) Delete(name string) {
	at, ok := o.index[name]
	if !ok {
		return
	}
	rest := Object{}
	for i, m := range o.members {
		if i != at {
			rest.Set(m.Name, m.Value)
		}
	}
	*o = rest
}

// Members returns the members in order. The slice must not be changed.
func (o *Object) Members() []Member { return o.members }

// Clone returns a copy whose members can be set without touching o. The
// values themselves are shared.
func (o *Object) Clone() Object {
	var c Object
	for _, m := range o.members {
		c.Set(m.Name, m.Value)
	}
	return c
}

// MarshalJSON writes the members in order, each value as it was read.
func (o Object) MarshalJSON() ([]byte, error) {
	size := 2
	for _, m := range o.members {
		size += len(m.Name) + len(m.Value) + 4
	}
	buf := bytes.NewBuffer(make([]byte, 0, size))
	buf.WriteByte('{')
	for i, m := range o.members {
		if i > 0 {
			buf.WriteByte(',')
		}
		name, err := json.Marshal(m.Name)
		if err != nil {
			return nil, err
		}
		buf.Write(name)
		buf.WriteByte(':')
		buf.Write(m.Value)
	}
	buf.WriteByte('}')
	return buf.Bytes(), nil
}
