package schematest

import (
	"encoding/json"
	"maps"
	"math/big"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

type object = map[string]any

// A schemaMaker makes up schemas of one dialect. Most are valid, and most have
// both valid and invalid values.
type schemaMaker struct {
	*rand.Rand
	draft int // 4, 6, 7, 2019 or 2020
	// places are references that lead somewhere.
	places []string
}

var drafts = []int{2020, 2020, 2020, 2019, 2019, 7, 7, 6, 4}

// newSchema makes up a whole schema.
func newSchema(r *rand.Rand) any {
	draft := pick(r, drafts)
	m := &schemaMaker{Rand: r, draft: draft}
	keyword := "definitions"
	if m.draft >= 2019 && !m.chance(5) {
		keyword = "$defs"
	}
	rooted := m.chance(8)
	shared := m.share(keyword, rooted)
	root, ok := m.schema(3).(object)
	if !ok {
		root = object{}
	}
	for _, d := range shared {
		m.draft = d.draft
		sub := m.schema(2)
		m.draft = draft
		if o, ok := sub.(object); ok {
			maps.Copy(o, d.identity)
			if o["$schema"] != nil && min(draft, d.draft) <= 7 {
				delete(o, "$ref") // which dialect it is in would be a matter of opinion
			}
		}
		set(root, keyword, d.name, sub)
	}
	if uri := dialects[folderOf(m.draft)]; m.draft != 2020 || m.chance(2) {
		root["$schema"] = uri
	}
	if rooted {
		root[m.idKeyword()] = "http://example.org/root.json"
	}
	for m.chance(6) {
		spoil(r, root, m.draft)
	}
	return root
}

func folderOf(draft int) string {
	switch draft {
	case 2019:
		return "draft2019-09"
	case 2020:
		return "draft2020-12"
	}
	return "draft" + strconv.Itoa(draft)
}

// A definition is a subschema to refer to, with a name and perhaps an anchor or
// an id.
type definition struct {
	name     string
	identity object
	draft    int
}

// share decides which shared subschemas there will be, and how they are referred to.
func (m *schemaMaker) share(keyword string, rooted bool) []definition {
	var shared []definition
	m.places = []string{"#"}
	if rooted {
		m.places = []string{"#", "root.json", "http://example.org/root.json#", "//example.org/x/../root.json"}
	}
	for i := range m.IntN(4) {
		d := definition{name: []string{"one", "two", "a/b~c", "é %"}[i], draft: m.draft}
		m.places = append(m.places, "#/"+keyword+"/"+escapeFragment(d.name))
		anchor := "at-" + strconv.Itoa(i)
		switch {
		case m.chance(5) && m.draft >= 2019:
			d.identity = object{"$anchor": anchor}
			m.places = append(m.places, "#"+anchor)
		case m.chance(5) && m.draft < 2019:
			d.identity = object{m.idKeyword(): "#" + anchor}
			m.places = append(m.places, "#"+anchor)
		case m.chance(3):
			id := "http://example.org/" + strconv.Itoa(i)
			d.identity = object{m.idKeyword(): id}
			m.places = append(m.places, id, id+"#")
			if rooted {
				m.places = append(m.places, strconv.Itoa(i), id+"#/properties/a")
			}
			if m.draft > 4 && m.chance(2) { // another dialect's part
				d.draft = pick(m.Rand, []int{7, 2019, 2020})
				d.identity["$schema"] = dialects[folderOf(d.draft)]
			}
		}
		shared = append(shared, d)
	}
	return shared
}

func set(o object, keyword, name string, value any) {
	inner, ok := o[keyword].(object)
	if !ok {
		inner = object{}
		o[keyword] = inner
	}
	inner[name] = value
}

func (m *schemaMaker) idKeyword() string {
	if m.draft == 4 {
		return "id"
	}
	return "$id"
}

// chance is true once in n times.
func (m *schemaMaker) chance(n int) bool { return m.IntN(n) == 0 }

func pick[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }

// schema makes up a schema that nests at most so deep.
func (m *schemaMaker) schema(depth int) any {
	switch n := m.IntN(24); {
	case n == 0 && m.draft > 4:
		return true
	case n == 1 && m.draft > 4:
		return false
	case n == 2:
		return object{}
	case n < 7:
		return m.scalar()
	}
	o := object{}
	if m.chance(2) {
		o["type"] = m.types()
	}
	for range 1 + m.IntN(2) {
		m.group(o, depth)
	}
	return o
}

// group adds keywords that belong together.
func (m *schemaMaker) group(o object, depth int) {
	switch n := m.IntN(18); {
	case n < 3 && depth > 0:
		m.properties(o, depth-1)
	case n < 6 && depth > 0:
		m.items(o, depth-1)
	case n < 9 && depth > 0:
		m.combination(o, depth-1)
	case n == 9 && depth > 0:
		m.dependent(o, depth-1)
	case n == 10:
		m.reference(o)
	case (n == 11 || n > 15) && depth > 0:
		m.unevaluated(o, depth-1)
	case n == 12:
		m.number(o)
	case n == 13:
		m.text(o)
	case n == 14:
		m.fixed(o)
	default:
		m.counts(o)
	}
}

func (m *schemaMaker) scalar() any {
	o := object{}
	switch m.IntN(5) {
	case 0:
		m.number(o)
	case 1:
		m.text(o)
	case 2:
		m.fixed(o)
	case 3:
		m.reference(o)
	default:
		o["type"] = m.types()
	}
	return o
}

func (m *schemaMaker) types() any {
	all := []any{"object", "array", "string", "number", "integer", "boolean", "null", "object", "array"}
	if m.chance(3) {
		m.Shuffle(7, func(i, j int) { all[i], all[j] = all[j], all[i] })
		return slices.Clone(all[:1+m.IntN(3)])
	}
	return pick(m.Rand, all)
}

// maybe adds a keyword every other time.
func (m *schemaMaker) maybe(o object, keyword string, value func() any) {
	if m.chance(2) {
		o[keyword] = value()
	}
}

// aNumber writes one of the numbers that limits often are, or any.
func (m *schemaMaker) aNumber() any {
	if m.chance(4) {
		return anyNumber(m.Rand)
	}
	return json.Number(pick(m.Rand, bounds))
}

// anyNumber writes a number of a few digits in one of the ways there are.
func anyNumber(r *rand.Rand) json.Number {
	text := strconv.Itoa(r.IntN(2000) - 1000)
	if r.IntN(2) == 0 {
		text += "." + strconv.Itoa(r.IntN(1000))
	}
	if r.IntN(3) == 0 {
		text += pick(r, []string{"e", "E", "e+", "e-", "E-0"}) + strconv.Itoa(r.IntN(6))
	}
	return json.Number(text)
}

var bounds = []string{"0", "1", "2", "5", "-1", "2.5", "0.1", "1e1", "1E+2", "-0", "10", "1e-2", "12345678901234567890", "0.30", "1e30"}

func (m *schemaMaker) number(o object) {
	bound := m.aNumber
	m.maybe(o, "minimum", bound)
	if m.chance(3) {
		o["maximum"] = bound()
	}
	if m.chance(3) {
		o["multipleOf"] = json.Number(pick(m.Rand, []string{"1", "2", "0.1", "0.01", "1.5", "3", "1e-3", "1e2", "0.3", "7e-1"}))
	}
	exclusive := bound
	if m.draft == 4 {
		exclusive = func() any { return m.chance(2) }
	}
	if m.chance(3) && (m.draft > 4 || o["minimum"] != nil) {
		o["exclusiveMinimum"] = exclusive()
	}
	if m.chance(3) && (m.draft > 4 || o["maximum"] != nil) {
		o["exclusiveMaximum"] = exclusive()
	}
}

// patterns come with texts that match them. They mean the same in ECMA-262 and
// in Go's regular expressions.
var patterns = map[string][]string{
	"^a+$": {"a", "aaa"}, "b": {"b", "abc"}, `^[A-Z]{2}-\d{3}$`: {"AB-123"}, "^(yes|no)$": {"yes", "no"}, "^.$": {"x", "é", "😀"}, "^x-": {"x-1", "x-"},
	"[^a-z]$": {"A", "a1"}, "^$": {""}, `^\w+\.\w+$`: {"a.b"}, "é|ü": {"é", "süß"}, "^[a-c]": {"a", "b", "c"},
}

var patternList = sortedKeys(patterns)

// formats come with texts about which there is no doubt, valid ones first.
var formats = map[string][2][]string{
	"date":         {{"2024-02-29"}, {"2023-02-29", "1.1.2024"}},
	"time":         {{"08:30:00Z"}, {"25:00:00Z", "8 am"}},
	"date-time":    {{"2024-02-29T08:30:00+02:00"}, {"2024-02-29"}},
	"email":        {{"ada@example.org"}, {"ada"}},
	"uuid":         {{"123e4567-e89b-12d3-a456-426614174000"}, {"123e4567"}},
	"ipv4":         {{"192.0.2.1"}, {"192.0.2.256"}},
	"ipv6":         {{"2001:db8::1"}, {"2001:db8"}},
	"uri":          {{"https://example.org/a"}, {"/a"}},
	"hostname":     {{"example.org"}, {"-a"}},
	"duration":     {{"P1DT2H"}, {"1 day"}},
	"json-pointer": {{"", "/a~0"}, {"a", "/~"}},
	"semver":       {{"1.2.3"}, {"1.2"}},
	"regex":        {{"^a+$"}, {"("}},
	"unknown":      {{"anything", ""}, {}},
}

var formatList = sortedKeys(formats)

func (m *schemaMaker) text(o object) {
	switch m.IntN(4) {
	case 0:
		o["pattern"] = pick(m.Rand, patternList)
	case 1:
		o["format"] = pick(m.Rand, formatList)
	default:
		m.maybe(o, "minLength", m.count)
		m.maybe(o, "maxLength", m.count)
	}
}

// count is a limit on a number of things, written in all ways that there are.
func (m *schemaMaker) count() any {
	return json.Number(pick(m.Rand, []string{"0", "1", "1", "2", "2", "3", "3", "4", "2.0", "1e0", "3e0"}))
}

func (m *schemaMaker) counts(o object) {
	for _, keyword := range []string{"minProperties", "maxProperties", "minItems", "maxItems"} {
		if m.chance(3) {
			o[keyword] = m.count()
		}
	}
}

func (m *schemaMaker) fixed(o object) {
	if m.chance(2) {
		o["const"] = newValue(m.Rand, 2)
		return
	}
	var options []any
	for range 1 + m.IntN(4) {
		option := newValue(m.Rand, 2)
		if !slices.ContainsFunc(options, func(other any) bool { return same(option, other) }) {
			options = append(options, option)
		}
	}
	o["enum"] = options
}

// same reports whether two values are equal; numbers are if their values are.
func same(a, b any) bool { return string(encode(canonical(a))) == string(encode(canonical(b))) }

func canonical(v any) any {
	switch v := v.(type) {
	case json.Number:
		r, _ := new(big.Rat).SetString(v.String())
		return r.String()
	case []any:
		list := []any{}
		for _, item := range v {
			list = append(list, canonical(item))
		}
		return list
	case object:
		o := object{}
		for name, value := range v {
			o[name] = canonical(value)
		}
		return o
	case string:
		return "text " + v
	}
	return v
}

// escapeFragment writes a name as a token of a JSON Pointer in a fragment.
func escapeFragment(name string) string {
	return strings.NewReplacer("~", "~0", "/", "~1", "%", "%25", " ", "%20", "é", "%C3%A9").Replace(name)
}

func sortedKeys[V any](m map[string]V) []string {
	var keys []string
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}
