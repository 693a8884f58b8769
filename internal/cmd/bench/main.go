// Command bench measures the endpoint side by side with the least that a Lambda
// function can be and with calls of the upstream itself: cold start, warm
// requests, memory and size. It prints a table and writes figures.json and plots.
// It is started in the root of the repository, usually by make bench.
//
// Subcommands other than measure are named first: bench load plays a batch of
// rooms, and bench upstream serves the fakes that the measured programs call.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"hyperstudy-endpoint/internal/cmd/bench/load"
)

// subcommands are what can be named first, with their arguments.
var subcommands = map[string]func(ctx context.Context, args []string) error{
	"measure": measure,
	"load": func(ctx context.Context, args []string) error {
		return load.Run(ctx, args, os.Stdout)
	},
	"upstream": func(ctx context.Context, _ []string) error {
		return serveUpstream(ctx, os.Stdin, os.Stdout)
	},
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	name, args := "measure", os.Args[1:]
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		name, args = args[0], args[1:]
	}
	command, ok := subcommands[name]
	if !ok {
		fmt.Fprintf(os.Stderr, "bench: there is no subcommand %q\n", name)
		os.Exit(2)
	}
	switch err := command(ctx, args); {
	case errors.Is(err, flag.ErrHelp):
		os.Exit(2)
	case err != nil:
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}
