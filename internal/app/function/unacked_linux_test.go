package function

import (
	"errors"
	"net"
	"syscall"
	"testing"
	"time"
)

// A peer that takes nothing any more is given up after the limit, and not when
// the kernel loses patience, a quarter of an hour later.
func TestSilentPeerIsGivenUp(t *testing.T) {
	t.Parallel()
	var lc net.ListenConfig
	l, err := lc.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	d := NewDialer(nil, nil)
	d.net.Control = giveUpAfter(500 * time.Millisecond)
	conn, err := d.dial(t.Context(), "tcp", l.Addr().String()) // nobody accepts it, nobody reads
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	if err := conn.SetWriteDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	for {
		if _, err = conn.Write(make([]byte, 1<<20)); err != nil {
			break
		}
	}
	if !errors.Is(err, syscall.ETIMEDOUT) {
		t.Errorf("the connection was not given up: %v", err)
	}
}
