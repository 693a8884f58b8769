package external

import (
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"hyperstudy-endpoint/internal/openai"
)

const (
	maxErrorBody = 64 << 10 // of an upstream's error, in bytes
	maxReply     = 4 << 20  // of an upstream's reply, in bytes
	maxStream    = 16 << 20 // of a stream, most of which frames its few bytes of text
	maxSteps     = 16       // of one negotiation: enough for every sampler of a local server, one by one
	maxLearnt    = 64       // adjustments kept for one model
)

// A Key is the upstream's API key, kept somewhere else. Its errors may carry an
// [*openai.Error], which is then what the caller gets.
type Key interface {
	// Key returns the key as it is known.
	Key(ctx context.Context) (string, error)
	// Refresh fetches the key anew, after the upstream has refused it.
	Refresh(ctx context.Context) (string, error)
}

// Options say where the upstream is.
type Options struct {
	// BaseURL is the API root, such as https://api.openai.com/v1. A query, such
	// as Azure's api-version, is sent with every request.
	BaseURL *url.URL
	// Key is nil for a server without keys.
	Key Key
	// Alias is what callers call the model, and the others are what the settings
	// are called that BaseURL and Key come from: all three are for messages.
	// Without an Alias these speak of the settings for all external models.
	Alias, BaseURLSetting, KeySetting string
	// HTTP makes the connections; nil is [http.DefaultClient]. Its Timeout, Jar and
	// CheckRedirect have no effect: time is the context's, and redirects are errors.
	HTTP *http.Client
}

// A Provider makes attempts at chat completions with one upstream. It is safe
// for concurrent use.
type Provider struct {
	url   string
	key   Key
	http  *http.Client
	words *strings.Replacer // for the messages of errors; may be nil
	newID func() string
	now   func() time.Time

	mu     sync.Mutex
	learnt map[company][]adjustment
}

// New returns a provider for the upstream. It makes no connection yet.
func New(o Options) *Provider {
	client := http.Client{}
	if o.HTTP != nil {
		client.Transport = o.HTTP.Transport
	}
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &Provider{
		url:    o.BaseURL.JoinPath("chat", "completions").String(),
		key:    o.Key,
		http:   &client,
		words:  wordsFor(o),
		newID:  rand.Text,
		now:    time.Now,
		learnt: map[company][]adjustment{},
	}
}

// Complete makes one attempt at a completion. Negotiation over parameters, a
// key that was rotated and a connection that died while it was idle are dealt
// with inside the attempt; every other fault is the caller's to retry, which is
// worth it if the error is Temporary.
func (p *Provider) Complete(ctx context.Context, req *openai.ChatCompletionRequest) (*openai.ChatCompletion, error) {
	completion, err := p.complete(ctx, req, nil)
	return completion, p.named(err)
}

// Stream is Complete with every piece of content, reasoning or refusal handed
// to emit as it arrives. An error of emit ends the stream and is returned as it
// is. Errors after the first piece are never Temporary.
func (p *Provider) Stream(ctx context.Context, req *openai.ChatCompletionRequest, emit func(openai.Delta) error) (*openai.ChatCompletion, error) {
	completion, err := p.complete(ctx, req, emit)
	return completion, p.named(err)
}

// complete asks until the upstream takes the request or refuses it for good.
func (p *Provider) complete(ctx context.Context, req *openai.ChatCompletionRequest, emit func(openai.Delta) error) (*openai.ChatCompletion, error) {
	if err := checkImages(req); err != nil {
		return nil, err
	}
	key, err := p.currentKey(ctx)
	if err != nil {
		return nil, err
	}
	w := way{req: req, key: key, renewed: p.key == nil, known: p.known(req)}
	for step := 0; ; step++ {
		d := compose(req, emit != nil, w.known)
		completion, err := p.attempt(ctx, req, &d, w.key, emit)
		if err == nil {
			if !w.quoted {
				p.learn(req, w.proven)
			}
			if breaks(completion, req, &d.body) {
				p.learn(req, []adjustment{{action: plainChoice}})
			}
			completion.Ignored = d.ignored
			return completion, nil
		}
		var f *fault
		if !errors.As(err, &f) {
			return nil, err
		}
		f.settle(req)
		w.quoted = w.quoted || f.quotes
		if again, err := w.renew(ctx, p, f); again || err != nil {
			if err != nil {
				return nil, err
			}
			continue
		}
		if a, ok := f.answer(req); ok {
			return p.told(a, req, emit, d.ignored)
		}
		if step >= maxSteps || !w.adjust(f, &d.body) {
			return nil, f.asError(req, &d.body)
		}
	}
}

// A way is what was found on the way to one completion.
type way struct {
	req     *openai.ChatCompletionRequest
	key     string
	renewed bool         // the key need not be fetched again
	known   []adjustment // what the request is sent with
	proven  []adjustment // what of it was found on this way and is surely no quotation
	quoted  bool         // an error quoted a message, so that nothing is sure
}

// renew fetches the key again if the upstream does not take it. It reports
// whether there is another one.
func (w *way) renew(ctx context.Context, p *Provider, f *fault) (bool, error) {
	if w.renewed || !f.refusesKey() {
		return false, nil
	}
	w.renewed = true
	fresh, err := p.key.Refresh(ctx)
	if err != nil {
		return false, keyFault(ctx, err)
	}
	if fresh == w.key || !sendable(fresh) {
		return false, nil
	}
	w.key = fresh
	return true, nil
}

// adjust meets a fault. It reports false if nothing is left to try.
func (w *way) adjust(f *fault, sent *openai.Object) bool {
	found := negotiate(f, sent, w.known)
	if len(found) == 0 {
		return false
	}
	w.proven = append(w.proven, f.proven(found, w.req, sent, w.known)...)
	w.known = append(w.known[:len(w.known):len(w.known)], found...)
	return true
}

// told is the completion of an answer that the upstream reported as an error.
func (p *Provider) told(a *answer, req *openai.ChatCompletionRequest, emit func(openai.Delta) error, ignored []string) (*openai.ChatCompletion, error) {
	if content := a.content.String(); content != "" {
		if err := send([]openai.Delta{{Content: &content}}, emit); err != nil {
			return nil, err
		}
	}
	c := a.completion(p, req)
	c.Ignored = ignored
	return c, nil
}
