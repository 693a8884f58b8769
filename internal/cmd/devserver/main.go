// Command devserver serves the whole endpoint on this machine, for trying it
// out: with the built-in baseline model if nothing is configured, or with what
// MODELS and the other variables of a deployment say. It listens on loopback
// only. API_KEY sets its key and PORT its port. At its root is a page for a
// browser; PAGE=off leaves that out. --help tells its flags.
package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"time"

	"hyperstudy-endpoint/internal/app"
	"hyperstudy-endpoint/internal/config"
)

const (
	defaultPort  = "8080"
	writeTime    = 30 * time.Second // for an answer to leave
	shutdownTime = 5 * time.Second  // for requests under way when the server is told to stop
)

// The garbage collector works as in the functions: these are the GOGC and the
// GOMEMLIMIT of template.yaml.
const (
	gcPercent   = 400
	memoryLimit = 64 << 20
)

func main() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(memoryLimit)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // so that a second Ctrl-C does not wait
	if err := run(ctx, os.Args[1:], os.Getenv, os.Stdout, os.Stderr); err != nil {
		fmt.Fprintf(os.Stderr, "The endpoint cannot start:\n%v\n", err)
		os.Exit(1)
	}
}

const usage = `Serves the endpoint on this machine, for trying it out.

usage: make run [ARGS='flags']      PORT=8081 MODELS=... make run

Environment variables say what is served and where: see README.md, Settings.

  --log FORM   what is written of each request: short, a line for people (the
               default), or json, all that a deployed endpoint logs. LOG_LEVEL
               says of which requests: info of all, warn of those that failed,
               error of those that failed through no fault of the request
`

// run serves until ctx ends.
func run(ctx context.Context, args []string, getenv func(string) string, out, log io.Writer) error {
	short, argsErr := parseArgs(args)
	if errors.Is(argsErr, flag.ErrHelp) {
		_, err := io.WriteString(out, usage)
		return err
	}
	c, err := config.LoadDev(getenv)
	port, portErr := parsePort(getenv("PORT"))
	withPage, pageErr := parsePage(getenv("PAGE"))
	if err := errors.Join(argsErr, err, portErr, pageErr); err != nil {
		return err
	}
	if short {
		log = shortLog{log}
	}
	listener, err := listen(ctx, port)
	if err != nil {
		return err
	}
	defer func() { _ = listener.Close() }() // the server closes it first if it gets to run
	key, shown := apiKey(c)
	endpoint, err := app.Dev(ctx, c, key, log)
	if err != nil {
		return err
	}
	handler, url := http.Handler(endpoint), "http://"+listener.Addr().String()
	g := greeting{BaseURL: url + "/v1", Key: shown, Endpoint: endpoint}
	if withPage {
		handler, g.Page = page{Key: key, Models: endpoint.Models, Groups: groups}.beside(endpoint), url+"/"
	}
	// The server's contexts outlive ctx, so that requests under way can end well.
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second, WriteTimeout: c.Timeout + writeTime}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	if _, err := io.WriteString(out, g.String()); err != nil {
		return err
	}
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	_, _ = io.WriteString(out, "\nStopping. Press Ctrl-C again not to wait for requests under way.\n") // nobody may be looking
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTime)
	defer cancel()
	if err := server.Shutdown(ctx); err != nil {
		return server.Close()
	}
	return nil
}

// parseArgs reads the command line: whether the log is to be short.
func parseArgs(args []string) (short bool, err error) {
	const seeHelp = "see make run ARGS=--help"
	f := flag.NewFlagSet("devserver", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	form := f.String("log", "short", "")
	if err := f.Parse(args); err != nil {
		return false, fmt.Errorf("%w: %s", err, seeHelp)
	}
	switch {
	case f.NArg() > 0:
		return false, fmt.Errorf("%q is not expected: %s", f.Arg(0), seeHelp)
	case *form != "short" && *form != "json":
		return false, fmt.Errorf("--log is %q: it must be short or json", *form)
	}
	return *form == "short", nil
}

// apiKey returns the key to accept and how to show it.
func apiKey(c config.Config) (key, shown string) {
	switch {
	case c.APIKeySecret != "":
		return "", "YOUR_KEY" // in Secrets Manager, and not printed
	case c.APIKey != "":
		return c.APIKey, c.APIKey
	default:
		key = "sk-" + strings.ToLower(rand.Text())
		return key, key
	}
}

// parsePort reads PORT: 0 is any free port.
func parsePort(s string) (string, error) {
	port := cmp.Or(strings.TrimSpace(s), defaultPort)
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		return "", fmt.Errorf("PORT is %q: it must be a number from 0 to 65535", port)
	}
	return strconv.FormatUint(n, 10), nil
}

// parsePage reads PAGE: whether there is to be a page.
func parsePage(s string) (bool, error) {
	switch s = strings.TrimSpace(s); s {
	case "", "on":
		return true, nil
	case "off":
		return false, nil
	}
	return false, fmt.Errorf("PAGE is %q: it must be on or off", s)
}

// listen opens the port on loopback.
func listen(ctx context.Context, port string) (net.Listener, error) {
	var lc net.ListenConfig
	listener, err := lc.Listen(ctx, "tcp", net.JoinHostPort("127.0.0.1", port))
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, fmt.Errorf("port %s is taken by another program: stop it, or choose another port, for example with PORT=8081 make run", port)
	}
	return listener, err
}
