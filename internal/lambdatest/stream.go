package lambdatest

import (
	"bytes"
	"context"
	"sync"
)

// A stream carries a response from a function to its caller. It keeps what has
// not been read yet, so that a caller who is slow or gone never holds the
// function up: Lambda does not either. It serves one writer and one reader.
type stream struct {
	mu   sync.Mutex
	buf  bytes.Buffer
	err  error         // set once the response is over; io.EOF if it is complete
	more chan struct{} // holds a token when there may be something new
}

func newStream() *stream {
	return &stream{more: make(chan struct{}, 1)}
}

// Write appends p. It never fails and never waits.
func (s *stream) Write(p []byte) (int, error) {
	s.mu.Lock()
	n, err := s.buf.Write(p)
	s.mu.Unlock()
	s.signal()
	return n, err
}

// end makes readers get err once they have read what was written. Only the
// first call counts.
func (s *stream) end(err error) {
	s.mu.Lock()
	if s.err == nil {
		s.err = err
	}
	s.mu.Unlock()
	s.signal()
}

func (s *stream) signal() {
	select {
	case s.more <- struct{}{}:
	default:
	}
}

// read waits until there is something to read, the stream has ended, or ctx has;
// then the error is ctx's cause.
func (s *stream) read(ctx context.Context, p []byte) (int, error) {
	for {
		if n, err := s.take(p); n > 0 || err != nil || len(p) == 0 {
			return n, err
		}
		select {
		case <-s.more:
		case <-ctx.Done():
			return 0, context.Cause(ctx)
		}
	}
}

// take returns what is there without waiting.
func (s *stream) take(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.buf.Len() == 0 {
		return 0, s.err
	}
	return s.buf.Read(p)
}
