package toolcall

import "testing"

func TestStringFormats(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		format         string
		valid, invalid []string
	}{
		{"date", []string{"2024-02-29"}, []string{"2023-02-29", "2024-2-29", "29.02.2024", "2024-02-29 ", ""}},
		{"time", []string{"23:59:59Z", "08:30:00.25+02:00", "23:59:60Z"}, []string{"24:00:00Z", "08:30", "08:30:00", "+8:30:00Z", "08:30:00+2:00"}},
		{"date-time", []string{"2024-02-29T12:00:00Z", "2024-02-29t12:00:00.5z"}, []string{"2024-02-29 12:00:00Z", "2024-02-30T12:00:00Z", "2024-02-29T12:00Z"}},
		{"duration", []string{"P1D", "PT5M", "P2W"}, []string{"5 minutes", "P", "PT"}},
		{"email", []string{"ada@example.org"}, []string{"ada", "ada@", "a b@example.org"}},
		{"ipv4", []string{"192.0.2.1"}, []string{"192.0.2", "+1.0.2.3", "192.0.2.256", "01.0.2.3"}},
		{"ipv6", []string{"2001:db8::1"}, []string{"192.0.2.1", "2001:db8::1%eth0"}},
		{"uri", []string{"https://example.org/a?b=c#d", "urn:isbn:0451450523"}, []string{"example.org", "https://example.org/a b", "https://example.org/é", "https://example.org/<a>"}},
		{"iri", []string{"https://example.org/é"}, []string{"https://example.org/a b"}},
		{"uri-reference", []string{"/a/b?c", ""}, []string{`\a`, "/é"}},
		{"uuid", []string{"123e4567-e89b-12d3-a456-426614174000"}, []string{"123e4567e89b12d3a456426614174000"}},
		{"json-pointer", []string{"", "/a~1b"}, []string{"a", "/~2"}},
		{"regex", []string{`^a+$`, `(?=a)`, `(a)\1`}, []string{`(`, `a**`}},
	} {
		t.Run(tt.format, func(t *testing.T) {
			t.Parallel()
			j, err := New(offering(valueSchema(`{"format":"` + tt.format + `"}`)))
			if err != nil {
				t.Fatal(err)
			}
			for i, s := range append(append([]string{}, tt.valid...), tt.invalid...) {
				want := None
				if i >= len(tt.valid) {
					want = InvalidToolCall
				}
				v := j.Judge(answer(nil, "", [2]string{"submit_response", `{"value":` + encode(s) + `}`}))
				if v.Problem != want {
					t.Errorf("%q: problem %v, violations %v", s, v.Problem, v.Calls[0].Violations)
				}
			}
			v := j.Judge(answer(nil, "", [2]string{"submit_response", `{"value":5}`}))
			if v.Problem != None {
				t.Errorf("a number: %+v", v)
			}
		})
	}
}
