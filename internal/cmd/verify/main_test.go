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
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"hyperstudy-endpoint/internal/app"
	"hyperstudy-endpoint/internal/config"
)

// mainVar makes the test binary be the command itself.
const mainVar = "VERIFY_TEST_MAIN"

func TestMain(m *testing.M) {
	if os.Getenv(mainVar) != "" {
		main()
	}
	os.Exit(m.Run())
}

// env is a getenv that knows these variables and no others.
type env map[string]string

func (e env) get(name string) string { return e[name] }

// A said is what the command said, and how it ended.
type said struct {
	code     int
	out, err string
}

// command runs the command without a terminal.
func command(ctx context.Context, e env, args ...string) said {
	var out, errOut bytes.Buffer
	code := run(ctx, args, e.get, &terminal{in: strings.NewReader(""), out: &out, err: &errOut})
	return said{code, out.String(), errOut.String()}
}

// check compares the exit status and looks for texts in what was said.
func (s said) check(t *testing.T, code int, wants ...string) {
	t.Helper()
	if s.code != code {
		t.Errorf("exit status %d, want %d", s.code, code)
	}
	for _, want := range wants {
		if !strings.Contains(s.out+s.err, want) {
			t.Errorf("%q was not said", want)
		}
	}
	if t.Failed() {
		t.Logf("standard output:\n%s\nstandard error:\n%s", s.out, s.err)
	}
}

const testKey = "sk-test-0123456789abcdef"

// serve starts the project's own endpoint in front of the baseline model.
func serve(t *testing.T) env {
	t.Helper()
	c, err := config.LoadDev(env{}.get)
	if err != nil {
		t.Fatal(err)
	}
	endpoint, err := app.Dev(t.Context(), c, testKey, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	return serveHandler(t, endpoint)
}

func serveHandler(t *testing.T, h http.Handler) env {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return env{"BASE_URL": server.URL + "/v1", "API_KEY": testKey}
}

func TestPassed(t *testing.T) {
	t.Parallel()
	e := serve(t)
	for _, tc := range []struct {
		name string
		args []string
		want []string
	}{
		{"all", nil, []string{"from BASE_URL", "Estimate", "answered by baseline:random", "Answers to questions asked repeatedly", "answers asked for at once: half came within "}},
		{"quick", []string{"--quick", "--price", "0.30/2.50"}, []string{
			agentHeading + "\n  pass  reachable (/models)", "] skip certificate\n", "auth enforced", "tool calling", "concurrency (8 parallel)", "of the model: 0.0", "which cost 0.0", " USD at 0.3 USD a million input and 2.5 USD a million output tokens"}},
		{"some", []string{"--only", "connection,key.wrong", "--model", "baseline"}, []string{"auth enforced", "5 checks: 5 passed."}},
		{"list", []string{"--list", "--quick"}, []string{"answers: " + headings["answers"] + "\n  answer.rating ", "quick"}},
		{"help", []string{"--help"}, []string{usage}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got := command(t.Context(), e, tc.args...)
			got.check(t, exitPassed, tc.want...)
			if strings.Contains(got.out+got.err, testKey) || strings.Contains(got.out+got.err, "\x1b") {
				t.Error("the key was said, or there are colours without a terminal")
			}
		})
	}
}

func TestStudy(t *testing.T) {
	t.Parallel()
	study := filepath.Join(t.TempDir(), "study.json")
	if err := os.WriteFile(study, []byte(`[{"type":"function","function":{"name":"submit_response","parameters":{"type":"object","properties":{"value":{"type":"integer","minimum":1,"maximum":9}},"required":["value"]}}}]`), 0o600); err != nil {
		t.Fatal(err)
	}
	e := serve(t)
	for _, with := range [][]string{{"--only", "study"}, {"--quick"}} {
		command(t.Context(), e, append(with, "--study", study)...).check(t, exitPassed, headings["study"]+"\n  pass  ")
	}
	wrong := command(t.Context(), e, "--only", "study", "--study", "main.go")
	if wrong.check(t, exitNotMade, "--study main.go: line 1"); strings.Contains(wrong.err, "--only") {
		t.Error("a file that cannot be read is told a second time")
	}
}

// TestFailed checks that a fault of the endpoint is told with what to do.
func TestFailed(t *testing.T) {
	t.Parallel()
	e := serveHandler(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { // takes any key
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"object":"list","data":[{"id":"m","object":"model"}]}`)
	}))
	got := command(t.Context(), e, "--only", "key,connection.models")
	got.check(t, exitFailed, "FAIL  auth enforced", "\nFailed\n", "(key.wrong)", "    must  ", "    is    ", "    do    ", " failed")
}

// TestNotMade checks that the exit status is 2 and the next step is told
// wherever nothing was checked.
func TestNotMade(t *testing.T) {
	t.Parallel()
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	e := env{"BASE_URL": "http://127.0.0.1:1/v1", "API_KEY": "k"}
	missing := filepath.Join(t.TempDir(), "no", "such", "file")
	for _, tc := range []struct {
		name string
		env  env
		args []string
		want []string
	}{
		{"nobody there", env{"BASE_URL": closed.URL + "/v1", "API_KEY": "k"}, []string{"--quick"}, []string{"nothing answered at " + closed.URL, "See that it runs", headings["key"] + "\n  skip  all 2 "}},
		{"no key", env{"BASE_URL": "https://agent.example.org/v1"}, nil, []string{"API_KEY is not", "Set API_KEY"}},
		{"password", env{"BASE_URL": "https://me:secret@agent.example.org/v1", "API_KEY": "k"}, nil, []string{"BASE_URL holds a user name"}},
		{"two mistakes", e, []string{"--price", "x", "--timeout", "1"}, []string{`--price is "x"`, "0.30/2.50", "--timeout is 1", "from 10 to 300"}},
		{"unknown flag", e, []string{"--fast"}, []string{"-fast", "--help"}},
		{"argument", e, []string{"study.json"}, []string{`"study.json" is not expected`, "--help"}},
		{"unknown check", e, []string{"--only", "key,colour"}, []string{"no check or group colour", "--list"}},
		{"price", e, []string{"--price", "3"}, []string{`--price is "3"`, "0.30/2.50"}},
		{"negative price", e, []string{"--price", "-1/2"}, []string{`--price is "-1/2"`}},
		{"no price", e, []string{"--price", "NaN/2"}, []string{`--price is "NaN/2"`}},
		{"timeout", e, []string{"--timeout", "5"}, []string{"--timeout is 5", "from 10 to 300"}},
		{"repeat", e, []string{"--repeat", "0"}, []string{"--repeat is 0", "from 1 to 100"}},
		{"callers", e, []string{"--callers", "101"}, []string{"--callers is 101"}},
		{"no study", e, []string{"--study", missing}, []string{"no such file", "a JSON array"}},
		{"study that is none", e, []string{"--study", "main.go"}, []string{"--study main.go: line 1", "a JSON array"}},
		{"two reports on standard output", e, []string{"--json", "--junit"}, []string{"--json and --junit would all go", "a FILE"}},
		{"file without a name", e, []string{"--html="}, []string{"the name of the file is empty"}},
		{"file that cannot be written", e, []string{"--html", missing}, []string{"--html: ", "can be written"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got := command(t.Context(), tc.env, tc.args...)
			got.check(t, exitNotMade, tc.want...)
			if !strings.Contains(got.err, "verify: ") || !strings.Contains(got.err, "\n  ") {
				t.Error("no complaint with a next step")
			}
		})
	}
}

// TestBadAddress checks that what a check finds wrong with the address alone is
// a failed check, although nothing was sent.
func TestBadAddress(t *testing.T) {
	t.Parallel()
	for base, want := range map[string]string{"http://192.0.2.1/v1": "takes https only", "127.0.0.1:8080/v1": "lacks http:// or https://"} {
		command(t.Context(), env{"BASE_URL": base, "API_KEY": testKey}, "--quick").check(t, exitFailed, "FAIL  base URL", want)
	}
}

// TestOutputs checks that every form goes where it was asked for, and that the
// text gives way on standard output.
func TestOutputs(t *testing.T) {
	t.Parallel()
	e, dir := serve(t), t.TempDir()
	name := func(form string) string { return filepath.Join(dir, form) }
	if err := os.WriteFile(name("html"), bytes.Repeat([]byte("old "), 1<<18), 0o600); err != nil {
		t.Fatal(err)
	}
	got := command(t.Context(), e, "--quick", "--html", name("html"), "--junit="+name("junit"), "--json", name("json"))
	got.check(t, exitPassed, "Wrote "+name("html"), "checks: ")
	for form, want := range map[string]string{"html": "<!doctype html>", "junit": "<?xml ", "json": "{\n"} {
		text, err := os.ReadFile(name(form))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(string(text), want) || strings.Contains(string(text), "old old") || strings.Contains(string(text), testKey) {
			t.Errorf("%s: %.80s", form, text)
		}
		for _, to := range [][]string{{"--" + form}, {"--" + form, "-"}} {
			if out := command(t.Context(), e, append(to, "--quick")...).out; !strings.HasPrefix(out, want) || strings.Contains(out, "\nWarnings\n") {
				t.Errorf("%v: standard output begins %.80s", to, out)
			}
		}
	}
}

// TestReportIsNotWritten checks that a full disk is told.
func TestReportIsNotWritten(t *testing.T) {
	t.Parallel()
	const full = "/dev/full"
	if _, err := os.Stat(full); err != nil {
		skip(t, "there is no device that is always full: %v", err)
	}
	command(t.Context(), serve(t), "--only", "connection", "--html", full).check(t, exitNotMade, "--html: write /dev/full", "not written whole", "4 checks: 4 passed.")
}

// lateAnswers is an endpoint whose completions come when the client hangs up.
func lateAnswers(asked chan<- struct{}) http.Handler {
	tell := sync.OnceFunc(func() { close(asked) })
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, `{"object":"list","data":[{"id":"slow","object":"model"}]}`)
			return
		}
		_, _ = io.Copy(io.Discard, r.Body) // so that hanging up is noticed
		tell()
		<-r.Context().Done()
	})
}

// TestInterrupted checks the command as a process: Ctrl-C gives what is known.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	asked := make(chan struct{})
	e := serveHandler(t, lateAnswers(asked))
	page := filepath.Join(t.TempDir(), "report.html")
	cmd := process(t, e, "--quick", "--html", page)
	var out, errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	<-asked
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) {
		t.Fatalf("it ended with %v", err)
	}
	said{exit.ExitCode(), out.String(), errOut.String()}.check(t, exitNotMade, "the report is partial", "warn  base URL", "skip  no redirect", "The run was ended")
	if text, err := os.ReadFile(page); err != nil || !strings.Contains(string(text), "Ended before all checks were made") {
		t.Errorf("%v\n%.200s", err, text)
	}
}

// process is the command as a process, with these variables and no others.
func process(t *testing.T, e env, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self, args...)
	cmd.Env = []string{mainVar + "=1", "GOCOVERDIR=" + t.TempDir()} // which a coverage build complains about the lack of
	for name, value := range e {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	cmd.WaitDelay = 10 * time.Second
	return cmd
}
