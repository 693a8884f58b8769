// Package app puts the endpoint together from its configuration. It is the
// only place where all parts meet.
package app

import (
	"context"
	"io"
	"net/http"
	"time"

	"hyperstudy-endpoint/internal/api"
	"hyperstudy-endpoint/internal/app/function"
	"hyperstudy-endpoint/internal/auth"
	"hyperstudy-endpoint/internal/chat"
	"hyperstudy-endpoint/internal/config"
	"hyperstudy-endpoint/internal/lambdahttp"
)

// ChatCompletions returns the function that answers POST /chat/completions. It
// takes what [function.Models] takes, which returns the other one.
func ChatCompletions(ctx context.Context, getenv func(string) string, log io.Writer) (lambdahttp.Handler, error) {
	c, err := config.Load(getenv)
	if err != nil {
		return lambdahttp.Handler{}, err
	}
	f := function.New(c, log)
	models, err := providers(f)
	if err != nil {
		return lambdahttp.Handler{}, err
	}
	f.Warm(ctx)
	return f.Handler(api.Options{Completer: completer(c, models)}), nil
}

func completer(c config.Config, models []chat.Model) *chat.Completer {
	return chat.New(models, chat.Options{MaxReasks: c.MaxReasks, RequireTools: c.RequireTools})
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
	f := function.New(c, log)
	f.AllTools = true
	if c.APIKeySecret == "" {
		f.Keys = auth.FixedKey(apiKey)
	}
	models, err := providers(f)
	if err != nil {
		return nil, err
	}
	server, budget := f.Server(api.Options{Models: function.Listed(c), Completer: completer(c, models)}), f.Budget()
	limited := func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), budget)
		defer cancel()
		// A body that never ends ends with the request. (The server's own ReadTimeout
		// would end the waiting for the model as well.)
		_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(budget)) // only a test's recorder has none
		server.ServeHTTP(w, r.WithContext(ctx))
	}
	return &DevEndpoint{Handler: http.HandlerFunc(limited), Models: models, NotReady: f.Warm(ctx)}, nil
}
