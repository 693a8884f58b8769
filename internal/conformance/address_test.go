package conformance

import (
	"net/netip"
	"strings"
	"testing"
)

func TestNotPublic(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"93.184.215.14": "", "8.8.8.8": "", "172.32.0.1": "", "100.128.0.1": "", "2606:2800:21f:cb07::1": "", "2a00:1450:4001::1": "", "64:ff9b::808:808": "", "::ffff:8.8.8.8": "",
		"127.0.0.1": "loopback", "127.255.255.254": "loopback", "::1": "loopback", "::ffff:127.0.0.1": "loopback", "64:ff9b::7f00:1": "loopback", "::127.0.0.1": "loopback",
		"10.0.0.1": "private", "172.16.0.1": "private", "172.31.255.255": "private", "192.168.0.1": "private", "fd12::1": "private", "::ffff:10.1.2.3": "private",
		"169.254.169.254": "link-local", "fe80::1": "link-local", "fe80::1%eth0": "link-local", "100.64.0.1": "carrier", "0.0.0.0": "unspecified", "::": "unspecified",
		"224.0.0.1": "multicast", "ff02::1": "multicast", "255.255.255.255": "reserved", "192.0.2.1": "reserved", "198.18.0.1": "reserved", "2001:db8::1": "reserved", "2002:7f00:1::": "reserved",
	} {
		got := notPublic(netip.MustParseAddr(address))
		if (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", address, got, want)
		}
	}
}

func TestResolve(t *testing.T) {
	t.Parallel()
	addresses, err := resolve(t.Context(), "localhost")
	if err != nil || len(addresses) == 0 || !addresses[0].Unmap().IsLoopback() {
		t.Errorf("%v, %v", addresses, err)
	}
}

func TestShorten(t *testing.T) {
	t.Parallel()
	if got := shorten(" a\n b " + strings.Repeat("é", 200)); got != "a b "+strings.Repeat("é", 156)+"…" {
		t.Errorf("%q", got)
	}
}

func TestLoopback(t *testing.T) {
	t.Parallel()
	for host, want := range map[string]bool{
		"localhost": true, "LOCALHOST": true, "127.0.0.1": true, "127.9.9.9": true, "::1": true, "::ffff:127.0.0.1": true,
		"localhost.example.org": false, "10.0.0.1": false, "127.0.0.1.example.org": false,
	} {
		if got := isLoopback(host); got != want {
			t.Errorf("%s: %v", host, got)
		}
	}
}
