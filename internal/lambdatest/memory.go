package lambdatest

import (
	"bytes"
	"os"
	"strconv"
)

// peakRSS returns the most memory a process has held, in bytes, or zero if the
// system does not say. See VmHWM in proc_pid_status(5).
func peakRSS(pid int) int64 {
	status, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	if err != nil {
		return 0
	}
	_, rest, found := bytes.Cut(status, []byte("\nVmHWM:"))
	if !found {
		return 0
	}
	fields := bytes.Fields(rest)
	if len(fields) == 0 {
		return 0
	}
	kb, err := strconv.ParseInt(string(fields[0]), 10, 64)
	if err != nil {
		return 0
	}
	return kb << 10
}
