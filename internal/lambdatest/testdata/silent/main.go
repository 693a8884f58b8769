// Command silent is a process that does nothing until it is killed, not even on
// SIGTERM, so that a test can talk to its Runtime API.
package main

import (
	"os/signal"
	"syscall"
	"time"
)

func main() {
	signal.Ignore(syscall.SIGTERM)
	time.Sleep(time.Hour)
}
