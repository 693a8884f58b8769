// Package lambdahttp serves an http.Handler as a Lambda function behind an
// Amazon API Gateway REST API: a proxy event becomes an http.Request, and what
// the handler writes becomes a streamed or a buffered proxy response.
package lambdahttp

import (
	"context"
	"encoding/base64"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/awslabs/aws-lambda-go-api-proxy/core"
)

// requestIDHeader carries API Gateway's id of the request to the handler.
const requestIDHeader = "X-Request-Id"

// lambdaReserve is what is left of Lambda's own time limit for an answer to
// leave the function before it is killed.
const lambdaReserve = 500 * time.Millisecond

// A Handler is an http.Handler with the time it may take.
type Handler struct {
	http.Handler
	// Budget is how long after API Gateway received a request the answer has to
	// be written; 0 leaves only Lambda's own limit.
	Budget time.Duration
}

// Stream returns the Lambda handler for an integration whose response transfer
// mode is STREAM: the response begins when the handler flushes or ends.
func (h Handler) Stream(ctx context.Context, event Event) (*events.APIGatewayProxyStreamingResponse, error) {
	ctx, cancel := h.withDeadline(ctx, &event)
	w := newStreamWriter()
	req, err := request(ctx, event)
	if err != nil {
		cancel()
		return badEvent(), nil
	}
	go func() {
		defer cancel()
		defer w.finish()
		growStack()
		h.ServeHTTP(w, req)
	}()
	return w.response(), nil
}

// growStack gives a new goroutine the stack that a chat completion needs, 32 KB.
// Left to itself it would grow there in four steps, which all copy what is on it:
// a fifteenth of the CPU time of a decision.
//
//go:noinline
func growStack() { var room [24 << 10]byte; use(&room) }

//go:noinline
func use(*[24 << 10]byte) {}

// Buffer returns the Lambda handler for a buffered integration.
func (h Handler) Buffer(ctx context.Context, event Event) (events.APIGatewayProxyResponse, error) {
	ctx, cancel := h.withDeadline(ctx, &event)
	defer cancel()
	req, err := request(ctx, event)
	if err != nil {
		return events.APIGatewayProxyResponse{StatusCode: http.StatusBadRequest, Headers: badEventHeaders(), Body: badEventBody}, nil
	}
	w := core.NewProxyResponseWriter()
	h.ServeHTTP(w, req)
	if _, err := w.Write(nil); err != nil { // sets the status if the handler has not
		return events.APIGatewayProxyResponse{}, err
	}
	response, err := w.GetProxyResponse()
	response.Headers, response.MultiValueHeaders = splitHeader(response.MultiValueHeaders)
	return response, err
}

// maxAge is how long ago a request can have arrived: API Gateway gives up after
// 15 minutes. An event that claims more, such as a recorded one, has a wrong time.
const maxAge = 15 * time.Minute

// withDeadline limits ctx. The clock starts when API Gateway received the
// request, so that a cold start counts. A time that cannot be is not believed.
func (h Handler) withDeadline(ctx context.Context, event *Event) (context.Context, context.CancelFunc) {
	deadline, limited := ctx.Deadline()
	if limited {
		deadline = deadline.Add(-lambdaReserve)
	}
	if h.Budget > 0 {
		arrived := time.UnixMilli(event.RequestContext.RequestTimeEpoch)
		if age := time.Since(arrived); age < 0 || age > maxAge {
			arrived = time.Now()
		}
		if end := arrived.Add(h.Budget); !limited || end.Before(deadline) {
			deadline, limited = end, true
		}
	}
	if !limited {
		return context.WithCancel(ctx)
	}
	return context.WithDeadline(ctx, deadline)
}

// request builds the http.Request of an event.
func request(ctx context.Context, event Event) (*http.Request, error) {
	body := string(event.Body)
	if event.IsBase64Encoded {
		decoded, err := base64.StdEncoding.DecodeString(body)
		if err != nil {
			return nil, err
		}
		body = string(decoded)
	}
	event.Path = escaped(event.Path)
	event.IsBase64Encoded = false
	var accessor core.RequestAccessor
	req, err := accessor.EventToRequestWithContext(ctx, event.APIGatewayProxyRequest) // without the body, which it would copy
	if err != nil {
		return nil, err
	}
	req.Body, req.ContentLength = io.NopCloser(strings.NewReader(body)), int64(len(body))
	req.Header.Set(requestIDHeader, event.RequestContext.RequestID)
	return req, nil
}

// escaped returns the path of an event in a form that parses as part of a URL.
// REST APIs hand on the path as the client escaped it, other front ends decoded.
func escaped(path string) string {
	path = "/" + strings.TrimPrefix(path, "/")
	if decoded, err := url.PathUnescape(path); err == nil {
		path = decoded
	}
	return (&url.URL{Path: path}).EscapedPath()
}

// badEventBody answers an event that no http.Request can be made of, which a
// caller can only bring about with a body that is not the base64 it is said to be.
const badEventBody = `{"error":{"message":"The request body could not be read.","type":"invalid_request_error","param":null,"code":"invalid_json"}}`

func badEventHeaders() map[string]string {
	return map[string]string{"Content-Type": "application/json"}
}

func badEvent() *events.APIGatewayProxyStreamingResponse {
	return &events.APIGatewayProxyStreamingResponse{
		StatusCode: http.StatusBadRequest,
		Headers:    badEventHeaders(),
		Body:       strings.NewReader(badEventBody),
	}
}
