package main

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"hyperstudy-endpoint/internal/lambdatest"
)

// moto is the URL of moto's server, a fake of AWS for Secrets Manager,
// CloudFormation, CloudWatch Logs and STS.
var moto string

// The compiled functions.
var modelsBinary, chatBinary string

func TestMain(m *testing.M) {
	stop, err := prepare()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	stop()
	os.Exit(code)
}

// prepare compiles the functions and starts moto.
func prepare() (stop func(), err error) {
	here, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	if err := os.Chdir("../.."); err != nil { // to build with the versions of the functions' own module
		return nil, err
	}
	if modelsBinary, err = lambdatest.Compile(context.Background(), "./functions/models"); err != nil {
		return nil, err
	}
	if chatBinary, err = lambdatest.Compile(context.Background(), "./functions/chat-completions"); err != nil {
		return nil, err
	}
	if err := os.Chdir(here); err != nil {
		return nil, err
	}
	return startMoto()
}

func startMoto() (stop func(), err error) {
	program := os.Getenv("MOTO_SERVER")
	if program == "" {
		return nil, fmt.Errorf("these tests need moto's server: run `make test-manage`, which installs it, or set MOTO_SERVER to its path")
	}
	listener, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	address := listener.Addr().String()
	if err := listener.Close(); err != nil {
		return nil, err
	}
	_, port, _ := net.SplitHostPort(address)
	cmd := exec.CommandContext(context.Background(), program, "-H", "127.0.0.1", "-p", port)
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	moto = "http://" + address
	for range 600 {
		if status, err := probe(context.Background(), http.MethodGet, moto+"/moto-api/", "", ""); err == nil && status == http.StatusOK {
			return func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }, nil
		}
		time.Sleep(100 * time.Millisecond)
	}
	_ = cmd.Process.Kill()
	return nil, fmt.Errorf("moto does not answer: %s", output.String())
}

// A result is what a command wrote and its exit code.
type result struct {
	code           int
	stdout, stderr string
}

func manage(t *testing.T, args ...string) result { return manageAt(t, 0, args...) }

// manageAt runs a command when the clock is later than it is.
func manageAt(t *testing.T, later time.Duration, args ...string) result {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code := run(t.Context(), args, surroundings{strings.NewReader(""), &stdout, &stderr, func() time.Time { return utc().Add(later) }})
	return result{code, stdout.String(), stderr.String()}
}

// want checks the exit code and that each of the words is written, somewhere.
func (r result) want(t *testing.T, code int, words ...string) result {
	t.Helper()
	if r.code != code {
		t.Fatalf("exit code %d, not %d\nstdout: %s\nstderr: %s", r.code, code, r.stdout, r.stderr)
	}
	for _, w := range words {
		if !strings.Contains(r.stdout+r.stderr, w) {
			t.Errorf("%q is not in\nstdout: %s\nstderr: %s", w, r.stdout, r.stderr)
		}
	}
	return r
}
