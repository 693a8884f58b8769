package openai

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
)

func parseObject(t *testing.T, text string) Object {
	t.Helper()
	o, err := ParseObject([]byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return o
}

// listed returns the members as name=value, in order.
func listed(o *Object) []string {
	list := []string{}
	for _, m := range o.Members() {
		list = append(list, m.Name+"="+string(m.Value))
	}
	return list
}

func TestParseObject(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name string
		text string
		want []string
	}{
		{"empty", `{}`, []string{}},
		{"empty with space", " \n{ \t\r\n} ", []string{}},
		{"order", `{"b":1,"a":2,"c":3}`, []string{"b=1", "a=2", "c=3"}},
		{"space around everything", "\t{ \"a\" : 1 ,\r\n\"b\" : [ 1 , 2 ] , \"c\" : { } }\n", []string{"a=1", "b=[ 1 , 2 ]", "c={ }"}},
		{"literals", `{"a":true,"b":false,"c":null}`, []string{"a=true", "b=false", "c=null"}},
		{"numbers as written", `{"a":1.0,"b":-0,"c":1E400,"d":123456789012345678901234567890}`, []string{"a=1.0", "b=-0", "c=1E400", "d=123456789012345678901234567890"}},
		{"number before the end", `{"a":-1.5e-3}`, []string{"a=-1.5e-3"}},
		{"literal before a space", `{"a":null }`, []string{"a=null"}},
		{"braces and quotes in strings", `{"a":"}\"]{[,:\\","b":"\\"}`, []string{`a="}\"]{[,:\\"`, `b="\\"`}},
		{"nested", `{"a":{"b":[{"c":"}"},[]]},"d":[[],{}]}`, []string{`a={"b":[{"c":"}"},[]]}`, `d=[[],{}]`}},
		{"escaped names", `{"\u0061":1,"q\"":2,"\\":3,"é":4,"\ud83d\ude00":5}`, []string{"a=1", `q"=2`, `\=3`, "é=4", "😀=5"}},
		{"empty name", `{"":1}`, []string{"=1"}},
		{"names with braces", `{"}":1,"{:,":2}`, []string{"}=1", "{:,=2"}},
		{"last of two values, at the place of the first", `{"a":1,"b":2,"a":3}`, []string{"a=3", "b=2"}},
		{"same name written in two ways", `{"a":1,"\u0061":2}`, []string{"a=2"}},
		{"escapes kept in values", `{"a":"\u00e9\/"}`, []string{`a="\u00e9\/"`}},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			o := parseObject(t, tc.text)
			if got := listed(&o); !reflect.DeepEqual(got, tc.want) {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func TestParseObjectFaults(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name   string
		text   string
		syntax bool // not JSON, rather than no object
	}{
		{"empty", "", true},
		{"space", "  ", true},
		{"array", "[]", false},
		{"null", "null", false},
		{"string", `"{}"`, false},
		{"number", "1", false},
		{"two objects", "{}{}", true},
		{"object and more", `{"a":1} x`, true},
		{"open", `{"a":1`, true},
		{"comma at the end", `{"a":1,}`, true},
		{"single quotes", `{'a':1}`, true},
		{"no value", `{"a":}`, true},
		{"comment", `{/**/}`, true},
		{"not a number", `{"a":NaN}`, true},
		{"leading zero", `{"a":01}`, true},
		{"control character", "{\"a\":\"\n\"}", true},
		{"nested beyond what encoding/json takes", `{"a":` + strings.Repeat("[", 10_001) + strings.Repeat("]", 10_001) + `}`, true},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			o, err := ParseObject([]byte(tc.text))
			var syntax *json.SyntaxError
			if err == nil || errors.As(err, &syntax) != tc.syntax || errors.Is(err, errNotObject) == tc.syntax {
				t.Errorf("got error %v", err)
			}
			if len(o.Members()) > 0 {
				t.Errorf("got members %q", listed(&o))
			}
		})
	}
}

// TestParseObjectCopiesNothing checks that values are the bytes they were read
// from, and that nobody who appends to one writes into its neighbour.
func TestParseObjectCopiesNothing(t *testing.T) {
	t.Parallel()
	data := []byte(`{"a":"xx","b":2}`)
	o, err := ParseObject(data)
	if err != nil {
		t.Fatal(err)
	}
	_ = append(o.Get("a"), '!')
	if string(data) != `{"a":"xx","b":2}` {
		t.Errorf("appending to a value changed the text to %s", data)
	}
	data[6] = 'y'
	if got := string(o.Get("a")); got != `"yx"` {
		t.Errorf("value is a copy: %s", got)
	}
}

func TestObjectGetAndHas(t *testing.T) {
	t.Parallel()
	o := parseObject(t, `{"null":null,"spaced": null ,"zero":0,"empty":""}`)
	for name, want := range map[string]bool{"null": false, "spaced": false, "zero": true, "empty": true, "none": false} {
		if got := o.Has(name); got != want {
			t.Errorf("Has(%q) is %v", name, got)
		}
	}
	if got := o.Get("null"); string(got) != "null" {
		t.Errorf("Get of null is %q", got)
	}
	if got := o.Get("none"); got != nil {
		t.Errorf("Get of nothing is %q", got)
	}
	var zero Object
	if zero.Get("a") != nil || zero.Has("a") || len(zero.Members()) != 0 {
		t.Errorf("zero Object is not empty: %+v", zero)
	}
}

func TestObjectSetAndDelete(t *testing.T) {
	t.Parallel()
	var o Object
	o.Delete("a")
	o.Set("a", json.RawMessage("1"))
	o.Set("b", json.RawMessage("2"))
	o.Set("c", json.RawMessage("3"))
	o.Set("a", json.RawMessage("4"))
	o.Delete("b")
	o.Delete("x")
	o.Set("c", json.RawMessage("5"))
	o.Set("b", json.RawMessage("6"))
	if got, want := listed(&o), []string{"a=4", "c=5", "b=6"}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestObjectClone(t *testing.T) {
	t.Parallel()
	o := parseObject(t, `{"a":1,"b":2}`)
	c := o.Clone()
	c.Set("a", json.RawMessage("9"))
	c.Set("z", json.RawMessage("9"))
	c.Delete("b")
	if got := listed(&o); !reflect.DeepEqual(got, []string{"a=1", "b=2"}) {
		t.Errorf("the original became %q", got)
	}
	if got := listed(&c); !reflect.DeepEqual(got, []string{"a=9", "z=9"}) {
		t.Errorf("the copy is %q", got)
	}
	o.Set("a", json.RawMessage("7"))
	if got := string(c.Get("a")); got != "9" {
		t.Errorf("the copy became %s", got)
	}
}

func TestObjectMarshalJSON(t *testing.T) {
	t.Parallel()
	cases := []struct{ name, text, want string }{
		{"empty", ` { } `, `{}`},
		{"values as written", `{ "b" : 1.00 , "a" : [ 1 ] }`, `{"b":1.00,"a":[ 1 ]}`},
		{"names encoded again", `{"q\"\u0001é":1}`, `{"q\"\u0001é":1}`},
		{"duplicates gone", `{"a":1,"a":2}`, `{"a":2}`},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			o := parseObject(t, tc.text)
			got, err := o.MarshalJSON()
			if err != nil || string(got) != tc.want {
				t.Errorf("got %s, %v, want %s", got, err, tc.want)
			}
		})
	}
}

// FuzzParseObject checks that ParseObject takes what encoding/json takes and
// reads the same from it.
func FuzzParseObject(f *testing.F) {
	for _, text := range []string{`{}`, `{"a":1,"a":[2,{"b":"}"}]}`, " {\"\\u0061\" : null }\n", `[]`, `{"a":}`, `{"":-1.5e+7,"é":"\ud800"}`, `"x"`, ``} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		before := bytes.Clone(data)
		var want map[string]json.RawMessage
		wantErr := json.Unmarshal(data, &want)
		o, err := ParseObject(data)
		if !bytes.Equal(data, before) {
			t.Fatal("the text was changed")
		}
		if (err != nil) != (wantErr != nil || want == nil) {
			t.Fatalf("got error %v, but encoding/json %v", err, wantErr)
		}
		if err != nil {
			return
		}
		got := map[string]json.RawMessage{}
		for _, m := range o.Members() {
			got[m.Name] = m.Value
		}
		if len(got) != len(o.Members()) || !reflect.DeepEqual(got, want) {
			t.Fatalf("got %q, want %q", got, want)
		}
		text, err := o.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		again := parseObject(t, string(text))
		if !reflect.DeepEqual(listed(&again), listed(&o)) {
			t.Errorf("%q became %q", listed(&o), listed(&again))
		}
	})
}
