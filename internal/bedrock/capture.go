package bedrock

import (
	"bytes"
	"context"
	"io"

	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"
	"github.com/aws/smithy-go"
	"github.com/aws/smithy-go/middleware"
	smithyhttp "github.com/aws/smithy-go/transport/http"
)

// A capture keeps the body of a successful response, which the SDK would decode
// with a loss: it orders the members of documents by name, repeats a content
// block in the place of one it does not know, and says nothing of a missing
// output. The SDK is handed an empty object instead.
type capture struct {
	bytes []byte
}

// option adds the capture to one call.
func (c *capture) option(o *bedrockruntime.Options) { sending(o, c) }

// ID names the middleware.
func (c *capture) ID() string { return "CaptureBody" }

// HandleDeserialize reads the body of a response that is no error, and cuts
// short that of one that is.
func (c *capture) HandleDeserialize(ctx context.Context, in middleware.DeserializeInput, next middleware.DeserializeHandler) (
	middleware.DeserializeOutput, middleware.Metadata, error,
) {
	out, metadata, err := next.HandleDeserialize(ctx, in)
	resp, ok := out.RawResponse.(*smithyhttp.Response)
	if err != nil || !ok {
		return out, metadata, err
	}
	if !isSuccess(resp) {
		resp.Body = limitedBody{io.LimitReader(resp.Body, maxFault), resp.Body}
		return out, metadata, nil
	}
	c.bytes, err = io.ReadAll(io.LimitReader(resp.Body, maxReply+1))
	if closeErr := resp.Body.Close(); err == nil {
		err = closeErr
	}
	if len(c.bytes) > maxReply {
		c.bytes, err = nil, errLongReply
	}
	if err != nil {
		return out, metadata, &smithy.DeserializationError{Err: err}
	}
	resp.Body = io.NopCloser(bytes.NewReader([]byte("{}")))
	return out, metadata, nil
}

func isSuccess(resp *smithyhttp.Response) bool {
	return resp.StatusCode >= 200 && resp.StatusCode < 300
}

// A limitedBody is a body of which only the beginning is read.
type limitedBody struct {
	io.Reader
	io.Closer
}
