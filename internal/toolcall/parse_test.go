package toolcall

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`null`, ` true `, `-0.5e+7`, `""`, `[]`, "[ ]", `{}`, "{\n}", `[[],{},[{}],{"a":[]}]`, `{"a":{"b":[1,{"c":null}]},"d":false}`,
		`"\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00"`, `{"\u0061":1,"é":"\u0000"}`, `[1,"2",3.50,true,null]`,
		`{"1":1,"2":2,"3":3,"4":4,"5":5,"6":6,"7":7,"8":8,"9":9,"10":10}`,
	} {
		d, bad := parse(text, answerLimits)
		if bad != nil {
			t.Errorf("%s: %+v", text, bad)
			continue
		}
		var want any
		dec := json.NewDecoder(strings.NewReader(text))
		dec.UseNumber()
		if err := dec.Decode(&want); err != nil {
			t.Fatal(err)
		}
		if got := d.root.value(); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %#v, want %#v", text, got, want)
		}
		checkSpans(t, d, d.root)
		if !equal(d.root, d.root) {
			t.Errorf("%s does not equal itself", text)
		}
	}
}

// checkSpans checks that every node is written where it says.
func checkSpans(t *testing.T, d *document, n *node) {
	t.Helper()
	own, bad := parse(d.text[n.start:n.end], answerLimits)
	if bad != nil || !equal(own.root, n) {
		t.Errorf("%s: span %q: %+v", d.text, d.text[n.start:n.end], bad)
	}
	for _, item := range n.items {
		checkSpans(t, d, item)
	}
	for i, m := range n.members {
		if d.text[m.start] != '"' || n.index(m.name) != i || n.get(m.name) != m.value {
			t.Errorf("%s: member %q", d.text, m.name)
		}
		checkSpans(t, d, m.value)
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text, pointer string
		cut           bool
	}{
		{"", "", false},
		{"{", "", true},
		{`{"a":`, "", true},
		{`{"a" 1}`, "", false},
		{`[1 2]`, "", false},
		{`{} x`, "", false},
		{"\ufeff{}", "", false},
		{"\"\xff\"", "", false},
		{`{"a":{"b":1,"b":2}}`, "/a/b", false},
		{`{"a":[0,"\udc00"]}`, "/a/1", false},
		{`{"a":["\ud800x"]}`, "/a/0", false},
		{`{"\ud800":1}`, "/\ufffd", false},
		{`[1,1e401]`, "/1", false},
		{`[` + strings.Repeat("1", maxNumberLength+1) + `]`, "/0", false},
		{strings.Repeat("[", 66) + strings.Repeat("]", 66), strings.Repeat("/0", 65), false},
		{"[" + strings.Repeat("1,", 10000) + "1]", "", false},
	} {
		d, bad := parse(tt.text, answerLimits)
		if bad == nil {
			t.Errorf("%.40s was read: %v", tt.text, d.root.kind)
			continue
		}
		if bad.message == "" || bad.cut != tt.cut || !strings.HasPrefix(tt.pointer, "/\ufffd") && bad.pointer != tt.pointer {
			t.Errorf("%.40s: %+v", tt.text, bad)
		}
	}
}

func TestEqual(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{`1`, `1.0`, true}, {`100`, `1e2`, true}, {`0`, `-0`, true}, {`1`, `"1"`, false}, {`1`, `2`, false},
		{`{"a":1,"b":[2]}`, `{"b":[2.0],"a":1}`, true}, {`{"a":1}`, `{"b":1}`, false}, {`{"a":1}`, `{"a":1,"b":1}`, false},
		{`[1,2]`, `[2,1]`, false}, {`[]`, `{}`, false}, {`true`, `false`, false}, {`null`, `null`, true}, {`"\u0061"`, `"a"`, true},
	} {
		a, bad := parse(tt.a, answerLimits)
		if bad != nil {
			t.Fatal(bad)
		}
		b, bad := parse(tt.b, answerLimits)
		if bad != nil {
			t.Fatal(bad)
		}
		if equal(a.root, b.root) != tt.want || equal(b.root, a.root) != tt.want {
			t.Errorf("%s and %s: want %v", tt.a, tt.b, tt.want)
		}
	}
}

// TestDrops drops every set of members of an object and checks the rest.
func TestDrops(t *testing.T) {
	t.Parallel()
	const text = ` { "a" : 1 , "b":[2], "c" :{} ,"d":"x" } `
	d, bad := parse(text, answerLimits)
	if bad != nil {
		t.Fatal(bad)
	}
	for set := range 16 {
		r := repair{}
		want := map[string]any{}
		for i, m := range d.root.members {
			if set>>i&1 == 0 {
				want[m.name] = m.value.value()
				continue
			}
			r["/"+m.name] = edit{at: "/" + m.name, target: m.value, drop: true, parent: d.root, index: i}
		}
		got := r.apply(d, answerLimits)
		if got == nil {
			t.Errorf("set %04b: no JSON is left", set)
			continue
		}
		if !reflect.DeepEqual(got.root.value(), any(want)) {
			t.Errorf("set %04b: %s", set, got.text)
		}
	}
}
