package bedrock

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"hyperstudy-endpoint/internal/openai"
)

// fault is the API's error for a failed call with this request.
func (t *translation) fault(ctx context.Context, err error) *openai.Error {
	e := fault(ctx, err)
	if param := t.req.MaxTokensParam; param != "" && e.Param == tooManyTokens.param {
		e.Message = strings.ReplaceAll(e.Message, e.Param, param)
		e.Param = param
	}
	return e
}

// fault is the API's error for a failed call of Bedrock. What AWS wrote decides
// which one it is, but never appears in it: it can hold account numbers, role
// names and parts of the request.
func fault(ctx context.Context, err error) *openai.Error {
	if e := interrupted(ctx, err); e != nil {
		return e
	}
	switch {
	case errors.Is(err, errLongReply):
		return overlong()
	case errors.Is(err, errUnicode):
		return undecodable(err)
	}
	var (
		api        smithy.APIError
		response   *smithyhttp.ResponseError
		unreadable *smithy.DeserializationError
	)
	code, text, status := "", "", 0
	if errors.As(err, &response) {
		status = response.HTTPStatusCode()
	}
	if errors.As(err, &unreadable) && status < http.StatusBadRequest {
		return undecodable(err)
	}
	if errors.As(err, &api) {
		code, text = api.ErrorCode(), strings.ToLower(strings.ReplaceAll(api.ErrorMessage(), "’", "'"))
	}
	e := classify(code, text, status, err)
	e.Err = err
	if response != nil && response.Response != nil && e.Temporary {
		e.RetryAfter = openai.RetryAfter(response.Response.Header, time.Now())
	}
	return e
}

// interrupted is the error for a context that has ended, or nil. What err is does
// not tell: connections have time limits of their own.
func interrupted(ctx context.Context, err error) *openai.Error {
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return &openai.Error{
			Status: http.StatusGatewayTimeout, Type: openai.TypeServer, Code: openai.CodeTimeout, Err: errors.Join(context.DeadlineExceeded, err),
			Message: "The model did not answer in time. Raise the time limit, ask for a shorter answer, or choose a faster model.",
		}
	case ctx.Err() != nil:
		return &openai.Error{
			Status: openai.StatusClientClosed, Type: openai.TypeServer, Code: openai.CodeInternal, Err: errors.Join(context.Canceled, err),
			Message: "The request was given up before the model answered.",
		}
	}
	return nil
}

// classify finds the error for the name and lower-case text of an AWS error,
// else for the HTTP status, else for an error that never got that far.
func classify(code, text string, status int, err error) *openai.Error {
	for _, f := range faults {
		if f.matches(code, text) {
			return f.error()
		}
	}
	switch {
	case status == http.StatusTooManyRequests:
		return throttled.error()
	case status == http.StatusRequestTimeout, status == http.StatusGatewayTimeout:
		return modelTimeout.error()
	case status == http.StatusServiceUnavailable:
		return unavailable.error()
	case status >= http.StatusInternalServerError:
		return upstream.error()
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return credentials.error()
	case status == http.StatusNotFound:
		return unknownModel.error()
	case status == http.StatusRequestEntityTooLarge:
		return tooLarge.error()
	case status >= http.StatusBadRequest:
		return invalid.error()
	}
	if strings.Contains(err.Error(), "get identity") || strings.Contains(err.Error(), "sign request") {
		return credentials.error() // the SDK has no type for it
	}
	return unreached(err)
}

// unreached is the error for a call that never got to Bedrock.
func unreached(err error) *openai.Error {
	var (
		dns         *net.DNSError
		certificate *tls.CertificateVerificationError
	)
	switch {
	case errors.As(err, &dns) && dns.IsNotFound:
		return noHost.error()
	case errors.As(err, &certificate):
		return untrusted.error()
	}
	return upstream.error()
}

// undecodable is the error for an answer that is not what Converse answers.
func undecodable(err error) *openai.Error {
	e := unusable.error()
	e.Err = err
	return e
}

// overlong is the error for an answer that is too long to be read. Another
// attempt would be as long.
func overlong() *openai.Error {
	e := upstream.error()
	e.Message = "The answer of Amazon Bedrock is too long to be read. Set 'max_tokens' or choose another model."
	e.Temporary = false
	e.Err = errLongReply
	return e
}

// emptyReply is the error for an answer without a message.
func emptyReply(usage openai.Usage) *openai.Error {
	e := unusable.error()
	e.Message = "Amazon Bedrock answered without a message. Try again."
	e.Usage = usage
	return e
}

// malformed is the error for an answer that the model failed to write.
func malformed(usage openai.Usage) *openai.Error {
	e := modelFailed.error()
	e.Usage = usage
	return e
}
