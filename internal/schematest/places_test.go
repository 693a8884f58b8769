package schematest

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// holders are the keywords that hold subschemas, with the drafts that have them.
var holders = []struct {
	keyword     string
	first, last int
}{
	{"$defs", 2019, 2020}, {"additionalItems", 4, 2019}, {"additionalProperties", 4, 2020}, {"allOf", 4, 2020}, {"anyOf", 4, 2020}, {"contains", 6, 2020},
	{"definitions", 4, 2020}, {"dependencies", 4, 2020}, {"dependentSchemas", 2019, 2020}, {"else", 7, 2020}, {"if", 7, 2020}, {"items", 4, 2020}, {"not", 4, 2020},
	{"oneOf", 4, 2020}, {"patternProperties", 4, 2020}, {"prefixItems", 2020, 2020}, {"properties", 4, 2020}, {"propertyNames", 6, 2020}, {"then", 7, 2020},
	{"unevaluatedItems", 2019, 2020}, {"unevaluatedProperties", 2019, 2020},
}

var mapHolders = []string{"$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties"}

// A place is a subschema, the fragment that leads to it, and its draft.
type place struct {
	fragment string
	schema   any
	draft    int
}

// places returns all subschemas, also those that no value reaches.
func places(schema any, draft int, at string) []place {
	o, _ := schema.(object)
	if _, ok := o["$id"].(string); ok && draft > 4 && o["$schema"] != nil {
		draft = draftOf(o)
	}
	list := []place{{at, schema, draft}}
	for _, h := range holders {
		v, ok := o[h.keyword]
		if !ok || draft < h.first || draft > h.last {
			continue
		}
		below := at + "/" + h.keyword
		switch v := v.(type) {
		case bool:
			list = append(list, place{below, v, draft})
		case []any:
			for i, sub := range v {
				list = append(list, places(sub, draft, below+"/"+strconv.Itoa(i))...)
			}
		case object:
			if !slices.Contains(mapHolders, h.keyword) {
				list = append(list, places(v, draft, below)...)
				continue
			}
			for _, name := range sortedKeys(v) {
				if _, names := v[name].([]any); !names || h.keyword != "dependencies" {
					list = append(list, places(v[name], draft, below+"/"+escapeFragment(name))...)
				}
			}
		}
	}
	return list
}

// draftOf returns the draft of a schema, which is 2020 unless it names another.
func draftOf(schema any) int {
	o, _ := schema.(object)
	uri, _ := o["$schema"].(string)
	if draft := draftNamed(uri); draft != 0 {
		return draft
	}
	return 2020
}

// draftNamed returns the draft of that URI, and 0 if it is none of one.
func draftNamed(uri string) int {
	for folder, dialect := range dialects {
		if strings.TrimSuffix(uri, "#") == strings.TrimSuffix(dialect, "#") {
			draft, _ := strconv.Atoi(strings.NewReplacer("draft", "", "-09", "", "-12", "").Replace(folder))
			return draft
		}
	}
	return 0
}

// decode reads a schema or value with its numbers as they are written.
func decode(text string) (v any, err error) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	err = d.Decode(&v)
	return v, err
}

// mustDecode is decode for texts that are known.
func mustDecode(text string) any {
	v, err := decode(text)
	if err != nil {
		panic(err)
	}
	return v
}

// encode writes what decode reads, every other object back to front.
func encode(v any) []byte {
	var b bytes.Buffer
	backwards := false
	write(&b, v, &backwards)
	return b.Bytes()
}

func write(b *bytes.Buffer, v any, backwards *bool) {
	switch v := v.(type) {
	case object:
		keys := sortedKeys(v)
		if *backwards {
			slices.Reverse(keys)
		}
		*backwards = !*backwards
		b.WriteByte('{')
		for i, key := range keys {
			if i > 0 {
				b.WriteByte(',')
			}
			write(b, key, backwards)
			b.WriteByte(':')
			write(b, v[key], backwards)
		}
		b.WriteByte('}')
	case []any:
		b.WriteByte('[')
		for i, item := range v {
			if i > 0 {
				b.WriteByte(',')
			}
			write(b, item, backwards)
		}
		b.WriteByte(']')
	default:
		text, err := json.Marshal(v)
		if err != nil {
			panic(err) // there is nothing else in what is made up
		}
		b.Write(text)
	}
}

// find returns the part of a document that a JSON Pointer leads to, nil if there is none.
func find(v any, pointer string) any {
	if pointer == "" {
		return v
	}
	for token := range strings.SplitSeq(pointer[1:], "/") {
		token = strings.NewReplacer("~1", "/", "~0", "~").Replace(token)
		switch parent := v.(type) {
		case object:
			v = parent[token]
		case []any:
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= len(parent) {
				return nil
			}
			v = parent[i]
		default:
			return nil
		}
	}
	return v
}
