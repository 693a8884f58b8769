package jsonschema

import "strings"

// uriFormatOf returns formatOf for the formats of RFC 3986, 3987 and 6570.
func uriFormatOf(name string) func(string) bool {
	switch name {
	case "uri":
		return func(s string) bool { return hasScheme(s) && isReference(s, false) }
	case "iri":
		return func(s string) bool { return hasScheme(s) && isReference(s, true) }
	case "uri-reference":
		return func(s string) bool { return isReference(s, false) }
	case "iri-reference":
		return func(s string) bool { return isReference(s, true) }
	default:
		return isURITemplate
	}
}

// A charset says which characters a part may be made of: letters and digits of
// ASCII, and these besides.
type charset struct {
	punctuation string
	encoded     bool // %41
	wide        bool // ucschar of RFC 3987
	private     bool // iprivate of RFC 3987
}

// letters returns the charset of letters, digits and that punctuation.
func letters(punctuation string) charset { return charset{punctuation: punctuation} }

// madeOf reports whether s has no other characters than those.
func madeOf(s string, chars charset) bool {
	skip := 0
	for i, r := range s {
		switch {
		case skip > 0:
			skip--
		case r == '%' && chars.encoded:
			if len(s) < i+3 || !isHexDigit(s[i+1]) || !isHexDigit(s[i+2]) {
				return false
			}
			skip = 2
		case chars.wide && isWide(r), chars.private && isPrivate(r):
		case !isLetter(s[i]) && (r < '0' || r > '9') && !strings.ContainsRune(chars.punctuation, r):
			return false
		}
	}
	return true
}

// unreserved and subDelims are those of RFC 3986, sections 2.2 and 2.3, less
// letters and digits.
const (
	unreserved = "-._~"
	subDelims  = "!$&'()*+,;="
)

// isReference reports whether s is a URI-reference of RFC 3986, section 4.1, or
// an IRI-reference of RFC 3987, section 2.2.
func isReference(s string, iri bool) bool {
	chars := func(punctuation string) charset {
		return charset{punctuation: unreserved + subDelims + punctuation, encoded: true, wide: iri}
	}
	s, fragment, _ := strings.Cut(s, "#")
	path, query, _ := strings.Cut(s, "?")
	// What comes before a colon in the first segment cannot but be a scheme (section 4.2).
	if i := strings.IndexAny(path, ":/"); i >= 0 && path[i] == ':' {
		if !isScheme(path[:i]) {
			return false
		}
		path = path[i+1:]
	}
	if after, ok := strings.CutPrefix(path, "//"); ok {
		slash := strings.IndexByte(after+"/", '/')
		if !isAuthority(after[:slash], chars) {
			return false
		}
		path = after[slash:]
	}
	queryChars := chars(":@/?")
	queryChars.private = iri
	return madeOf(path, chars(":@/")) && madeOf(query, queryChars) && madeOf(fragment, chars(":@/?"))
}

// hasScheme reports whether a reference is a URI or IRI, and not a relative one.
func hasScheme(s string) bool {
	i := strings.IndexAny(s, ":/?#")
	return i >= 0 && s[i] == ':' && isScheme(s[:i])
}

// isScheme reports whether s is a scheme of RFC 3986, section 3.1.
func isScheme(s string) bool {
	return s != "" && isLetter(s[0]) && madeOf(s, letters("+-."))
}

// isAuthority reports whether s is an authority of RFC 3986, section 3.2.
func isAuthority(s string, chars func(string) charset) bool {
	if user, host, ok := strings.Cut(s, "@"); ok {
		if !madeOf(user, chars(":")) {
			return false
		}
		s = host
	}
	if literal, ok := strings.CutPrefix(s, "["); ok {
		address, port, closed := strings.Cut(literal, "]")
		return closed && (isIPv6(address) || isFutureAddress(address)) && (port == "" || port[0] == ':' && isDigits(port[1:]))
	}
	host, port, _ := strings.Cut(s, ":")
	return madeOf(host, chars("")) && isDigits(port)
}

// isFutureAddress reports whether s is an IPvFuture of RFC 3986, section 3.2.2.
func isFutureAddress(s string) bool {
	version, address, _ := strings.Cut(s, ".")
	if len(version) < 2 || version[0]|0x20 != 'v' || address == "" {
		return false
	}
	for i := 1; i < len(version); i++ {
		if !isHexDigit(version[i]) {
			return false
		}
	}
	return madeOf(address, letters(unreserved+subDelims+":"))
}

// isURITemplate reports whether s is a URI-Template of RFC 6570, section 2. The
// apostrophe is among its literals since erratum 6937.
func isURITemplate(s string) bool {
	literal := charset{punctuation: unreserved + subDelims + "#/:?@[]", encoded: true, wide: true, private: true}
	for {
		before, rest, found := strings.Cut(s, "{")
		if !madeOf(before, literal) {
			return false
		}
		if !found {
			return true
		}
		expression, after, closed := strings.Cut(rest, "}")
		if !closed || !isExpression(expression) {
			return false
		}
		s = after
	}
}

// isExpression reports whether s is what the braces of an expression of RFC
// 6570, section 2.2, hold. The operators that it reserves are among its syntax.
func isExpression(s string) bool {
	if s != "" && strings.IndexByte("+#./;?&=,!@|", s[0]) >= 0 {
		s = s[1:]
	}
	return every(s, ",", isVarspec)
}

// isVarspec reports whether s is a varspec of RFC 6570, section 2.3 and 2.4.
func isVarspec(s string) bool {
	name, length, prefix := strings.Cut(s, ":")
	if prefix {
		if len(length) > 4 || !isWholeNumber(length) || length == "0" {
			return false
		}
	} else {
		name = strings.TrimSuffix(name, "*")
	}
	return every(name, ".", func(part string) bool {
		return part != "" && madeOf(part, charset{punctuation: "_", encoded: true})
	})
}

// isWide reports whether r is a ucschar of RFC 3987, section 2.2.
func isWide(r rune) bool {
	switch {
	case r < 0x10000:
		return r >= 0xA0 && r <= 0xD7FF || r >= 0xF900 && r <= 0xFDCF || r >= 0xFDF0 && r <= 0xFFEF
	case r >= 0xE0000 && r < 0xE1000:
		return false
	default:
		return r < 0xF0000 && r&0xFFFF <= 0xFFFD
	}
}

// isPrivate reports whether r is an iprivate of RFC 3987, section 2.2.
func isPrivate(r rune) bool {
	return r >= 0xE000 && r <= 0xF8FF || r >= 0xF0000 && r&0xFFFF <= 0xFFFD
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func isHexDigit(c byte) bool {
	return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'f'
}
