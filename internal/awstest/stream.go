package awstest

import (
	"bytes"
	"net/http"
	"unicode/utf8"

	"github.com/aws/aws-sdk-go-v2/aws/protocol/eventstream"
)

// How many bytes of text and of a tool's input make one delta, about.
const (
	textPiece  = 12
	inputPiece = 9
)

// script is the reply as the events of a stream.
func (r Reply) script(content []block) []Event {
	if r.events != nil {
		return r.events
	}
	out := []Event{MessageStart()}
	for i, b := range content {
		out = append(out, b.events(i)...)
		out = append(out, BlockStop(i))
	}
	return append(out, MessageStop(r.stopReason()), Metadata(r.usage()))
}

// events are those of one content block but its stop. As with the service, a
// tool use begins with an empty piece of input, and nothing follows it when the
// input is an empty object.
func (b block) events(index int) (out []Event) {
	switch b.kind {
	case textBlock:
		for _, p := range pieces(b.text, textPiece) {
			out = append(out, TextDelta(index, p))
		}
	case toolUseBlock:
		out = append(out, ToolUseStart(index, b.id, b.name), ToolUseDelta(index, ""))
		if b.text == "{}" {
			break
		}
		for _, p := range pieces(b.text, inputPiece) {
			out = append(out, ToolUseDelta(index, p))
		}
	case reasoningBlock:
		for _, p := range pieces(b.text, textPiece) {
			out = append(out, ReasoningDelta(index, p))
		}
		out = append(out, SignatureDelta(index, Signature(b.text)))
	case rawBlock:
		out = append(out, delta(index, b.text))
	}
	return out
}

// pieces cuts s every n bytes, but never within a character.
func pieces(s string, n int) (out []string) {
	for len(s) > n {
		end := n
		for end < len(s) && !utf8.RuneStart(s[end]) {
			end++
		}
		out, s = append(out, s[:end]), s[end:]
	}
	if s != "" {
		out = append(out, s)
	}
	return out
}

// writeStream plays events, each flushed on its own.
func (s *Server) writeStream(w http.ResponseWriter, r *http.Request, events []Event) {
	w.Header().Set("Content-Type", "application/vnd.amazon.eventstream")
	flusher := http.NewResponseController(w)
	encoder := eventstream.NewEncoder()
	for _, e := range events {
		switch {
		case e.drop:
			drop()
		case e.hangs:
			if !s.hang(r, e.until) {
				drop()
			}
			continue
		case e.pause > 0:
			if !s.wait(r, e.pause) {
				drop()
			}
			continue
		}
		frame, err := e.frame(encoder)
		if err != nil {
			s.report("event %s: %v", e.payload, err)
			drop()
		}
		if _, err := w.Write(frame); err != nil {
			return // the client left
		}
		if err := flusher.Flush(); err != nil {
			return
		}
	}
}

// Frames returns events that neither pause nor break off as the body of a
// ConverseStream response.
func Frames(events ...Event) ([]byte, error) {
	var frames []byte
	encoder := eventstream.NewEncoder()
	for _, e := range events {
		frame, err := e.frame(encoder)
		if err != nil {
			return nil, err
		}
		frames = append(frames, frame...)
	}
	return frames, nil
}

// frame is the event as it is on the wire.
func (e Event) frame(encoder *eventstream.Encoder) ([]byte, error) {
	if e.raw != nil {
		return e.raw, nil
	}
	var m eventstream.Message
	for _, h := range e.headers {
		m.Headers.Set(h[0], eventstream.StringValue(h[1]))
	}
	m.Payload = []byte(e.payload)
	var b bytes.Buffer
	err := encoder.Encode(&b, m)
	return b.Bytes(), err
}
