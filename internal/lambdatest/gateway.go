package lambdatest

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// Mode says how API Gateway passes a function's response on.
type Mode int

// The response transfer modes of an integration. See
// https://docs.aws.amazon.com/apigateway/latest/developerguide/response-transfer-mode.html.
const (
	// Buffered waits for the whole response, which is one JSON document.
	Buffered Mode = iota
	// Stream passes the response on as it comes, after a prelude of JSON.
	Stream
)

// maxBody is the most bytes of a request body. See
// https://docs.aws.amazon.com/apigateway/latest/developerguide/limits.html.
const maxBody = 10 << 20

// errIntegrationTimeout and errIdle say why the gateway stopped waiting.
var (
	errIntegrationTimeout = errors.New("integration timeout")
	errIdle               = errors.New("idle timeout of a streamed response")
)

// A Route connects a method of a resource to a function.
type Route struct {
	// Method is an HTTP method or ANY.
	Method string
	// Path is the resource, without the stage: "/models", "/models/{id}",
	// "/{proxy+}".
	Path     string
	Function *Function
	Mode     Mode
	// Timeout is the integration timeout; by default 29 s. It must not be shorter
	// than the function's if the function is to be the one that ends first.
	Timeout time.Duration
}

// A Gateway is a stage of a REST API with Lambda proxy integrations. Set the
// fields before the first request.
type Gateway struct {
	// URL is the base URL with the stage and without a slash at the end, set by
	// [NewGateway].
	URL string
	// Stage is the first segment of every path; by default "v1".
	Stage  string
	Routes []Route
	// Responses replace the gateway's own error answers. The default types apply
	// to all that have no entry of their own.
	Responses map[ResponseType]GatewayResponse
	// BinaryMediaTypes are the content types that reach the function in base64.
	BinaryMediaTypes []string
	// Age is how long ago requests are said to have come in
	// (requestContext.requestTimeEpoch), as after a long cold start.
	Age time.Duration
	// IdleTimeout is how long a streamed response may be silent before the
	// connection is cut; by default the 5 min of a REGIONAL API.
	IdleTimeout time.Duration
	// HideThrottling answers 500 INTEGRATION_FAILURE instead of 429 THROTTLED when
	// the function is at its MaxConcurrency. A REST API with a proxy integration has
	// been seen to do that with Lambda's 429; its own throttling is 429 always.
	HideThrottling bool
}

// NewGateway serves the routes on a loopback port until the test ends, and then
// closes their functions. If the test has failed, it logs what they have written.
func NewGateway(tb testing.TB, routes ...Route) *Gateway {
	tb.Helper()
	g := &Gateway{Routes: routes}
	for _, r := range routes {
		if r.Function == nil || !strings.HasPrefix(r.Path, "/") || r.Method == "" {
			tb.Fatalf("route %q %q: a method, a path that begins with a slash and a function are required", r.Method, r.Path)
		}
	}
	server := httptest.NewServer(g)
	g.URL = server.URL + "/" + g.stage()
	tb.Cleanup(func() {
		functions := map[*Function]bool{}
		for _, r := range routes {
			if functions[r.Function] {
				continue
			}
			functions[r.Function] = true
			r.Function.Close() // first, so that no request is left to wait for
			if tb.Failed() {
				tb.Logf("output of %s:\n%s", r.Function.name(), strings.Join(r.Function.Logs(), "\n"))
			}
		}
		server.Close()
	})
	return g
}

// ServeHTTP answers one request as API Gateway would.
func (g *Gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	x := &exchange{gateway: g, w: w, r: r, id: newUUID(), extendedID: newHex(8), received: time.Now()}
	w.Header().Set("x-amzn-RequestId", x.id)
	w.Header().Set("x-amz-apigw-id", x.extendedID)
	path, found := strings.CutPrefix(r.URL.EscapedPath(), "/"+g.stage())
	if !found || path != "" && path[0] != '/' {
		// There is no stage that could have gateway responses.
		x.answer(forbidden, GatewayResponse{})
		return
	}
	if path == "" {
		path = "/"
	}
	route, params := match(g.Routes, r.Method, path)
	if route == nil {
		x.fail(missingAuthenticationToken)
		return
	}
	x.route, x.path, x.params = route, path, params
	x.serve(r.Context())
}

func (g *Gateway) stage() string {
	return cmp.Or(g.Stage, "v1")
}

// An exchange is one request and the answer to it.
type exchange struct {
	gateway    *Gateway
	w          http.ResponseWriter
	r          *http.Request
	id         string
	extendedID string
	received   time.Time
	route      *Route
	path       string // as sent, without the stage
	params     map[string]string
}

// serve calls the function and writes its answer or the gateway's own. ctx ends
// when the client goes.
func (x *exchange) serve(ctx context.Context) {
	body, err := io.ReadAll(io.LimitReader(x.r.Body, maxBody+1))
	if err != nil {
		panic(http.ErrAbortHandler) // the client broke off: there is nobody to answer
	}
	if len(body) > maxBody {
		// Take the rest, or the client fails at sending and never reads the answer.
		_, _ = io.Copy(io.Discard, io.LimitReader(x.r.Body, 10*maxBody))
		x.contentTooLong()
		return
	}
	event := marshalEvent(x.event(body))
	ctx, cancel := context.WithTimeoutCause(ctx, cmp.Or(x.route.Timeout, 29*time.Second), errIntegrationTimeout)
	defer cancel()
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	resp, err := x.route.Function.Invoke(ctx, event, x.route.Mode)
	switch {
	case err != nil:
		x.failWith(err)
	case x.route.Mode == Stream:
		x.stream(resp, stop)
	default:
		x.buffered(resp)
	}
}

// failWith answers for a function that gave no response to pass on.
func (x *exchange) failWith(err error) {
	switch {
	case errors.Is(err, context.Canceled):
		panic(http.ErrAbortHandler) // the client has gone
	case errors.Is(err, errIntegrationTimeout):
		x.fail(integrationTimeout)
	case errors.Is(err, ErrThrottled) && x.gateway.HideThrottling:
		x.fail(hiddenThrottling)
	case errors.Is(err, ErrThrottled):
		x.fail(throttled)
	case errors.Is(err, ErrEventTooLarge):
		x.fail(requestTooLarge)
	case errors.Is(err, errNoPrelude):
		x.fail(malformedStream)
	default: // a FunctionError, or the process could not be started
		x.fail(functionFailed)
	}
}
