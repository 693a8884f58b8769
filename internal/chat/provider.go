// Package chat insists on a good completion: it makes attempts at one, judges
// the tool calls that come back, and tries again while the deadline allows.
// It is the only place that retries.
package chat

import (
	"context"

	"hyperstudy-endpoint/internal/openai"
)

// A Provider makes one attempt at a chat completion. It neither retries nor
// judges the tool calls it is given. The request's Model is the upstream's own
// id of the model. Errors carry an [*openai.Error].
//
// The completion has exactly one choice, whose tool calls are those of the
// upstream, their arguments as the model wrote them, and names in its Ignored
// field the parameters that had no effect.
type Provider interface {
	Complete(ctx context.Context, req *openai.ChatCompletionRequest) (*openai.ChatCompletion, error)
}

// A Streamer is a Provider that can hand out text while the model writes it.
// Stream calls emit with every piece of content or reasoning as it arrives and
// returns the whole completion once the upstream has ended it. An error of
// emit ends the stream and is returned. Streamer is only asked for requests
// whose answer need not be judged: without tools and without a JSON format.
type Streamer interface {
	Provider
	Stream(ctx context.Context, req *openai.ChatCompletionRequest, emit func(openai.Delta) error) (*openai.ChatCompletion, error)
}
