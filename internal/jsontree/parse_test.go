package jsontree

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
		d, bad := Parse(text, testLimits)
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
		if got := decoded(d.Root); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %#v, want %#v", text, got, want)
		}
		checkSpans(t, d, d.Root)
		if !Equal(d.Root, d.Root) {
			t.Errorf("%s does not equal itself", text)
		}
	}
}

// checkSpans checks that every node is written where it says.
func checkSpans(t *testing.T, d *Document, n *Node) {
	t.Helper()
	own, bad := Parse(d.Text[n.Start:n.End], testLimits)
	if bad != nil || !Equal(own.Root, n) {
		t.Errorf("%s: span %q: %+v", d.Text, d.Text[n.Start:n.End], bad)
	}
	for _, item := range n.Items {
		checkSpans(t, d, item)
	}
	for i, m := range n.Members {
		if d.Text[m.Start] != '"' || n.Index(m.Name) != i || n.Get(m.Name) != m.Value {
			t.Errorf("%s: member %q", d.Text, m.Name)
		}
		checkSpans(t, d, m.Value)
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
		{`{"a":{"\ud800":1}}`, "/a", false},
		{`[1,1e309]`, "/1", false},
		{`[1,1e-401]`, "/1", false},
		{`[` + strings.Repeat("1", MaxNumberLength+1) + `]`, "/0", false},
		{strings.Repeat("[", 66) + strings.Repeat("]", 66), strings.Repeat("/0", 65), false},
		{"[" + strings.Repeat("1,", 10000) + "1]", "", false},
	} {
		d, bad := Parse(tt.text, testLimits)
		if bad == nil {
			t.Errorf("%.40s was read: %v", tt.text, d.Root.Kind)
			continue
		}
		if bad.Message == "" || bad.Cut != tt.cut || bad.Pointer != tt.pointer {
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
		a, bad := Parse(tt.a, testLimits)
		if bad != nil {
			t.Fatal(bad)
		}
		b, bad := Parse(tt.b, testLimits)
		if bad != nil {
			t.Fatal(bad)
		}
		if Equal(a.Root, b.Root) != tt.want || Equal(b.Root, a.Root) != tt.want {
			t.Errorf("%s and %s: want %v", tt.a, tt.b, tt.want)
		}
	}
}

var testLimits = Limits{Depth: 64, Values: 10000}

// decoded is a node as encoding/json would decode it.
func decoded(n *Node) any {
	switch n.Kind {
	case Null:
		return nil
	case Boolean:
		return n.Text == "true"
	case Number:
		return json.Number(n.Text)
	case String:
		return n.Text
	case Array:
		items := make([]any, len(n.Items))
		for i, item := range n.Items {
			items[i] = decoded(item)
		}
		return items
	default:
		members := make(map[string]any, len(n.Members))
		for _, m := range n.Members {
			members[m.Name] = decoded(m.Value)
		}
		return members
	}
}

func TestFind(t *testing.T) {
	t.Parallel()
	d, bad := Parse(`{"a/b":[1,{"~":"x"}],"":null}`, testLimits)
	if bad != nil {
		t.Fatal(bad)
	}
	for _, tt := range []struct {
		path    []string
		want    string // as it is written
		pointer string
	}{
		{nil, d.Text, ""},
		{[]string{"a/b"}, `[1,{"~":"x"}]`, "/a~1b"},
		{[]string{"a/b", "0"}, `1`, "/a~1b/0"},
		{[]string{"a/b", "1", "~"}, `"x"`, "/a~1b/1/~0"},
		{[]string{""}, `null`, "/"},
		{[]string{"a/b", "2"}, "", "/a~1b/2"},
		{[]string{"a/b", "00"}, "", "/a~1b/00"},
		{[]string{"a/b", "-1"}, "", "/a~1b/-1"},
		{[]string{"c", "d"}, "", "/c/d"},
		{[]string{"", "d"}, "", "//d"},
	} {
		n, got := d.Root.Find(tt.path), ""
		if n != nil {
			got = d.Text[n.Start:n.End]
		}
		if got != tt.want || Pointer(tt.path...) != tt.pointer {
			t.Errorf("%q: found %q at %s", tt.path, got, Pointer(tt.path...))
		}
	}
	if n := d.Root.Size(); n != 6 {
		t.Errorf("size %d", n)
	}
}

func TestIsNumber(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"0": true, "-1.5e+3": true, "1.797e308": true, "-1.797e308": true, "1e-400": true, "1e309": false, "-18e307": false, "": false, "1 ": false, " 1": false, "01": false, "+1": false, "1e401": false,
		"NaN": false, "0x1": false, "1,2": false, strings.Repeat("1", MaxNumberLength+1): false,
	} {
		if IsNumber(text) != want {
			t.Errorf("IsNumber(%.20q) = %v", text, !want)
		}
	}
}

func TestKindNames(t *testing.T) {
	t.Parallel()
	if got := strings.Join(Any.Names(), " "); got != "null boolean number string array object" {
		t.Error(got)
	}
	if got := (Null | String).Names(); !reflect.DeepEqual(got, []string{"null", "string"}) {
		t.Error(got)
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{`{"a":[1,-2.5e3,"x\u00e9\ud83d\ude00",null,true,{}]}`, `[`, `"\ud800"`, `{"a":1,"a":2}`, "\xff", `1e401`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		d, bad := Parse(text, testLimits)
		if bad != nil {
			if bad.Message == "" {
				t.Error("no message")
			}
			return
		}
		if !json.Valid([]byte(text)) {
			t.Fatal("not JSON")
		}
		checkSpans(t, d, d.Root)
		var want any
		dec := json.NewDecoder(strings.NewReader(text))
		dec.UseNumber()
		if err := dec.Decode(&want); err != nil || !reflect.DeepEqual(decoded(d.Root), want) {
			t.Errorf("%v: %#v, want %#v", err, decoded(d.Root), want)
		}
	})
}
