package external

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

const maxLine = 1 << 20 // of a stream, in bytes

// errLongLine is reported for a line above maxLine.
var errLongLine = errors.New("a line of the event stream is too long")

// An event is one event of a server-sent event stream.
type event struct {
	name string // empty for a plain message
	data []byte // the data lines, joined by newlines
}

// An eventReader splits an event stream as the HTML standard describes it
// (https://html.spec.whatwg.org/multipage/server-sent-events.html), but for two
// things: an event that the end of the stream cuts short before its empty line
// counts, and so does the field "error", which llama-server has sent.
type eventReader struct {
	r      *bufio.Reader
	skipLF bool // the last line ended with a carriage return
}

// next returns the next event that has data. Its error is [io.EOF] at the end.
func (e *eventReader) next() (event, error) {
	var (
		ev   event
		data [][]byte
		size int
	)
	for {
		line, err := e.line()
		if err != nil && !errors.Is(err, io.EOF) {
			return event{}, err
		}
		name, value, _ := bytes.Cut(line, []byte{':'})
		value = bytes.TrimPrefix(value, []byte{' '})
		switch string(name) {
		case "data":
			data = append(data, value)
		case "event":
			ev.name = string(value)
		case "error":
			ev.name = "error"
			data = append(data, value)
		}
		if size += len(line); size > maxReply {
			return event{}, errLongLine
		}
		ended := len(line) == 0 || err != nil
		if ended && len(data) > 0 {
			ev.data = bytes.Join(data, []byte{'\n'})
			return ev, nil
		}
		if err != nil {
			return event{}, err
		}
		if len(line) == 0 {
			ev.name = ""
		}
	}
}

// line returns the next line without its end, which is a line feed, a carriage
// return or both. With [io.EOF] it returns what stands before the end of the stream.
func (e *eventReader) line() ([]byte, error) {
	var line []byte
	for {
		b, err := e.r.ReadByte()
		if err != nil {
			return line, err
		}
		skip := e.skipLF && b == '\n'
		e.skipLF = false
		switch {
		case skip:
		case b == '\n':
			return line, nil
		case b == '\r':
			e.skipLF = true
			return line, nil
		case len(line) == maxLine:
			return nil, errLongLine
		default:
			line = append(line, b)
		}
	}
}
