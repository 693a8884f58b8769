package lambdatest

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// function returns a function of one of the programs in testdata.
func function(t *testing.T, program string, env ...string) *Function {
	t.Helper()
	fn := &Function{Path: Build(t, "./testdata/"+program), Env: env, Timeout: 10 * time.Second}
	t.Cleanup(fn.Close)
	return fn
}

// serve returns a gateway that has fn at every path.
func serve(t *testing.T, fn *Function, mode Mode) *Gateway {
	t.Helper()
	return NewGateway(t, Route{Method: "ANY", Path: "/{proxy+}", Function: fn, Mode: mode})
}

// An answer is a response that was read to its end; err is how that went.
type answer struct {
	status int
	header http.Header
	body   string
	err    error
}

// send makes a request and reads the response to its end.
func send(t *testing.T, method, url, body string, headers ...string) answer {
	t.Helper()
	resp := start(t, method, url, body, headers...)
	b, err := io.ReadAll(resp.body)
	return answer{status: resp.status, header: resp.header, body: string(b), err: err}
}

// An incoming is a response whose headers are in.
type incoming struct {
	status   int
	header   http.Header
	encoding []string // Transfer-Encoding
	body     io.ReadCloser
}

// start makes a request on a connection of its own, as another client would.
func start(t *testing.T, method, url, body string, headers ...string) incoming {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Add(headers[i], headers[i+1])
	}
	transport := &http.Transport{DisableKeepAlives: true}
	resp, err := transport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = resp.Body.Close() })
	return incoming{status: resp.StatusCode, header: resp.Header, encoding: resp.TransferEncoding, body: resp.Body}
}

// wantInternalError checks the answer of API Gateway for a function that failed.
func wantInternalError(t *testing.T, got answer, status int) {
	t.Helper()
	if got.status != status || got.body != `{"message":"Internal server error"}` {
		t.Errorf("got %d %s, want %d Internal server error", got.status, got.body, status)
	}
	if e := got.header.Get("x-amzn-errortype"); e != "InternalServerErrorException" {
		t.Errorf("x-amzn-errortype = %q", e)
	}
}

// wantCut checks that a response began well and was then cut off.
func wantCut(t *testing.T, got answer, body string) {
	t.Helper()
	if got.status != http.StatusOK || got.body != body || !errors.Is(got.err, io.ErrUnexpectedEOF) {
		t.Errorf("got %d %q, error %v; want 200 %q and an unexpected EOF", got.status, got.body, got.err, body)
	}
}

// wantFailure checks the last invocation's error.
func wantFailure(t *testing.T, fn *Function, kind, message string) {
	t.Helper()
	records := fn.Invocations()
	if len(records) == 0 {
		t.Fatal("no invocation was recorded")
	}
	var failure *FunctionError
	if err := records[len(records)-1].Err; !errors.As(err, &failure) {
		t.Fatalf("recorded error is %v, want a FunctionError", err)
	}
	if failure.Type != kind || !strings.Contains(failure.Message, message) {
		t.Errorf("recorded %q %q, want %q with %q", failure.Type, failure.Message, kind, message)
	}
}

// decode parses a JSON body.
func decode(t *testing.T, body string, v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(body), v); err != nil {
		t.Fatalf("%v in %q", err, body)
	}
}
