package awstest

import (
	"context"
	"fmt"
	"strconv"
	"time"
)

// An Event is one step of a scripted [Stream]: a message of the event stream, or
// something that happens between two of them.
type Event struct {
	headers [][2]string // of the message
	payload string
	raw     []byte // sent as it is, unframed
	pause   time.Duration
	hangs   bool
	until   <-chan struct{} // when a hang ends
	drop    bool
}

// NewEvent is a message of any type with a JSON payload. A type the service
// model does not know is what an older SDK makes of a new one.
func NewEvent(eventType, payload string) Event {
	return Event{payload: payload, headers: [][2]string{
		{":event-type", eventType}, {":content-type", "application/json"}, {":message-type", "event"},
	}}
}

// MessageStart opens the message.
func MessageStart() Event { return NewEvent("messageStart", `{"role":"assistant"}`) }

// TextDelta adds to the text of a content block. The service sends no start for
// text blocks.
func TextDelta(index int, text string) Event { return delta(index, `{"text":`+quote(text)+`}`) }

// ToolUseStart opens a tool use.
func ToolUseStart(index int, id, name string) Event {
	return NewEvent("contentBlockStart", fmt.Sprintf(`{"contentBlockIndex":%d,"start":{"toolUse":{"name":%s,"toolUseId":%s}}}`,
		index, quote(name), quote(id)))
}

// ToolUseDelta adds to the input of a tool use: a piece of its JSON text.
func ToolUseDelta(index int, input string) Event {
	return delta(index, `{"toolUse":{"input":`+quote(input)+`}}`)
}

// ReasoningDelta adds to the text of a reasoning block.
func ReasoningDelta(index int, text string) Event {
	return delta(index, `{"reasoningContent":{"text":`+quote(text)+`}}`)
}

// SignatureDelta gives the signature of a reasoning block.
func SignatureDelta(index int, signature string) Event {
	return delta(index, `{"reasoningContent":{"signature":`+quote(signature)+`}}`)
}

// BlockStop closes a content block of any kind.
func BlockStop(index int) Event {
	return NewEvent("contentBlockStop", `{"contentBlockIndex":`+strconv.Itoa(index)+`}`)
}

// MessageStop closes the message.
func MessageStop(reason string) Event {
	return NewEvent("messageStop", `{"stopReason":`+quote(reason)+`}`)
}

// Metadata is the last event of a stream.
func Metadata(u Usage) Event {
	return NewEvent("metadata", fmt.Sprintf(`{"metrics":{"latencyMs":%d},"usage":%s}`, latency, u.json()))
}

// Exception is an error within the stream, named as its event is:
// throttlingException, modelStreamErrorException, validationException,
// internalServerException or serviceUnavailableException.
func Exception(exceptionType, message string) Event {
	return Event{payload: string(object("message", message)), headers: [][2]string{
		{":exception-type", exceptionType}, {":content-type", "application/json"}, {":message-type", "exception"},
	}}
}

// StreamError is an error outside the service model: a message of type error.
func StreamError(code, message string) Event {
	return Event{headers: [][2]string{{":error-code", code}, {":error-message", message}, {":message-type", "error"}}}
}

// Bytes are sent as they are, between two messages: half a message, or garbage.
func Bytes(b []byte) Event { return Event{raw: append([]byte{}, b...)} }

// Pause waits before the next event.
func Pause(d time.Duration) Event { return Event{pause: d} }

// Stall sends nothing more until ctx is done, the client leaves or the Server
// closes. After ctx the stream goes on.
func Stall(ctx context.Context) Event { return Event{hangs: true, until: ctx.Done()} }

// Break drops the connection. A stream that merely ends is closed in good order.
func Break() Event { return Event{drop: true} }

func delta(index int, d string) Event {
	return NewEvent("contentBlockDelta", fmt.Sprintf(`{"contentBlockIndex":%d,"delta":%s}`, index, d))
}
