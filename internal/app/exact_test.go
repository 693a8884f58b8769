package app_test

import (
	"strings"
	"testing"
)

// form is a decision whose tool takes anything at all as its value.
const form = `{"model":"agent","messages":[{"role":"user","content":"Fill in the form."}],"tools":[
	{"type":"function","function":{"name":"wait"}},
	{"type":"function","function":{"name":"submit_response","parameters":{"type":"object","properties":{"value":{}},"required":["value"]}}}]}`

// exact are values that get lost in careless hands.
var exact = []string{
	`9007199254740993`, `-9223372036854775809`, `123456789012345678901234567890`, `0.1`, `0.30`, `1e-7`, `1E+2`, `-0`, `-0.0`, `1.0`, `100.00`,
	`0.1000000000000000055511151231257827`, `2.5e-324`, `1.7976931348623157e308`, `6.02214076e23`, `3.141592653589793238462643383279502884`,
	`""`, `" "`, `"\u0041\/\b"`, `"\ud83d\ude00"`, `"😀👩‍🚀🏳️‍🌈"`, `"line\nbreak\ttab\\ \"quoted\""`, `"<b>&amp;</b> \u2028\u2029"`, `"\u0000\u001f"`,
	`"e\u0301 é ﬁ Å Å"`, `"שלום مرحبا \u200f\u202e"`, `"𝔘𝔫𝔦𝔠𝔬𝔡𝔢 𠜎 \ufeff\ufffd"`, `"%s %d {{.}} ${x} $context.error.message"`, `"NaN"`, `"null"`, `"true"`,
	`null`, `true`, `false`, `[]`, `{}`, `[[[[[[[[]]]]]]]]`, `{"":{"":{"":null}}}`,
	`{"z":1,"a":2,"m":{"10":1,"9":2,"1":3},"Z":[3,1,2]}`, `{"constructor":1,"__proto__":{"x":1},"toString":null}`,
	`{"weiß":"Straße","日本":"東京","😀":"🙂","a.b":{"c/d~e":0.10}}`,
}

// TestExact checks that an answer comes back as the model gave it, to the last
// digit and in its own order, plain and streamed.
func TestExact(t *testing.T) {
	t.Parallel()
	values := append([]string{
		strings.Repeat(`{"deep":[`, 30) + `12345678901234567890.5` + strings.Repeat(`]}`, 30),
		`"` + strings.Repeat("長い文章。", 4000) + `"`,
		`[` + strings.Repeat(`0.1,1e-7,`, 2000) + `-0]`,
	}, exact...)
	for _, b := range both {
		t.Run(b.name, func(t *testing.T) {
			t.Parallel()
			s := on(t, b)
			for _, value := range values {
				arguments := `{"value":` + value + `}`
				for _, body := range []string{form, strings.Replace(form, `"model"`, `"stream":true,"stream_options":{"include_usage":true},"model"`, 1)} {
					c := s.reached(t, s.ask(t, []byte(body), submits(arguments)), 1, "")
					if name, got := c.call(t); name != "submit_response" || got != arguments {
						t.Errorf("%.200s came back as %s(%.200s)", arguments, name, got)
					}
				}
			}
			s.nothingRefused(t)
		})
	}
}

// TestExactText checks that text comes back as it was written.
func TestExactText(t *testing.T) {
	t.Parallel()
	texts := []string{
		"plain", " leading and trailing \n", "```\nfence\n```", `{"json": 1.0}`, "<think>not at the start</think>"[1:], "\u2028 <b>&amp;</b> \\n \x7f",
		"👩‍🚀🏳️‍🌈 שלום 東京 e\u0301", strings.Repeat("0123456789", 2000),
	}
	for _, b := range both {
		t.Run(b.name, func(t *testing.T) {
			t.Parallel()
			s := on(t, b)
			for _, text := range texts {
				for _, members := range []string{`"seed":1`, `"stream":true,"stream_options":{"include_usage":true}`} {
					c := s.ask(t, with(t, request(t, "stage-text"), members), says(text)).completion(t)
					if got := c.text(t); got != text {
						t.Errorf("%.100q came back as %.100q", text, got)
					}
				}
			}
			s.nothingRefused(t)
		})
	}
}
