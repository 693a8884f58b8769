package openai

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"
)

// Error types, as the API reference names them.
const (
	TypeInvalidRequest = "invalid_request_error"
	TypeRateLimit      = "rate_limit_error"
	TypeServer         = "server_error"
)

// Error codes that this endpoint answers with.
const (
	CodeInvalidAPIKey        = "invalid_api_key"
	CodeInvalidJSON          = "invalid_json"
	CodeInvalidValue         = "invalid_value"
	CodeMissingParameter     = "missing_required_parameter"
	CodeUnsupportedParameter = "unsupported_parameter"
	CodeRequestTooLarge      = "request_too_large"
	CodeUnknownURL           = "unknown_url"
	CodeMethodNotAllowed     = "method_not_allowed"
	CodeModelNotFound        = "model_not_found"
	CodeContextLength        = "context_length_exceeded"
	CodeMaxTokensReached     = "max_tokens_reached"
	CodeRateLimit            = "rate_limit_exceeded"
	CodeInsufficientQuota    = "insufficient_quota"
	CodeModelAccessDenied    = "model_access_denied"
	CodeModelRefusal         = "model_refusal"
	CodeModelError           = "model_error"
	CodeNoToolCall           = "no_tool_call"
	CodeInvalidToolCall      = "invalid_tool_call"
	CodeSeveralToolCalls     = "several_tool_calls"
	CodeInvalidJSONAnswer    = "invalid_json_answer"
	CodeUpstream             = "upstream_error"
	CodeUnavailable          = "service_unavailable"
	CodeTimeout              = "timeout"
	CodeInternal             = "internal_error"
)

// StatusClientClosed is the status of a failure that nobody is left to be told of:
// the caller has hung up. It is nginx's, since HTTP has none.
const StatusClientClosed = 499

// An Error is a failure as the API reports it. Clients see Message, Type,
// Param and Code and nothing else. Message therefore says what the caller can
// change, and never holds text of a participant or of a model, a key, an ARN,
// or what an upstream wrote.
type Error struct {
	Status  int
	Message string
	Type    string
	Param   string // "" is sent as null
	Code    string // "" is sent as null

	// Temporary marks a fault that lies between the request and its answer, and not
	// in the request: throttling, a server error, a lost connection, an address
	// where nobody listens. Another attempt may not meet it, nor may another model.
	Temporary bool
	// Patience is how many other attempts a Temporary fault is worth.
	Patience Patience
	// RetryAfter is how long the upstream asked to be left alone; 0 if it did not say.
	RetryAfter time.Duration
	// Usage is what a failed attempt was billed, if the upstream said so.
	Usage Usage
	// Err is the cause. It is for tests and for errors.Is; it is neither sent nor logged.
	Err error
}

// A Patience is how far a Temporary fault is pursued. It says what kind of fault
// it is; whoever retries puts the numbers to it.
type Patience int

const (
	// UntilTheEnd is for what passes by itself: throttling, an overloaded server, a
	// connection that was lost. Time alone limits the retries.
	UntilTheEnd Patience = iota
	// ForAWhile is for an upstream to which no connection comes about. It may be
	// starting again, or its address may be wrong.
	ForAWhile
	// AFewTimes is for replies that are of no use although they may be billed.
	AFewTimes
	// OnceMore is for what is most likely a wrong setting.
	OnceMore
)

// Error returns the message that clients see.
func (e *Error) Error() string { return e.Message }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// MarshalJSON writes the object that stands under "error" in a response.
func (e *Error) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Message string  `json:"message"`
		Type    string  `json:"type"`
		Param   *string `json:"param"`
		Code    *string `json:"code"`
	}{e.Message, e.Type, orNull(e.Param), orNull(e.Code)})
}

func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// AsError returns the *Error that err carries. Anything else is a fault of the
// endpoint itself and becomes a bare 500, its text kept from the client.
func AsError(err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return &Error{
		Status:  http.StatusInternalServerError,
		Message: "The endpoint failed while it worked on this request. Try again; if it stays, look for the request id in the function's log.",
		Type:    TypeServer,
		Code:    CodeInternal,
		Err:     err,
	}
}

// InvalidValue is a 400 for a parameter whose value cannot be used.
func InvalidValue(param, format string, args ...any) *Error {
	return badRequest(param, CodeInvalidValue, format, args...)
}

// Missing is a 400 for a required parameter that is not there.
func Missing(param string) *Error {
	return badRequest(param, CodeMissingParameter, "Missing required parameter: '%s'.", param)
}

// Unsupported is a 400 for a parameter this endpoint or this model cannot honour.
func Unsupported(param, format string, args ...any) *Error {
	return badRequest(param, CodeUnsupportedParameter, format, args...)
}

func badRequest(param, code, format string, args ...any) *Error {
	return &Error{
		Status:  http.StatusBadRequest,
		Message: fmt.Sprintf(format, args...),
		Type:    TypeInvalidRequest,
		Param:   param,
		Code:    code,
	}
}
