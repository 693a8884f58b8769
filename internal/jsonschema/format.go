package jsonschema

import (
	"net/netip"
	"strings"
	"time"
)

// A Format is a format that is asserted.
type Format struct {
	Name  string
	valid func(string) bool
}

// formatNamed returns the format of that name, and nil for one that is not known,
// which says nothing.
func formatNamed(name string) *Format {
	valid := formatOf(name)
	if valid == nil {
		return nil
	}
	return &Format{name, valid}
}

// formatOf returns what decides whether a string has the format of that name,
// or nil if the name is none of a format that is known here. Names that one
// dialect defines are known in all of them; semver and period are no dialect's.
func formatOf(name string) func(string) bool {
	switch name {
	case "date":
		return isDate
	case "time":
		return isTime
	case "date-time":
		return isDateTime
	case "duration":
		return isDuration
	case "period":
		return isPeriod
	case "email":
		return isEmail
	case "hostname":
		return isHostname
	case "ipv4":
		return isIPv4
	case "ipv6":
		return isIPv6
	case "uri", "iri", "uri-reference", "iri-reference", "uri-template":
		return uriFormatOf(name)
	case "uuid":
		return isUUID
	case "json-pointer":
		return isJSONPointer
	case "relative-json-pointer":
		return isRelativeJSONPointer
	case "semver":
		return isSemver
	case "regex":
		return isPattern
	}
	return nil
}

// isDate reports whether s is a full-date of RFC 3339, section 5.6.
func isDate(s string) bool {
	_, err := time.Parse(time.DateOnly, s)
	return err == nil
}

// isDateTime reports whether s is a date-time of RFC 3339, section 5.6. The T
// may be small, but nothing else takes its place.
func isDateTime(s string) bool {
	const date = len(time.DateOnly)
	return len(s) > date && (s[date] == 'T' || s[date] == 't') && isDate(s[:date]) && isTime(s[date+1:])
}

// isTime reports whether s is a full-time of RFC 3339, section 5.6. The second
// 60 is there only in the last minute of a day in UTC (section 5.7).
func isTime(s string) bool {
	if len(s) < len("hh:mm:ssZ") || s[2] != ':' || s[5] != ':' {
		return false
	}
	hour, minute, second := twoDigits(s[:2]), twoDigits(s[3:5]), twoDigits(s[6:8])
	if hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 60 {
		return false
	}
	zone := s[8:]
	if fraction, ok := strings.CutPrefix(zone, "."); ok {
		n := leadingDigits(fraction)
		if n == 0 {
			return false
		}
		zone = fraction[n:]
	}
	offset, ok := zoneOffset(zone)
	const day = 24 * 60
	return ok && (second < 60 || (hour*60+minute-offset+day)%day == day-1)
}

// zoneOffset returns how many minutes a time-offset of RFC 3339 is ahead of UTC.
func zoneOffset(s string) (minutes int, ok bool) {
	if s == "Z" || s == "z" {
		return 0, true
	}
	if len(s) != len("+hh:mm") || s[0] != '+' && s[0] != '-' || s[3] != ':' {
		return 0, false
	}
	hour, minute := twoDigits(s[1:3]), twoDigits(s[4:])
	minutes = hour*60 + minute
	if s[0] == '-' {
		minutes = -minutes
	}
	return minutes, hour >= 0 && hour <= 23 && minute >= 0 && minute <= 59
}

// twoDigits returns the number that s, of two bytes, is written as, or -1.
func twoDigits(s string) int {
	if leadingDigits(s) != 2 {
		return -1
	}
	return int(s[0]-'0')*10 + int(s[1]-'0')
}

// isDuration reports whether s is a duration of RFC 3339, appendix A: years are
// followed by months or nothing, and so on, and weeks stand alone. The letters
// are capitals, as in ISO 8601.
func isDuration(s string) bool {
	s, ok := strings.CutPrefix(s, "P")
	if !ok {
		return false
	}
	if weeks, ok := strings.CutSuffix(s, "W"); ok {
		return weeks != "" && isDigits(weeks)
	}
	date, clock, timed := strings.Cut(s, "T")
	if timed {
		return (date == "" || inUnits(date, "YMD")) && inUnits(clock, "HMS")
	}
	return inUnits(date, "YMD")
}

// inUnits reports whether s consists of whole numbers, each with its unit, and
// the units follow each other as in units: none is skipped between two.
func inUnits(s, units string) bool {
	if s == "" {
		return false
	}
	for first := true; s != ""; first = false {
		n := leadingDigits(s)
		if n == 0 || n == len(s) {
			return false
		}
		i := strings.IndexByte(units, s[n])
		if i < 0 || i > 0 && !first {
			return false
		}
		s, units = s[n+1:], units[i+1:]
	}
	return true
}

// isPeriod reports whether s is a period of RFC 3339, appendix A, whose times
// are date-times.
func isPeriod(s string) bool {
	start, end, ok := strings.Cut(s, "/")
	switch {
	case !ok:
		return false
	case isDateTime(start):
		return isDateTime(end) || isDuration(end)
	default:
		return isDuration(start) && isDateTime(end)
	}
}

// isIPv4 reports whether s is a dotted quad of RFC 2673, section 3.2, without
// leading zeros, which some take for octal.
func isIPv4(s string) bool {
	addr, err := netip.ParseAddr(s)
	return err == nil && addr.Is4()
}

// isIPv6 reports whether s is an address of RFC 4291, section 2.2. A zone is no
// part of it (RFC 4007).
func isIPv6(s string) bool {
	addr, err := netip.ParseAddr(s)
	return err == nil && addr.Is6() && addr.Zone() == ""
}

// isHostname reports whether s is a host name of RFC 1123, section 2.1, with the
// lengths of RFC 1035, section 2.3.4. What a label in Punycode decodes to is not
// looked at.
func isHostname(s string) bool {
	return len(s) <= 253 && every(s, ".", isLabel)
}

func isLabel(s string) bool {
	return s != "" && len(s) <= 63 && s[0] != '-' && s[len(s)-1] != '-' && madeOf(s, letters("-"))
}

// isEmail reports whether s is a Mailbox of RFC 5321, section 4.1.2, of at most
// the lengths of section 4.5.3.1.
func isEmail(s string) bool {
	at := strings.LastIndexByte(s, '@')
	if at < 1 || at > 64 || len(s) > 254 {
		return false
	}
	local, domain := s[:at], s[at+1:]
	if literal, ok := strings.CutPrefix(domain, "["); ok {
		literal, ok = strings.CutSuffix(literal, "]")
		if !ok || !isAddressLiteral(literal) {
			return false
		}
	} else if !isHostname(domain) {
		return false
	}
	return isQuoted(local) || every(local, ".", isAtom)
}

// isAddressLiteral reports whether s may stand in the brackets of an address
// instead of a domain (RFC 5321, section 4.1.3). IPv6 is the only tag there is.
func isAddressLiteral(s string) bool {
	const tag = "IPv6:"
	if len(s) > len(tag) && strings.EqualFold(s[:len(tag)], tag) {
		return isIPv6(s[len(tag):])
	}
	return isIPv4(s)
}

// isAtom reports whether s is an Atom of RFC 5321, section 4.1.2.
func isAtom(s string) bool { return s != "" && madeOf(s, letters("!#$%&'*+-/=?^_`{|}~")) }

// isQuoted reports whether s is a Quoted-string of RFC 5321, section 4.1.2.
func isQuoted(s string) bool {
	if len(s) < 2 || s[0] != '"' || s[len(s)-1] != '"' {
		return false
	}
	escaped := false
	for _, c := range []byte(s[1 : len(s)-1]) {
		if c < ' ' || c > '~' || c == '"' && !escaped {
			return false
		}
		escaped = c == '\\' && !escaped
	}
	return !escaped
}

// isUUID reports whether s is a UUID of RFC 4122, section 3, of any version.
func isUUID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i := range len(s) {
		switch i {
		case 8, 13, 18, 23:
			if s[i] != '-' {
				return false
			}
		default:
			if !isHexDigit(s[i]) {
				return false
			}
		}
	}
	return true
}

// isJSONPointer reports whether s is a JSON Pointer of RFC 6901, section 3.
func isJSONPointer(s string) bool {
	if s != "" && s[0] != '/' {
		return false
	}
	for {
		_, after, found := strings.Cut(s, "~")
		if !found {
			return true
		}
		if after == "" || after[0] != '0' && after[0] != '1' {
			return false
		}
		s = after
	}
}

// isRelativeJSONPointer reports whether s is a Relative JSON Pointer of
// draft-bhutton-relative-json-pointer-00, section 3, which draft 2020-12 refers
// to. A shift of the index, as in 0-1, is new in it; that # may follow one is
// not in its grammar, but that was corrected as an omission.
func isRelativeJSONPointer(s string) bool {
	n := leadingDigits(s)
	if !isWholeNumber(s[:n]) {
		return false
	}
	s = s[n:]
	if s != "" && (s[0] == '+' || s[0] == '-') {
		n := leadingDigits(s[1:]) + 1
		if !isWholeNumber(s[1:n]) {
			return false
		}
		s = s[n:]
	}
	return s == "#" || isJSONPointer(s)
}

// isSemver reports whether s is a version of Semantic Versioning 2.0.0, whose
// grammar is at https://semver.org.
func isSemver(s string) bool {
	s, build, hasBuild := strings.Cut(s, "+")
	core, pre, hasPre := strings.Cut(s, "-")
	return strings.Count(core, ".") == 2 && every(core, ".", isWholeNumber) &&
		(!hasPre || every(pre, ".", isPreRelease)) &&
		(!hasBuild || every(build, ".", isVersionIdentifier))
}

func isPreRelease(s string) bool {
	return isVersionIdentifier(s) && (!isDigits(s) || isWholeNumber(s))
}

func isVersionIdentifier(s string) bool { return s != "" && madeOf(s, letters("-")) }

// isWholeNumber reports whether s is a number without a sign or leading zeros.
func isWholeNumber(s string) bool {
	return s != "" && isDigits(s) && (len(s) == 1 || s[0] != '0')
}

// every reports whether each of the parts of s between the separators is valid.
func every(s, separator string, valid func(string) bool) bool {
	for part := range strings.SplitSeq(s, separator) {
		if !valid(part) {
			return false
		}
	}
	return true
}

// isDigits reports whether there is nothing but digits in s.
func isDigits(s string) bool { return leadingDigits(s) == len(s) }

// leadingDigits returns how many digits s begins with.
func leadingDigits(s string) int {
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	return n
}
