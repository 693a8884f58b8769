package chat

import (
	"context"
	"math/rand/v2"
	"time"

	"hyperstudy-endpoint/internal/openai"
	"hyperstudy-endpoint/internal/report"
)

// A Model is a name that callers use and what answers for it.
type Model struct {
	Alias       string
	ID          string // the upstream's own id
	OwnedBy     string // the kind of provider
	Provider    Provider
	MaxTokens   int    // sent where a request sets no limit; 0 means none
	Fallback    string // alias of the model asked when this one's upstream stays unreachable; empty means none
	Fingerprint string // of the build and of this model's configuration
}

// A Completer answers chat completion requests: with a completion that keeps
// what the request asked for, or with an error that says why there is none.
type Completer struct {
	models       []Model
	paces        map[string]*pace // by alias
	maxReasks    int
	requireTools bool
	jitter       func(time.Duration) time.Duration // a random part of a wait
}

// Options are a deployment's choices about all of its models.
type Options struct {
	MaxReasks    int  // how often an invalid answer is put back to the model
	RequireTools bool // a tool call is forced at once where the caller leaves the choice to the model
}

// New returns a Completer for models, the first of which is the default.
func New(models []Model, o Options) *Completer {
	paces := make(map[string]*pace, len(models))
	for _, m := range models {
		paces[m.Alias] = &pace{}
	}
	return &Completer{
		models:       models,
		paces:        paces,
		maxReasks:    o.MaxReasks,
		requireTools: o.RequireTools,
		jitter:       func(d time.Duration) time.Duration { return rand.N(d + 1) }, //nolint:gosec // spreads callers and keeps no secret
	}
}

// Complete answers req before the deadline of ctx. A non-nil emit is handed
// the text of an answer that need not be judged while the model writes it, with
// the upstream id of the model; what it was handed is part of the completion as
// well, and its error ends the answer.
//
// Every error is an [*openai.Error] or wraps one. The report is complete in
// either case.
func (c *Completer) Complete(ctx context.Context, req *openai.ChatCompletionRequest, emit Emit) (*openai.ChatCompletion, *report.Report, error) {
	l := &ledger{}
	model, err := c.find(req.Model)
	if err != nil {
		return nil, &l.Report, err
	}
	j, err := newJudge(req)
	if err != nil {
		return nil, &l.Report, err
	}
	completion, err := c.answer(ctx, model, req, j, emit, l)
	if fallback := model.Fallback; fallback != "" && unreachable(err) && !l.emitted {
		l.Fallback = fallback
		l.longest = 0 // says nothing about the other model
		if model, err = c.find(fallback); err == nil {
			completion, err = c.answer(ctx, model, req, j, emit, l)
		}
	}
	return completion, &l.Report, err
}

// Emit is what [Completer.Complete] hands text to.
type Emit = func(modelID string, delta openai.Delta) error

// answer asks one model until its answer is good.
func (c *Completer) answer(ctx context.Context, model Model, req *openai.ChatCompletionRequest, j judge, emit Emit, l *ledger) (*openai.ChatCompletion, error) {
	l.Model, l.ModelID = model.Alias, model.ID
	r := &run{completer: c, model: model, judge: j, emit: emit, report: l, retryUntil: c.retryLimit(ctx, model)}
	req, err := r.prepare(req)
	if err != nil {
		return nil, err
	}
	completion, err := r.insist(ctx, req)
	if err != nil {
		return nil, err
	}
	completion.SystemFingerprint = model.Fingerprint
	completion.Usage = l.Usage
	l.FinishReason = completion.Choices[0].FinishReason
	return completion, nil
}

// find returns the model that a request names.
func (c *Completer) find(name string) (Model, error) {
	aliases := make([]string, len(c.models))
	for i, m := range c.models {
		aliases[i] = m.Alias
	}
	at, err := openai.FindModel(aliases, name)
	if err != nil {
		return Model{}, err
	}
	return c.models[at], nil
}

// unreachable reports whether an answer is missing because the upstream could
// not be got to give one, and not because of what it said. How many attempts the
// fault was worth makes no difference: another upstream may not have it.
func unreachable(err error) bool { return err != nil && openai.AsError(err).Temporary }

// retryLimit returns when the last retry may begin: so early that the model can
// still answer at its usual pace, which is taken for a third of the time at
// most; a model with a fallback leaves it half of the time. Zero means no limit.
func (c *Completer) retryLimit(ctx context.Context, model Model) time.Time {
	deadline, ok := ctx.Deadline()
	if !ok {
		return time.Time{}
	}
	left := time.Until(deadline)
	if model.Fallback != "" {
		return deadline.Add(-left / 2)
	}
	return deadline.Add(-min(c.paces[model.Alias].usual(), left/3))
}
