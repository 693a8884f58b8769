//go:build !linux

package function

import (
	"syscall"
	"time"
)

// giveUpAfter does nothing where Linux's option is not known: functions run on Linux.
func giveUpAfter(time.Duration) func(string, string, syscall.RawConn) error { return nil }
