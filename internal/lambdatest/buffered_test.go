package lambdatest

import (
	"net/http"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
)

func TestBuffered(t *testing.T) {
	t.Parallel()
	fn := function(t, "buffered")
	gw := serve(t, fn, Buffered)
	got := send(t, http.MethodPost, gw.URL+"/echo", "hello", "Content-Type", "text/plain")
	if got.status != http.StatusOK || got.header.Get("Content-Type") != "application/json" {
		t.Fatalf("got %d %q, Content-Type %q", got.status, got.body, got.header.Get("Content-Type"))
	}
	if n := got.header.Get("X-Amzn-Remapped-Content-Length"); n != "1" {
		t.Errorf("the function's Content-Length came as %q, want 1", n)
	}
	var event events.APIGatewayProxyRequest
	decode(t, got.body, &event)
	if event.Body != "hello" || event.IsBase64Encoded {
		t.Errorf("body %q, base64 %v", event.Body, event.IsBase64Encoded)
	}
	if got := send(t, http.MethodGet, gw.URL+"/no-content", ""); got.status != http.StatusNoContent || got.body != "" {
		t.Errorf("no-content: got %d %q", got.status, got.body)
	}
}

func TestBufferedRefuses(t *testing.T) {
	t.Parallel()
	fn := function(t, "buffered")
	gw := serve(t, fn, Buffered)
	gw.BinaryMediaTypes = []string{"application/x-binary"}
	for _, name := range []string{
		"error", "panic", "null", "text", "unknown-member", "wrong-spelling", "object-body",
		"no-status", "early-status", "not-base64", "large",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := send(t, http.MethodGet, gw.URL+"/"+name, "", "Accept", "application/x-binary")
			wantInternalError(t, got, http.StatusBadGateway)
		})
	}
}

func TestBufferedResponseTooLarge(t *testing.T) {
	t.Parallel()
	fn := function(t, "buffered")
	gw := serve(t, fn, Buffered)
	wantInternalError(t, send(t, http.MethodGet, gw.URL+"/large", ""), http.StatusBadGateway)
	wantFailure(t, fn, "Function.ResponseSizeTooLarge", "6291556 bytes")
}

func TestBufferedTimeout(t *testing.T) {
	t.Parallel()
	fn := function(t, "buffered")
	gw := NewGateway(t, Route{
		Method: "GET", Path: "/{how}", Function: fn, Timeout: 200 * time.Millisecond,
	})
	got := send(t, http.MethodGet, gw.URL+"/hang", "")
	if got.status != http.StatusGatewayTimeout || got.body != `{"message":"Endpoint request timed out"}` {
		t.Errorf("got %d %s", got.status, got.body)
	}
}

func TestBase64(t *testing.T) {
	t.Parallel()
	const binary = "application/octet-stream"
	gw := serve(t, function(t, "buffered"), Buffered)
	gw.BinaryMediaTypes = []string{"image/*", binary}
	tests := []struct {
		name, contentType, body string
		want                    bool
	}{
		{"binary", binary, "/wD+", true},
		{"by its major type", "image/png", "/wD+", true},
		{"with a parameter", binary + "; x=y", "/wD+", true},
		{"text", "text/plain", "\ufffd\x00\ufffd", false}, // what is no UTF-8 is lost
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := send(t, http.MethodPost, gw.URL+"/echo", "\xff\x00\xfe", "Content-Type", tt.contentType)
			var event events.APIGatewayProxyRequest
			decode(t, got.body, &event)
			if event.Body != tt.body || event.IsBase64Encoded != tt.want {
				t.Errorf("body %q, base64 %v; want %q, %v", event.Body, event.IsBase64Encoded, tt.body, tt.want)
			}
		})
	}
	for accept, want := range map[string]string{
		binary + ", */*": "\xff\x00\xfe",
		"text/plain":     "/wD+",
		"":               "/wD+",
	} {
		if got := send(t, http.MethodGet, gw.URL+"/base64", "", "Accept", accept); got.body != want {
			t.Errorf("Accept %q: got %q, want %q", accept, got.body, want)
		}
	}
}
