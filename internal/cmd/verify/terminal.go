package main

// Rules of output. Standard output gets the report and nothing else, so that it
// can be piped; all that is said on the way goes to standard error. Every
// failure gives its next step. There is no colour and no moving line where there
// is no terminal, no colour with NO_COLOR (https://no-color.org), and nothing is
// told by colour alone. The key is never written.

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// A terminal is where a person sits, or does not.
type terminal struct {
	in       io.Reader
	out, err io.Writer

	asks    bool // a person can be asked
	moves   bool // a line on err can be written over
	colours bool // out shows colours
}

func newTerminal(getenv func(string) string, in, out, err *os.File) *terminal {
	capable := getenv("TERM") != "dumb"
	return &terminal{
		in: in, out: out, err: err,
		asks:    isTerminal(in) && isTerminal(err),
		moves:   isTerminal(err) && capable,
		colours: isTerminal(out) && capable && getenv("NO_COLOR") == "",
	}
}

// isTerminal tells a terminal from files, pipes and the null device, which is a
// character device too.
func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err != nil || !os.SameFile(info, null)
}

// A hinted is an error with its next step.
type hinted struct {
	error
	step string
}

func hint(err error, step string) error { return &hinted{err, step} }

func (h *hinted) Unwrap() error { return h.error }

// note says something on the way.
func (t *terminal) note(format string, args ...any) {
	_, _ = fmt.Fprintf(t.err, format+"\n", args...) // if nobody listens the report is what counts
}

// complain says why the checks were not made, and what to do about each reason.
func (t *terminal) complain(err error) int {
	reasons := []error{err}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		reasons = joined.Unwrap()
	}
	for _, reason := range reasons {
		t.note("verify: %v", reason)
		if h := (*hinted)(nil); errors.As(reason, &h) {
			for line := range strings.Lines(h.step) {
				t.note("  %s", strings.TrimRight(line, "\n"))
			}
		}
	}
	return exitNotMade
}

// agree asks whether to spend what is worth a question.
func (t *terminal) agree(ctx context.Context, e estimate, yes bool) error {
	if yes || !t.asks || !e.worthAsking() {
		return nil
	}
	_, _ = io.WriteString(t.err, "Go on? [y/N] ")
	answer := make(chan string, 1)
	go func() {
		line, _ := bufio.NewReader(t.in).ReadString('\n') // the end of input is no
		answer <- strings.ToLower(strings.TrimSpace(line))
	}()
	select {
	case said := <-answer:
		if said == "y" || said == "yes" {
			return nil
		}
	case <-ctx.Done():
		t.note("")
	}
	return hint(errors.New("nothing was spent"), "Ask for fewer checks with --quick or --only, or for fewer answers with --repeat 1.")
}

// The codes of colours, as terminals take them.
const (
	red    = "31"
	green  = "32"
	yellow = "33"
	bold   = "1"
)

// paint colours a text where colours are shown.
func (t *terminal) paint(colour, text string) string {
	if !t.colours || colour == "" {
		return text
	}
	return "\x1b[" + colour + "m" + text + "\x1b[0m"
}
