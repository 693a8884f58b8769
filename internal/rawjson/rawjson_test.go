package rawjson

import (
	"encoding/json"
	"strings"
	"testing"

	"hyperstudy-endpoint/internal/ceiling"
)

// cases are documents of all kinds, good and bad.
var cases = []string{
	``, ` `, `null`, ` null `, `nul`, `nullx`, `true`, `false`, `tru`, `{}`, `[]`, `{ }`, `[ ]`, `{}}`, `[]]`, `{`, `[`, `"`, `"a`, `"a"`, `"a"b`,
	`0`, `-0`, `01`, `-`, `1.`, `.1`, `1.5`, `1e`, `1e5`, `1E+5`, `1e-`, `+1`, `1 2`, `-1.5e-10`, `0x1`, `1_0`, `NaN`,
	`[1,2]`, `[1,]`, `[,1]`, `[1 2]`, `{"a":1}`, `{"a":1,}`, `{"a"}`, `{"a":}`, `{a:1}`, `{"a":1 "b":2}`, `{"a":1,"b":[{"c":null}]}`, `{1:2}`, `{"a"1}`, `[1}`, `{"a":1]`,
	`"\n"`, `"\x"`, `"\u12"`, `"\u12g4"`, `"\u00e9\ud83d\ude00"`, `"\ud83d"`, `"\ud83dx"`, `"\ud83d\n"`, `"\ude00\ud83d"`, `"\ud83d\ud83d\ude00"`, `"\`, `"\"`, `"\\"`, `"\\\""`,
	"\"\n\"", "\"\x00\"", "\"\x1f\"", "\"\x7f\"", "\"\u2028\"", "\"\xff\"", "\"\xff\\n\"", "\"abcdefgh\x01\"", "\"abcdefghijklmnop\\\"q\"", "\"1234567\\\\\"", "\"12345678\\\\\"",
	"\ufeff{}", "\t[\r\n1 , 2 ]\n", "\v1", "{}\x00", `"é€😀 mixed with \t and " `, `"/\/"`, `["a","b\\","c\"]"]`,
	strings.Repeat("[", 10000) + strings.Repeat("]", 10000), strings.Repeat("[", 10001) + strings.Repeat("]", 10001),
	strings.Repeat(`{"a":`, 10001) + "1" + strings.Repeat("}", 10001),
}

// check compares everything that this package says about a document with what
// encoding/json says.
func check(t *testing.T, document string) {
	t.Helper()
	data := []byte(document)
	if Valid(data) != json.Valid(data) {
		t.Fatalf("Valid(%.200q) is %v", document, Valid(data))
	}
	if !Valid(data) {
		return
	}
	var object map[string]json.RawMessage
	if members := map[string]json.RawMessage{}; Members(data, func(name string, value []byte) bool {
		members[name] = value
		return true
	}) {
		if err := json.Unmarshal(data, &object); err != nil {
			t.Fatalf("%.200q is taken for an object", document)
		}
		if len(members) != len(object) {
			t.Fatalf("%.200q: members %q, want %q", document, members, object)
		}
		for name, value := range object {
			if string(members[name]) != string(value) {
				t.Fatalf("%.200q: member %q is %q, want %q", document, name, members[name], value)
			}
			check(t, string(value))
		}
		return
	}
	var array []json.RawMessage
	if n := 0; Elements(data, func(element []byte) bool { n++; return check1(t, document, data, n, element) }) {
		if err := json.Unmarshal(data, &array); err != nil || len(array) != n {
			t.Fatalf("%.200q is taken for an array of %d", document, n)
		}
		return
	}
	var text string
	if trimmed := []byte(strings.TrimSpace(document)); IsString(trimmed) {
		if err := json.Unmarshal(data, &text); err != nil || Unquote(trimmed) != text {
			t.Fatalf("Unquote(%q) is %q, want %q", document, Unquote(trimmed), text)
		}
	}
}

// check1 compares one element of an array.
func check1(t *testing.T, document string, data []byte, n int, element []byte) bool {
	t.Helper()
	var array []json.RawMessage
	if err := json.Unmarshal(data, &array); err != nil || n > len(array) || string(array[n-1]) != string(element) {
		t.Fatalf("%.200q: element %d is %.200q", document, n, element)
	}
	return true
}

func TestAgainstStandardLibrary(t *testing.T) {
	t.Parallel()
	for _, document := range cases {
		check(t, document)
		for _, around := range []string{"[%]", `{"name":%}`, " % ", `["before",%,"behind"]`, `{"%":1}`, `"%"`} {
			check(t, strings.ReplaceAll(around, "%", document))
		}
	}
}

func TestEveryPlace(t *testing.T) {
	t.Parallel()
	// A byte of every kind at every place of a word, and behind the last.
	for _, special := range []string{`\n`, "\x1f", "\x80", `\"`, "\t", "é", `\u00e9`, `"`} {
		for n := range 20 {
			check(t, `"`+strings.Repeat("x", n)+special+strings.Repeat("y", 20-n)+`"`)
		}
	}
}

func TestStops(t *testing.T) {
	t.Parallel()
	n := 0
	stop := func() bool { n++; return n < 2 }
	if !Members([]byte(`{"a":1,"b":2,"c":3}`), func(string, []byte) bool { return stop() }) || n != 2 {
		t.Errorf("%d members", n)
	}
	if n = 0; !Elements([]byte(`[1,2,3]`), func([]byte) bool { return stop() }) || n != 2 {
		t.Errorf("%d elements", n)
	}
}

func FuzzRawJSON(f *testing.F) {
	for _, document := range cases {
		if len(document) < 1000 {
			f.Add(document)
		}
	}
	f.Fuzz(check)
}

func TestAllocations(t *testing.T) {
	data := []byte(`{"messages":[{"role":"user","content":"` + strings.Repeat("abc\\n", 1000) + `"}],"n":[1,2,3.5e7,true,null]}`)
	ceiling.Allocs(t, 6, func() { Valid(data) })
	value := []byte(`"` + strings.Repeat("abc\\n", 1000) + `"`)
	ceiling.Allocs(t, 1, func() { Unquote(value) })
}

func BenchmarkValid(b *testing.B) {
	for name, text := range map[string]string{"image": strings.Repeat("iVBORw0KGgo", 100_000), "text": strings.Repeat(`He said \"no\" — twice.\n`, 40_000)} {
		data := []byte(`{"content":"` + text + `"}`)
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				Valid(data)
			}
		})
	}
}
