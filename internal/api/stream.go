package api

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"sync"
	"time"

	"hyperstudy-endpoint/internal/openai"
)

// A stream writes a completion as server-sent events. Text may be emitted
// while the model writes it; a completion that had to be judged first is
// written in chunks once it is good, so that a stream never carries a call
// that does not satisfy its schema.
//
// While the model is asked, emit and ping may be called at the same time. All
// other methods are for the time after [stream.stop].
type stream struct {
	out     *response
	chunk   openai.ChatCompletionChunk // what all chunks have in common
	usage   bool                       // a usage chunk is wanted
	emitted bool                       // text has been emitted while it was written

	mu       sync.Mutex
	silence  *time.Timer // runs ping
	deadline time.Time   // of the request; zero if it has none
	hangUp   func()      // ends the work that nobody waits for any more
	stopped  bool        // no more pings
}

// newStream returns the stream for the answer to req. ctx is that of the work
// on it, and hangUp ends that work.
func newStream(ctx context.Context, hangUp func(), out *response, req *openai.ChatCompletionRequest) *stream {
	s := &stream{out: out, usage: req.StreamIncludesUsage, hangUp: hangUp, chunk: openai.ChatCompletionChunk{
		ID: "chatcmpl-" + out.exchange.RequestID, Object: "chat.completion.chunk", Created: time.Now().Unix(),
	}}
	if s.usage {
		s.chunk.Usage = json.RawMessage("null")
	}
	s.deadline, _ = ctx.Deadline()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.silence = time.AfterFunc(firstPing, s.ping)
	return s
}

// emit sends text while the model writes it.
func (s *stream) emit(modelID string, d openai.Delta) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.chunk.Model = modelID
	if err := s.begin(); err != nil {
		return err
	}
	s.emitted = true
	return s.delta(d, nil)
}

// open sends the header, once. From then on a failure can only be told as an event.
func (s *stream) open() {
	if s.out.stream != nil {
		return
	}
	s.out.stream = s
	s.out.exchange.Status = http.StatusOK
	s.out.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	s.out.WriteHeader(http.StatusOK)
}

// begin sends the header and the chunk that opens the message, unless text has
// been emitted before.
func (s *stream) begin() error {
	s.open()
	if s.emitted {
		return nil
	}
	return s.delta(openai.Delta{Role: "assistant", Content: new(string)}, nil)
}

// end sends what has not been sent of the completion.
func (s *stream) end(c *openai.ChatCompletion) error {
	s.chunk.Model, s.chunk.ServiceTier, s.chunk.SystemFingerprint = c.Model, c.ServiceTier, c.SystemFingerprint
	if !s.emitted {
		s.chunk.ID, s.chunk.Created = c.ID, c.Created
	}
	if err := s.begin(); err != nil {
		return err
	}
	choice := &c.Choices[0]
	if !s.emitted {
		if err := s.message(&choice.Message); err != nil {
			return err
		}
	}
	if err := s.delta(openai.Delta{}, &choice.FinishReason); err != nil {
		return err
	}
	if s.usage {
		if err := s.usageChunk(c.Usage); err != nil {
			return err
		}
	}
	return s.event([]byte("[DONE]"))
}

// message sends a whole message as deltas.
func (s *stream) message(m *openai.AnswerMessage) error {
	var deltas []openai.Delta
	if m.ReasoningContent != "" {
		deltas = append(deltas, openai.Delta{ReasoningContent: m.ReasoningContent})
	}
	if m.Content != nil && *m.Content != "" {
		deltas = append(deltas, openai.Delta{Content: m.Content})
	}
	if m.Refusal != nil {
		deltas = append(deltas, openai.Delta{Refusal: m.Refusal})
	}
	for i, call := range m.ToolCalls {
		open := openai.ToolCallDelta{Index: i, ID: call.ID, Type: call.Type, Function: openai.FunctionCallDelta{Name: call.Function.Name}, Extra: call.Extra}
		args := openai.ToolCallDelta{Index: i, Function: openai.FunctionCallDelta{Arguments: call.Function.Arguments}}
		deltas = append(deltas, openai.Delta{ToolCalls: []openai.ToolCallDelta{open}}, openai.Delta{ToolCalls: []openai.ToolCallDelta{args}})
	}
	for _, d := range deltas {
		if err := s.delta(d, nil); err != nil {
			return err
		}
	}
	return nil
}

// delta sends one chunk with a choice.
func (s *stream) delta(d openai.Delta, finish *string) error {
	chunk := s.chunk
	chunk.Choices = []openai.ChunkChoice{{Delta: d, FinishReason: finish}}
	return s.send(chunk)
}

// usageChunk sends the chunk that has no choice but the usage.
func (s *stream) usageChunk(u openai.Usage) error {
	encoded, err := openai.Marshal(u)
	if err != nil {
		return err
	}
	chunk := s.chunk
	chunk.Choices, chunk.Usage = []openai.ChunkChoice{}, encoded
	return s.send(chunk)
}

// fail ends a stream that has begun: the error, and neither a finish reason
// nor the mark of a good end.
func (s *stream) fail(e *openai.Error) {
	_ = s.send(errorBody(e)) // a caller that hung up cannot be told
}

func (s *stream) send(v any) error {
	data, err := openai.Marshal(v)
	if err != nil {
		return err
	}
	return s.event(data)
}

// event writes one event.
func (s *stream) event(data []byte) error {
	event := make([]byte, 0, len(data)+8)
	return s.write(append(append(append(event, "data: "...), data...), "\n\n"...))
}

// write passes bytes on at once and ends the work if there is nobody to take them.
func (s *stream) write(p []byte) error {
	_, err := s.out.Write(p)
	if err == nil {
		err = http.NewResponseController(s.out.ResponseWriter).Flush()
	}
	if err != nil && !errors.Is(err, http.ErrNotSupported) { // a front end that buffers has nothing to flush
		s.out.gone = true
		s.hangUp()
		return err
	}
	if !s.stopped {
		s.silence.Reset(pingEvery)
	}
	return nil
}
