// Command manage looks after a deployed endpoint: its keys, its log, its costs,
// and whether the account is ready for a study. The Makefile's targets run it;
// "manage help" lists the commands, "manage COMMAND --help" explains one.
//
// It is a module of its own, because it needs AWS clients that the functions
// must not carry.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// Exit codes. A script can tell "something is wrong" from "could not look".
const (
	exitOK    = 0
	exitFault = 1 // the command ran and found or met a fault
	exitUsage = 2 // the command could not be run as it was given
)

// A command is one word after "manage".
type command struct {
	name  string
	about string // one sentence, and what it does to whom
	// setup declares the command's flags and returns what runs once they are parsed.
	setup func(*flag.FlagSet) func(context.Context, *session) error
}

var commands = []command{
	keyCommand, addKeyCommand, revokeKeyCommand, rotateKeyCommand,
	logsCommand, reportCommand, doctorCommand, settingsCommand, summaryCommand, costCommand,
}

// A session is what a command works with: the streams, the clock, and the
// account and stack the flags name.
type session struct {
	surroundings

	terminal bool // somebody can be asked

	stackName, region string
	account           *account // reached at the first use
}

// The surroundings of a command.
type surroundings struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	now            func() time.Time
}

// An output remembers the first fault of writing, so that not every line has
// to look for one, and what was written in part does not pass for the whole.
type output struct {
	w   io.Writer
	err error
}

func (o *output) Write(p []byte) (int, error) {
	if o.err != nil {
		return 0, o.err
	}
	n, err := o.w.Write(p)
	o.err = err
	return n, err
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], surroundings{os.Stdin, os.Stdout, os.Stderr, utc}))
}

// run is main with its surroundings as arguments.
func run(ctx context.Context, args []string, around surroundings) int {
	if len(args) == 0 || args[0] == "help" || args[0] == "--help" || args[0] == "-h" {
		listCommands(around.stdout)
		return exitOK
	}
	for _, c := range commands {
		if c.name == args[0] {
			out := &output{w: around.stdout}
			s := &session{surroundings: around, terminal: isTerminal(around.stdin)}
			s.stdout = out
			code := c.run(ctx, args[1:], s)
			if out.err != nil && code == exitOK {
				fmt.Fprintf(around.stderr, "manage %s: the output is not complete: %v\n", c.name, out.err)
				code = exitFault
			}
			return code
		}
	}
	fmt.Fprintf(around.stderr, "manage: there is no command %q\n", args[0])
	listCommands(around.stderr)
	return exitUsage
}

func (c command) run(ctx context.Context, args []string, s *session) int {
	flags := flag.NewFlagSet(c.name, flag.ContinueOnError)
	flags.SetOutput(io.Discard) // usage and faults are written below, each to its stream
	flags.StringVar(&s.stackName, "stack", "hyperstudy-endpoint", "`name` of the CloudFormation stack")
	flags.StringVar(&s.region, "region", "", "AWS `region` of the stack (default: the one AWS is configured with)")
	do := c.setup(flags)
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		c.usage(flags, s.stdout)
		return exitOK
	case err != nil:
		fmt.Fprintf(s.stderr, "manage %s: %v\n\n", c.name, err)
		c.usage(flags, s.stderr)
		return exitUsage
	}
	err := noArguments(flags.Args())
	if err == nil {
		err = do(ctx, s)
	}
	if err == nil {
		return exitOK
	}
	var bad usageError
	if errors.As(err, &bad) {
		fmt.Fprintf(s.stderr, "manage %s: %v\n\n", c.name, err)
		c.usage(flags, s.stderr)
		return exitUsage
	}
	if !errors.Is(err, errReported) {
		fmt.Fprintf(s.stderr, "manage %s: %v\n", c.name, explain(err))
	}
	return exitFault
}

func (c command) usage(flags *flag.FlagSet, w io.Writer) {
	fmt.Fprintf(w, "usage: make %s ARGS='[flags]', or manage %s [flags]\n\n%s\n\nFlags:\n", c.name, c.name, c.about)
	flags.SetOutput(w)
	flags.PrintDefaults()
}

func listCommands(w io.Writer) {
	fmt.Fprint(w, "usage: manage COMMAND [flags]\n\n")
	for _, c := range commands {
		fmt.Fprintf(w, "  %-11s %s\n", c.name, firstSentence(c.about))
	}
	fmt.Fprint(w, "\n\"manage COMMAND --help\" explains a command.\n")
}

// A usageError is a fault in how the command was called.
type usageError string

func (e usageError) Error() string { return string(e) }

func usagef(format string, args ...any) error { return usageError(fmt.Sprintf(format, args...)) }

// errReported ends a command whose faults are already on the screen.
var errReported = errors.New("reported")

// noArguments refuses what follows the flags.
func noArguments(args []string) error {
	if len(args) > 0 {
		return usagef("unexpected argument %q", args[0])
	}
	return nil
}

// isTerminal reports whether somebody types what is read from r.
func isTerminal(r io.Reader) bool {
	f, ok := r.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// utc is the clock: the log's times are UTC, and so are the report's, wherever
// it is made.
func utc() time.Time { return time.Now().UTC() }
