package lambdatest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"
)

// Limits of a Lambda invocation in bytes, from
// https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html and,
// for the exact buffered figures, from Lambda's own error messages.
const (
	maxEvent            = 6_291_456
	maxBufferedResponse = 6_291_556
	maxStreamedResponse = 200 << 20
)

// Errors of [Function.Invoke]: the event did not reach the function.
var (
	ErrThrottled     = errors.New("lambda: TooManyRequestsException: rate exceeded")
	ErrEventTooLarge = fmt.Errorf("lambda: RequestEntityTooLargeException: event exceeds %d bytes", maxEvent)
	ErrClosed        = errors.New("lambda: function is closed")
)

// A FunctionError is a failure of the function itself, as Lambda reports it.
type FunctionError struct {
	// Type is the function's own word (the Go type of an error or of a panic
	// value, say) or Lambda's: Runtime.ExitError, Sandbox.Timedout,
	// Function.ResponseSizeTooLarge.
	Type    string `json:"errorType"`
	Message string `json:"errorMessage"`
}

// Error returns the type and the message.
func (e *FunctionError) Error() string {
	return e.Type + ": " + e.Message
}

// An Invocation is the record of one event that reached a function.
type Invocation struct {
	RequestID   string
	Environment int  // which environment served it, from 1 in the order of starting
	Cold        bool // whether it was the environment's first

	// InitDuration is the time from the exec of the process to its first request
	// for an event. Zero unless Cold, and zero if it never got there.
	InitDuration time.Duration
	// FirstByte and LastByte are the times from the delivery of the event to the
	// first byte and to the end of the response. Zero if there was none.
	FirstByte, LastByte time.Duration
	// Duration is the time from the delivery of the event to the request for the
	// next one, or to the end of the process. It is what Lambda bills.
	Duration time.Duration
	// ResponseBytes counts the response as the function sent it, with a stream's
	// prelude.
	ResponseBytes int64
	// PeakRSS is the most memory the process has held so far, in bytes (VmHWM of
	// /proc/PID/status). Zero where there is no such file, and for a process that
	// ended by itself during the invocation.
	PeakRSS int64
	// Err is nil or a [*FunctionError]. A function that exits after its response
	// has one although its caller saw none.
	Err error
}

// A Response is what a function answers to one event. Reading waits for the
// function. It ends with io.EOF, with a [*FunctionError], or with the cause of
// the context given to [Function.Invoke].
type Response struct {
	RequestID string

	ctx    context.Context // bounds Read, which cannot take one
	stream *stream
}

// Read implements [io.Reader].
func (r *Response) Read(p []byte) (int, error) {
	return r.stream.read(r.ctx, p)
}

// A call is one event on its way through an environment. The mutex of the
// Function guards its record.
type call struct {
	id        string
	event     []byte
	limit     int64 // most bytes of the response
	stream    *stream
	delivered time.Time
	deadline  *time.Timer
	record    Invocation
}

func newCall(event []byte, mode Mode) *call {
	c := &call{id: newUUID(), event: event, limit: maxBufferedResponse, stream: newStream()}
	if mode == Stream {
		c.limit = maxStreamedResponse
	}
	c.record.RequestID = c.id
	return c
}

// since returns the time since the event was delivered, or zero if it was not.
func (c *call) since(t time.Time) time.Duration {
	if c.delivered.IsZero() {
		return 0
	}
	return t.Sub(c.delivered)
}

// endError is what the reader of a response gets at its end.
func endError(err error) error {
	if err == nil {
		return io.EOF
	}
	return err
}
