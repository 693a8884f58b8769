package lambdahttp

import (
	"encoding/json"
	"errors"

	"github.com/aws/aws-lambda-go/events"

	"hyperstudy-endpoint/internal/rawjson"
)

// An Event is an API Gateway proxy event whose body is decoded in a way that is
// quick also where it has megabytes.
type Event struct {
	events.APIGatewayProxyRequest
	Body Text `json:"body"` // in the place of the embedded one
}

// A Text is a string that decodes itself.
type Text string

// UnmarshalJSON decodes a string that encoding/json has found to be valid.
func (t *Text) UnmarshalJSON(value []byte) error {
	switch {
	case rawjson.IsNull(value):
	case rawjson.IsString(value):
		*t = Text(rawjson.Unquote(value))
	default:
		return errors.New("lambdahttp: the body of an event is a string")
	}
	return nil
}

var _ json.Unmarshaler = (*Text)(nil)
