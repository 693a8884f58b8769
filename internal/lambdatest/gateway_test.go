package lambdatest

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

func TestMatch(t *testing.T) {
	t.Parallel()
	var routes []Route
	for _, r := range []string{
		"GET /", "GET /models", "GET /models/{id}", "GET /models/new", "POST /chat/completions",
		"ANY /files/{proxy+}", "PUT /files/{proxy+}", "ANY /both", "GET /both",
	} {
		method, path, _ := strings.Cut(r, " ")
		routes = append(routes, Route{Method: method, Path: path})
	}
	tests := []struct{ method, path, want, params string }{
		{"GET", "/", "GET /", "map[]"},
		{"GET", "/models", "GET /models", "map[]"},
		{"GET", "/models/a", "GET /models/{id}", "map[id:a]"},
		{"GET", "/models/a%2Fb", "GET /models/{id}", "map[id:a%2Fb]"},
		{"GET", "/models/new", "GET /models/new", "map[]"},
		{"DELETE", "/files/a/b", "ANY /files/{proxy+}", "map[proxy:a/b]"},
		{"PUT", "/files/a/b", "PUT /files/{proxy+}", "map[proxy:a/b]"},
		{"GET", "/both", "GET /both", "map[]"},
		{"PATCH", "/both", "ANY /both", "map[]"},
		{method: "GET", path: "/models/"},
		{method: "GET", path: "/models/a/b"},
		{method: "GET", path: "/Models"},
		{method: "get", path: "/models"},
		{method: "POST", path: "/models"},
		{method: "GET", path: "/files/"},
		{method: "GET", path: "/files"},
		{method: "GET", path: "/chat"},
	}
	for _, tt := range tests {
		t.Run(tt.method+" "+tt.path, func(t *testing.T) {
			t.Parallel()
			route, params := match(routes, tt.method, tt.path)
			if route == nil {
				if tt.want != "" {
					t.Errorf("no route, want %s", tt.want)
				}
				return
			}
			if got := route.Method + " " + route.Path; got != tt.want || fmt.Sprint(params) != tt.params {
				t.Errorf("got %s %v, want %s %s", got, params, tt.want, tt.params)
			}
		})
	}
}

func TestGatewayErrors(t *testing.T) {
	t.Parallel()
	fn := function(t, "buffered")
	gw := NewGateway(t, Route{Method: "POST", Path: "/echo", Function: fn})
	base := strings.TrimSuffix(gw.URL, "/v1")
	quotes := strings.Repeat(`"`, 6_291_456/2) // each takes two bytes in the event
	tests := []struct {
		name, method, url, body string
		status                  int
		want, exception         string
	}{
		{"unknown path", "POST", gw.URL + "/nowhere", "", 403, `{"message":"Missing Authentication Token"}`, "MissingAuthenticationTokenException"},
		{"unknown method", "GET", gw.URL + "/echo", "", 403, `{"message":"Missing Authentication Token"}`, "MissingAuthenticationTokenException"},
		{"root", "GET", gw.URL, "", 403, `{"message":"Missing Authentication Token"}`, "MissingAuthenticationTokenException"},
		{"no stage", "POST", base + "/echo", "", 403, `{"message":"Forbidden"}`, "ForbiddenException"},
		{"stage as a prefix", "POST", base + "/v1echo", "", 403, `{"message":"Forbidden"}`, "ForbiddenException"},
		{"large event", "POST", gw.URL + "/echo", quotes, 413, `{"message":"Request Too Long"}`, "BadRequestException"},
		{"large body", "POST", gw.URL + "/echo", strings.Repeat("x", maxBody+1), 413, "HTTP content length exceeded 10485760 bytes.\n", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := send(t, tt.method, tt.url, tt.body)
			if got.status != tt.status || got.body != tt.want || got.header.Get("x-amzn-errortype") != tt.exception {
				t.Errorf("got %d %q, x-amzn-errortype %q", got.status, got.body, got.header.Get("x-amzn-errortype"))
			}
		})
	}
	largest := strings.Repeat("<", 6_285_000) // as it is in the event, not escaped
	if got := send(t, "POST", gw.URL+"/echo", largest); got.status != http.StatusOK {
		t.Errorf("an event of one byte a character got %d, want 200", got.status)
	}
	t.Cleanup(func() {
		if n := len(fn.Invocations()); n != 1 {
			t.Errorf("%d requests reached the function, want the last one only", n)
		}
	})
}

func TestGatewayResponses(t *testing.T) {
	t.Parallel()
	fn := function(t, "buffered")
	gw := NewGateway(t, Route{Method: "GET", Path: "/{how}", Function: fn})
	gw.Responses = map[ResponseType]GatewayResponse{
		MissingAuthenticationToken: {
			Status: http.StatusNotFound,
			Header: http.Header{"x-added": {"1"}},
			Body:   `{"error":{"message":"no such route ($context.requestId)"}}`,
		},
		Default5XX: {Body: `{"error":{"message":$context.error.messageString,"type":"$context.error.responseType $context.error.message"}}`},
	}
	got := send(t, http.MethodPost, gw.URL+"/echo", "")
	want := `{"error":{"message":"no such route (` + got.header.Get("x-amzn-RequestId") + `)"}}`
	if got.status != http.StatusNotFound || got.body != want || got.header.Get("X-Added") != "1" {
		t.Errorf("got %d %s, X-Added %q; want %s", got.status, got.body, got.header.Get("X-Added"), want)
	}
	got = send(t, http.MethodGet, gw.URL+"/error", "")
	want = `{"error":{"message":"Internal server error","type":"DEFAULT_5XX Internal server error"}}`
	if got.status != http.StatusBadGateway || got.body != want {
		t.Errorf("got %d %s, want %s", got.status, got.body, want)
	}
}
