package function

import (
	"syscall"
	"time"
)

// tcpUserTimeout is TCP_USER_TIMEOUT, which package syscall does not name. See
// https://man7.org/linux/man-pages/man7/tcp.7.html
const tcpUserTimeout = 0x12

// giveUpAfter ends connections on which something sent stays unacknowledged for
// that long. A connection that a network forgot while the environment was frozen
// would otherwise swallow a request until its deadline.
func giveUpAfter(limit time.Duration) func(string, string, syscall.RawConn) error {
	return func(_, _ string, c syscall.RawConn) error {
		var failed error
		err := c.Control(func(fd uintptr) {
			failed = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, tcpUserTimeout, int(limit.Milliseconds()))
		})
		if err != nil {
			return err
		}
		return failed
	}
}
