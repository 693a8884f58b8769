package lambdatest

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"net/http"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
)

// grace is how long a process may take to end after it was told to. Lambda
// allows half a second between SIGTERM and SIGKILL.
const grace = 500 * time.Millisecond

// What AWS would give a function deployed in an account of its own.
const (
	region  = "us-east-1"
	account = "123456789012"
)

// A state says what an environment is doing.
type state int

const (
	starting    state = iota // in INIT: the process has not asked for an event yet
	idle                     // the process waits for an event
	busy                     // an event is assigned or delivered
	responding               // the response is coming in
	finishingUp              // the response is in; the process has not asked for the next event
	dead                     // the process has ended
)

// An environment is one process and the Runtime API that only it talks to.
type environment struct {
	fn      *Function
	number  int
	cmd     *exec.Cmd
	server  *http.Server
	output  *output
	started time.Time
	calls   chan *call // the event that the next request for one will get
	exited  chan struct{}

	// The mutex of fn guards the rest.
	state       state
	call        *call // assigned and not finished
	initTimer   *time.Timer
	failure     *FunctionError // why the process is being killed or about to end
	connections int            // open ones of the Runtime API
}

// startEnvironment starts a process. The caller holds the mutex of f.
func startEnvironment(ctx context.Context, f *Function, number int) (*environment, error) {
	ctx = context.WithoutCancel(ctx) // the process outlives the request that needed it
	path, err := filepath.Abs(f.Path)
	if err != nil {
		return nil, fmt.Errorf("lambda: %w", err)
	}
	var lc net.ListenConfig
	listener, err := lc.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("lambda: Runtime API: %w", err)
	}
	out, err := newOutput()
	if err != nil {
		_ = listener.Close()
		return nil, fmt.Errorf("lambda: %w", err)
	}
	e := &environment{fn: f, number: number, output: out, calls: make(chan *call, 1), exited: make(chan struct{})}
	e.server = &http.Server{Handler: e.runtimeAPI(), ConnState: e.connState, ReadHeaderTimeout: time.Minute}
	e.cmd = exec.CommandContext(ctx, path) //nolint:gosec // running the given program is the purpose
	e.cmd.Dir = filepath.Dir(path)
	e.cmd.Env = e.variables(listener.Addr().String())
	e.cmd.Stdout, e.cmd.Stderr = out.file, out.file

	go func() { _ = e.server.Serve(listener) }() // always ends with ErrServerClosed
	e.started = time.Now()
	if err := e.cmd.Start(); err != nil {
		_ = e.server.Close()
		out.close()
		return nil, fmt.Errorf("lambda: starting the function: %w", err)
	}
	e.initTimer = time.AfterFunc(cmp.Or(f.InitTimeout, 10*time.Second), e.initExpired)
	go e.reap()
	return e, nil
}

// variables are the environment variables of the process. See
// https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html.
func (e *environment) variables(runtimeAPI string) []string {
	name := e.fn.name()
	vars := []string{
		"_HANDLER=bootstrap",
		"AWS_ACCESS_KEY_ID=test",
		"AWS_DEFAULT_REGION=" + region,
		"AWS_LAMBDA_FUNCTION_MEMORY_SIZE=" + strconv.Itoa(cmp.Or(e.fn.MemoryMB, 128)),
		"AWS_LAMBDA_FUNCTION_NAME=" + name,
		"AWS_LAMBDA_FUNCTION_VERSION=$LATEST",
		"AWS_LAMBDA_INITIALIZATION_TYPE=on-demand",
		"AWS_LAMBDA_LOG_GROUP_NAME=/aws/lambda/" + name,
		"AWS_LAMBDA_LOG_STREAM_NAME=" + time.Now().UTC().Format("2006/01/02") + "/[$LATEST]" + newHex(16),
		"AWS_LAMBDA_RUNTIME_API=" + runtimeAPI,
		"AWS_REGION=" + region,
		"AWS_SECRET_ACCESS_KEY=test",
		"AWS_SESSION_TOKEN=test",
		"AWS_XRAY_CONTEXT_MISSING=LOG_ERROR",
		"AWS_XRAY_DAEMON_ADDRESS=169.254.79.129:2000",
		"LAMBDA_RUNTIME_DIR=/var/runtime",
		"LAMBDA_TASK_ROOT=" + e.cmd.Dir,
		"LANG=en_US.UTF-8",
		"LD_LIBRARY_PATH=/lib64:/usr/lib64:/var/runtime:/var/runtime/lib:/var/task:/var/task/lib:/opt/lib",
		"PATH=/usr/local/bin:/usr/bin/:/bin:/opt/bin",
		"TZ=:UTC",
	}
	if dir, ok := coverDir(); ok {
		vars = append(vars, "GOCOVERDIR="+dir)
	}
	return append(vars, e.fn.Env...)
}

// accept assigns c. The environment is idle or starting, and fn.mu is held.
func (e *environment) accept(c *call) {
	if e.state == idle {
		e.state = busy
	}
	e.call = c
	c.record.Environment = e.number
	e.calls <- c // has room: there is never a second call
}

// initExpired ends a process that has not asked for an event in time.
func (e *environment) initExpired() {
	e.fn.mu.Lock()
	defer e.fn.mu.Unlock()
	if e.state == starting {
		e.kill(&FunctionError{Type: "Sandbox.Timedout", Message: "INIT did not finish in time"})
	}
}

// expired ends the process if it is still at work on c.
func (e *environment) expired(c *call) {
	e.fn.mu.Lock()
	defer e.fn.mu.Unlock()
	if e.call == c {
		c.record.PeakRSS = peakRSS(e.cmd.Process.Pid)
		e.kill(&FunctionError{
			Type:    "Sandbox.Timedout",
			Message: fmt.Sprintf("RequestId: %s Error: Task timed out after %.2f seconds", c.id, e.fn.timeout().Seconds()),
		})
	}
}

// kill ends the process at once, for the given reason. fn.mu is held.
func (e *environment) kill(reason *FunctionError) {
	if e.failure == nil {
		e.failure = reason
	}
	_ = e.cmd.Process.Kill() // fails only if the process has ended
}

// stop ends the process, politely first, and waits for its end.
func (e *environment) stop() {
	if _, cover := coverDir(); cover {
		// Counters are written by an orderly exit only, and a Go program makes
		// one when its Runtime API goes away, but none on SIGTERM.
		_ = e.server.Close()
		if e.ended(grace) {
			return
		}
	}
	_ = e.cmd.Process.Signal(syscall.SIGTERM) // fails only if the process has ended
	if !e.ended(grace) {
		_ = e.cmd.Process.Kill()
		<-e.exited
	}
}

// ended waits at most d for the end of the process.
func (e *environment) ended(d time.Duration) bool {
	select {
	case <-e.exited:
		return true
	case <-time.After(d):
		return false
	}
}

// reap waits for the end of the process and fails the call it left behind.
func (e *environment) reap() {
	err := e.cmd.Wait()
	e.output.close()

	e.drain()
	e.fn.mu.Lock()
	e.initTimer.Stop()
	e.state = dead
	c, reason := e.call, e.failure
	if reason == nil {
		reason = exitError(c, err)
	}
	if c != nil {
		if c.record.Err == nil {
			c.record.Err = reason
		}
		e.finish()
	}
	e.fn.broadcast()
	e.fn.mu.Unlock()

	if c != nil {
		c.stream.end(reason)
	}
	close(e.exited)
	_ = e.server.Close() // the listener and the connections to a dead process
}

// drain waits until all that the ended process has sent is read: it may have
// been faster than its reader. Its end has closed its connections.
func (e *environment) drain() {
	limit := time.After(grace) // for a connection that somebody else has opened
	for {
		e.fn.mu.Lock()
		open, wait := e.connections, e.fn.change()
		e.fn.mu.Unlock()
		if open == 0 {
			return
		}
		select {
		case <-wait:
		case <-limit:
			return
		}
	}
}

// connState counts the open connections of the Runtime API.
func (e *environment) connState(_ net.Conn, s http.ConnState) {
	e.fn.mu.Lock()
	defer e.fn.mu.Unlock()
	switch s {
	case http.StateNew:
		e.connections++
	case http.StateClosed:
		e.connections--
		e.fn.broadcast()
	case http.StateActive, http.StateIdle, http.StateHijacked:
	}
}

// exitError describes a process that ended by itself. err is the result of Wait.
func exitError(c *call, err error) *FunctionError {
	message := "Runtime exited without providing a reason"
	if err != nil {
		message = "Runtime exited with error: " + err.Error()
	}
	if c != nil {
		message = "RequestId: " + c.id + " Error: " + message
	}
	return &FunctionError{Type: "Runtime.ExitError", Message: message}
}

// finish closes the record of the current call. fn.mu is held.
func (e *environment) finish() {
	c := e.call
	if c.deadline != nil {
		c.deadline.Stop()
	}
	c.record.Duration = c.since(time.Now())
	e.fn.invocations = append(e.fn.invocations, c.record)
	e.call = nil
}
