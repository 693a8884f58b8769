// Package function is what all functions of the endpoint have in common: their
// settings, the callers' keys, the connections, the log, and the work done ahead
// of the first request. It knows no provider, so that the function that lists
// models links none and starts next to as fast as one that does nothing.
package function

import (
	"context"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"hyperstudy-endpoint/internal/api"
	"hyperstudy-endpoint/internal/auth"
	"hyperstudy-endpoint/internal/config"
	"hyperstudy-endpoint/internal/lambdahttp"
	"hyperstudy-endpoint/internal/openai"
	"hyperstudy-endpoint/internal/telemetry"
)

// warmTimeout bounds the work that is done ahead of the first request. Lambda
// allows 10 s for all of INIT.
const warmTimeout = 4 * time.Second

// Models returns the function that answers GET /models and GET /models/{id}.
// getenv is os.Getenv and log where log lines go. The error names every bad
// setting; it is meant to fail INIT, and so the deployment's first request.
func Models(ctx context.Context, getenv func(string) string, log io.Writer) (lambdahttp.Handler, error) {
	c, err := config.Load(getenv)
	if err != nil {
		return lambdahttp.Handler{}, err
	}
	f := New(c, log)
	f.Warm(ctx)
	return f.Handler(api.Options{Models: Listed(c)}), nil
}

// Listed returns the models as GET /models lists them.
func Listed(c config.Config) []openai.Model {
	list := make([]openai.Model, len(c.Models))
	for i, m := range c.Models {
		list[i] = openai.Model{ID: m.Alias, OwnedBy: string(m.Provider)}
	}
	return list
}

// A Function is the parts that one function is put together from.
type Function struct {
	Config config.Config
	Dialer *Dialer
	Client *http.Client // for all of AWS
	Keys   *auth.Keys   // of the callers; nil if the configuration names no secret
	// AllTools has every tool that was called named in the log, which is for a log
	// that only the caller sees; else it names those of HyperStudy's contract.
	AllTools bool

	log     *telemetry.Logger
	warmups []warmup
}

// A warmup is work that the first request would otherwise wait for.
type warmup struct {
	what string // for the log
	do   func(context.Context) error
}

// New returns a Function whose log lines go to log.
func New(c config.Config, log io.Writer) *Function {
	f := &Function{Config: c, Dialer: NewDialer(nil, nil), log: telemetry.New(log, c.LogLevel, c.MetricsNamespace)}
	f.Client = f.Dialer.Client()
	if c.APIKeySecret != "" {
		f.Keys = auth.NewKeys(f.Secrets(), c.APIKeySecret)
		f.WarmUp("API_KEY_SECRET", f.Keys.Warm)
	}
	return f
}

// Credentials are those that Lambda puts into the environment and keeps there
// for the environment's life.
func (f *Function) Credentials() aws.CredentialsProvider {
	c := f.Config.AWS
	return aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
		return aws.Credentials{
			AccessKeyID: c.AccessKeyID, SecretAccessKey: c.SecretAccessKey, SessionToken: c.SessionToken, Source: "environment",
		}, nil
	})
}

// Secrets returns what reads Secrets Manager.
func (f *Function) Secrets() *auth.SecretsManager {
	c := f.Config.AWS
	return &auth.SecretsManager{HTTP: f.Client, Region: c.Region, Endpoint: c.SecretsEndpoint, Credentials: f.Credentials()}
}

// WarmUp has something done ahead of the first request, in parallel with all
// else of its kind; what is its name in the log.
func (f *Function) WarmUp(what string, do func(context.Context) error) {
	f.warmups = append(f.warmups, warmup{what, do})
}

// Warm does all warm-up work and returns what failed, which is left to the
// first request: it tries again.
func (f *Function) Warm(ctx context.Context) []string {
	ctx, cancel := context.WithTimeout(ctx, warmTimeout)
	defer cancel()
	faults := make([]string, len(f.warmups))
	var wg sync.WaitGroup
	for i, w := range f.warmups {
		wg.Go(func() {
			if err := w.do(ctx); err != nil {
				faults[i] = w.what + " (" + cause(err) + ")"
				f.log.Warmup(ctx, w.what, cause(err))
			}
		})
	}
	wg.Wait()
	return slices.DeleteFunc(faults, func(s string) bool { return s == "" })
}

// Server returns the server of what o has, with the function's keys and log.
func (f *Function) Server(o api.Options) *api.Server {
	o.Keys, o.Observe = f.Keys, f.observe
	return api.New(o)
}

// Handler returns the Lambda handler of the same server.
func (f *Function) Handler(o api.Options) lambdahttp.Handler {
	return lambdahttp.Handler{Handler: f.Server(o), Budget: f.Budget()}
}

// Limits of the reserve, the part of the caller's time limit that is kept back
// for the answer to reach the caller: a twentieth of the limit within these.
const (
	minReserve = time.Second
	maxReserve = 3 * time.Second
)

// Budget is how long after a request arrived its answer has to be written.
func (f *Function) Budget() time.Duration {
	limit := f.Config.Timeout
	return limit - min(max(limit/20, minReserve), maxReserve)
}
