package bedrock

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"hyperstudy-endpoint/internal/openai"
)

// propertyNameForms are the names of properties that a dialect takes; one that is
// not here takes any. Only Claude is known to refuse some, with "Property keys
// should match pattern", which is the source:
// https://github.com/aws-solutions-library-samples/accelerated-intelligent-document-processing-on-aws/issues/709
var propertyNameForms = map[dialect]*nameForm{
	draft2020: {longest: maxName, punctuation: "_.-"},
}

// propertyNames replaces the names of properties that a family refuses, in all
// schemas of one request and in the arguments of its history, and turns the
// replacements in answers back. What a name means must not be lost, so that the
// description of a property says what it is called.
type propertyNames struct {
	form     *nameForm         // nil: any name is taken
	schemas  []json.RawMessage // of the request
	taken    map[string]bool   // every text in them, once there is a name to replace
	upstream map[string]string // by the caller's name, of the refused names only
	original map[string]string // by the name sent
}

// newPropertyNames finds the names to replace in the schemas of the request.
func newPropertyNames(f *family, req *openai.ChatCompletionRequest) *propertyNames {
	n := &propertyNames{form: propertyNameForms[f.dialect], upstream: map[string]string{}, original: map[string]string{}}
	if n.form == nil {
		return n
	}
	n.schemas = []json.RawMessage{req.ResponseFormat.Schema}
	for _, tool := range req.CallableTools() {
		n.schemas = append(n.schemas, tool.Parameters)
	}
	n.schemas = slices.DeleteFunc(n.schemas, func(s json.RawMessage) bool { return len(s) == 0 || tooDeep(s) })
	for _, s := range n.schemas {
		n.find(s)
	}
	return n
}

// take notes all texts of the schemas, so that no replacement is like one of them.
func (n *propertyNames) take() {
	n.taken = map[string]bool{}
	for _, s := range n.schemas {
		d := json.NewDecoder(bytes.NewReader(s))
		d.UseNumber()
		for token, err := d.Token(); err == nil; token, err = d.Token() {
			if text, ok := token.(string); ok {
				n.taken[text] = true
			}
		}
	}
}

// send returns the name to send for that of a property or definition.
func (n *propertyNames) send(name string) string {
	if sent, ok := n.upstream[name]; ok {
		return sent
	}
	if n.form == nil || n.form.takes(name) {
		return name
	}
	if n.taken == nil {
		n.take()
	}
	sent := n.replacement(name, name)
	for i := 0; n.taken[sent]; i++ {
		sent = n.replacement(name, name+"\x00"+strconv.Itoa(i))
	}
	n.taken[sent] = true
	n.upstream[name], n.original[sent] = sent, name
	return sent
}

// replacement is what can be read of a name, and a digest of it.
func (n *propertyNames) replacement(name, unique string) string {
	const digits = 6 // models have to repeat them with every answer
	words := strings.FieldsFunc(name, func(r rune) bool { return !n.form.has(r) })
	if len(words) == 0 {
		words = []string{"name"}
	}
	return shorten(strings.Join(words, "_"), unique, digits)
}

// arguments returns the arguments of a call as an answer to the schemas that are
// sent would have them.
func (n *propertyNames) arguments(input json.RawMessage) json.RawMessage {
	if len(n.upstream) == 0 {
		return input
	}
	return json.RawMessage(replaceNames(string(input), n.upstream))
}

// restore puts the caller's names back in the JSON of an answer.
func (n *propertyNames) restore(text string) string { return replaceNames(text, n.original) }

// find gives every refused name of a schema its replacement. It goes where value
// goes, and writes nothing.
func (n *propertyNames) find(raw json.RawMessage) {
	for _, s := range listOf(raw) {
		n.find(s)
	}
	o, _ := openai.SplitObject(raw) // of what is no object, an empty one
	for _, m := range o.Members() {
		switch kind := keywords[m.Name]; {
		case m.Name == "dependencies", kind == schemaMap:
			named, _ := openai.SplitObject(m.Value)
			for _, p := range named.Members() {
				if m.Name == "properties" || m.Name == "$defs" || m.Name == "definitions" {
					n.send(p.Name)
				}
				n.find(p.Value)
			}
		case kind == schemaList, kind == oneSchema && m.Name != "propertyNames":
			n.find(m.Value)
		}
	}
}

// schema returns the copy of a schema that has no refused names.
func (n *propertyNames) schema(raw json.RawMessage) json.RawMessage {
	n.find(raw) // those of references that were inlined only now
	if len(n.upstream) == 0 {
		return raw
	}
	return n.value(raw)
}

// value changes what stands where names or schemas do: a name, a schema, or a
// list of either.
func (n *propertyNames) value(raw json.RawMessage) json.RawMessage {
	if list := listOf(raw); list != nil {
		for i := range list {
			list[i] = n.value(list[i])
		}
		return array(list)
	}
	var name string
	if startsWith(raw, '"') && json.Unmarshal(raw, &name) == nil {
		return n.quoted(name, raw)
	}
	return n.object(raw, n.keyword)
}

// quoted returns a name that is to be replaced, or the text that it was in.
func (n *propertyNames) quoted(name string, raw json.RawMessage) json.RawMessage {
	if sent, ok := n.upstream[name]; ok {
		return quote(sent)
	}
	return raw
}

// object changes the members of an object. What is none, such as the schemas true
// and false, stays as it is.
func (n *propertyNames) object(raw json.RawMessage, change func(openai.Member) openai.Member) json.RawMessage {
	o, err := openai.SplitObject(raw)
	if err != nil {
		return raw
	}
	var out openai.Object
	for _, m := range o.Members() {
		changed := change(m)
		out.Set(changed.Name, changed.Value)
	}
	encoded, err := encode(out)
	if err != nil { // no object that was read fails to be written
		return raw
	}
	return encoded
}

// keyword changes a keyword of a schema.
func (n *propertyNames) keyword(m openai.Member) openai.Member {
	switch m.Name {
	case "properties":
		m.Value = n.object(m.Value, n.property)
	case "$defs", "definitions":
		m.Value = n.object(m.Value, n.definition)
	case "dependentSchemas", "dependentRequired", "dependencies":
		m.Value = n.object(m.Value, n.mention)
	case "patternProperties":
		m.Value = n.object(m.Value, n.unnamed)
	case "propertyNames":
		m.Value = n.object(m.Value, n.nameKeyword)
	case "required":
		m.Value = n.value(m.Value)
	case "$ref":
		m.Value = n.reference(m.Value)
	case "enum", "const", "default", "examples":
		m.Value = n.arguments(m.Value)
	default:
		if kind := keywords[m.Name]; kind == oneSchema || kind == schemaList {
			m.Value = n.value(m.Value)
		}
	}
	return m
}

// property changes a property and its name, which the description then says.
func (n *propertyNames) property(p openai.Member) openai.Member {
	sent := n.send(p.Name)
	value := n.value(p.Value)
	if sent != p.Name {
		value = told(value, p.Name)
	}
	return openai.Member{Name: sent, Value: value}
}

// definition changes a definition and its name. Bedrock takes any, but not every
// model follows a reference to such a name:
// https://github.com/aws-solutions-library-samples/accelerated-intelligent-document-processing-on-aws/issues/783
func (n *propertyNames) definition(d openai.Member) openai.Member {
	return openai.Member{Name: n.send(d.Name), Value: n.value(d.Value)}
}

// mention changes what a keyword says of a property.
func (n *propertyNames) mention(p openai.Member) openai.Member {
	if sent, ok := n.upstream[p.Name]; ok {
		p.Name = sent
	}
	return n.unnamed(p)
}

// unnamed changes a schema whose name is not that of a property.
func (n *propertyNames) unnamed(p openai.Member) openai.Member {
	return openai.Member{Name: p.Name, Value: n.value(p.Value)}
}

// nameKeyword changes a keyword of the schema that names have to fulfil.
func (n *propertyNames) nameKeyword(m openai.Member) openai.Member {
	if m.Name == "enum" || m.Name == "const" {
		m.Value = n.value(m.Value)
	}
	return m
}

// reference changes a pointer, which names properties and definitions.
func (n *propertyNames) reference(raw json.RawMessage) json.RawMessage {
	var pointer string
	if json.Unmarshal(raw, &pointer) != nil {
		return raw
	}
	steps := strings.Split(pointer, "/")
	kind := oneSchema // of what the steps so far lead to
	for i, step := range steps[1:] {
		switch kind {
		case oneSchema:
			kind = keywords[step]
		case schemaMap:
			if sent, ok := n.upstream[unescape(step)]; ok && steps[i] != "patternProperties" {
				steps[i+1] = sent
			}
			kind = oneSchema
		case schemaList:
			kind = oneSchema
		default:
			return raw
		}
	}
	encoded, err := openai.Marshal(strings.Join(steps, "/"))
	if err != nil { // no string fails to marshal
		return raw
	}
	return encoded
}

// told returns the schema of a property with its name in the description.
func told(schema json.RawMessage, name string) json.RawMessage {
	var o openai.Object
	if string(schema) != "true" {
		var err error
		if o, err = openai.SplitObject(schema); err != nil {
			return schema // false: there is no such property
		}
	}
	quoted, err := openai.Marshal(name)
	if err != nil { // no string fails to marshal
		return schema
	}
	description := "Name: " + string(quoted) + "."
	var more string
	if json.Unmarshal(o.Get("description"), &more) == nil && !isBlank(more) {
		description += " " + more
	}
	if quoted, err = openai.Marshal(description); err != nil {
		return schema
	}
	o.Set("description", quoted)
	encoded, err := encode(o)
	if err != nil { // nothing in it fails to be written
		return schema
	}
	return encoded
}
