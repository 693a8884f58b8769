package jsonschema

import (
	"strings"
	"testing"
)

// Examples of a format.
type examples struct {
	name           string
	valid, invalid []string
}

func TestFormatsOfTime(t *testing.T) {
	t.Parallel()
	testFormats(t, []examples{
		{"date",
			[]string{"2024-02-29", "2000-02-29", "0000-01-01", "9999-12-31", "2023-04-30"},
			[]string{
				"", "2023-02-29", "1900-02-29", "2024-2-29", "29.02.2024", "2024-02-29 ", " 2024-02-29", "2024-00-10", "2024-13-01",
				"2024-01-00", "2024-04-31", "20240229", "2024-W09-4", "2024-060", "+024-02-29", "-024-02-29", "2024-+2-29", "12024-02-29",
				"2024/02/29", "2024-02-2৪", "2024-02-29T00:00:00Z",
			}},
		{"time",
			[]string{
				"00:00:00Z", "23:59:59Z", "08:30:00.25+02:00", "08:30:00z", "08:30:00-00:00", "08:30:00+23:59", "08:30:00.000000000000000000001Z",
				"23:59:60Z", "23:59:60.5Z", "23:59:60+00:00", "01:29:60+01:30", "23:29:60+23:30", "15:59:60-08:00", "00:29:60-23:30",
			},
			[]string{
				"", "24:00:00Z", "00:60:00Z", "00:00:61Z", "08:30", "08:30Z", "08:30:00", "08:30:00.5", "8:30:00Z", "+8:30:00Z", "08:-1:00Z", "08:30:+0Z",
				"08:30:00+2:00", "08:30:00+0200", "08:30:00+02", "08:30:00+24:00", "08:30:00+00:60", "08:30:00+-1:00", "08:30:00 02:00", "08:30:00*02:00",
				"08:30:00.Z", "08:30:00,5Z", "08:30:00.5.5Z", "08:30:00Z ", "08:30:00ZZ", "08:30:00Z+02:00", "08.30.00Z", "083000Z", "08:30:00 Z",
				"22:59:60Z", "23:58:60Z", "23:59:60+01:00", "23:59:60-00:30", "22:59:60+00:00", "0৪:30:00Z", "08:30:00+0৪:00",
			}},
		{"date-time",
			[]string{
				"2024-02-29T12:00:00Z", "2024-02-29t12:00:00.5z", "1937-01-01T12:00:27.87+00:20", "0000-01-01T00:00:00-23:59", "1998-12-31T23:59:60Z",
				"1998-12-31T15:59:60.123-08:00",
			},
			[]string{
				"", "2024-02-29 12:00:00Z", "2024-02-30T12:00:00Z", "2024-02-29T12:00Z", "2024-02-29", "2024-02-29T", "12:00:00Z", "T12:00:00Z",
				"2024-02-29T12:00:00", "2024-02-29T24:00:00Z", "2024-02-29T22:59:60Z", "2024-2-29T12:00:00Z", "2024-02-29_12:00:00Z", "20240229T120000Z",
				"2024-02-29T12:00:00Z\n", "2024-060T12:00:00Z",
			}},
		{"duration",
			[]string{
				"P1D", "PT5M", "P2W", "P0W", "P4Y", "P1Y2M", "P1Y2M3D", "P1M2D", "P3DT4H", "P1YT6S", "PT0S", "PT36H", "PT1H2M3S", "PT1M2S", "P01D",
				"P" + strings.Repeat("9", 400) + "D",
			},
			[]string{
				"", "5 minutes", "P", "PT", "P1DT", "P1", "PT1", "1D", "-P1D", "P-1D", "P+1D", "P1.5D", "PT0.5S", "PT0,5S", "P1D2H", "PT1D", "P2S", "P2D1Y",
				"P1Y2D", "PT1H2S", "P1Y2W", "P1WT1H", "PW", "P1W2W", "P1D1D", "P1DT1HT1M", "P1D ", " P1D", "p1d", "P1d", "P২Y", "PD", "P1DD", "P1e2D",
			}},
		{"period",
			[]string{
				"2024-02-29T12:00:00Z/2024-03-01T12:00:00Z", "2024-02-29T12:00:00Z/P1D", "P1D/2024-02-29T12:00:00Z", "2024-02-29T12:00:00+01:00/PT1H",
			},
			[]string{
				"", "/", "2024-02-29T12:00:00Z", "P1D", "P1D/P1D", "P1D/", "/P1D", "2024-02-29T12:00:00Z/", "2024-02-29/2024-03-01", "2024-02-29T12:00:00Z/P",
				"P1D/2024-02-29T12:00:00Z/P1D", "2024-02-29T12:00:00Z--P1D", "P/2024-02-29T12:00:00Z",
			}},
	})
}

func TestFormatsOfHosts(t *testing.T) {
	t.Parallel()
	label := strings.Repeat("a", 63)
	host := strings.Join([]string{label, label, label, label[:61]}, ".") // 253 characters
	testFormats(t, []examples{
		{"ipv4",
			[]string{"192.0.2.1", "0.0.0.0", "255.255.255.255"},
			[]string{
				"", "192.0.2", "192.0.2.1.1", "192.0.2.", ".192.0.2", "+1.0.2.3", "-1.0.2.3", "192.0.2.256", "01.0.2.3", "1.0.2.00", "0x7f.0.0.1", "2130706433",
				"192.0.2.1/24", "192.0.2.1 ", "192.0.2.1:80", "192.0..1", "::1", "::ffff:192.0.2.1", "1২7.0.0.1", "192.0.2.1%eth0",
			}},
		{"ipv6",
			[]string{
				"2001:db8::1", "::", "::1", "1::", "1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7::", "::2:3:4:5:6:7:8", "2001:DB8::AbCd", "::ffff:192.0.2.1",
				"1:2:3:4:5:6:192.0.2.1", "0000:0000:0000:0000:0000:0000:0000:0000", "1::0:0:0:0:1",
			},
			[]string{
				"", "192.0.2.1", "2001:db8::1%eth0", "fe80::1%1", "2001:db8::/32", "[::1]", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1::2::3", ":::", ":1:2:3:4:5:6:7",
				"1:2:3:4:5:6:7:", "12345::", "::g", "::192.0.2", "::192.0.2.256", "::192.0.02.1", "192.0.2.1::", "1:2:3:4:5:6:7:192.0.2.1", " ::1", "::1 ", "1:2::৪", "1",
				"1::2:3:4:5:6:7:8", "::-1",
			}},
		{"hostname",
			[]string{
				"example.org", "localhost", "a", "1host", "123", "192.0.2.1", "a-b.c--d", "EXAMPLE.ORG", "xn--4gbwdl.xn--wgbh1c", label + ".org", host,
			},
			[]string{
				"", ".", "example.org.", ".example.org", "example..org", "-a.org", "a-.org", "a.-b", "a_b.org", "_a", label + "a.org", "a" + host, "exämple.org", "a b", "a:80",
				"example．org", "*.org",
			}},
		{"email",
			[]string{
				"ada@example.org", "a.b@example.org", "!#$%&'*+-/=?^_`{|}~@example.org", "ada@localhost", "ada@192.0.2.1", "ada@c--n.org", `"ada b"@example.org`,
				`"a..b"@example.org`, `"a@b"@example.org`, `""@example.org`, `"\""@example.org`, `"\\"@example.org`, `"\a"@example.org`, "ada@[192.0.2.1]",
				"ada@[IPv6:2001:db8::1]", "ada@[ipv6:::1]", label + "a@example.org", "aa@" + host[2:],
			},
			[]string{
				"", "@", "ada", "ada@", "@example.org", "a b@example.org", ".a@example.org", "a.@example.org", "a..b@example.org", "a@b@example.org", "a,b@example.org",
				`a\@b@example.org`, "a(b)@example.org", "[192.0.2.1]@example.org", `"a@example.org`, `a"@example.org`, `"a"b@example.org`, `"a"."b"@example.org`, `"\"@example.org`,
				`"a"b"@example.org`, "\"a\tb\"@example.org", "\"\x7f\"@example.org", `"é"@example.org`, `"\é"@example.org`, "é@example.org", "ada@exämple.org", "ada@-example.org",
				"ada@example-.org", "ada@example..org", "ada@.org", "ada@example.org.", "ada@a_b.org", "ada@[192.0.2.256]", "ada@[192.0.2.1", "ada@192.0.2.1]", "ada@[]",
				"ada@[2001:db8::1]", "ada@[IPv6:]", "ada@[IPv6:192.0.2.1]", "ada@[IPv6:::1%1]", "ada@[tag:a]", "ada@a[192.0.2.1]", "Ada <ada@example.org>", " ada@example.org",
				"ada@example.org ", "ada@example.org\n", "a@example.org, b@example.org", label + "aa@example.org", "aaa@" + host[2:], "a＠example.org", `"` + label + `a"@example.org`,
			}},
	})
}

func TestFormatsOfURIs(t *testing.T) {
	t.Parallel()
	both := []string{ // URIs, and so IRIs and references too
		"https://example.org/a?b=c#d", "urn:isbn:0451450523", "mailto:ada@example.org", "tel:+1-816-555-1212", "a:", "a+b-c.1:x", "file:///etc/hosts", "data:,a",
		"http://-.~_!$&'()*+,;=:%40:80%2f::::::@example.com", "http://[2001:db8::7]/c=GB?o?p", "http://[v1.a:b]/", "http://[::1]:80/", "http://[::1]:", "http://a:", "http://:80",
		"http://user@", "http://@a", "http://a:999999999", "http://087.10.0.1/", "http://a_b~c.org", "http://a.org.", "http://a//b", "a:/b", "a:b:c", "a:?", "a:#", "http://%41.org",
		"http://example.org/%C3%A9",
	}
	relative := []string{"", "a", "/a", "/a/b?c", "//example.org/a", "?a", "#a", "./a:b", "a/b:c", "../..", "?a:b", "#a:b", "//", "/a//b"}
	neither := []string{
		":", ":a", "1a:b", "a_b:c", "a,b:c", "é:a", "%41:b", "https://example.org/a b", " https://example.org", "https://example.org\n", "https://example.org/<a>", `https://example.org/"`,
		`\a`, `\\host\share`, "/a^b", "/{a}", "/a|b", "/`a`", "/a#b#c", "/a[0]", "?a[]=1", "#a[0]", "/%", "/%4", "/%4g", "/%é", "https://[@example.org/", "http://a@b@c", "http://a:b",
		"http://a:80:80", "http://a::", "http://2001:db8::7/", "http://[::1", "http://::1]", "http://[::1]a", "http://[::1]:a", "http://[192.0.2.1]", "http://[fe80::1%25eth0]",
		"http://[v.a]", "http://[v1.]", "http://[vg.a]", "http://[v1]", "http://a\x7f", "http://\x00", "http://a<b", "//[]", "http://a/�", "http://a/\ufdd0", "http://a/\U0001ffff", "http://a/\U000e0001",
	}
	wide := []string{"https://example.org/é", "http://ƒøø.ßår/?∂éœ=πîx#πîüx", "a:\u00a0\U00010000\U000efffd", "a:?\ue000\U000f0000\U0010fffd"}
	wideRelative := []string{"/é", "âππ", "#ƒrägmênt", "//ƒøø.ßår/"}
	private := []string{"a:\ue000", "a:#\ue000", "http://\ue000/", "a:\U00100000", "a:\u0080"}
	join := func(lists ...[]string) (all []string) {
		for _, list := range lists {
			all = append(all, list...)
		}
		return all
	}
	testFormats(t, []examples{
		{"uri", both, join(neither, relative, wide, wideRelative, private)},
		{"uri-reference", join(both, relative), join(neither, wide, wideRelative, private)},
		{"iri", join(both, wide), join(neither, relative, wideRelative, private)},
		{"iri-reference", join(both, relative, wide, wideRelative), join(neither, private)},
		{"uri-template",
			[]string{
				"", "http://example.com/dictionary/{term:1}/{term}", "{a}", "{+a}", "{#a}", "{.a}", "{/a}", "{;a}", "{?a}", "{&a}", "{=a}", "{|a}", "{a,b*,c:9999}", "{a.b}", "{_}", "{1}",
				"{%41b}", "a%41b", "a'b", "a[b]@:é\ue000\U00010000", "{a}{b}", "/{a}/x?y#z",
			},
			[]string{
				"{", "}", "{}", "{a", "a}", "{{a}}", "{a}}", "{+}", "{a,}", "{,+a}", "{a,,b}", "{a:0}", "{a:01}", "{a:10000}", "{a:}", "{a:x}", "{a:1*}", "{a**}", "{*}", "{a..b}", "{.a.}",
				"{..a}", "{a b}", "{a-b}", "{é}", "{%4}", "{%}", "a%", "a%4", "a%GG", "a b", "a\x7fb", "a<b", `a"b`, `a\b`, "a^b", "a`b", "a|b", "{a=b}",
			}},
	})
}

func TestOtherFormats(t *testing.T) {
	t.Parallel()
	testFormats(t, []examples{
		{"uuid",
			[]string{
				"123e4567-e89b-12d3-a456-426614174000", "123E4567-E89B-12D3-A456-426614174000", "00000000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff",
			},
			[]string{
				"", "123e4567e89b12d3a456426614174000", "123e4567-e89b-12d3-a456-42661417400", "123e4567-e89b-12d3-a456-4266141740000", "123e4567-e89b-12d3-a456-42661417400g",
				"123e456-7e89b-12d3-a456-426614174000", "123e4567-e89b-12d3-a456_426614174000", "{123e4567-e89b-12d3-a456-426614174000}", "urn:uuid:123e4567-e89b-12d3-a456-426614174000",
				"123e4567-e89b-12d3-a456-42661417é00",
			}},
		{"json-pointer",
			[]string{"", "/", "//", "/a~1b", "/a~0b~1~0", "/a/0/-", "/ ", "/é", `/\"`, "/%41", "/~01"},
			[]string{"a", "#", "#/a", "0", "/~", "/~2", "/a~", "/~~0", "/a/~/b", " /a", "~0", "/~é"}},
		{"relative-json-pointer",
			[]string{"0", "1", "0#", "10#", "0/a", "2/0/a~1b", "120", "0-1", "0+10/a", "1+1#", "0/"},
			[]string{
				"", "#", "/a", "a", "-1", "+1/a", "01", "01#", "00", "0##", "0#/a", "0a", "0/~", "0-", "0+/a", "0+01", "0--1", "0+1-1", "1.5", "১",
			}},
		{"semver",
			[]string{
				"0.0.0", "1.2.3", "10.20.30", "1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-0.3.7", "1.0.0-x.7.z.92", "1.0.0-01a", "1.0.0--", "1.0.0+001", "1.0.0-a-b+c-d.0",
				"99999999999999999999999.0.0",
			},
			[]string{
				"", "1", "1.2", "1.2.3.4", "v1.2.3", "01.2.3", "1.02.3", "1.2.03", "1..3", "1.2.", "1.2.3-", "1.2.3+", "1.2.3-01", "1.2.3-a..b", "1.2.3-a.", "1.2.3+a+b",
				"1.2.3-a_b", "1.2.3+é", " 1.2.3", "1.2.3 ", "-1.2.3", "1.2.x",
			}},
	})
}

func testFormats(t *testing.T, tests []examples) {
	t.Helper()
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			valid := formatOf(tt.name)
			if valid == nil {
				t.Fatal("the format is not known")
			}
			for _, s := range tt.valid {
				if !valid(s) {
					t.Errorf("%q is said to be invalid", s)
				}
			}
			for _, s := range tt.invalid {
				if valid(s) {
					t.Errorf("%q is said to be valid", s)
				}
			}
		})
	}
}

func TestUnknownFormats(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"", "Date", "idn-email", "idn-hostname", "phone", "password", "int32", "color"} {
		if formatOf(name) != nil {
			t.Errorf("%q is said to be known", name)
		}
	}
}

// FuzzFormats looks at what holds for any text, besides that nothing panics.
func FuzzFormats(f *testing.F) {
	for _, seed := range []string{
		"", "2024-02-29T12:00:00Z", "23:59:60+01:00", "P1DT2H", "P1D/2024-02-29T12:00:00Z", `"a\""@[IPv6:::1]`, "http://u@[v1.a]:1/é?%41#x", "{+a:1,b*}", "0-1/a~0", "1.0.0-a+b",
		"123e4567-e89b-12d3-a456-426614174000", "192.0.2.1", "::1",
	} {
		f.Add(seed)
	}
	implied := [][2]string{
		{"uri", "uri-reference"}, {"uri", "iri"}, {"iri", "iri-reference"}, {"uri-reference", "iri-reference"}, {"ipv4", "hostname"}, {"uri-reference", "uri-template"},
	}
	inside := [][3]string{ // what is made of a valid text is valid too
		{"time", "date-time", "2024-02-29T%"}, {"date", "date-time", "%T00:00:00Z"}, {"duration", "period", "2024-02-29T12:00:00Z/%"}, {"date-time", "period", "%/P1D"},
		{"ipv4", "email", "a@[%]"}, {"ipv6", "uri", "a://[%]"}, {"ipv6", "email", "a@[IPv6:%]"}, {"json-pointer", "relative-json-pointer", "0%"},
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, pair := range implied {
			if formatOf(pair[0])(s) && !formatOf(pair[1])(s) {
				t.Errorf("%q is a valid %s but not a valid %s", s, pair[0], pair[1])
			}
		}
		for _, part := range inside {
			if whole := strings.Replace(part[2], "%", s, 1); formatOf(part[0])(s) && !formatOf(part[1])(whole) {
				t.Errorf("%q is a valid %s, but %q is not a valid %s", s, part[0], whole, part[1])
			}
		}
		for _, name := range []string{"hostname", "email", "uuid", "semver", "uri-template"} {
			if formatOf(name)(s) && strings.ContainsAny(s, "\x00\n\x7f") {
				t.Errorf("%q is said to be a valid %s", s, name)
			}
		}
	})
}
