package lambdatest

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"mime"
	"net"
	"slices"
	"strings"

	"github.com/aws/aws-lambda-go/events"
)

// apiID is the id of the pretended API; its host is what a function is told.
const (
	apiID      = "abcdefghij"
	domainName = apiID + ".execute-api." + region + ".amazonaws.com"
)

// A proxyEvent is [events.APIGatewayProxyRequest] with the members that API
// Gateway always sends, a null body among them.
type proxyEvent struct {
	events.APIGatewayProxyRequest
	Body            *string `json:"body"`
	IsBase64Encoded bool    `json:"isBase64Encoded"`
}

// event builds what the function gets. See "Input format of a Lambda function for
// proxy integration",
// https://docs.aws.amazon.com/apigateway/latest/developerguide/set-up-lambda-proxy-integrations.html.
func (x *exchange) event(body []byte) proxyEvent {
	host, _, err := net.SplitHostPort(x.r.RemoteAddr)
	if err != nil {
		host = x.r.RemoteAddr
	}
	came := x.received.Add(-x.gateway.Age).UTC()
	headers := x.eventHeaders(host)
	query := map[string][]string(x.r.URL.Query())
	if len(query) == 0 {
		query = nil
	}
	e := proxyEvent{APIGatewayProxyRequest: events.APIGatewayProxyRequest{
		Resource:                        x.route.Path,
		Path:                            x.path,
		HTTPMethod:                      x.r.Method,
		Headers:                         last(headers),
		MultiValueHeaders:               headers,
		QueryStringParameters:           last(query),
		MultiValueQueryStringParameters: query,
		PathParameters:                  x.params,
		RequestContext: events.APIGatewayProxyRequestContext{
			AccountID:         account,
			ResourceID:        "rsrc01",
			Stage:             x.gateway.stage(),
			DomainName:        domainName,
			DomainPrefix:      apiID,
			RequestID:         x.id,
			ExtendedRequestID: x.extendedID,
			Protocol:          x.r.Proto,
			Identity:          events.APIGatewayRequestIdentity{SourceIP: host, UserAgent: x.r.UserAgent()},
			ResourcePath:      x.route.Path,
			Path:              "/" + x.gateway.stage() + x.path,
			HTTPMethod:        x.r.Method,
			RequestTime:       came.Format("02/Jan/2006:15:04:05 -0700"),
			RequestTimeEpoch:  came.UnixMilli(),
			APIID:             apiID,
		},
	}}
	if len(body) == 0 {
		return e
	}
	text := string(body)
	if x.binary(x.r.Header.Get("Content-Type")) {
		e.IsBase64Encoded, text = true, base64.StdEncoding.EncodeToString(body)
	}
	e.Body = &text
	return e
}

// marshalEvent encodes an event. API Gateway does not escape HTML, and the escapes
// would count towards the limit of an event.
func marshalEvent(e proxyEvent) []byte {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(e); err != nil {
		panic(fmt.Errorf("lambdatest: proxy event: %w", err)) // it has strings and numbers only
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n"))
}

// eventHeaders returns the request's headers as a REST API passes them on:
// without those of the connection and with those that tell of it.
func (x *exchange) eventHeaders(host string) map[string][]string {
	h := x.r.Header.Clone()
	for _, name := range []string{"Connection", "Content-Length", "Expect", "Keep-Alive", "Proxy-Authorization", "Te", "Trailer", "Transfer-Encoding", "Upgrade"} {
		h.Del(name)
	}
	if h.Get("X-Amzn-Trace-Id") == "" {
		h.Set("X-Amzn-Trace-Id", newTraceID(x.received))
	}
	forwarded := append(slices.Clone(x.r.Header.Values("X-Forwarded-For")), host)
	h.Set("Host", domainName)
	h.Set("X-Forwarded-For", strings.Join(forwarded, ", "))
	h.Set("X-Forwarded-Port", "443")
	h.Set("X-Forwarded-Proto", "https")
	return h
}

// binary reports whether a content type is passed on as base64.
func (x *exchange) binary(contentType string) bool {
	kind, _, err := mime.ParseMediaType(contentType)
	if err != nil {
		kind = strings.TrimSpace(contentType)
	}
	major, _, _ := strings.Cut(kind, "/")
	for _, b := range x.gateway.BinaryMediaTypes {
		if b == "*/*" || strings.EqualFold(b, kind) || strings.EqualFold(b, major+"/*") {
			return true
		}
	}
	return false
}

// last returns the last of each name's values, which is the one API Gateway
// gives where there is room for one.
func last(values map[string][]string) map[string]string {
	if values == nil {
		return nil
	}
	out := make(map[string]string, len(values))
	for name, v := range values {
		if len(v) > 0 {
			out[name] = v[len(v)-1]
		}
	}
	return out
}
