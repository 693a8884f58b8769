package awstest

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// maxBody is how much of a request is read, in bytes.
const maxBody = 32 << 20

// A Server is the fake. Its methods may be called from several goroutines, and
// while requests are being served.
type Server struct {
	// URL is the address of both services, without a slash at the end.
	URL string

	http     *httptest.Server
	quit     chan struct{} // closed by Close: ends every delay and hang
	closing  sync.Once
	report   func(format string, args ...any) // a fault of the script
	certFile string                           // a TLS server's certificate, PEM
	ids      atomic.Int64                     // of requests and tool uses

	script  script
	secrets secrets

	mu       sync.Mutex
	requests []Request
	families map[string]Family
	models   map[string]bool // nil: every id is known
}

// NewServer starts a Server on 127.0.0.1 and closes it when the test ends.
// A script that cannot be played (see [Stream]) fails the test.
func NewServer(tb testing.TB) *Server {
	tb.Helper()
	return started(tb, Start)
}

// NewTLSServer is [NewServer] with TLS and a certificate that [Server.Config] and
// [Server.Env] make known.
func NewTLSServer(tb testing.TB) *Server {
	tb.Helper()
	return started(tb, StartTLS)
}

func started(tb testing.TB, start func() (*Server, error)) *Server {
	tb.Helper()
	s, err := start()
	if err != nil {
		tb.Fatal(err)
	}
	s.report = tb.Errorf
	tb.Cleanup(s.Close)
	return s
}

// Start is [NewServer] for commands. The caller closes the Server.
func Start() (*Server, error) {
	s, err := newServer()
	if err != nil {
		return nil, err
	}
	s.http.Start()
	s.URL = s.http.URL
	return s, nil
}

// StartTLS is [NewTLSServer] for commands. The caller closes the Server, which
// also removes the certificate's file.
func StartTLS() (*Server, error) {
	s, err := newServer()
	if err != nil {
		return nil, err
	}
	s.http.StartTLS()
	s.URL = s.http.URL
	if s.certFile, err = writeCertificate(s.http.Certificate()); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

func newServer() (*Server, error) {
	var lc net.ListenConfig
	l, err := lc.Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("awstest: %w", err)
	}
	s := &Server{
		quit:     make(chan struct{}),
		report:   func(format string, args ...any) { slog.Error("awstest: " + fmt.Sprintf(format, args...)) },
		families: map[string]Family{},
	}
	s.http = &httptest.Server{
		Listener: l,
		Config: &http.Server{
			Handler:           http.HandlerFunc(s.serve),
			ReadHeaderTimeout: time.Minute,
			ErrorLog:          slog.NewLogLogger(slog.DiscardHandler, slog.LevelError),
		},
	}
	return s, nil
}

// Close ends every call still being answered and stops the Server. Further
// calls do nothing.
func (s *Server) Close() {
	s.closing.Do(func() {
		close(s.quit)
		s.http.CloseClientConnections()
		s.http.Close()
		if s.certFile != "" {
			_ = os.Remove(s.certFile)
		}
	})
}

// serve is the only listener's handler. It routes by hand, because a ServeMux
// would redirect the empty model id of "/model//converse".
func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("x-amzn-RequestId", s.newID("%08x-0000-4000-8000-000000000000"))
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		writeFault(w, &fault{http.StatusRequestEntityTooLarge, "RequestEntityTooLargeException", err.Error()})
		return
	}
	switch model, op, ok := bedrockPath(r.URL); {
	case r.Method == http.MethodPost && ok:
		s.serveConverse(w, r, model, op == "converse-stream", body)
	case r.Method == http.MethodPost && r.URL.Path == "/" && r.Header.Get("X-Amz-Target") != "":
		s.serveSecret(w, r, body)
	default:
		writeFault(w, &fault{http.StatusNotFound, "UnknownOperationException", "Unable to determine service/operation name to be authorized"})
	}
}

// bedrockPath takes /model/{id}/{operation} apart. The id is one percent-encoded
// segment, so it is cut out before it is decoded.
func bedrockPath(u *url.URL) (model, op string, ok bool) {
	rest, ok := strings.CutPrefix(u.EscapedPath(), "/model/")
	if !ok {
		return "", "", false
	}
	id, op, ok := strings.Cut(rest, "/")
	if !ok || op != "converse" && op != "converse-stream" {
		return "", "", false
	}
	model, err := url.PathUnescape(id)
	return model, op, err == nil
}

// newID formats the next number that this Server has not given out yet.
func (s *Server) newID(format string) string {
	return fmt.Sprintf(format, s.ids.Add(1))
}

// wait returns after d, or false when the client left or the Server closed before.
func (s *Server) wait(r *http.Request, d time.Duration) bool {
	if d <= 0 {
		return true
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-r.Context().Done():
	case <-s.quit:
	}
	return false
}

// drop ends the connection of the request being served, without (the rest of) an
// answer. It does not return: this panic is how net/http is told to hang up.
func drop() { panic(http.ErrAbortHandler) }
