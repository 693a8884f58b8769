package openai

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"slices"

	"hyperstudy-endpoint/internal/rawjson"
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
	index   map[string]int // of the members, once there are many
}

// many is from how many members on an index is quicker than looking at each.
const many = 16

// errNotObject is reported for JSON that is valid but not an object.
var errNotObject = errors.New("not a JSON object")

// ParseObject splits one JSON object into its members without decoding their
// values, which share memory with data. Of a name given twice the last value
// counts, as everywhere in encoding/json.
func ParseObject(data []byte) (Object, error) {
	if !rawjson.Valid(data) {
		var v any
		return Object{}, json.Unmarshal(data, &v) // names the offset
	}
	return SplitObject(data)
}

// Get returns the value of name, and nil if there is none.
func (o *Object) Get(name string) json.RawMessage {
	if i := o.find(name); i >= 0 {
		return o.members[i].Value
	}
	return nil
}

// find returns the place of a member, and -1 if there is none of that name.
func (o *Object) find(name string) int {
	if o.index != nil {
		if i, ok := o.index[name]; ok {
			return i
		}
		return -1
	}
	for i := range o.members {
		if o.members[i].Name == name {
			return i
		}
	}
	return -1
}

// Has reports whether there is a member of that name with a value other than null.
func (o *Object) Has(name string) bool {
	v := o.Get(name)
	return v != nil && !rawjson.IsNull(v)
}

// Set replaces the value of name where it stands, or appends it.
func (o *Object) Set(name string, value json.RawMessage) {
	if i := o.find(name); i >= 0 {
		o.members[i].Value = value
		return
	}
	o.members = append(o.members, Member{name, value})
	switch n := len(o.members); {
	case o.index != nil:
		o.index[name] = n - 1
	case n == many:
		o.index = make(map[string]int, 2*many)
		for i := range o.members {
			o.index[o.members[i].Name] = i
		}
	}
}

// Delete removes name if it is there.
func (o *Object) Delete(name string) {
	at := o.find(name)
	if at < 0 {
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
	return Object{members: slices.Clone(o.members), index: maps.Clone(o.index)}
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
		if err := writeName(buf, m.Name); err != nil {
			return nil, err
		}
		buf.WriteByte(':')
		buf.Write(m.Value)
	}
	buf.WriteByte('}')
	return buf.Bytes(), nil
}

// writeName writes a name as JSON. Nearly all names are plain words.
func writeName(buf *bytes.Buffer, name string) error {
	if IsName(name, len(name), "_-.$") {
		buf.WriteByte('"')
		buf.WriteString(name)
		buf.WriteByte('"')
		return nil
	}
	quoted, err := json.Marshal(name)
	buf.Write(quoted)
	return err
}
