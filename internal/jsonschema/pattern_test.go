package jsonschema

import (
	"errors"
	"strings"
	"testing"
)

var patternTests = []struct {
	pattern string
	match   []string
	differ  []string
}{
	{`b+`, []string{"abc", "b"}, []string{"", "ac"}},
	{`^[a-z]{2,3}$`, []string{"ab", "abc"}, []string{"a", "abcd", "ab\n", "AB"}},
	{`^\d+(?:\.\d{1,2})?$`, []string{"1", "10.25"}, []string{"1.", "1.234", "١"}},
	{`^(a|b)(?<rest>c)?$`, []string{"a", "bc"}, []string{"c", "abc"}},
	{`^.$`, []string{"x", "😀", "\t"}, []string{"\n", "\r", "\u2028", "", "xx"}},
	{`^\s$`, []string{" ", "\u00a0", "\ufeff", "\u2029", "\v", "\u3000"}, []string{"x", "\u200b", "\u0085"}},
	{`^\S$`, []string{"x", "\u200b", "\u0085", "\U0001f600"}, []string{" ", "\u00a0", "\ufeff"}},
	{`^[\s\d]+$`, []string{"1 2\u00a03"}, []string{"x", ""}},
	{`^[^\s]$`, []string{"x", "\u200b"}, []string{"\u2003", "\n"}},
	{`^[\S]$`, []string{"x"}, []string{"\u2003"}},
	{`^[\s\S]*$`, []string{"", "a\nb\u2028"}, nil},
	{`^[\w.-]+@[\w-]+$`, []string{"a.b-c@d-e"}, []string{"a b@c", "@x"}},
	{`^[\s-a]$`, []string{" ", "-", "a"}, []string{"B", "\u200b"}},
	{`^[-a]$`, []string{"-", "a"}, []string{"b"}},
	{`^[a-]$`, []string{"-", "a"}, []string{"b"}},
	{`^[^]$`, []string{"a", "\n", "\u2028"}, []string{"", "ab"}},
	{`^[]`, nil, []string{"", "a", "]"}},
	{`^[[:alpha:]]$`, []string{"a]", ":]"}, []string{"z]", "b"}},
	{`^\u00e9\x41\u{1F600}\cJ\t$`, []string{"éA😀\n\t"}, []string{"e"}},
	{`^\ud83d\ude00$`, []string{"😀"}, []string{"\U0001f601"}},
	{`^[\ud83d\ude00-\ud83d\ude02]$`, []string{"😀", "😂"}, []string{"😃"}},
	{`[\ud800-\udfff]`, nil, []string{"😀", "a"}},
	{`^\/\-\.\$\{\}$`, []string{"/-.${}"}, []string{"-"}},
	{`^a{,3}$`, []string{"a{,3}"}, []string{"aaa"}},
	{`^{}$`, []string{"{}"}, []string{""}},
	{`^\p{Lu}\p{Script=Greek}\P{L}$`, []string{"Äω1"}, []string{"äω1", "Äw1", "Äωx"}},
	{`^[\p{L}\p{N}_]+$`, []string{"naïve_9"}, []string{"a b"}},
	{`^a+?b*?$`, []string{"aab"}, []string{"b"}},
	{`\bcat\b`, []string{"a cat."}, []string{"concat"}},
	{`^[\b]$`, []string{"\b"}, []string{"b"}},
	{`^\0$`, []string{"\x00"}, []string{"0"}},
	{`(?i)^yes$`, []string{"YES", "yes"}, []string{"no"}},
	{`^(?i:y)es$`, []string{"Yes", "yes"}, []string{"YES"}},
	{`^(|x)$`, []string{"", "x"}, []string{"y"}},
	{`^(?:ab){2}$`, []string{"abab"}, []string{"ab"}},
	{`^(?:(?:a))$|^b$`, []string{"a", "b"}, []string{"ab"}},
	{`^x{0}$`, []string{""}, []string{"x"}},
	{`^[\s\S]{2,4}$`, []string{"ab", "äö\nü"}, []string{"a", "abcde"}},
	{`^.{1,3}$`, []string{"abc"}, []string{"", "abcd", "a\nb"}},
	{`^x{1500}$`, []string{strings.Repeat("x", 1500)}, []string{strings.Repeat("x", 1499), strings.Repeat("x", 1501)}},
	{`^(xy){999,1001}z$`, []string{strings.Repeat("xy", 1000) + "z"}, []string{strings.Repeat("xy", 998) + "z", strings.Repeat("xy", 1002) + "z"}},
	{`^x{1001,}$`, []string{strings.Repeat("x", 3000)}, []string{strings.Repeat("x", 1000)}},
	{`^[a-z]{1,2000}$`, []string{strings.Repeat("q", 2000)}, []string{strings.Repeat("q", 2001), ""}},
}

// TestPattern compares with what `new RegExp(pattern, "u").test(text)` says.
func TestPattern(t *testing.T) {
	t.Parallel()
	for _, tt := range patternTests {
		t.Run(tt.pattern, func(t *testing.T) {
			t.Parallel()
			p, err := compilePattern(tt.pattern)
			if err != nil {
				t.Fatal(err)
			}
			if p.String() != tt.pattern {
				t.Errorf("String() = %q", p.String())
			}
			for _, s := range tt.match {
				if !p.MatchString(s) {
					t.Errorf("%.40q does not match", s)
				}
			}
			for _, s := range tt.differ {
				if p.MatchString(s) {
					t.Errorf("%.40q matches", s)
				}
			}
		})
	}
}

var refusedPatterns = []struct {
	pattern string
	want    error
}{
	{`a(?=b)`, errPatternLookaround},
	{`a(?!b)`, errPatternLookaround},
	{`(?<=a)b`, errPatternLookaround},
	{`(?<!a)b`, errPatternLookaround},
	{`(a)\1`, errPatternBackrefs},
	{`(?<n>a)\k<n>`, errPatternBackrefs},
	{`(`, errPatternSyntax},
	{`)`, errPatternSyntax},
	{`[a`, errPatternSyntax},
	{`[z-a]`, errPatternSyntax},
	{`[a-\s]`, errPatternSyntax},
	{`[\]`, errPatternSyntax},
	{`\`, errPatternSyntax},
	{`a**`, errPatternSyntax},
	{`a+??`, errPatternSyntax},
	{`*a`, errPatternSyntax},
	{`(|*)`, errPatternSyntax},
	{`^*`, errPatternSyntax},
	{`a{3,2}`, errPatternSyntax},
	{`^.{3,2}$`, errPatternSyntax},
	{`\u12`, errPatternSyntax},
	{`\u{110000}`, errPatternSyntax},
	{`\c1`, errPatternSyntax},
	{`(?<n`, errPatternSyntax},
	{`\A`, errPatternUnsupported},
	{`\z`, errPatternUnsupported},
	{`\Qa`, errPatternUnsupported},
	{`\01`, errPatternUnsupported},
	{`\p{Emoji_Nonsense}`, errPatternUnsupported},
	{`\pL`, errPatternUnsupported},
	{`(?P<n>a)`, errPatternUnsupported},
	{`(?>a)`, errPatternUnsupported},
	{`(?s:a)`, errPatternUnsupported},
	{`a{99999}`, errPatternRepeat},
	{`(a{1000}){1000}`, errPatternRepeat},
	{`(?:[a-z]{0,500}[a-z]{0,500}){0,2}` + strings.Repeat(`\w{900}`, 14), errPatternSize},
	{strings.Repeat("a", maxPatternLength+1), errPatternSize},
}

func TestPatternRefused(t *testing.T) {
	t.Parallel()
	for _, tt := range refusedPatterns {
		if _, err := compilePattern(tt.pattern); !errors.Is(err, tt.want) {
			t.Errorf("%.60s: %v, want %v", tt.pattern, err, tt.want)
		}
	}
}

// TestSpaceClasses checks that the two classes for white space leave nothing out
// and have nothing in common.
func TestSpaceClasses(t *testing.T) {
	t.Parallel()
	space, err := compilePattern(`^\s$`)
	if err != nil {
		t.Fatal(err)
	}
	other, err := compilePattern(`^\S$`)
	if err != nil {
		t.Fatal(err)
	}
	for r := rune(0); r <= 0x10fe00; r++ {
		if 0xd800 <= r && r <= 0xdfff {
			continue
		}
		if r > 0x10100 {
			r += 250 // no white space is there; look at some of them only
		}
		if s := string(r); space.MatchString(s) == other.MatchString(s) {
			t.Fatalf("%U", r)
		}
	}
}
