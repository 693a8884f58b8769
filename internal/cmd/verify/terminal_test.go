package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"strings"
	"testing"
)

func TestIsTerminal(t *testing.T) {
	t.Parallel()
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = null.Close() }()
	file, err := os.Create(t.TempDir() + "/file")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = read.Close(), write.Close() }()
	for name, f := range map[string]*os.File{"null device": null, "file": file, "pipe": write} {
		if isTerminal(f) {
			t.Errorf("the %s counts as a terminal", name)
		}
	}
	tty, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		skip(t, "no terminal can be opened here: %v", err)
	}
	defer func() { _ = tty.Close() }()
	if !isTerminal(tty) {
		t.Error("a terminal does not count as one")
	}
	for _, tc := range []struct {
		name           string
		env            env
		moves, colours bool
	}{
		{"terminal", env{"TERM": "xterm"}, true, true},
		{"NO_COLOR", env{"TERM": "xterm", "NO_COLOR": "1"}, true, false},
		{"dumb", env{"TERM": "dumb"}, false, false},
	} {
		if got := newTerminal(tc.env.get, tty, tty, tty); got.moves != tc.moves || got.colours != tc.colours || !got.asks {
			t.Errorf("%s: %+v", tc.name, got)
		}
	}
	if got := newTerminal(env{}.get, null, write, file); got.moves || got.colours || got.asks {
		t.Errorf("no terminal: %+v", got)
	}
}

// TestAgree checks when a person is asked before anything is spent.
func TestAgree(t *testing.T) {
	t.Parallel()
	e := serve(t)
	dear := []string{"--price", "1000/1000", "--only", "connection,answer.rating"}
	for _, tc := range []struct {
		name   string
		answer string
		asks   bool
		args   []string
		asked  bool
		code   int
	}{
		{"yes", "y\n", true, dear, true, exitPassed},
		{"a word", "Yes\n", true, dear, true, exitPassed},
		{"no", "n\n", true, dear, true, exitNotMade},
		{"enter", "\n", true, dear, true, exitNotMade},
		{"end of input", "", true, dear, true, exitNotMade},
		{"no terminal", "", false, dear, false, exitPassed},
		{"--yes", "", true, append(dear, "--yes"), false, exitPassed},
		{"cheap", "", true, []string{"--price", "0.1/0.1", "--only", "connection"}, false, exitPassed},
		{"many tokens", "n\n", true, []string{"--repeat", "100"}, true, exitNotMade},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var out, errOut bytes.Buffer
			code := run(t.Context(), tc.args, e.get, &terminal{in: strings.NewReader(tc.answer), out: &out, err: &errOut, asks: tc.asks})
			said{code, out.String(), errOut.String()}.check(t, tc.code)
			if got := strings.Contains(errOut.String(), "Go on? [y/N]"); got != tc.asked {
				t.Errorf("asked: %v, want %v", got, tc.asked)
			}
			if code == exitNotMade && (out.Len() > 0 || !strings.Contains(errOut.String(), "nothing was spent")) {
				t.Errorf("it went on:\n%s%s", out.String(), errOut.String())
			}
		})
	}
	t.Run("ended while it asks", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		never, hold := io.Pipe()
		t.Cleanup(func() { _ = hold.Close() })
		err := (&terminal{in: never, err: io.Discard, asks: true}).agree(ctx, estimate{price: &price{1, 1}, Cost: cost(2_000_000)}, false)
		if err == nil {
			t.Error("it goes on")
		}
	})
}

// TestMovingLine checks what a terminal gets: one line for the progress, and
// colours that repeat the words.
func TestMovingLine(t *testing.T) {
	t.Parallel()
	var out, errOut bytes.Buffer
	run(t.Context(), []string{"--only", "connection"}, serve(t).get, &terminal{in: strings.NewReader(""), out: &out, err: &errOut, moves: true, colours: true})
	_, progress, _ := strings.Cut(errOut.String(), "\x1b")
	if lines := strings.Count(progress, "\n"); lines != 0 || !strings.Contains(progress, "[4/4] one token, second request") || !strings.HasSuffix(progress, clearLine) {
		t.Errorf("progress %q", progress)
	}
	if !strings.Contains(out.String(), "\x1b[32mpass\x1b[0m  reachable (/models)") {
		t.Errorf("unexpected report:\n%q", out.String())
	}
}

// skip leaves a test out for want of something, except where all of them have to run.
func skip(t *testing.T, format string, args ...any) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatalf(format, args...)
	}
	t.Skipf(format, args...)
}
