package baseline

import (
	"regexp"
	"testing"
)

func TestFromECMA(t *testing.T) {
	t.Parallel()
	cases := []struct{ name, expression, match string }{
		{"four hexadecimal digits", `^\u00e4\u0062$`, "äb"},
		{"code point in braces", `^\u{1F600}$`, "😀"},
		{"control letter", `^\cJ$`, "\n"},
		{"escaped slash", `^[\/]\/$`, "//"},
		{"escaped backslash before u", `^\\u0041$`, `\u0041`},
		{"class escapes", `^\d\w\s$`, "1a "},
		{"named group", `^(?<year>\d{4})$`, "1999"},
		{"backslash in a class", `^[\\]$`, `\`},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			p, err := newPattern(tc.expression)
			if err != nil {
				t.Fatal(err)
			}
			if !p.re.MatchString(tc.match) {
				t.Errorf("%s became %s, which does not match %q", tc.expression, p.re, tc.match)
			}
		})
	}
}

// FuzzPattern checks that a text drawn for any pattern matches it.
func FuzzPattern(f *testing.F) {
	for _, expression := range []string{`^a*b+c?$`, `x{2,5}`, `(?i)abc`, `[^a-z]`, `\bword\b`, `^$|z`, `(a|b(c|d))+`, `\p{Greek}{3}`, `^\u00e4$`, `[[:alpha:]]`} {
		f.Add(expression, 0, 20)
	}
	f.Fuzz(func(t *testing.T, expression string, low, high int) {
		s := newSchema()
		s.types = typeString
		p, err := newPattern(expression)
		if err != nil {
			return
		}
		s.pattern, s.minLength, s.maxLength = p, max(0, low%100), 100+max(0, high%100)
		d := newDrawer(seeded(1), nil)
		v, ok := d.draw([]*schema{s})
		if !ok {
			return
		}
		text, isText := v.(string)
		if n := characters(text); !isText || n < s.minLength || n > s.maxLength || !regexp.MustCompile(fromECMA(expression)).MatchString(text) {
			t.Errorf("drew %v", v)
		}
	})
}
