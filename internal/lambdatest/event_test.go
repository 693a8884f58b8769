package lambdatest

import (
	"encoding/json"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
)

// echoed sends a request and returns the event that the function got.
func echoed(t *testing.T, gw *Gateway, method, path, body string, headers ...string) events.APIGatewayProxyRequest {
	t.Helper()
	got := send(t, method, gw.URL+path, body, headers...)
	if got.status != http.StatusOK {
		t.Fatalf("got %d %s", got.status, got.body)
	}
	var event events.APIGatewayProxyRequest
	decode(t, got.body, &event)
	return event
}

func TestEvent(t *testing.T) {
	t.Parallel()
	fn := function(t, "streamed")
	gw := NewGateway(t, Route{Method: "POST", Path: "/a/{id}/echo", Function: fn, Mode: Stream})
	before := time.Now().UnixMilli()
	event := echoed(t, gw, http.MethodPost, "/a/x%2Fy/echo?q=1&q=2&r=%20", `{"ü":1}`,
		"X-Twice", "one", "X-Twice", "two", "Content-Type", "application/json", "User-Agent", "tester",
		"X-Forwarded-For", "192.0.2.1")
	after := time.Now().UnixMilli()

	check := func(name string, got, want any) {
		t.Helper()
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	check("resource", event.Resource, "/a/{id}/echo")
	check("path", event.Path, "/a/x%2Fy/echo")
	check("httpMethod", event.HTTPMethod, "POST")
	check("pathParameters", event.PathParameters, map[string]string{"id": "x%2Fy"})
	check("queryStringParameters", event.QueryStringParameters, map[string]string{"q": "2", "r": " "})
	check("multiValueQueryStringParameters", event.MultiValueQueryStringParameters,
		map[string][]string{"q": {"1", "2"}, "r": {" "}})
	check("body", event.Body, `{"ü":1}`)
	check("isBase64Encoded", event.IsBase64Encoded, false)
	for name, want := range map[string]string{
		"Content-Type":      "application/json",
		"Host":              domainName,
		"User-Agent":        "tester",
		"X-Forwarded-For":   "192.0.2.1, 127.0.0.1",
		"X-Forwarded-Port":  "443",
		"X-Forwarded-Proto": "https",
		"X-Twice":           "two",
		"Connection":        "",
		"Content-Length":    "",
	} {
		check("header "+name, event.Headers[name], want)
	}
	check("multi-value header", event.MultiValueHeaders["X-Twice"], []string{"one", "two"})
	if trace := event.Headers["X-Amzn-Trace-Id"]; !strings.HasPrefix(trace, "Root=1-") {
		t.Errorf("X-Amzn-Trace-Id is %q", trace)
	}

	rc := event.RequestContext
	check("stage", rc.Stage, "v1")
	check("context path", rc.Path, "/v1/a/x%2Fy/echo")
	check("resourcePath", rc.ResourcePath, "/a/{id}/echo")
	check("context httpMethod", rc.HTTPMethod, "POST")
	check("domainName", rc.DomainName, rc.DomainPrefix+".execute-api.us-east-1.amazonaws.com")
	check("apiId", rc.APIID, rc.DomainPrefix)
	check("protocol", rc.Protocol, "HTTP/1.1")
	check("sourceIp", rc.Identity.SourceIP, "127.0.0.1")
	check("userAgent", rc.Identity.UserAgent, "tester")
	if rc.RequestTimeEpoch < before || rc.RequestTimeEpoch > after {
		t.Errorf("requestTimeEpoch %d is not in %d to %d", rc.RequestTimeEpoch, before, after)
	}
	if when, err := time.Parse("02/Jan/2006:15:04:05 -0700", rc.RequestTime); err != nil || when.Unix() != rc.RequestTimeEpoch/1000 {
		t.Errorf("requestTime %q does not agree with the epoch %d: %v", rc.RequestTime, rc.RequestTimeEpoch, err)
	}
}

func TestEventRequestID(t *testing.T) {
	t.Parallel()
	gw := serve(t, function(t, "streamed"), Stream)
	seen := map[string]bool{}
	for range 3 {
		got := send(t, http.MethodGet, gw.URL+"/echo", "")
		var event events.APIGatewayProxyRequest
		decode(t, got.body, &event)
		id := event.RequestContext.RequestID
		if len(id) != 36 || seen[id] || got.header.Get("x-amzn-RequestId") != id {
			t.Errorf("request id %q, in the response %q", id, got.header.Get("x-amzn-RequestId"))
		}
		seen[id] = true
	}
}

// What is absent is null, and the rest of the members are there nevertheless.
func TestEventOfEmptyRequest(t *testing.T) {
	t.Parallel()
	gw := NewGateway(t, Route{Method: "GET", Path: "/echo", Function: function(t, "buffered")})
	got := send(t, http.MethodGet, gw.URL+"/echo", "")
	var members map[string]json.RawMessage
	decode(t, got.body, &members)
	for name, want := range map[string]string{
		"body":                            "null",
		"isBase64Encoded":                 "false",
		"multiValueQueryStringParameters": "null",
		"pathParameters":                  "null",
		"queryStringParameters":           "null",
		"stageVariables":                  "null",
	} {
		if string(members[name]) != want {
			t.Errorf("%s is %s, want %s", name, members[name], want)
		}
	}
}

func TestEventAge(t *testing.T) {
	t.Parallel()
	gw := serve(t, function(t, "streamed"), Stream)
	gw.Age = time.Hour
	latest := time.Now().Add(-time.Hour + time.Minute).UnixMilli()
	if epoch := echoed(t, gw, http.MethodGet, "/echo", "").RequestContext.RequestTimeEpoch; epoch > latest {
		t.Errorf("requestTimeEpoch is %d, want one of an hour ago", epoch)
	}
}
