package lambdahttp

import (
	"bytes"
	"errors"
	"io"
	"net/http"

	"github.com/aws/aws-lambda-go/events"
)

// errAborted ends a response whose handler gave up after it had begun.
var errAborted = errors.New("lambdahttp: the handler aborted the response")

// A streamWriter is the http.ResponseWriter of a streamed response. What the
// handler writes is kept until it flushes or ends: an answer that is written at
// once is handed over in one piece, without goroutines that wake each other for
// its parts. From the first flush on every write is passed on at once.
type streamWriter struct {
	header http.Header
	status int // 0 until WriteHeader
	sent   http.Header
	kept   []byte         // written before the first flush
	pipe   *io.PipeWriter // where the rest goes; nil until the first flush
	body   io.Reader
	begun  chan struct{} // closed when status, sent and body are final
}

func newStreamWriter() *streamWriter {
	return &streamWriter{header: http.Header{}, begun: make(chan struct{})}
}

// Header returns the header that WriteHeader sends.
func (w *streamWriter) Header() http.Header { return w.header }

// WriteHeader fixes status and header, once. Informational statuses have no
// place in a proxy response.
func (w *streamWriter) WriteHeader(status int) {
	if status >= http.StatusOK && w.status == 0 {
		w.status, w.sent = status, w.header.Clone()
	}
}

// Write keeps p until the first flush. After it the runtime gets p, which passes
// it on at once.
func (w *streamWriter) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	if w.pipe != nil {
		return w.pipe.Write(p)
	}
	w.kept = append(w.kept, p...)
	return len(p), nil
}

// FlushError begins the response, for [http.ResponseController].
func (w *streamWriter) FlushError() error {
	if w.pipe != nil {
		return nil
	}
	var body *io.PipeReader
	body, w.pipe = io.Pipe()
	w.begin(body)
	if len(w.kept) == 0 { // a pipe waits for a reader also where there is nothing to read
		return nil
	}
	_, err := w.pipe.Write(w.kept)
	return err
}

// begin has response return.
func (w *streamWriter) begin(body io.Reader) {
	w.WriteHeader(http.StatusOK)
	w.body = body
	close(w.begun)
}

// finish ends the response. It is deferred around the handler: a handler that
// panics aborts the response, which the runtime then reports as failed.
func (w *streamWriter) finish() {
	if p := recover(); p != nil {
		w.WriteHeader(http.StatusInternalServerError)
		_ = w.FlushError()                    // nobody is left to be told
		_ = w.pipe.CloseWithError(errAborted) // never fails
		return
	}
	if w.pipe == nil {
		w.begin(bytes.NewReader(w.kept))
		return
	}
	_ = w.pipe.Close() // never fails
}

// response waits until the response begins and returns it.
func (w *streamWriter) response() *events.APIGatewayProxyStreamingResponse {
	<-w.begun
	single, multi := splitHeader(w.sent)
	return &events.APIGatewayProxyStreamingResponse{
		StatusCode:        w.status,
		Headers:           single,
		MultiValueHeaders: multi,
		Body:              w.body,
	}
}

// splitHeader returns the fields with one value and those with several, which
// is how a proxy response holds them.
func splitHeader(h map[string][]string) (single map[string]string, multi map[string][]string) {
	single = map[string]string{}
	for name, values := range h {
		switch {
		case len(values) == 1:
			single[name] = values[0]
		case multi == nil:
			multi = map[string][]string{name: values}
		default:
			multi[name] = values
		}
	}
	return single, multi
}
