package bedrock

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestReplaceNames(t *testing.T) {
	t.Parallel()
	other := map[string]string{"a": "怒り", "b": "say \"no\"\n", "": "<&>", "c": ""}
	for _, tt := range []struct{ name, in, want string }{
		{"names", `{"a":1,"b":2,"":3,"c":4,"d":5}`, `{"怒り":1,"say \"no\"\n":2,"<&>":3,"":4,"d":5}`},
		{"white space", " {\n\t\"a\" :\r\n 1.50 ,\"a\": [ ] } ", " {\n\t\"怒り\" :\r\n 1.50 ,\"怒り\": [ ] } "},
		{"nested", `[{"a":{"a":[{"a":[]},{"a":{}}]}},"a",{"x":"a","a":"a"}]`, `[{"怒り":{"怒り":[{"怒り":[]},{"怒り":{}}]}},"a",{"x":"a","怒り":"a"}]`},
		{"escaped name", `{"\u0061":1,"\u0061\u0062":2}`, `{"怒り":1,"\u0061\u0062":2}`},
		{"names within values", `{"x":"{\"a\":1}","y":"\\","a":"\"a\":"}`, `{"x":"{\"a\":1}","y":"\\","怒り":"\"a\":"}`},
		{"values of any kind", `{"a":1e400,"b":true,"a":null,"x":-0.10}`, `{"怒り":1e400,"say \"no\"\n":true,"怒り":null,"x":-0.10}`},
		{"cut off in a name", `{"a":{"b`, `{"怒り":{"b`},
		{"cut off behind a backslash", `{"a":1,"\`, `{"怒り":1,"\`},
		{"cut off in a value", `{"a":"b`, `{"怒り":"b`},
		{"no JSON", `}],"a" He said "a": {a: "a", "a"}`, `}],"a" He said "a": {a: "a", "怒り"}`},
		{"no escape", `{"\x61":1,"a":2}`, `{"\x61":1,"怒り":2}`},
		{"text", `"a"`, `"a"`},
		{"nothing", ``, ``},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := replaceNames(tt.in, other); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
			if got := replaceNames(tt.in, nil); got != tt.in {
				t.Errorf("without names: %s", got)
			}
			m := memberNames{other: other}
			var pieces strings.Builder
			for i := range len(tt.in) {
				pieces.WriteString(m.add(tt.in[i : i+1]))
			}
			pieces.WriteString(m.rest())
			if pieces.String() != tt.want {
				t.Errorf("byte by byte %s", pieces.String())
			}
		})
	}
}

// FuzzReplaceNames: names that are replaced come back, pieces make no difference,
// valid JSON stays valid, and without a name to replace nothing changes.
func FuzzReplaceNames(f *testing.F) {
	there, back := map[string]string{"怒り": "name_1", "a b": "a_b_2"}, map[string]string{"name_1": "怒り", "a_b_2": "a b"}
	for _, seed := range []string{`{"怒り":{"a b":[1.0,"怒り"]},"x":"\"怒り\":"}`, `{"怒り`, `{"name_1":1}`, `[{"a b":null},"a b"] {"`, `{"\u0061 b":"\\"}`} {
		f.Add(seed, uint64(1))
	}
	f.Fuzz(func(t *testing.T, text string, seed uint64) {
		sent := replaceNames(text, there)
		if json.Valid([]byte(text)) != json.Valid([]byte(sent)) {
			t.Errorf("%q became %q", text, sent)
		}
		if !strings.Contains(text, `\`) && !strings.Contains(text, "name_1") && !strings.Contains(text, "a_b_2") {
			if got := replaceNames(sent, back); got != text {
				t.Errorf("%q was sent as %q and came back as %q", text, sent, got)
			}
		}
		r, m := rand.New(rand.NewPCG(seed, 0)), memberNames{other: there}
		var pieces strings.Builder
		for rest := text; rest != ""; {
			n := 1 + r.IntN(len(rest))
			pieces.WriteString(m.add(rest[:n]))
			rest = rest[n:]
		}
		pieces.WriteString(m.rest())
		if pieces.String() != sent {
			t.Errorf("%q in pieces became %q, in whole %q", text, pieces.String(), sent)
		}
	})
}
