// Package app puts the endpoint together from its configuration. It is the
// only place where all parts meet.
package app

import (
	"context"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"

	"hyperstudy-endpoint/internal/api"
	"hyperstudy-endpoint/internal/auth"
	"hyperstudy-endpoint/internal/chat"
	"hyperstudy-endpoint/internal/config"
	"hyperstudy-endpoint/internal/lambdahttp"
	"hyperstudy-endpoint/internal/telemetry"
)

// warmTimeout bounds the work that is done ahead of the first request. Lambda
// allows 10 s for all of INIT.
const warmTimeout = 4 * time.Second

// ChatCompletions returns the function that answers POST /chat/completions.
// getenv is os.Getenv and log where log lines go. The error names every bad
// setting; it is meant to fail INIT, and so the deployment's first request.
func ChatCompletions(ctx context.Context, getenv func(string) string, log io.Writer) (lambdahttp.Handler, error) {
	c, err := config.Load(getenv)
	if err != nil {
		return lambdahttp.Handler{}, err
	}
	e, err := newEndpoint(c, log)
	if err != nil {
		return lambdahttp.Handler{}, err
	}
	e.warm(ctx)
	return e.function(e.server(nil, e.completer)), nil
}

// Models returns the function that answers GET /models and GET /models/{id}.
// It takes what [ChatCompletions] takes.
func Models(ctx context.Context, getenv func(string) string, log io.Writer) (lambdahttp.Handler, error) {
	c, err := config.Load(getenv)
	if err != nil {
		return lambdahttp.Handler{}, err
	}
	e := &endpoint{config: c, dialer: newDialer(), log: telemetry.New(log, c.LogLevel, c.MetricsNamespace)}
	e.connect()
	e.models = listed(c)
	e.warm(ctx)
	return e.function(e.server(e.models, nil)), nil
}

// A DevEndpoint is the whole endpoint for a server on the developer's own machine.
type DevEndpoint struct {
	http.Handler
	Models   []chat.Model
	NotReady []string // what could not be fetched or reached ahead of the first request
}

// Dev returns a DevEndpoint. apiKey is the key that it accepts unless the
// configuration names a secret.
func Dev(ctx context.Context, c config.Config, apiKey string, log io.Writer) (*DevEndpoint, error) {
	e, err := newEndpoint(c, log)
	if err != nil {
		return nil, err
	}
	if c.APIKeySecret == "" {
		e.keys = auth.FixedKey(apiKey)
	}
	server, budget := e.server(e.models, e.completer), budget(c)
	limited := func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), budget)
		defer cancel()
		// A body that never ends ends with the request. (The server's own ReadTimeout
		// would end the waiting for the model as well.)
		_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(budget)) // only a test's recorder has none
		server.ServeHTTP(w, r.WithContext(ctx))
	}
	return &DevEndpoint{Handler: http.HandlerFunc(limited), Models: e.models, NotReady: e.warm(ctx)}, nil
}

// An endpoint is the parts of one deployment.
type endpoint struct {
	config    config.Config
	dialer    *dialer
	client    *http.Client
	log       *telemetry.Logger
	keys      *auth.Keys
	models    []chat.Model
	completer *chat.Completer
	warmups   []warmup
}

// A warmup is work that the first request would otherwise wait for.
type warmup struct {
	what string // for the log
	do   func(context.Context) error
}

func newEndpoint(c config.Config, log io.Writer) (*endpoint, error) {
	e := &endpoint{config: c, dialer: newDialer(), log: telemetry.New(log, c.LogLevel, c.MetricsNamespace)}
	e.connect()
	if err := e.addProviders(); err != nil {
		return nil, err
	}
	e.completer = chat.New(e.models, chat.Options{MaxReasks: c.MaxReasks, RequireTools: c.RequireTools})
	return e, nil
}

// connect makes the client for all of AWS, and the callers' keys.
func (e *endpoint) connect() {
	e.client = e.dialer.client()
	if e.config.APIKeySecret != "" {
		e.keys = auth.NewKeys(e.secrets(), e.config.APIKeySecret)
		e.warmups = append(e.warmups, warmup{"API_KEY_SECRET", e.keys.Warm})
	}
}

func (e *endpoint) server(models []chat.Model, completer *chat.Completer) http.Handler {
	return api.New(api.Options{Keys: e.keys, Models: models, Completer: completer, Observe: e.observe})
}

func (e *endpoint) function(h http.Handler) lambdahttp.Handler {
	return lambdahttp.Handler{Handler: h, Budget: budget(e.config)}
}

// warm does all warm-up work in parallel and returns what failed, which is left
// to the first request: it tries again.
func (e *endpoint) warm(ctx context.Context) []string {
	ctx, cancel := context.WithTimeout(ctx, warmTimeout)
	defer cancel()
	faults := make([]string, len(e.warmups))
	var wg sync.WaitGroup
	for i, w := range e.warmups {
		wg.Go(func() {
			if err := w.do(ctx); err != nil {
				faults[i] = w.what + " (" + cause(err) + ")"
				e.log.Warmup(ctx, w.what, cause(err))
			}
		})
	}
	wg.Wait()
	return slices.DeleteFunc(faults, func(s string) bool { return s == "" })
}

// Limits of the reserve, the part of the caller's time limit that is kept back
// for the answer to reach the caller: a twentieth of the limit within these.
const (
	minReserve = time.Second
	maxReserve = 3 * time.Second
)

// budget is how long after a request arrived its answer has to be written.
func budget(c config.Config) time.Duration {
	return c.Timeout - min(max(c.Timeout/20, minReserve), maxReserve)
}
