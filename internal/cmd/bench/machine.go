package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strconv"
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

// busy reports whether other programs had more than half of the processors when
// the run began.
func (m machine) busy() bool {
	first, _, _ := strings.Cut(m.Load, " ")
	load, err := strconv.ParseFloat(first, 64)
	return err == nil && load > float64(m.CPUs)/2
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

var validatorInit = regexp.MustCompile(`(?m)^init github\.com/santhosh-tekuri/jsonschema/v6 @.*?, ([0-9.]+) ms clock`)

// measureValidator measures how long a start waits for the initialisation of the
// schema validator, as the Go runtime reports it. The program ends at once for
// want of settings.
func measureValidator(ctx context.Context, path string, n int) (time.Duration, error) {
	var times []time.Duration
	for range n {
		cmd := exec.CommandContext(ctx, path)
		cmd.Env = []string{"GODEBUG=inittrace=1"}
		var out bytes.Buffer
		cmd.Stderr = &out
		_ = cmd.Run() // ends with an error, for want of settings
		found := validatorInit.FindSubmatch(out.Bytes())
		if found == nil {
			return 0, fmt.Errorf("no trace of the schema validator in %.400q", out.Bytes())
		}
		milliseconds, err := strconv.ParseFloat(string(found[1]), 64)
		if err != nil {
			return 0, err
		}
		times = append(times, time.Duration(milliseconds*float64(time.Millisecond)))
	}
	return median(times), nil
}
