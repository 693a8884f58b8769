package lambdatest

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"
)

// newGate returns the URL of a server that tells of each request for it and
// answers it when it may.
func newGate(t *testing.T) (url string, arrived chan struct{}, open chan struct{}) {
	t.Helper()
	arrived, open = make(chan struct{}), make(chan struct{})
	srv := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		arrived <- struct{}{}
		<-open
	}))
	t.Cleanup(srv.Close)
	return srv.URL, arrived, open
}

func TestStreamArrivesAsItIsWritten(t *testing.T) {
	t.Parallel()
	url, arrived, open := newGate(t)
	fn := function(t, "streamed", "GATE="+url)
	gw := serve(t, fn, Stream)

	resp := start(t, http.MethodPost, gw.URL+"/gated", "")
	if resp.status != http.StatusOK || resp.header.Get("Content-Type") != "text/plain" {
		t.Fatalf("got %d, Content-Type %q", resp.status, resp.header.Get("Content-Type"))
	}
	if !slices.Equal(resp.encoding, []string{"chunked"}) {
		t.Errorf("Transfer-Encoding is %v, want chunked", resp.encoding)
	}
	body := bufio.NewReader(resp.body)
	if line, err := body.ReadString('\n'); line != "first\n" || err != nil {
		t.Fatalf("first line %q, error %v", line, err)
	}
	// The function cannot write its second line before the gate opens, so the
	// first has come alone.
	<-arrived
	close(open)
	if rest, err := io.ReadAll(body); string(rest) != "second\n" || err != nil {
		t.Fatalf("rest %q, error %v", rest, err)
	}
	records := fn.Invocations()
	if len(records) != 1 {
		t.Fatalf("%d invocations, want 1", len(records))
	}
	r := records[0]
	if r.FirstByte <= 0 || r.FirstByte >= r.LastByte || r.LastByte > r.Duration {
		t.Errorf("first byte at %v, last at %v, of %v", r.FirstByte, r.LastByte, r.Duration)
	}
}

func TestStreamMetadata(t *testing.T) {
	t.Parallel()
	got := send(t, http.MethodGet, serve(t, function(t, "streamed"), Stream).URL+"/headers", "")
	if got.status != http.StatusUnauthorized || got.body != "" || got.err != nil {
		t.Errorf("got %d %q, error %v", got.status, got.body, got.err)
	}
	for name, want := range map[string]string{
		"X-One":                            "1",
		"X-Both":                           "a,b",
		"Set-Cookie":                       "c=1,d=2",
		"Content-Type":                     "application/json",
		"Www-Authenticate":                 "",
		"X-Amzn-Remapped-Www-Authenticate": "Bearer",
	} {
		if v := strings.Join(got.header.Values(name), ","); v != want {
			t.Errorf("%s = %q, want %q", name, v, want)
		}
	}
}

func TestStreamFailures(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, kind, message string
		status              int    // of the answer, if the failure came before the prelude
		body                string // what is read before the cut, if it came after
	}{
		{name: "panic", kind: "string", message: "before the prelude", status: http.StatusBadGateway},
		{name: "error", kind: "errorString", message: "before the prelude", status: http.StatusBadGateway},
		{name: "exit", kind: "Runtime.ExitError", message: "exit status 3", status: http.StatusBadGateway},
		{name: "panic-midstream", kind: "Runtime.ExitError", message: "exit status 2", body: "first\n"},
		{name: "error-midstream", kind: "errorString", message: "after the prelude", body: "first\n"},
		{name: "exit-midstream", kind: "Runtime.ExitError", message: "exit status 3", body: "first\n"},
	}
	fn := function(t, "streamed")
	gw := serve(t, fn, Stream)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { // one after the other: each looks at the last record
			got := send(t, http.MethodGet, gw.URL+"/"+tt.name, "")
			if tt.status != 0 {
				wantInternalError(t, got, tt.status)
			} else {
				wantCut(t, got, tt.body)
			}
			wantFailure(t, fn, tt.kind, tt.message)
			if logs := strings.Join(fn.Logs(), "\n"); !strings.Contains(logs, "handling "+tt.name) {
				t.Errorf("logs do not tell of the invocation:\n%s", logs)
			}
			if got := send(t, http.MethodPost, gw.URL+"/size", "abc"); got.body != "3" {
				t.Errorf("the next request got %d %q", got.status, got.body)
			}
		})
	}
}

func TestStreamFormat(t *testing.T) {
	t.Parallel()
	gw := serve(t, function(t, "streamed"), Stream)
	for _, name := range []string{"raw", "by-value", "no-status", "large-prelude"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wantInternalError(t, send(t, http.MethodGet, gw.URL+"/"+name, ""), http.StatusInternalServerError)
		})
	}
}

func TestStreamTimeout(t *testing.T) {
	t.Parallel()
	const short, long = time.Second, 30 * time.Second
	tests := []struct {
		name, path        string
		function, gateway time.Duration
		check             func(*testing.T, answer)
	}{
		{"function before the prelude", "hang", short, long, func(t *testing.T, got answer) {
			t.Helper()
			wantInternalError(t, got, http.StatusBadGateway)
		}},
		{"function after the prelude", "hang-midstream", short, long, func(t *testing.T, got answer) {
			t.Helper()
			wantCut(t, got, "first\n")
		}},
		{"gateway before the prelude", "hang", long, short, func(t *testing.T, got answer) {
			t.Helper()
			if got.status != http.StatusGatewayTimeout || got.body != `{"message":"Endpoint request timed out"}` {
				t.Errorf("got %d %s", got.status, got.body)
			}
		}},
		{"gateway after the prelude", "hang-midstream", long, short, func(t *testing.T, got answer) {
			t.Helper()
			wantCut(t, got, "first\n")
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			fn := function(t, "streamed")
			fn.Timeout = tt.function
			gw := NewGateway(t, Route{Method: "GET", Path: "/{how}", Function: fn, Mode: Stream, Timeout: tt.gateway})
			began := time.Now()
			tt.check(t, send(t, http.MethodGet, gw.URL+"/"+tt.path, ""))
			if took := time.Since(began); took < short || took > long/2 {
				t.Errorf("took %v, want about %v", took, short)
			}
			if tt.function == short {
				wantFailure(t, fn, "Sandbox.Timedout", "Task timed out after 1.00 seconds")
				if rss := fn.Invocations()[0].PeakRSS; rss < 1<<20 {
					t.Errorf("peak RSS %d, want that of the killed process", rss)
				}
			}
		})
	}
}

func TestStreamIdleTimeout(t *testing.T) {
	t.Parallel()
	fn := function(t, "streamed")
	gw := serve(t, fn, Stream)
	gw.IdleTimeout = 500 * time.Millisecond
	wantCut(t, send(t, http.MethodGet, gw.URL+"/hang-midstream", ""), "first\n")
}

func TestStreamGoesOnWithoutClient(t *testing.T) {
	t.Parallel()
	url, arrived, open := newGate(t)
	fn := function(t, "streamed", "GATE="+url)
	fn.MaxConcurrency = 1
	gw := serve(t, fn, Stream)
	resp := start(t, http.MethodGet, gw.URL+"/gated", "")
	<-arrived
	if err := resp.body.Close(); err != nil {
		t.Fatal(err)
	}
	close(open)
	// The environment is busy until the function is done, and is then reused.
	for {
		got := send(t, http.MethodPost, gw.URL+"/size", "abcd")
		if got.status == http.StatusTooManyRequests {
			continue
		}
		if got.body != "4" {
			t.Errorf("got %d %q", got.status, got.body)
		}
		break
	}
	records := fn.Invocations()
	if len(records) != 2 || records[0].Err != nil || records[0].Environment != records[1].Environment {
		t.Errorf("records %+v, want two good ones of one environment", records)
	}
}

func TestStreamOfProcessThatExits(t *testing.T) {
	t.Parallel()
	fn := function(t, "streamed")
	gw := serve(t, fn, Stream)
	for i := range 5 {
		if got := send(t, http.MethodGet, gw.URL+"/exit-after", ""); got.body != "complete" || got.err != nil {
			t.Errorf("request %d: got %d %q, error %v", i, got.status, got.body, got.err)
		}
		wantFailure(t, fn, "Runtime.ExitError", "without providing a reason")
		if n := fn.Invocations()[i].Environment; n != i+1 {
			t.Errorf("request %d was served by environment %d", i, n)
		}
	}
}

func TestStreamLargeRequest(t *testing.T) {
	t.Parallel()
	fn := function(t, "streamed")
	gw := serve(t, fn, Stream)
	const size = 3 << 20
	got := send(t, http.MethodPost, gw.URL+"/size", strings.Repeat("x", size))
	if got.body != fmt.Sprint(size) {
		t.Errorf("got %d %q", got.status, got.body)
	}
	if rss := fn.Invocations()[0].PeakRSS; rss < size {
		t.Errorf("peak RSS is %d, less than the body", rss)
	}
}
