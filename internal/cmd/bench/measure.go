package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
)

// errTarget ends a run in which a target was missed that does not depend on the
// machine.
var errTarget = errors.New("a target that is the same on every machine was missed")

// parts are what a run consists of, in order.
var parts = []string{"cold", "warm", "growth", "memory", "server"}

// A bench is one run.
type bench struct {
	builds
	fakes   addresses
	counts  counts
	only    []string // parts to measure; all if empty
	results results
}

// counts are how often each thing is measured.
type counts struct {
	starts       int // of each program under each condition
	small, large int // warm requests with text, and with an image
	growth       int // decisions for each number of tools
	served       int // requests to the dev server
	servedStarts int
}

var (
	fullCounts  = counts{starts: 25, small: 400, large: 40, growth: 30, served: 1200, servedStarts: 15}
	quickCounts = counts{starts: 3, small: 20, large: 3, growth: 3, served: 40, servedStarts: 1}
)

// memorySizes are the sizes of functions that are compared, in MB.
var memorySizes = []int{128, 256, 512, 1024, 1769}

// measure is the subcommand that measures everything.
func measure(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	quick := flags.Bool("quick", false, "take a minute: enough to see that all works, not enough for figures")
	only := flags.String("only", "", "measure only these `parts`, and write nothing: "+strings.Join(parts, ", "))
	out := flags.String("out", "", "write figures.json, the plots and the tables into this folder")
	if err := flags.Parse(args); err != nil {
		return err
	}
	chosen := strings.FieldsFunc(*only, func(r rune) bool { return r == ',' })
	for _, part := range chosen {
		if !slices.Contains(parts, part) {
			return fmt.Errorf("-only: there is no part %q; the parts are %s", part, strings.Join(parts, ", "))
		}
	}
	dir, err := os.MkdirTemp("", "bench-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }() // the temporary directory
	b := &bench{counts: fullCounts, only: chosen}
	if *quick {
		b.counts = quickCounts
	}
	debug.SetGCPercent(400) // the sender's garbage is not to be seen in the figures
	if err := b.run(ctx, dir); err != nil {
		return err
	}
	b.results.judge()
	if err := b.results.print(os.Stdout); err != nil {
		return err
	}
	if *out != "" && len(chosen) == 0 { // a part would take the place of the whole
		if err := b.results.write(*out); err != nil {
			return err
		}
	}
	for _, t := range b.results.Targets {
		if t.Exact && !t.Met {
			return fmt.Errorf("%w: %s", errTarget, t.What)
		}
	}
	return nil
}

// run builds and measures. Progress goes to standard error.
func (b *bench) run(ctx context.Context, dir string) (err error) {
	step("building")
	if b.builds, err = build(ctx, dir); err != nil {
		return err
	}
	if b.results.Sizes, err = measureSizes(ctx, dir); err != nil {
		return err
	}
	stop, err := b.startFakes(ctx)
	if err != nil {
		return err
	}
	defer stop()
	b.results.Machine = describe()
	for _, part := range []struct {
		name string
		do   func(context.Context) error
	}{
		{"cold", b.measureCold},
		{"warm", b.measureWarm},
		{"growth", func(ctx context.Context) error { return b.grow(ctx, b.counts.growth) }},
		{"memory", b.measureMemorySizes},
		{"server", func(ctx context.Context) error { return b.compareServed(ctx, b.counts.servedStarts, b.counts.served) }},
	} {
		if len(b.only) > 0 && !slices.Contains(b.only, part.name) {
			continue
		}
		step("measuring " + part.name)
		if err := part.do(ctx); err != nil {
			return fmt.Errorf("%s: %w", part.name, err)
		}
	}
	return nil
}

func step(name string) { fmt.Fprintln(os.Stderr, "bench:", name) }

// startFakes starts the fakes in a process of their own. Call stop to end it.
func (b *bench) startFakes(ctx context.Context) (stop func(), err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, self, "upstream") //nolint:gosec // this very program
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	stop = func() { _, _ = in.Close(), cmd.Wait() } // the end of its input ends it
	if err := json.NewDecoder(out).Decode(&b.fakes); err != nil {
		stop()
		return nil, fmt.Errorf("the fakes did not start: %w", err)
	}
	return stop, nil
}

// measureCold measures starts with all of the CPU, over HTTP and TLS, with the
// program in the page cache and on the disk only.
func (b *bench) measureCold(ctx context.Context) error {
	names := []string{floorName, modelsName, baselineName, bedrockName, externalName}
	for _, c := range []coldConditions{{}, {secure: true}, {noCache: true}} {
		err := b.coldStarts(ctx, c, names, b.counts.starts)
		if c.noCache && err != nil {
			b.notMeasured("starts without the page cache", err)
			continue
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (b *bench) measureWarm(ctx context.Context) error {
	for _, name := range []string{bedrockName, externalName, baselineName} {
		for _, size := range sizes {
			for _, stream := range []bool{false, true} {
				if name == baselineName && stream {
					continue // it has no upstream that streams
				}
				if err := b.warm(ctx, name, shape{size: size, stream: stream, tools: 3}, 0, b.counts.of(size)); err != nil {
					return err
				}
			}
		}
	}
	return b.countAllocs(ctx)
}

func (c counts) of(s size) int {
	if s.image {
		return c.large
	}
	return c.small
}

// measureMemorySizes measures starts and requests with the CPU shares of functions
// of several memory sizes.
func (b *bench) measureMemorySizes(ctx context.Context) error {
	t, err := newThrottle(memorySizes[0])
	if err != nil {
		b.notMeasured("memory sizes", err)
		return nil
	}
	t.remove()
	for _, mb := range memorySizes {
		if err := b.coldStarts(ctx, coldConditions{secure: true, memoryMB: mb}, []string{floorName, bedrockName, externalName}, b.counts.starts); err != nil {
			return err
		}
		for _, size := range []size{sizes[0], sizes[2], sizes[4]} {
			if err := b.warm(ctx, bedrockName, shape{size: size, tools: 3}, mb, max(b.counts.of(size)/4, 3)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (b *bench) notMeasured(what string, why error) {
	b.results.NotMeasured = append(b.results.NotMeasured, fmt.Sprintf("%s: not measured here (%v)", what, why))
}

// write writes the results into a folder: as JSON, as tables, and as plots.
func (r *results) write(dir string) error {
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return err
	}
	encoded, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	files := map[string][]byte{"figures.json": append(encoded, '\n')}
	for name, p := range r.plots() {
		files[name] = p.SVG()
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			return err
		}
	}
	f, err := os.Create(filepath.Join(dir, "figures.md")) //nolint:gosec // the folder that the user names
	if err != nil {
		return err
	}
	_, err = f.WriteString("# Figures\n\nWritten by `make bench`. [Benchmarks](../benchmarks.md) says what they mean.\n\n")
	return errors.Join(err, r.print(f), f.Close())
}
