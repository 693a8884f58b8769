package bedrock

import (
	"context"
	"io"

	"github.com/aws/smithy-go/middleware"
	smithyhttp "github.com/aws/smithy-go/transport/http"
)

// A plainBody hides that the body of a request can write itself. The SDK closes
// the body as soon as an answer begins, and such a body then reports io.EOF as a
// failure to net/http, if that is still looking for its end: the connection is
// closed in the middle of the answer. (Seen with smithy-go 1.28.)
type plainBody struct{}

// ID names the middleware.
func (plainBody) ID() string { return "PlainBody" }

// HandleBuild puts a reader without io.WriterTo in the place of the body.
func (plainBody) HandleBuild(ctx context.Context, in middleware.BuildInput, next middleware.BuildHandler) (middleware.BuildOutput, middleware.Metadata, error) {
	if req, ok := in.Request.(*smithyhttp.Request); ok {
		if body, ok := req.GetStream().(io.ReadSeeker); ok {
			plain, err := req.SetStream(struct{ io.ReadSeeker }{body})
			if err != nil {
				return middleware.BuildOutput{}, middleware.Metadata{}, err
			}
			in.Request = plain
		}
	}
	return next.HandleBuild(ctx, in)
}

// add adds the middleware to a call.
func (b plainBody) add(stack *middleware.Stack) error { return stack.Build.Add(b, middleware.After) }
