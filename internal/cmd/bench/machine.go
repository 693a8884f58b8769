package main

import (
	"bufio"
	"os"
	"runtime"
	"strings"
	"time"
)

// describe says what the figures are of.
func describe() machine {
	return machine{
		Processor: lineOf("/proc/cpuinfo", "model name"), CPUs: runtime.NumCPU(), System: strings.TrimSpace(content("/proc/sys/kernel/osrelease")) + " " + runtime.GOARCH,
		Go: runtime.Version(), Date: time.Now().UTC().Format(time.DateOnly), Load: strings.TrimSpace(content("/proc/loadavg")), Command: "make bench",
	}
}

// content returns a small file of the system, or nothing.
func content(path string) string {
	data, _ := os.ReadFile(path) //nolint:gosec // a fixed path
	return string(data)
}

// lineOf returns the value of the first line with a key.
func lineOf(path, key string) string {
	lines := bufio.NewScanner(strings.NewReader(content(path)))
	for lines.Scan() {
		if name, value, ok := strings.Cut(lines.Text(), ":"); ok && strings.TrimSpace(name) == key {
			return strings.TrimSpace(value)
		}
	}
	return ""
}
