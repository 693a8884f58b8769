package lambdatest

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
)

// A ResponseType names an error of API Gateway's own. See
// https://docs.aws.amazon.com/apigateway/latest/developerguide/supported-gateway-response-types.html.
type ResponseType string

// The types that this gateway produces, and the two defaults. A failure of the
// function itself has no type of its own: it falls under Default5XX.
const (
	Default4XX                 ResponseType = "DEFAULT_4XX"
	Default5XX                 ResponseType = "DEFAULT_5XX"
	IntegrationFailure         ResponseType = "INTEGRATION_FAILURE"
	IntegrationTimeout         ResponseType = "INTEGRATION_TIMEOUT"
	MissingAuthenticationToken ResponseType = "MISSING_AUTHENTICATION_TOKEN"
	RequestTooLarge            ResponseType = "REQUEST_TOO_LARGE"
	Throttled                  ResponseType = "THROTTLED"
)

// A GatewayResponse is what to answer instead of API Gateway's usual words.
type GatewayResponse struct {
	Status int         // zero: the usual one
	Header http.Header // added; without the quotes of a template's literals
	// Body is the template. $context.error.message, its quoted form
	// $context.error.messageString, $context.error.responseType,
	// $context.requestId and $context.extendedRequestId are filled in. Empty: the
	// usual {"message":$context.error.messageString}.
	Body string
}

// A fault is an error of the gateway: its type, how it is answered if nothing
// else is said, and the exception named in a header.
type fault struct {
	kind      ResponseType
	status    int
	message   string
	exception string
}

// The statuses, messages and exceptions are those seen from REST APIs.
var (
	forbidden                  = fault{"", http.StatusForbidden, "Forbidden", "ForbiddenException"}
	missingAuthenticationToken = fault{MissingAuthenticationToken, http.StatusForbidden, "Missing Authentication Token", "MissingAuthenticationTokenException"}
	requestTooLarge            = fault{RequestTooLarge, http.StatusRequestEntityTooLarge, "Request Too Long", "BadRequestException"}
	throttled                  = fault{Throttled, http.StatusTooManyRequests, "Too Many Requests", "TooManyRequestsException"}
	hiddenThrottling           = fault{IntegrationFailure, http.StatusInternalServerError, internalError, "InternalServerErrorException"}
	integrationTimeout         = fault{IntegrationTimeout, http.StatusGatewayTimeout, "Endpoint request timed out", "InternalServerErrorException"}
	functionFailed             = fault{Default5XX, http.StatusBadGateway, internalError, "InternalServerErrorException"}
	malformedStream            = fault{Default5XX, http.StatusInternalServerError, internalError, "InternalServerErrorException"}
)

const internalError = "Internal server error"

// fail answers with a fault in the words that are configured for it.
func (x *exchange) fail(f fault) {
	configured, ok := x.gateway.Responses[f.kind]
	if !ok {
		byStatus := Default5XX
		if f.status < http.StatusInternalServerError {
			byStatus = Default4XX
		}
		configured = x.gateway.Responses[byStatus]
	}
	x.answer(f, configured)
}

func (x *exchange) answer(f fault, configured GatewayResponse) {
	h := x.w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("x-amzn-errortype", f.exception)
	for name, values := range configured.Header {
		h[http.CanonicalHeaderKey(name)] = values
	}
	template := configured.Body
	if template == "" {
		template = `{"message":$context.error.messageString}`
	}
	quoted, err := json.Marshal(f.message)
	if err != nil {
		panic(err) // a string always marshals
	}
	body := strings.NewReplacer(
		"$context.error.messageString", string(quoted), // before the one that is its beginning
		"$context.error.message", f.message,
		"$context.error.responseType", string(f.kind),
		"$context.requestId", x.id,
		"$context.extendedRequestId", x.extendedID,
	).Replace(template)
	status := f.status
	if configured.Status != 0 {
		status = configured.Status
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	x.w.WriteHeader(status)
	_, _ = x.w.Write([]byte(body)) // fails only if the client has gone
}

// contentTooLong answers for a body above the limit. That happens ahead of the
// API, so gateway responses do not apply and the answer is no JSON.
func (x *exchange) contentTooLong() {
	h := x.w.Header()
	h.Del("x-amzn-RequestId")
	h.Del("x-amz-apigw-id")
	http.Error(x.w, "HTTP content length exceeded "+strconv.Itoa(maxBody)+" bytes.", http.StatusRequestEntityTooLarge)
}
