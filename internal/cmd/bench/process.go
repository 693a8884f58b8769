package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// cpuTime returns the CPU time that the threads of a process have used. It is
// exact to the nanosecond where the usual counters tick in hundredths of a
// second. See "Scheduler statistics" in the Linux documentation: the first
// number of schedstat is the time spent on a CPU in ns.
func cpuTime(pid int) (time.Duration, error) {
	files, err := filepath.Glob("/proc/" + strconv.Itoa(pid) + "/task/*/schedstat")
	if err != nil {
		return 0, err
	}
	var sum time.Duration
	for _, file := range files {
		stat, err := os.ReadFile(file) //nolint:gosec // a file of /proc
		if err != nil {
			continue // the thread has ended
		}
		first, _, _ := bytes.Cut(stat, []byte(" "))
		ns, err := strconv.ParseInt(string(first), 10, 64)
		if err != nil {
			return 0, err
		}
		sum += time.Duration(ns)
	}
	return sum, nil
}

// memory returns how much memory a process holds and has held at most, in bytes:
// VmRSS and VmHWM of proc_pid_status(5).
func memory(pid int) (now, peak int64, err error) {
	status, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	if err != nil {
		return 0, 0, err
	}
	for line := range bytes.Lines(status) {
		fields := bytes.Fields(line)
		if len(fields) < 2 {
			continue
		}
		kb, err := strconv.ParseInt(string(fields[1]), 10, 64)
		if err != nil {
			continue
		}
		switch string(fields[0]) {
		case "VmRSS:":
			now = kb << 10
		case "VmHWM:":
			peak = kb << 10
		}
	}
	return now, peak, nil
}
