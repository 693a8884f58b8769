package app_test

import (
	"strings"
	"testing"
)

// TestPicturesAreFetchedFromPublicAddressesOnly names pictures on this machine
// and in private networks, where a function must not be sent to look.
func TestPicturesAreFetchedFromPublicAddressesOnly(t *testing.T) {
	t.Parallel()
	s := on(t, both[0])
	r := newRelay(t, "127.0.0.1:9")
	_, port, _ := strings.Cut(r.addr, ":")
	for _, url := range []string{
		"https://127.0.0.1:" + port + "/a.png", "https://localhost:" + port + "/a.png", "https://[::1]:" + port + "/a.png",
		"https://[::ffff:127.0.0.1]:" + port + "/a.png", "https://0.0.0.0:" + port + "/a.png", "https://2130706433:" + port + "/a.png",
		"https://127.1:" + port + "/a.png", "https://user@127.0.0.1:" + port + "/a.png", "https://169.254.169.254/latest/meta-data", "https://10.0.0.1/a.png",
		"https://[fd00::1]/a.png", "https://[64:ff9b::7f00:1]/a.png", "http://127.0.0.1:" + port + "/a.png", "ftp://127.0.0.1/a.png", "/etc/passwd", "https://", "",
	} {
		body := strings.Replace(string(request(t, "image-link")), "https://pictures.invalid/rooms/02.jpg?token=5f3759df&until=1790000000", url, 1)
		a := s.ask(t, []byte(body), submits(`{"value":15}`))
		e := a.failure(t)
		if e.status != 400 || !strings.HasPrefix(e.param, "messages[1].content[1]") || url != "" && strings.Contains(e.message, url) {
			t.Errorf("%q: %+v", url, e)
		}
		s.calledUpstream(t, 0)
	}
	if n := r.opened.Load(); n != 0 {
		t.Errorf("%d connections to this machine", n)
	}
}

// TestLinkedPicturesAreLeftToTheUpstream checks that an external model gets the
// link as it came.
func TestLinkedPicturesAreLeftToTheUpstream(t *testing.T) {
	t.Parallel()
	s := on(t, both[1])
	s.reached(t, s.ask(t, request(t, "image-link"), submits(`{"value":15}`)), 1, "")
	if asked := string(s.asked()[0]); !strings.Contains(asked, "https://pictures.invalid/rooms/02.jpg?token=5f3759df&until=1790000000") {
		t.Errorf("sent: %s", asked)
	}
	s.noLine(t, "pictures.invalid", "5f3759df")
}
