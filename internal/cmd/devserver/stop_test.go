package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// slowModel is an OpenAI-compatible server that says when it was asked and
// answers when it may.
func slowModel(t *testing.T) (url string, asked <-chan struct{}, answer func()) {
	t.Helper()
	begun := make(chan struct{}, 1)
	gate, open := context.WithCancel(t.Context())
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		begun <- struct{}{}
		<-gate.Done()
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"id":"1","object":"chat.completion","created":1,"model":"slow","choices":[{"index":0,`+
			`"message":{"role":"assistant","content":"At last."},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3}}`)
	}))
	t.Cleanup(func() {
		open()
		server.Close()
	})
	return server.URL, begun, open
}

// TestStopAnswers checks that a request under way is answered when the server is
// told to stop, and that no new one is.
func TestStopAnswers(t *testing.T) {
	t.Parallel()
	url, asked, answer := slowModel(t)
	r := start(t, env{"MODELS": "slow=external:slow", "EXTERNAL_BASE_URL": url})
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, r.baseURL+"/chat/completions",
		strings.NewReader(`{"messages":[{"role":"user","content":"Hi"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+r.key)
	type result struct {
		status int
		body   string
		err    error
	}
	results := make(chan result, 1)
	go func() {
		response, err := http.DefaultClient.Do(req)
		if err != nil {
			results <- result{err: err}
			return
		}
		defer func() { _ = response.Body.Close() }()
		body, err := io.ReadAll(response.Body)
		results <- result{response.StatusCode, string(body), err}
	}()
	<-asked
	r.stop()
	if said := <-r.out; !strings.Contains(said, "Stopping") {
		t.Errorf("it said %q", said)
	}
	answer()
	if got := <-results; got.err != nil || got.status != http.StatusOK || !strings.Contains(got.body, `"content":"At last."`) {
		t.Errorf("the request under way got %+v", got)
	}
	if err := r.wait(); err != nil {
		t.Errorf("run: %v", err)
	}
	_ = listenOn(t, strings.TrimSuffix(strings.TrimPrefix(r.baseURL, "http://"), "/v1")).Close() // the port is free
}

// TestProcess checks the command as a process: how it ends on a signal, and on a
// wrong setting.
func TestProcess(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, signal := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		t.Run(signal.String(), func(t *testing.T) {
			t.Parallel()
			cmd := exec.CommandContext(t.Context(), self)
			cmd.Env = []string{mainVar + "=1", "PORT=0", "GOCOVERDIR=" + t.TempDir()} // which a coverage build complains about the lack of
			out := make(writes, 2)
			var log bytes.Buffer
			cmd.Stdout, cmd.Stderr, cmd.WaitDelay = out, &log, 10*time.Second
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			if greeting := <-out; !strings.Contains(greeting, "Base URL  http://127.0.0.1:") {
				t.Errorf("unexpected greeting:\n%s", greeting)
			}
			if err := cmd.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			if err := cmd.Wait(); err != nil || log.Len() > 0 {
				t.Errorf("%v\n%s", err, log.String())
			}
		})
	}
	t.Run("wrong setting", func(t *testing.T) {
		t.Parallel()
		cmd := exec.CommandContext(t.Context(), self)
		cmd.Env = []string{mainVar + "=1", "PORT=0", "MODELS=a=oracle:x"}
		var out, log bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &log
		var exit *exec.ExitError
		if err := cmd.Run(); !errors.As(err, &exit) || exit.ExitCode() != 1 {
			t.Errorf("it ended with %v", err)
		}
		if out.Len() > 0 || !strings.HasPrefix(log.String(), "The endpoint cannot start:\nMODELS: ") {
			t.Errorf("output %q, error %q", out.String(), log.String())
		}
	})
}
