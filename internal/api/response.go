package api

import (
	"context"
	"io"
	"math"
	"net/http"
	"strconv"

	"hyperstudy-endpoint/internal/openai"
)

// A response is the one way to the caller. It knows whether something has been
// sent, and in which form a failure can still be told.
type response struct {
	http.ResponseWriter
	exchange *Exchange
	stream   *stream // set once a stream has begun
	gone     bool    // a part of the stream could not be sent: the caller hung up
}

// writeJSON sends a whole JSON response.
func (o *response) writeJSON(status int, v any) error {
	body, err := openai.Marshal(v)
	if err != nil {
		return err
	}
	o.exchange.Status = status
	o.Header().Set("Content-Type", "application/json")
	o.Header().Set("Content-Length", strconv.Itoa(len(body)))
	o.WriteHeader(status)
	_, _ = o.Write(body) // a caller that hung up cannot be told
	return nil
}

// fail sends the error as a response or, where a stream has begun, as its last
// event. It is the one place where a failure becomes a response.
func (o *response) fail(ctx context.Context, err error) {
	if o.gone || clientGone(ctx, err) {
		o.exchange.Status = openai.StatusClientClosed
		return
	}
	e := openai.AsError(err)
	o.exchange.Error = e
	if o.stream != nil {
		o.exchange.Status = e.Status
		o.stream.fail(e)
		return
	}
	switch e.Status {
	case http.StatusUnauthorized:
		o.Header().Set("WWW-Authenticate", "Bearer")
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		o.Header().Set("Retry-After", strconv.Itoa(retryAfterSeconds(e)))
	}
	if err := o.writeJSON(e.Status, errorBody(e)); err != nil {
		o.WriteHeader(http.StatusInternalServerError)
	}
}

// errorBody is the form that the API reports an error in.
func errorBody(e *openai.Error) any {
	return struct {
		Error *openai.Error `json:"error"`
	}{e}
}

// retryAfterSeconds is what the upstream asked for, rounded up, and one second
// where it did not say.
func retryAfterSeconds(e *openai.Error) int {
	return max(1, int(math.Ceil(e.RetryAfter.Seconds())))
}

// A bodyReader counts the bytes read through it.
type bodyReader struct {
	io.Reader
	announced int64 // the Content-Length; below 0 if there is none
	n         int64
}

func (b *bodyReader) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	b.n += int64(n)
	return n, err
}

// Len is about how many bytes there will be: what the caller announced, or nothing
// if that is more than is read of any body.
func (b *bodyReader) Len() int {
	if b.announced < 0 || b.announced > maxBody {
		return 0
	}
	return int(b.announced)
}
