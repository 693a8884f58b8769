package lambdahttp

import (
	"errors"
	"io"
	"net/http"
	"sync"

	"github.com/aws/aws-lambda-go/events"
)

// errAborted ends a response whose handler gave up after it had begun.
var errAborted = errors.New("lambdahttp: the handler aborted the response")

// A streamWriter is the http.ResponseWriter of a streamed response. The
// handler writes to a pipe that the Lambda runtime reads from.
type streamWriter struct {
	header http.Header
	pipe   *io.PipeWriter
	reader *io.PipeReader

	once    sync.Once
	started chan struct{} // closed when status and sent are final
	status  int
	sent    http.Header
}

var _ http.Flusher = (*streamWriter)(nil)

func newStreamWriter() *streamWriter {
	r, w := io.Pipe()
	return &streamWriter{header: http.Header{}, pipe: w, reader: r, started: make(chan struct{})}
}

// Header returns the header that WriteHeader sends.
func (w *streamWriter) Header() http.Header { return w.header }

// WriteHeader sends status and header, once. Informational statuses have no
// place in a proxy response.
func (w *streamWriter) WriteHeader(status int) {
	if status < http.StatusOK {
		return
	}
	w.once.Do(func() {
		w.status, w.sent = status, w.header.Clone()
		close(w.started)
	})
}

// Write hands p to the runtime, which passes it on at once.
func (w *streamWriter) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return w.pipe.Write(p)
}

// Flush sends the header. Every Write is flushed anyway.
func (w *streamWriter) Flush() { w.WriteHeader(http.StatusOK) }

// finish ends the response. It is deferred around the handler: a handler that
// panics aborts the response, which the runtime then reports as failed.
func (w *streamWriter) finish() {
	if p := recover(); p != nil {
		w.WriteHeader(http.StatusInternalServerError)
		_ = w.pipe.CloseWithError(errAborted) // never fails
		return
	}
	w.WriteHeader(http.StatusOK)
	_ = w.pipe.Close() // never fails
}

// response waits for the header and returns the response that streams the rest.
func (w *streamWriter) response() *events.APIGatewayProxyStreamingResponse {
	<-w.started
	single, multi := splitHeader(w.sent)
	return &events.APIGatewayProxyStreamingResponse{
		StatusCode:        w.status,
		Headers:           single,
		MultiValueHeaders: multi,
		Body:              w.reader,
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
