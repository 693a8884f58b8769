package lambdatest

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

func TestSequentialRequestsReuseEnvironment(t *testing.T) {
	t.Parallel()
	fn := function(t, "streamed")
	var initialized []int
	fn.Initialized = func(pid int) { initialized = append(initialized, pid) }
	gw := serve(t, fn, Stream)
	const n = 20
	for range n {
		if got := send(t, http.MethodPost, gw.URL+"/size", "abc"); got.body != "3" {
			t.Fatalf("got %d %q", got.status, got.body)
		}
	}
	records := fn.Invocations()
	if len(records) != n {
		t.Fatalf("%d invocations, want %d", len(records), n)
	}
	if len(initialized) != 1 || initialized[0] <= 0 {
		t.Errorf("told of processes %v, want one", initialized)
	}
	for i, r := range records {
		if r.Environment != 1 || r.Cold != (i == 0) || (r.InitDuration > 0) != r.Cold || r.Err != nil {
			t.Errorf("invocation %d: %+v", i, r)
		}
		if r.ResponseBytes < 10 || r.PeakRSS < 1<<20 || r.Duration <= 0 {
			t.Errorf("invocation %d: %+v", i, r)
		}
	}
	if lines := fn.Logs(); len(lines) != n+1 || !strings.HasSuffix(lines[0], "INIT done") {
		t.Errorf("%d lines of log, want one of INIT and one of each request: %q", len(lines), lines)
	}
}

func TestParallelRequestsGetEnvironments(t *testing.T) {
	t.Parallel()
	url, arrived, open := newGate(t)
	fn := function(t, "streamed", "GATE="+url)
	fn.MaxConcurrency = 4
	gw := serve(t, fn, Stream)
	var wg sync.WaitGroup
	for range fn.MaxConcurrency {
		wg.Go(func() {
			if got := send(t, http.MethodGet, gw.URL+"/gated", ""); got.body != "first\nsecond\n" || got.err != nil {
				t.Errorf("got %d %q, error %v", got.status, got.body, got.err)
			}
		})
	}
	for range fn.MaxConcurrency {
		<-arrived // all at work at the same time
	}
	got := send(t, http.MethodGet, gw.URL+"/echo", "")
	if got.status != http.StatusTooManyRequests || got.body != `{"message":"Too Many Requests"}` {
		t.Errorf("one too many got %d %s", got.status, got.body)
	}
	close(open)
	wg.Wait()
	if got := send(t, http.MethodGet, gw.URL+"/echo", ""); got.status != http.StatusOK {
		t.Errorf("after that, got %d", got.status)
	}
	var cold []int
	for _, r := range fn.Invocations() {
		if r.Cold {
			cold = append(cold, r.Environment)
		}
	}
	slices.Sort(cold)
	if !slices.Equal(cold, []int{1, 2, 3, 4}) {
		t.Errorf("cold starts of environments %v, want one for each parallel request", cold)
	}
}

func TestHiddenThrottling(t *testing.T) {
	t.Parallel()
	url, arrived, open := newGate(t)
	fn := function(t, "streamed", "GATE="+url)
	fn.MaxConcurrency = 1
	gw := serve(t, fn, Stream)
	gw.HideThrottling = true
	start(t, http.MethodGet, gw.URL+"/gated", "")
	<-arrived
	wantInternalError(t, send(t, http.MethodGet, gw.URL+"/echo", ""), http.StatusInternalServerError)
	close(open)
}

func TestEnvironmentVariables(t *testing.T) {
	t.Setenv("LAMBDATEST_PROBE", "of this process")
	fn := function(t, "streamed", "OWN=value", "AWS_REGION=eu-central-1")
	fn.Name, fn.MemoryMB = "chat", 512
	got := send(t, http.MethodGet, serve(t, fn, Stream).URL+"/environ", "")
	vars := map[string]string{}
	for line := range strings.Lines(got.body) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		vars[name] = value
	}
	for name, want := range map[string]string{
		"AWS_LAMBDA_FUNCTION_NAME":        "chat",
		"AWS_LAMBDA_FUNCTION_MEMORY_SIZE": "512",
		"AWS_LAMBDA_LOG_GROUP_NAME":       "/aws/lambda/chat",
		"AWS_REGION":                      "eu-central-1",
		"OWN":                             "value",
		"TZ":                              ":UTC",
		"_HANDLER":                        "bootstrap",
	} {
		if vars[name] != want {
			t.Errorf("%s is %q, want %q", name, vars[name], want)
		}
	}
	for _, name := range []string{"HOME", "LAMBDATEST_PROBE", "PWD"} {
		if value, ok := vars[name]; ok {
			t.Errorf("%s=%s is passed on", name, value)
		}
	}
}

func TestInitFailures(t *testing.T) {
	t.Parallel()
	tests := []struct{ fail, kind, message string }{
		{"exit", "Runtime.ExitError", "exit status 4"},
		{"return", "Runtime.ExitError", "without providing a reason"},
		{"report", "Config", "MODELS is not set"},
		{"report and stay", "Config", "MODELS is not set"},
		{"hang", "Sandbox.Timedout", "INIT"},
	}
	for _, tt := range tests {
		t.Run(tt.fail, func(t *testing.T) {
			t.Parallel()
			fn := function(t, "initfails", "FAIL="+tt.fail)
			if tt.fail == "hang" {
				fn.InitTimeout = time.Second
			}
			gw := serve(t, fn, Stream)
			for i := range 2 { // every request tries anew
				wantInternalError(t, send(t, http.MethodGet, gw.URL+"/x", ""), http.StatusBadGateway)
				wantFailure(t, fn, tt.kind, tt.message)
				if r := fn.Invocations()[i]; !r.Cold || r.Environment != i+1 || r.InitDuration != 0 || r.Duration != 0 {
					t.Errorf("invocation %d: %+v", i, r)
				}
			}
			if logs := strings.Join(fn.Logs(), "\n"); strings.Count(logs, "about to "+tt.fail) != 2 {
				t.Errorf("logs:\n%s", logs)
			}
		})
	}
}

func TestInvoke(t *testing.T) {
	t.Parallel()
	fn := function(t, "buffered")
	resp, err := fn.Invoke(t.Context(), []byte(`{"path":"/no-content"}`), Buffered)
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(resp)
	if err != nil || !strings.HasPrefix(string(b), `{"statusCode":204,`) {
		t.Errorf("got %s, error %v", b, err)
	}
	if records := fn.Invocations(); len(records) != 1 || records[0].RequestID != resp.RequestID {
		t.Errorf("records %+v, want one of %s", records, resp.RequestID)
	}
	if _, err := fn.Invoke(t.Context(), make([]byte, maxEvent+1), Buffered); !errors.Is(err, ErrEventTooLarge) {
		t.Errorf("large event: error %v, want ErrEventTooLarge", err)
	}

	ctx, cancel := context.WithCancel(t.Context())
	resp, err = fn.Invoke(ctx, []byte(`{"path":"/hang"}`), Buffered)
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := resp.Read(make([]byte, 1)); !errors.Is(err, context.Canceled) {
		t.Errorf("read after cancel: error %v", err)
	}

	fn.Close()
	if _, err := fn.Invoke(t.Context(), []byte(`{}`), Buffered); !errors.Is(err, ErrClosed) {
		t.Errorf("after Close: error %v, want ErrClosed", err)
	}
}

func TestInvokeWithoutBinary(t *testing.T) {
	t.Parallel()
	fn := &Function{Path: t.TempDir() + "/bootstrap"}
	defer fn.Close()
	if _, err := fn.Invoke(t.Context(), []byte(`{}`), Buffered); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v, want ErrNotExist", err)
	}
	got := send(t, http.MethodGet, serve(t, fn, Buffered).URL+"/x", "")
	wantInternalError(t, got, http.StatusBadGateway)
}

func TestCloseEndsProcesses(t *testing.T) {
	t.Parallel()
	for _, program := range []string{"streamed", "silent"} { // silent ignores SIGTERM
		t.Run(program, func(t *testing.T) {
			t.Parallel()
			fn := function(t, program)
			resp, err := fn.Invoke(t.Context(), []byte(`{"path":"/hang"}`), Stream)
			if err != nil {
				t.Fatal(err)
			}
			pid := fn.environments[0].cmd.Process.Pid
			fn.Close()
			fn.Close() // again is no fault
			if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
				t.Errorf("process %s: error %v, want ESRCH", strconv.Itoa(pid), err)
			}
			var failure *FunctionError
			if _, err := resp.Read(make([]byte, 1)); !errors.As(err, &failure) || failure.Type != "Runtime.ExitError" {
				t.Errorf("read: error %v, want a Runtime.ExitError", err)
			}
		})
	}
}
