package app_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"testing"
	"time"

	"hyperstudy-endpoint/internal/lambdatest"
)

// invoke hands an event straight to a function, in a form that no gateway gives
// it: what the test puts into event wins over the usual members.
func invoke(t *testing.T, f *lambdatest.Function, mode lambdatest.Mode, event map[string]any) answer {
	t.Helper()
	full := map[string]any{
		"resource": "/{proxy+}", "path": "/models", "httpMethod": http.MethodGet,
		"headers":           map[string]string{"Authorization": "Bearer " + apiKey},
		"multiValueHeaders": map[string][]string{"Authorization": {"Bearer " + apiKey}},
		"requestContext": map[string]any{
			"requestId": "c6af9ac6-7b61-11e6-9a41-93e8deadbeef", "requestTimeEpoch": time.Now().UnixMilli(), "stage": "v1",
		},
		"body": nil, "isBase64Encoded": false,
	}
	for name, value := range event {
		full[name] = value
	}
	resp, err := f.Invoke(t.Context(), []byte(compactJSON(full)), mode)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(resp)
	if err != nil {
		t.Fatalf("%v after %s", err, data)
	}
	if mode == lambdatest.Buffered {
		return bufferedAnswer(t, data)
	}
	return streamedAnswer(t, data)
}

// proxyResponse is what a function of a proxy integration answers, in whole or
// as the prelude of a stream.
type proxyResponse struct {
	StatusCode        int
	Headers           map[string]string
	MultiValueHeaders map[string][]string
	Cookies           []string
	Body              string
	IsBase64Encoded   bool
}

func (p *proxyResponse) header() http.Header {
	h := http.Header{}
	for name, value := range p.Headers {
		h.Set(name, value)
	}
	for name, values := range p.MultiValueHeaders {
		h[http.CanonicalHeaderKey(name)] = values
	}
	return h
}

func bufferedAnswer(t *testing.T, data []byte) answer {
	t.Helper()
	var p proxyResponse
	strictly(t, data, &p)
	body := []byte(p.Body)
	if p.IsBase64Encoded {
		var err error
		if body, err = base64.StdEncoding.DecodeString(p.Body); err != nil {
			t.Fatal(err)
		}
	}
	return answer{p.StatusCode, p.header(), body}
}

func streamedAnswer(t *testing.T, data []byte) answer {
	t.Helper()
	prelude, body, found := bytes.Cut(data, make([]byte, 8))
	if !found {
		t.Fatalf("no prelude: %q", data)
	}
	var p proxyResponse
	if err := json.Unmarshal(prelude, &p); err != nil {
		t.Fatalf("prelude %s: %v", prelude, err)
	}
	return answer{p.StatusCode, p.header(), body}
}

// TestEvents hands events to the functions that a gateway would not send on, or
// not so.
func TestEvents(t *testing.T) {
	t.Parallel()
	s := on(t, both[0])
	s.play(says("pong"))
	ping := string(request(t, "connection-test"))
	post := func(path, body string) map[string]any {
		return map[string]any{"httpMethod": "POST", "path": path, "body": body}
	}
	for _, tc := range []struct {
		name   string
		chat   bool
		event  map[string]any
		status int
		code   string
		allow  string
	}{
		{"models", false, nil, 200, "", ""},
		{"models with v1 and slashes", false, map[string]any{"path": "//v1//models//"}, 200, "", ""},
		{"a path that is decoded", false, map[string]any{"path": "/models/a b%zz"}, 404, "model_not_found", ""},
		{"HEAD", false, map[string]any{"httpMethod": "HEAD"}, 200, "", ""},
		{"POST to models", false, post("/v1/models", ""), 405, "method_not_allowed", "GET"},
		{"DELETE of a model", false, map[string]any{"httpMethod": "DELETE", "path": "/models/agent"}, 405, "method_not_allowed", "GET"},
		{"OPTIONS of chat", true, map[string]any{"httpMethod": "OPTIONS", "path": "/chat/completions"}, 405, "method_not_allowed", "POST"},
		{"GET of chat", true, map[string]any{"path": "/chat/completions/"}, 405, "method_not_allowed", "POST"},
		{"no path", true, map[string]any{"path": ""}, 404, "unknown_url", ""},
		{"chat at another place", true, post("/v2/chat/completions", ping), 404, "unknown_url", ""},
		{"chat", true, post("/v1/chat/completions", ping), 200, "", ""},
		{"chat in base64", true, map[string]any{
			"httpMethod": "POST", "path": "/chat/completions", "isBase64Encoded": true, "body": base64.StdEncoding.EncodeToString([]byte(ping)),
		}, 200, "", ""},
		{"base64 that is none", true, map[string]any{"httpMethod": "POST", "path": "/chat/completions", "isBase64Encoded": true, "body": "%%%"}, 400, "invalid_json", ""},
		{"invalid UTF-8", true, map[string]any{
			"httpMethod": "POST", "path": "/chat/completions", "isBase64Encoded": true, "body": base64.StdEncoding.EncodeToString([]byte("{\"messages\":[{\"role\":\"user\",\"content\":\"\xff\"}]}")),
		}, 400, "invalid_json", ""},
		{"no body", true, map[string]any{"httpMethod": "POST", "path": "/chat/completions"}, 400, "invalid_json", ""},
		{"no headers", true, map[string]any{
			"httpMethod": "POST", "path": "/chat/completions", "body": ping, "headers": nil, "multiValueHeaders": nil,
		}, 401, "invalid_api_key", ""},
		{"no request context", true, map[string]any{"httpMethod": "POST", "path": "/chat/completions", "body": ping, "requestContext": map[string]any{}}, 200, "", ""},
		{"a clock that is ahead", true, map[string]any{
			"httpMethod": "POST", "path": "/chat/completions", "body": ping,
			"requestContext": map[string]any{"requestId": "r-0123456789abcdef", "requestTimeEpoch": time.Now().Add(time.Hour).UnixMilli()},
		}, 200, "", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			f, mode := s.models, lambdatest.Buffered
			if tc.chat {
				f, mode = s.chat, lambdatest.Stream
			}
			a := invoke(t, f, mode, tc.event)
			if tc.code != "" {
				a.failed(t, tc.status, tc.code, map[string]string{"model_not_found": "model"}[tc.code])
			}
			if a.status != tc.status || a.header.Get("Allow") != tc.allow {
				t.Errorf("%d, Allow %q: %s", a.status, a.header.Get("Allow"), a.body)
			}
		})
	}
}

// TestRequestID checks that an answer, an error and a log line have the id that
// the gateway gave the request.
func TestRequestID(t *testing.T) {
	t.Parallel()
	s := on(t, both[1])
	s.play(says("pong"))
	for _, body := range []string{string(request(t, "connection-test")), `{`} {
		a := invoke(t, s.chat, lambdatest.Stream, map[string]any{"httpMethod": "POST", "path": "/chat/completions", "body": body})
		const id = "c6af9ac6-7b61-11e6-9a41-93e8deadbeef"
		if got := a.header.Get("X-Request-Id"); got != id {
			t.Errorf("X-Request-Id %q", got)
		}
		if n := s.linesWith(`"request_id":"`+id+`"`, `"status":`); n == 0 {
			t.Errorf("no log line of the request: %s", lines(s.logs()))
		}
	}
}
