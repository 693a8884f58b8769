package bedrock

import (
	"bytes"
	"context"
	"io"

	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"
	"github.com/aws/smithy-go/middleware"
	smithyhttp "github.com/aws/smithy-go/transport/http"
)

// A sender makes the HTTP request of a call in the place of the SDK's last step,
// which wraps the body and closes it as soon as an answer begins. Where net/http is
// still looking for the end of the body, it takes that for a failure and closes the
// connection in the middle of the answer (seen with smithy-go 1.28). Here net/http
// gets what the body is, bytes in memory: they leave together with the header, and
// a kept connection that proves to be closed is replaced by a new one.
type sender struct {
	client bedrockruntime.HTTPClient
}

// sending adds a sender to one call, with the middleware that reads the response.
func sending(o *bedrockruntime.Options, reader middleware.DeserializeMiddleware) {
	s := sender{o.HTTPClient}
	o.APIOptions = append(o.APIOptions, func(stack *middleware.Stack) error {
		if err := stack.Deserialize.Add(reader, middleware.After); err != nil {
			return err
		}
		return stack.Deserialize.Add(s, middleware.After)
	})
}

// ID names the middleware.
func (sender) ID() string { return "Send" }

// HandleDeserialize sends the request. One whose body is not in memory is left to
// the SDK.
func (s sender) HandleDeserialize(ctx context.Context, in middleware.DeserializeInput, next middleware.DeserializeHandler) (
	out middleware.DeserializeOutput, metadata middleware.Metadata, err error,
) {
	req, ok := in.Request.(*smithyhttp.Request)
	if !ok {
		return next.HandleDeserialize(ctx, in)
	}
	body, ok := req.GetStream().(*bytes.Reader)
	if !ok {
		return next.HandleDeserialize(ctx, in)
	}
	sent := req.WithContext(ctx)
	sent.Body = io.NopCloser(body)
	again := *body // not read yet
	sent.GetBody = func() (io.ReadCloser, error) {
		fresh := again
		return io.NopCloser(&fresh), nil
	}
	resp, err := s.client.Do(sent) //nolint:bodyclose // whoever reads the response closes it
	if err != nil {
		return out, metadata, &smithyhttp.RequestSendError{Err: err}
	}
	out.RawResponse = &smithyhttp.Response{Response: resp}
	return out, metadata, nil
}
