package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// fullCPU is the memory in MB at which a function has one whole CPU. See
// https://docs.aws.amazon.com/lambda/latest/dg/configuration-memory.html.
const fullCPU = 1769

// period is how often a throttled process gets its share anew. Lambda's is not
// documented; users who measured it found 20 ms.
const period = 20 * time.Millisecond

// share is the CPU time that a function of that memory has in a period.
func share(memoryMB int) time.Duration { return period * time.Duration(memoryMB) / fullCPU }

// A throttle is a control group whose processes get the CPU share of a function
// of some memory size.
type throttle struct{ dir string }

// newThrottle makes a control group. The error says why there can be none: what
// needs it is then not measured.
func newThrottle(memoryMB int) (throttle, error) {
	quota := strconv.FormatInt(share(memoryMB).Microseconds(), 10)
	micro := strconv.FormatInt(period.Microseconds(), 10)
	var faults []error
	for _, h := range []struct {
		root  string
		files [][2]string
	}{
		{"/sys/fs/cgroup", [][2]string{{"cpu.max", quota + " " + micro}}},                              // version 2
		{"/sys/fs/cgroup/cpu", [][2]string{{"cpu.cfs_period_us", micro}, {"cpu.cfs_quota_us", quota}}}, // version 1
	} {
		t, err := makeGroup(h.root, h.files)
		if err == nil {
			return t, nil
		}
		faults = append(faults, err)
	}
	return throttle{}, fmt.Errorf("no control group can be made: %w", errors.Join(faults...))
}

// makeGroup makes a control group below root and writes its settings, each of
// which is a file that has to be there.
func makeGroup(root string, settings [][2]string) (throttle, error) {
	dir, err := os.MkdirTemp(root, "bench-")
	if err != nil {
		return throttle{}, err
	}
	t := throttle{dir}
	for _, s := range settings {
		file, err := os.OpenFile(filepath.Join(dir, s[0]), os.O_WRONLY, 0) //nolint:gosec // one of a few fixed files
		if err == nil {
			_, err = file.WriteString(s[1])
			err = errors.Join(err, file.Close())
		}
		if err != nil {
			t.remove()
			return throttle{}, err
		}
	}
	return t, nil
}

// add moves a process into the group.
func (t throttle) add(pid int) error {
	return os.WriteFile(filepath.Join(t.dir, "cgroup.procs"), []byte(strconv.Itoa(pid)), 0o600)
}

// remove deletes the group, whose processes must have ended.
func (t throttle) remove() { _ = os.Remove(t.dir) }
