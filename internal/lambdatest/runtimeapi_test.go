package lambdatest

import (
	"encoding/base64"
	"io"
	"net/http"
	"strings"
	"testing"
)

// runtimeOf starts a process that leaves its Runtime API alone, with an event to
// be had, and returns the API's base URL.
func runtimeOf(t *testing.T, mode Mode) (base string, resp *Response, fn *Function) {
	t.Helper()
	fn = function(t, "silent")
	resp, err := fn.Invoke(t.Context(), []byte(`{"n":1}`), mode)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range fn.environments[0].cmd.Env {
		if address, ok := strings.CutPrefix(v, "AWS_LAMBDA_RUNTIME_API="); ok {
			return "http://" + address + "/2018-06-01/runtime", resp, fn
		}
	}
	t.Fatal("AWS_LAMBDA_RUNTIME_API is not set")
	return "", nil, nil
}

func TestRuntimeAPIOrder(t *testing.T) {
	t.Parallel()
	base, resp, fn := runtimeOf(t, Stream)
	invocation := base + "/invocation/"
	step := func(what, method, url, body string, status int, want string) answer {
		t.Helper()
		got := send(t, method, url, body)
		if got.status != status || !strings.Contains(got.body, want) {
			t.Fatalf("%s: got %d %s, want %d with %s", what, got.status, got.body, status, want)
		}
		return got
	}
	step("response before any event", "POST", invocation+resp.RequestID+"/response", "", 403, "InvalidStateTransition")
	next := step("first next", "GET", invocation+"next", "", 200, `{"n":1}`)
	for _, name := range []string{"Deadline-Ms", "Invoked-Function-Arn", "Trace-Id"} {
		if next.header.Get("Lambda-Runtime-"+name) == "" {
			t.Errorf("Lambda-Runtime-%s is missing", name)
		}
	}
	id := next.header.Get("Lambda-Runtime-Aws-Request-Id")
	if id != resp.RequestID {
		t.Errorf("request id is %q, want %q", id, resp.RequestID)
	}
	step("next without an answer", "GET", invocation+"next", "", 403, "InvalidStateTransition")
	step("init error after INIT", "POST", base+"/init/error", "{}", 403, "InvalidStateTransition")
	step("response for another", "POST", invocation+newUUID()+"/response", "x", 400, "InvalidRequestID")
	step("error for another", "POST", invocation+newUUID()+"/error", "x", 400, "InvalidRequestID")
	step("response", "POST", invocation+id+"/response", "done", 202, `{"status":"OK"}`)
	step("second response", "POST", invocation+id+"/response", "x", 403, "InvalidStateTransition")
	step("error after response", "POST", invocation+id+"/error", "x", 403, "InvalidStateTransition")
	step("unknown path", "GET", base+"/nothing", "", 404, "")
	if b, err := io.ReadAll(resp); string(b) != "done" || err != nil {
		t.Errorf("the caller read %q, error %v", b, err)
	}

	// A next is what makes the environment free for the second event.
	second := make(chan *Response, 1)
	go func() {
		resp, err := fn.Invoke(t.Context(), []byte(`{"n":2}`), Stream)
		if err != nil {
			t.Error(err)
		}
		second <- resp
	}()
	next = step("next after the response", "GET", invocation+"next", "", 200, `{"n":2}`)
	id = next.header.Get("Lambda-Runtime-Aws-Request-Id")
	step("error", "POST", invocation+id+"/error", `{"errorType":"T","errorMessage":"M"}`, 202, `{"status":"OK"}`)
	if _, err := io.ReadAll(<-second); err == nil || err.Error() != "T: M" {
		t.Errorf("the caller got error %v, want T: M", err)
	}
}

func TestRuntimeAPIErrorReports(t *testing.T) {
	t.Parallel()
	encoded := base64.StdEncoding.EncodeToString([]byte(`{"errorType":"T","errorMessage":"M"}`))
	tests := []struct{ name, path, body, header, trailerType, trailerBody, want string }{
		{name: "JSON", path: "/error", body: `{"errorType":"T","errorMessage":"M"}`, want: "T: M"},
		{name: "no JSON", path: "/error", body: "text", want: "Runtime.UnknownReason: text"},
		{name: "type in the header", path: "/error", body: `{"errorMessage":"M"}`, header: "H", want: "H: M"},
		{name: "trailers", path: "/response", body: "x", trailerType: "T", trailerBody: encoded, want: "T: M"},
		{name: "trailers no JSON", path: "/response", body: "x", trailerType: "T", trailerBody: "*", want: "T: *"},
		{name: "no trailers", path: "/response", body: "x"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			base, resp, _ := runtimeOf(t, Stream)
			send(t, http.MethodGet, base+"/invocation/next", "")
			body := struct{ io.Reader }{strings.NewReader(tt.body)} // of unknown length, so that trailers can be sent
			req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, base+"/invocation/"+resp.RequestID+tt.path, body)
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Lambda-Runtime-Function-Error-Type", tt.header)
			req.Trailer = http.Header{"Lambda-Runtime-Function-Error-Type": nil, "Lambda-Runtime-Function-Error-Body": nil}
			if tt.trailerType != "" {
				req.Trailer.Set("Lambda-Runtime-Function-Error-Type", tt.trailerType)
				req.Trailer.Set("Lambda-Runtime-Function-Error-Body", tt.trailerBody)
			}
			got, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(req)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = got.Body.Close() }()
			if got.StatusCode != http.StatusAccepted {
				t.Errorf("got %s", got.Status)
			}
			_, err = io.ReadAll(resp)
			if message := errorText(err); message != tt.want {
				t.Errorf("the caller got error %q, want %q", message, tt.want)
			}
		})
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestRuntimeAPIResponseTooLarge(t *testing.T) {
	t.Parallel()
	base, resp, _ := runtimeOf(t, Buffered)
	send(t, http.MethodGet, base+"/invocation/next", "")
	url := base + "/invocation/" + resp.RequestID + "/response"
	got := send(t, http.MethodPost, url, strings.Repeat("x", maxBufferedResponse+1))
	if got.status != http.StatusRequestEntityTooLarge || !strings.Contains(got.body, "RequestEntityTooLarge") {
		t.Errorf("got %d %s", got.status, got.body)
	}
	if _, err := io.ReadAll(resp); !strings.Contains(errorText(err), "Function.ResponseSizeTooLarge") {
		t.Errorf("the caller got error %v", err)
	}
}
