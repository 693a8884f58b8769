package conformance

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"net/url"
	"strings"

	"hyperstudy-endpoint/internal/wording"
)

// parseBase reads a base URL and says why nothing may be sent to it, if so: a
// key is not sent in clear text over a network.
func parseBase(raw string) (base *url.URL, stop string) {
	base, err := url.Parse(raw)
	switch {
	case raw == "":
		return nil, "there is no base URL"
	case !strings.Contains(raw, "://"):
		return nil, "the base URL lacks http:// or https:// at its beginning"
	case err != nil:
		return nil, "the base URL is not a URL"
	case base.Scheme != "https" && base.Scheme != "http":
		return nil, "the base URL does not begin with https://"
	case base.Hostname() == "":
		return nil, "the base URL names no host"
	case base.User != nil || base.RawQuery != "" || base.Fragment != "":
		return nil, "the base URL holds more than a host and a path"
	case base.Scheme == "http" && !isLoopback(base.Hostname()):
		return nil, "the base URL is http, over which the key could be read on its way"
	}
	return base, ""
}

// isLoopback reports whether a host is this machine by its very name.
func isLoopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	address, err := netip.ParseAddr(host)
	return err == nil && address.Unmap().IsLoopback()
}

// resolve asks the system for a host's addresses.
func resolve(ctx context.Context, host string) ([]netip.Addr, error) {
	return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
}

// A block is one of addresses that are not on the public internet, and what
// they are. The sources are the IANA special-purpose address registries.
type block struct {
	prefix netip.Prefix
	what   string
}

var blocks = func() []block {
	var list []block
	for what, prefixes := range map[string][]string{
		"a loopback address":              {"127.0.0.0/8", "::1/128"},
		"a private address":               {"10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"},
		"a link-local address":            {"169.254.0.0/16", "fe80::/10"},
		"an address behind a carrier NAT": {"100.64.0.0/10"},
		"an unspecified address":          {"0.0.0.0/8", "::/128"},
		"a multicast address":             {"224.0.0.0/4", "ff00::/8"},
		"a reserved address": {"192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
			"240.0.0.0/4", "100::/64", "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20", "5f00::/16", "fec0::/10"},
	} {
		for _, p := range prefixes {
			list = append(list, block{netip.MustParsePrefix(p), what})
		}
	}
	return list
}()

// embedded are the prefixes behind which an IPv4 address stands in the last
// four bytes: mapped, compatible and NAT64.
var embedded = []netip.Prefix{
	netip.MustParsePrefix("::ffff:0:0/96"), netip.MustParsePrefix("::/96"), netip.MustParsePrefix("64:ff9b::/96"),
}

// notPublic says what an address is that the public internet does not reach;
// empty is a public address.
func notPublic(a netip.Addr) string {
	a = a.WithZone("")
	for _, b := range blocks {
		if b.prefix.Contains(a) {
			return b.what
		}
	}
	if a.Is6() {
		for _, p := range embedded {
			if p.Contains(a) {
				bytes := a.As16()
				if what := notPublic(netip.AddrFrom4([4]byte(bytes[12:]))); what != "" {
					return what + " inside an IPv6 address"
				}
				return ""
			}
		}
	}
	return ""
}

func addressChecks() []check {
	return []check{
		{Check: Check{ID: "address.url", Group: "address", Title: "base URL", Quick: true,
			Requirement: "The base URL is an https URL without a query, and ends in the root of the API."}, run: checkURL, always: true},
		{Check: Check{ID: "address.public", Group: "address", Title: "public address", Quick: true,
			Requirement: "Every address that the host's name resolves to is public; private, loopback and local ones are refused."}, run: checkPublic, always: true},
		{Check: Check{ID: "address.certificate", Group: "address", Title: "certificate", Quick: true, Cost: Cost{Requests: 1},
			Requirement: "The server proves with a valid certificate that it is the host of the base URL."}, run: checkCertificate},
		{Check: Check{ID: "address.redirect", Group: "address", Title: "no redirect", Quick: true, Cost: Cost{Requests: 1, PromptTokens: 20, CompletionTokens: 1},
			Requirement: "The endpoint answers at its own address; HyperStudy does not follow a redirect."}, run: checkRedirect},
		{Check: Check{ID: "address.root", Group: "address", Title: "API root", Quick: true, Cost: Cost{Requests: 3},
			Requirement: "The requests go to paths directly below the base URL: /models and /chat/completions."}, run: checkRoot},
	}
}

func checkURL(_ context.Context, s *session) finding {
	const advice = "Enter the address of the API root, such as https://agent.example.org/v1."
	switch {
	case s.base == nil && strings.HasPrefix(strings.ToLower(s.target.BaseURL), "http://"):
		return failed("Give the endpoint an https address; a tunnel gives a local server one.",
			"%s. HyperStudy takes https only, and nothing was sent.", wording.Capital(s.stop))
	case s.base == nil:
		return failed(advice, "%s.", wording.Capital(s.stop))
	}
	for _, end := range []string{"/models", "/chat/completions"} {
		if strings.HasSuffix(strings.TrimRight(s.base.Path, "/"), end) {
			s.stop = "the base URL is not the API root"
			return failed("Leave "+end+" out: HyperStudy adds it.", "The base URL ends in %s, so that requests would go to %s%s.", end, end, end)
		}
	}
	if s.base.Scheme == "http" {
		return warned("Use it to test locally; HyperStudy needs a public https address.",
			"The base URL is http on this machine, which HyperStudy itself refuses.")
	}
	if strings.HasSuffix(s.base.Path, "/") {
		return warned("Leave the slash at the end out.", "The base URL ends in a slash, so that requests go to a path with two slashes, which not every server takes.")
	}
	return passed("%s", s.base)
}

func checkPublic(ctx context.Context, s *session) finding {
	if s.base == nil {
		return skipped("There is no host to look up.")
	}
	host := s.base.Hostname()
	if isLoopback(host) {
		return warned("Use it to test locally; in HyperStudy, enter the address of a public server or of a tunnel.",
			"%s is this machine: HyperStudy refuses loopback addresses.", host)
	}
	var (
		addresses []netip.Addr
		err       error
	)
	if literal, notOne := netip.ParseAddr(host); notOne == nil {
		addresses = []netip.Addr{literal}
	} else if addresses, err = s.target.Resolve(ctx, host); err != nil || len(addresses) == 0 {
		s.stop = "the host has no address"
		if e := (*net.DNSError)(nil); errors.As(err, &e) && !e.IsNotFound {
			return failed("Try again; if it stays so, ask whoever runs the name service of the host.", "%s could not be looked up: %s.", host, e.Err)
		}
		return failed("Look for a typing error in the host; a tunnel has a new name each time it is started.", "%s has no address.", host)
	}
	for _, a := range addresses {
		if what := notPublic(a); what != "" {
			return failed("Have the host's name point to public addresses only, or use a tunnel.",
				"%s leads to %s, %s, so HyperStudy refuses the endpoint, whatever the other addresses are.", host, a, what)
		}
	}
	return passed("%s leads to %s, public.", host, wording.Count(len(addresses), "address"))
}
