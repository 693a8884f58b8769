// Package api is the endpoint's HTTP surface: it checks the caller's key,
// decodes the request, and is the only place that writes a response, be it an
// answer or an error.
package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"hyperstudy-endpoint/internal/openai"
	"hyperstudy-endpoint/internal/report"
)

// maxBody is the largest request body in bytes: that of a synchronous Lambda
// invocation, which is what reaches a function at most.
const maxBody = 6 << 20

// A KeyChecker knows the callers' keys. Check returns the label of the key in
// an Authorization header; its error is an [*openai.Error].
type KeyChecker interface {
	Check(ctx context.Context, authorization string) (label string, err error)
}

// A Completer answers a chat completion request. It hands text to a non-nil emit
// as it comes, with the upstream id of the model. The report is complete also
// where there is an error, which is an [*openai.Error] or wraps one.
type Completer interface {
	Complete(ctx context.Context, req *openai.ChatCompletionRequest, emit func(modelID string, delta openai.Delta) error) (*openai.ChatCompletion, *report.Report, error)
}

// Options are the parts that a Server is made of.
type Options struct {
	Keys KeyChecker
	// Models are what GET /models lists, of which the ID and the OwnedBy are
	// given; nil if this server does not.
	Models []openai.Model
	// Completer answers POST /chat/completions; nil if this server does not.
	Completer Completer
	// Observe is called once for every request when it has been answered.
	Observe func(context.Context, *Exchange)
}

// A Server is the http.Handler of the endpoint.
type Server struct {
	options Options
}

// New returns a Server. The time of its start is what it reports for every
// model as that of its creation.
func New(o Options) *Server {
	o.Models = slices.Clone(o.Models)
	for i := range o.Models {
		o.Models[i].Object, o.Models[i].Created = "model", time.Now().Unix()
	}
	return &Server{options: o}
}

// ServeHTTP answers one request. Whatever goes wrong on the way, a panic
// included, ends here as an error in the API's form.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	x := &Exchange{RequestID: requestID(r), Kind: KindOther, started: time.Now()}
	out := &response{ResponseWriter: w, exchange: x}
	out.Header().Set("X-Request-Id", x.RequestID)
	out.Header().Set("Cache-Control", "no-store")
	if err := s.guarded(out, r, x); err != nil {
		out.fail(r.Context(), err)
	}
	x.Duration = time.Since(x.started)
	if s.options.Observe != nil {
		s.options.Observe(r.Context(), x)
	}
}

// guarded turns a panic into an error. The stack it keeps names functions and
// no contents.
func (s *Server) guarded(out *response, r *http.Request, x *Exchange) (err error) {
	defer func() {
		if p := recover(); p != nil {
			x.Stack = debug.Stack()
			err = fmt.Errorf("api: panic with a %T", p)
		}
	}()
	return s.route(out, r, x)
}

// A route is a method and what handles it.
type route struct {
	method string
	handle func(out *response, r *http.Request, x *Exchange) error
}

// answers reports whether the route takes a method. Whoever may GET may ask for the header alone.
func (r route) answers(method string) bool {
	return method == r.method || method == http.MethodHead && r.method == http.MethodGet
}

// route finds the handler by the path's segments, so that doubled and trailing
// slashes and a leading /v1 make no difference and nothing is ever redirected.
func (s *Server) route(out *response, r *http.Request, x *Exchange) error {
	segments := strings.FieldsFunc(r.URL.Path, func(c rune) bool { return c == '/' })
	if len(segments) > 0 && segments[0] == "v1" {
		segments = segments[1:]
	}
	found, ok := s.lookUp(segments)
	if !ok {
		return notFound()
	}
	if !found.answers(r.Method) {
		out.Header().Set("Allow", found.method)
		return methodNotAllowed(found.method)
	}
	label, err := s.options.Keys.Check(r.Context(), r.Header.Get("Authorization"))
	if err != nil {
		return err
	}
	x.Key = label
	return found.handle(out, r, x)
}

func (s *Server) lookUp(segments []string) (route, bool) {
	switch {
	case s.options.Models != nil && slices.Equal(segments, []string{"models"}):
		return route{http.MethodGet, s.listModels}, true
	case s.options.Models != nil && len(segments) > 1 && segments[0] == "models":
		return route{http.MethodGet, s.getModel(strings.Join(segments[1:], "/"))}, true
	case s.options.Completer != nil && slices.Equal(segments, []string{"chat", "completions"}):
		return route{http.MethodPost, s.completeChat}, true
	}
	return route{}, false
}

func notFound() *openai.Error {
	return &openai.Error{
		Status: http.StatusNotFound, Type: openai.TypeInvalidRequest, Code: openai.CodeUnknownURL,
		Message: "There is nothing at this URL. The base URL ends in /v1; below it are GET /models and POST /chat/completions.",
	}
}

func methodNotAllowed(allowed string) *openai.Error {
	return &openai.Error{
		Status: http.StatusMethodNotAllowed, Type: openai.TypeInvalidRequest, Code: openai.CodeMethodNotAllowed,
		Message: fmt.Sprintf("This URL only answers the method %s.", allowed),
	}
}

// clientGone reports whether err came about because the caller hung up.
func clientGone(ctx context.Context, err error) bool {
	return errors.Is(ctx.Err(), context.Canceled) && errors.Is(err, context.Canceled)
}
