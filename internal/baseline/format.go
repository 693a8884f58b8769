package baseline

import (
	"fmt"
	"net/netip"
	"net/url"
	"regexp"
	"sync"
	"time"
)

// A format is a kind of text that a schema can ask for by name. See
// https://json-schema.org/draft/2020-12/json-schema-validation#section-7.3.
type format struct {
	// draw returns a text of that kind, of at least so many characters if it
	// can be that long.
	draw  func(s *source, atLeast int) string
	valid func(text string) bool
}

var formats = map[string]format{
	"date":      {drawTime(time.DateOnly), parses(time.DateOnly)},
	"time":      {drawTime("15:04:05Z"), parses("15:04:05.999999999Z07:00")},
	"date-time": {drawTime(time.RFC3339), parses(time.RFC3339Nano)},
	"duration":  {drawDuration, like(`^P(\d+W|(\d+Y)?(\d+M)?(\d+D)?(T(\d+H)?(\d+M)?(\d+S)?)?)$`)},
	"period":    {drawPeriod, like(`^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z/P\d+D$`)},
	"semver":    {drawVersion, like(`^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)$`)},
	"email":     {drawEmail, like(mailPattern)},
	"idn-email": {drawEmail, like(mailPattern)},
	"hostname":  {drawHost, like(hostPattern)},
	"ipv4":      {drawIPv4, isIP(netip.Addr.Is4)},
	"ipv6":      {drawIPv6, isIP(netip.Addr.Is6)},
	"uri":       {drawURI, isURI},
	"iri":       {drawURI, isURI},
	"uuid":      {drawUUID, like(`^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$`)},

	"idn-hostname":  {drawHost, like(hostPattern)},
	"uri-reference": {drawURI, isReference},
	"iri-reference": {drawURI, isReference},
	"uri-template":  {drawURI, isReference},
	"json-pointer":  {drawPointer, like(`^(/([^~/]|~[01])*)*$`)},
	"regex":         {drawLetters, isRegex},

	"relative-json-pointer": {drawRelativePointer, like(`^(0|[1-9][0-9]*)(#|(/([^~/]|~[01])*)*)$`)},
}

const (
	hostLabels  = `([A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?)(\.[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*`
	hostPattern = `^` + hostLabels + `$`
)

// mailPattern is what everybody takes for an address: RFC 5321 allows more.
const mailPattern = `^[A-Za-z0-9!#$%&'*+/=?^_{|}~-]+(\.[A-Za-z0-9!#$%&'*+/=?^_{|}~-]+)*@` + hostLabels + `$`

// drawTime draws a second of the forty years from 2000 on, in UTC.
func drawTime(layout string) func(*source, int) string {
	start := time.Date(2000, time.January, 1, 0, 0, 0, 0, time.UTC)
	seconds := int(start.AddDate(40, 0, 0).Sub(start) / time.Second)
	return func(s *source, _ int) string {
		return start.Add(time.Duration(s.below(seconds)) * time.Second).Format(layout)
	}
}

func parses(layout string) func(string) bool {
	return func(text string) bool {
		_, err := time.Parse(layout, text)
		return err == nil
	}
}

// like compiles its expression when it is first used: a function's start does
// not wait for formats that few schemas have.
func like(expression string) func(string) bool {
	compiled := sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
	return func(text string) bool { return compiled().MatchString(text) }
}

func drawDuration(s *source, _ int) string {
	return fmt.Sprintf("P%dDT%dH%dM", s.below(31), s.below(24), s.below(60))
}

// drawPeriod draws the start of a period (ISO 8601) and how many days it lasts.
func drawPeriod(s *source, atLeast int) string {
	return drawTime("2006-01-02T15:04:05Z")(s, atLeast) + fmt.Sprintf("/P%dD", s.between(1, 31))
}

func drawVersion(s *source, _ int) string {
	return fmt.Sprintf("%d.%d.%d", s.below(10), s.below(20), s.below(20))
}

// letters returns lower-case letters.
func (s *source) letters(length int) string {
	b := make([]byte, length)
	for i := range b {
		b[i] = "abcdefghijklmnopqrstuvwxyz"[s.below(26)]
	}
	return string(b)
}

func drawLetters(s *source, atLeast int) string { return s.letters(max(atLeast, s.between(1, 8))) }

// Domains are those that RFC 2606 reserves, so that nobody's is drawn.
func drawEmail(s *source, atLeast int) string {
	const longestLocal = 64 // RFC 5321
	domain := pick(s, "example.org", "example.com", "a.test")
	local := max(s.between(1, 10), min(atLeast-len(domain)-1, longestLocal))
	return s.letters(local) + "@" + domain
}

func drawHost(s *source, atLeast int) string {
	const longestLabel = 63 // RFC 1035
	host := s.letters(s.between(1, 8)) + pick(s, ".example.org", ".example.com", ".test")
	for len(host) < atLeast {
		host = s.letters(min(longestLabel, max(1, atLeast-len(host)-1))) + "." + host
	}
	return host
}

func drawIPv4(s *source, _ int) string {
	return netip.AddrFrom4([4]byte{192, 0, 2, s.byte()}).String() // RFC 5737 keeps 192.0.2.0/24 for documentation
}

func drawIPv6(s *source, _ int) string {
	// RFC 3849 keeps 2001:db8::/32 for documentation.
	return netip.AddrFrom16([16]byte{0x20, 0x01, 0x0d, 0xb8, 14: s.byte(), 15: s.byte()}).String()
}

func isIP(is func(netip.Addr) bool) func(string) bool {
	return func(text string) bool {
		ip, err := netip.ParseAddr(text)
		return err == nil && is(ip) && ip.Zone() == ""
	}
}

func drawURI(s *source, atLeast int) string {
	uri := pick(s, "https://example.org/", "https://example.com/", "urn:x-baseline:")
	return uri + s.letters(max(s.between(1, 10), atLeast-len(uri)))
}

func isURI(text string) bool {
	u, err := url.Parse(text)
	return err == nil && u.IsAbs()
}

func isReference(text string) bool {
	_, err := url.Parse(text)
	return err == nil
}

func drawUUID(s *source, _ int) string {
	h := s.hex(16)
	// Version 4, variant 1: RFC 9562.
	return fmt.Sprintf("%s-%s-4%s-%c%s-%s", h[:8], h[8:12], h[13:16], "89ab"[s.below(4)], h[17:20], h[20:])
}

func drawPointer(s *source, atLeast int) string { return "/" + drawLetters(s, atLeast-1) }

func drawRelativePointer(s *source, atLeast int) string { return "0" + drawPointer(s, atLeast-1) }

func isRegex(text string) bool {
	_, err := regexp.Compile(text)
	return err == nil
}
