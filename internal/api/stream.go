package api

import (
	"encoding/json"
	"net/http"
	"time"

	"hyperstudy-endpoint/internal/openai"
)

// A stream writes a completion as server-sent events. Text may be emitted
// while the model writes it; a completion that had to be judged first is
// written in chunks once it is good, so that a stream never carries a call
// that does not satisfy its schema.
type stream struct {
	out     *response
	chunk   openai.ChatCompletionChunk // what all chunks have in common
	usage   bool                       // a usage chunk is wanted
	emitted bool                       // text has been emitted while it was written
}

func newStream(out *response, id string, req *openai.ChatCompletionRequest) *stream {
	s := &stream{out: out, usage: req.StreamIncludesUsage, chunk: openai.ChatCompletionChunk{
		ID: "chatcmpl-" + id, Object: "chat.completion.chunk", Created: time.Now().Unix(),
	}}
	if s.usage {
		s.chunk.Usage = json.RawMessage("null")
	}
	return s
}

// emit is the [chat.Emit] of a live stream.
func (s *stream) emit(modelID string, d openai.Delta) error {
	s.chunk.Model = modelID
	s.emitted = true
	if err := s.begin(); err != nil {
		return err
	}
	return s.delta(d, nil)
}

// begin sends the header and the chunk that opens the message, once.
func (s *stream) begin() error {
	if s.out.stream != nil {
		return nil
	}
	s.out.stream = s
	s.out.exchange.Status = http.StatusOK
	s.out.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	s.out.WriteHeader(http.StatusOK)
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
		open := openai.ToolCallDelta{Index: i, ID: call.ID, Type: call.Type, Function: openai.FunctionCallDelta{Name: call.Function.Name}}
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

// event writes one event and passes it on at once.
func (s *stream) event(data []byte) error {
	event := make([]byte, 0, len(data)+8)
	event = append(append(append(event, "data: "...), data...), "\n\n"...)
	if _, err := s.out.Write(event); err != nil {
		return err
	}
	return http.NewResponseController(s.out.ResponseWriter).Flush()
}
