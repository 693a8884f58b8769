package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"hyperstudy-endpoint/internal/lambdatest"
)

// mainVar makes the test binary be the command itself.
const mainVar = "DEVSERVER_TEST_MAIN"

func TestMain(m *testing.M) {
	if os.Getenv(mainVar) != "" {
		main()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// env is a getenv that knows these variables and no others.
type env map[string]string

func (e env) get(name string) string { return e[name] }

// writes passes on what is written, one write after the other.
type writes chan string

func (w writes) Write(p []byte) (int, error) {
	w <- string(p)
	return len(p), nil
}

// A running is a server that has greeted.
type running struct {
	greeting                    string
	baseURL, key, models, shell string // what the greeting says; shell is its command
	out                         writes
	log                         strings.Builder // to be read when run has ended
	stop                        context.CancelFunc
	wait                        func() error // for the end of run
}

var greetingForm = regexp.MustCompile(`(?s)Base URL  (http://\S+)\n  API key   (.+?)\n  Models    (.+?)\n\nTry it in a browser at http://127.0.0.1:\d+/\nor ask it for a decision:\n\n(curl .+)\n$`)

// start runs the server on a free port unless env says which, and stops it when
// the test ends.
func start(t *testing.T, e env, args ...string) *running {
	t.Helper()
	if e["PORT"] == "" {
		e["PORT"] = "0"
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	r := &running{out: make(writes, 2), stop: stop, wait: sync.OnceValue(func() error { return <-ended })}
	go func() { ended <- run(ctx, args, e.get, r.out, io.MultiWriter(&r.log, t.Output())) }()
	select {
	case r.greeting = <-r.out:
	case err := <-ended:
		stop()
		t.Fatalf("the server ended: %v", err)
	}
	t.Cleanup(func() {
		stop()
		if err := r.wait(); err != nil {
			t.Errorf("the server ended: %v", err)
		}
	})
	parts := greetingForm.FindStringSubmatch(r.greeting)
	if parts == nil {
		t.Fatalf("unexpected greeting:\n%s", r.greeting)
	}
	r.baseURL, r.key, r.models, r.shell = parts[1], parts[2], parts[3], parts[4]
	return r
}

// get asks for the list of models.
func (r *running) get(t *testing.T, key string) int {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, r.baseURL+"/models", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+key)
	response, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	return response.StatusCode
}

func TestWithoutSettings(t *testing.T) {
	t.Parallel()
	r := start(t, env{}) // no AWS variable either
	if !strings.HasPrefix(r.baseURL, "http://127.0.0.1:") || !strings.HasSuffix(r.baseURL, "/v1") {
		t.Errorf("base URL %s", r.baseURL)
	}
	if r.models != "baseline" {
		t.Errorf("models %q", r.models)
	}
	if !regexp.MustCompile(`^sk-[a-z0-9]{16,}$`).MatchString(r.key) {
		t.Errorf("key %q", r.key)
	}
	if other := start(t, env{}); other.key == r.key {
		t.Errorf("the key %s was used twice", r.key)
	}
	for key, want := range map[string]int{r.key: http.StatusOK, "": http.StatusUnauthorized, "sk-": http.StatusUnauthorized, "YOUR_KEY": http.StatusUnauthorized} {
		if got := r.get(t, key); got != want {
			t.Errorf("key %q: %d, want %d", key, got, want)
		}
	}
}

func TestSettings(t *testing.T) { // not parallel: another test might take the port
	port := freePort(t)
	r := start(t, env{"PORT": " " + port + " ", "API_KEY": "sk-chosen", "MODELS": "b=baseline:random,a=baseline:random"})
	if r.baseURL != "http://127.0.0.1:"+port+"/v1" || r.key != "sk-chosen" || r.models != "b, a" {
		t.Errorf("unexpected greeting:\n%s", r.greeting)
	}
	if got := r.get(t, "sk-chosen"); got != http.StatusOK {
		t.Errorf("the key in API_KEY: %d", got)
	}
}

// TestLog checks the two forms of the log.
func TestLog(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		args []string
		want string
	}{
		{"short unless asked", nil, `^\d\d:\d\d:\d\d  -             list of models, \d+ ms\n$`},
		{"short", []string{"--log", "short"}, `^\d\d:\d\d:\d\d  -             list of models, \d+ ms\n$`},
		{"json", []string{"--log=json"}, `^\{"time":.*"kind":"models".*\}\n$`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			r := start(t, env{}, tc.args...)
			if got := r.get(t, r.key); got != http.StatusOK {
				t.Errorf("status %d", got)
			}
			r.stop()
			if err := r.wait(); err != nil {
				t.Fatal(err)
			}
			if log := r.log.String(); !regexp.MustCompile(tc.want).MatchString(log) {
				t.Errorf("the log is %q, want %s", log, tc.want)
			}
		})
	}
}

func TestHelp(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	if err := run(t.Context(), []string{"--help"}, env{"PORT": "x"}.get, &out, t.Output()); err != nil || out.String() != usage {
		t.Errorf("%v, %q", err, out.String())
	}
}

// freePort is a port that nobody listens on.
func freePort(t *testing.T) string {
	t.Helper()
	l := listenOn(t, "127.0.0.1:0")
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	return port
}

func listenOn(t *testing.T, address string) net.Listener {
	t.Helper()
	var lc net.ListenConfig
	l, err := lc.Listen(t.Context(), "tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestLoopbackOnly(t *testing.T) {
	t.Parallel()
	r := start(t, env{})
	_, port, _ := strings.Cut(strings.TrimSuffix(strings.TrimPrefix(r.baseURL, "http://"), "/v1"), ":")
	addresses, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	hosts := []string{"127.0.0.2", "::1"} // loopback too, and served by whoever listens on all interfaces
	for _, a := range addresses {
		if n, ok := a.(*net.IPNet); ok && !n.IP.IsLoopback() && !n.IP.IsLinkLocalUnicast() {
			hosts = append(hosts, n.IP.String())
		}
	}
	dialer := net.Dialer{Timeout: 5 * time.Second}
	for _, host := range hosts {
		if conn, err := dialer.DialContext(t.Context(), "tcp", net.JoinHostPort(host, port)); err == nil {
			_ = conn.Close()
			t.Errorf("the server answers at %s", host)
		}
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	taken := listenOn(t, "127.0.0.1:0")
	t.Cleanup(func() { _ = taken.Close() })
	_, port, err := net.SplitHostPort(taken.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name string
		args []string
		env  env
		want []string
	}{
		{"port taken", nil, env{"PORT": port}, []string{"port " + port + " is taken", "PORT="}},
		{"no port", nil, env{"PORT": "http"}, []string{`PORT is "http"`, "0 to 65535"}},
		{"port too high", nil, env{"PORT": "65536"}, []string{`PORT is "65536"`}},
		{"negative port", nil, env{"PORT": "-1"}, []string{`PORT is "-1"`}},
		{"page", nil, env{"PORT": "0", "PAGE": "no"}, []string{`PAGE is "no"`, "on or off"}},
		{"models", nil, env{"PORT": "0", "MODELS": "a=baseline:best,b=oracle:x,default=baseline:random,c"}, []string{
			"baseline:random", `provider "oracle"`, `alias "default"`, `"c" must look like alias=provider:model`,
		}},
		{"several settings", nil, env{"PORT": "x", "MODELS": "a=external:m", "REQUEST_TIMEOUT_SECONDS": "5", "LOG_LEVEL": "loud"}, []string{
			"PORT", "EXTERNAL_BASE_URL", "REQUEST_TIMEOUT_SECONDS", "LOG_LEVEL",
		}},
		{"no credentials", nil, env{"PORT": "0", "MODELS": "a=bedrock:us.amazon.nova-2-lite-v1:0"}, []string{"AWS_REGION", "AWS_ACCESS_KEY_ID"}},
		{"unknown flag", []string{"--port", "8081"}, env{"PORT": "0"}, []string{"-port", "ARGS=--help"}},
		{"a word too many", []string{"8081"}, env{"PORT": "0"}, []string{`"8081" is not expected`, "ARGS=--help"}},
		{"form of the log, and a setting", []string{"--log", "long"}, env{"PORT": "x"}, []string{`--log is "long"`, "short or json", `PORT is "x"`}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var out strings.Builder
			err := run(t.Context(), tc.args, tc.env.get, &out, t.Output())
			if err == nil || out.Len() > 0 {
				t.Fatalf("error %v, output %q", err, out.String())
			}
			for _, want := range tc.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%q is not in:\n%v", want, err)
				}
			}
		})
	}
}

// TestOutputFails checks that a server nobody can be told of does not run.
func TestOutputFails(t *testing.T) { // not parallel: another test might take the port
	reader, writer := io.Pipe()
	_ = reader.CloseWithError(errors.New("closed"))
	port := freePort(t)
	if err := run(t.Context(), nil, env{"PORT": port}.get, writer, t.Output()); err == nil {
		t.Fatal("no error")
	}
	_ = listenOn(t, "127.0.0.1:"+port).Close() // the port is free
}

// decode reads a JSON response.
func decode[T any](t *testing.T, body io.Reader) T {
	t.Helper()
	var v T
	if err := json.NewDecoder(body).Decode(&v); err != nil {
		t.Fatal(err)
	}
	return v
}

// TestCollectorIsTheFunctions checks that the garbage collector is set as in the functions.
func TestCollectorIsTheFunctions(t *testing.T) {
	t.Parallel()
	for _, setting := range []string{fmt.Sprintf("GOGC=%d", gcPercent), fmt.Sprintf("GOMEMLIMIT=%dMiB", memoryLimit>>20)} {
		if !slices.Contains(lambdatest.GoSettings, setting) {
			t.Errorf("%s is none of %v", setting, lambdatest.GoSettings)
		}
	}
}
