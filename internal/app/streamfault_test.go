package app_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"hyperstudy-endpoint/internal/app"
	"hyperstudy-endpoint/internal/awstest"
	"hyperstudy-endpoint/internal/config"
	"hyperstudy-endpoint/internal/lambdatest"
)

// streams is an answer given as the events of a stream of either upstream.
func streams(sse string, events ...awstest.Event) step {
	return step{
		bedrock:  always(awstest.Stream(events...)),
		external: reply{body: sse, header: http.Header{"Content-Type": {"text/event-stream"}}},
	}
}

// Parts of the streams.
const (
	firstWord = `data: {"id":"1","created":1,"model":"large-model","choices":[{"index":0,"delta":{"role":"assistant","content":"first "},"finish_reason":null}]}` + "\n\n"
	sseError  = `data: {"error":{"message":"The server had an error.","type":"server_error","param":null,"code":null}}` + "\n\n"
	sseLimit  = `data: {"error":{"message":"slow down","type":"requests","param":null,"code":"rate_limit_exceeded"}}` + "\n\n"
)

// TestStreamFaults tells apart where a stream of text fails: ahead of its first
// event it is tried again, and in the end an error like any other; within it the
// error is its last event; and one that merely stops has not ended well.
func TestStreamFaults(t *testing.T) {
	t.Parallel()
	start, first := awstest.MessageStart(), awstest.TextDelta(0, "first ")
	exception := func(kind string) awstest.Event { return awstest.Exception(kind, "lost") }
	good := says("first last")
	cases := []struct {
		name     string
		steps    []step
		status   int // of the response
		code     string
		attempts int
	}{
		{"refused, then good", []step{throttled(""), good}, 200, "", 2},
		{"no stream, then good", []step{web(http.StatusOK), good}, 200, "", 2},
		{"no connection, then good", []step{drops(), good}, 200, "", 2},
		{"an error as the first event, then good", []step{streams(sseLimit, exception("throttlingException")), good}, 200, "", 2},
		{"empty, then good", []step{streams(": nothing\n\n", start), good}, 200, "", 2},
		{"refused always", []step{throttled("60")}, 429, "rate_limit_exceeded", 1},
		{"a fault of the caller's", []step{{
			bedrock:  always(awstest.Stream(awstest.Exception("validationException", "prompt is too long"))),
			external: reply{status: 400, body: `{"error":{"message":"too long","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}`},
		}}, 400, "context_length_exceeded", 1},
		{"an error within", []step{streams(firstWord+sseError, start, first, exception("internalServerException")), good}, 200, "upstream_error", 1},
		{"truncated", []step{streams(firstWord, start, first), good}, 200, "upstream_error", 1},
		{"an end without a reason", []step{streams(firstWord+"data: [DONE]\n\n", start, first), good}, 200, "upstream_error", 1},
		{"an end without a reason or a word, then good", []step{streams("data: [DONE]\n\n", start), good}, 200, "", 2},
		{"truncated within an event", []step{streams(firstWord+firstWord[:40], start, first, awstest.Bytes([]byte{0, 0, 0, 99, 0})), good}, 200, "upstream_error", 1},
		{"garbage within", []step{streams(firstWord+"data: <html>\n\n", start, first, awstest.Bytes([]byte("<html>Bad gateway</html>"))), good}, 200, "upstream_error", 1},
	}
	for _, b := range both {
		t.Run(b.name, func(t *testing.T) {
			t.Parallel()
			s := aged(t, b, age)
			for _, tc := range cases {
				t.Run(tc.name, func(t *testing.T) {
					a := s.ask(t, with(t, request(t, "stage-text"), `"stream":true`), tc.steps...)
					s.calledUpstream(t, tc.attempts)
					switch {
					case tc.code == "":
						if c := a.assemble(t); c.text(t) != "first last" {
							t.Errorf("%s", a.body)
						}
					case tc.status >= 400:
						a.failed(t, tc.status, tc.code, a.failure(t).param)
					default:
						s.brokeOff(t, a, tc.code)
					}
				})
			}
		})
	}
}

// brokeOff fails the test unless a stream of text ends with an error after its
// first word, and looks like no answer.
func (s *stage) brokeOff(t *testing.T, a answer, code string) {
	t.Helper()
	events := a.events(t)
	last := events[len(events)-1]
	if a.status != 200 || !strings.HasPrefix(last, `{"error":{"message":`) || !strings.Contains(last, fmt.Sprintf("%q:%q", "code", code)) || !strings.Contains(string(a.body), `"content":"first "`) {
		t.Errorf("%d: %s", a.status, a.body)
	}
	if strings.Contains(string(a.body), `"finish_reason":"`) || strings.Contains(string(a.body), "[DONE]") {
		t.Errorf("it looks like an answer: %s", a.body)
	}
	var entry struct {
		Msg, Level, Code string
		Status           int
	}
	for _, line := range slices.Backward(s.chat.Logs()) {
		if json.Unmarshal([]byte(line), &entry) == nil && entry.Msg == "request" {
			break
		}
	}
	if entry.Status != 502 && entry.Status != 500 || entry.Level != "ERROR" || entry.Code != code {
		t.Errorf("logged as %+v", entry)
	}
}

// TestCallerLeaves checks that a model is not asked any further when the caller
// has gone, on the dev server: it is told so, unlike a function.
func TestCallerLeaves(t *testing.T) {
	t.Parallel()
	for name, body := range map[string][]byte{
		"text":                 with(t, request(t, "stage-text"), `"stream":true`),
		"decision as a stream": request(t, "stream"),
		"decision":             request(t, "rating"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, leave := context.WithCancel(t.Context())
			up, gone := newUpstream(t), make(chan struct{})
			up.handle(func(sent) (reply, tokens) {
				leave()
				return reply{delay: time.Hour, gone: gone}, tokens{}
			})
			d := &deployment{gateway: &lambdatest.Gateway{URL: serveDev(t, "MODELS=agent=external:large-model", "EXTERNAL_BASE_URL="+up.URL, "EXTERNAL_API_KEY="+upstreamKey)}}
			if a, err := d.send(ctx, http.MethodPost, "/chat/completions", body); err == nil {
				t.Fatalf("%d %s", a.status, a.body)
			}
			select {
			case <-gone:
			case <-time.After(10 * time.Second):
				t.Error("the model is still being asked")
			}
		})
	}
}

// serveDev starts the dev server's endpoint with these settings, each as
// NAME=value, and returns its base URL.
func serveDev(t *testing.T, settings ...string) string {
	t.Helper()
	c, err := config.LoadDev(func(name string) string {
		for _, s := range settings {
			if value, ok := strings.CutPrefix(s, name+"="); ok {
				return value
			}
		}
		return ""
	})
	if err != nil {
		t.Fatal(err)
	}
	endpoint, err := app.Dev(t.Context(), c, apiKey, t.Output())
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(endpoint)
	t.Cleanup(server.Close)
	return server.URL + "/v1"
}
