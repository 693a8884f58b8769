package chat

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"

	"hyperstudy-endpoint/internal/openai"
)

// defaultModel is the name that always means the first model.
const defaultModel = "default"

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

// Emit receives the text of an answer while the model writes it, with the
// upstream id of the model. An error ends the answer.
type Emit func(modelID string, delta openai.Delta) error

// Complete answers req before the deadline of ctx. A non-nil emit is handed
// the text of an answer that need not be judged while the model writes it;
// what it was handed is part of the completion as well.
//
// Every error is an [*openai.Error] or wraps one. The report is complete in
// either case.
func (c *Completer) Complete(ctx context.Context, req *openai.ChatCompletionRequest, emit Emit) (*openai.ChatCompletion, *Report, error) {
	report := &Report{}
	model, err := Find(c.models, req.Model)
	if err != nil {
		return nil, report, err
	}
	j, err := newJudge(req)
	if err != nil {
		return nil, report, err
	}
	completion, err := c.answer(ctx, model, req, j, emit, report)
	if fallback := model.Fallback; fallback != "" && unreachable(err) && !report.emitted {
		report.Fallback = fallback
		report.longest = 0 // says nothing about the other model
		if model, err = Find(c.models, fallback); err == nil {
			completion, err = c.answer(ctx, model, req, j, emit, report)
		}
	}
	return completion, report, err
}

// answer asks one model until its answer is good.
func (c *Completer) answer(ctx context.Context, model Model, req *openai.ChatCompletionRequest, j judge, emit Emit, report *Report) (*openai.ChatCompletion, error) {
	report.Model, report.ModelID = model.Alias, model.ID
	r := &run{completer: c, model: model, judge: j, emit: emit, report: report, retryUntil: c.retryLimit(ctx, model)}
	req, err := r.prepare(req)
	if err != nil {
		return nil, err
	}
	completion, err := r.insist(ctx, req)
	if err != nil {
		return nil, err
	}
	completion.SystemFingerprint = model.Fingerprint
	completion.Usage = report.Usage
	report.FinishReason = completion.Choices[0].FinishReason
	return completion, nil
}

// Find returns the model that a request names: an alias, or "default" or
// nothing for the first. Any other name is a 404 that lists the aliases.
func Find(models []Model, name string) (Model, error) {
	if name == "" || name == defaultModel {
		return models[0], nil
	}
	aliases := make([]string, len(models))
	for i, m := range models {
		if m.Alias == name {
			return m, nil
		}
		aliases[i] = "'" + m.Alias + "'"
	}
	return Model{}, &openai.Error{
		Status: http.StatusNotFound, Type: openai.TypeInvalidRequest, Param: "model", Code: openai.CodeModelNotFound,
		Message: fmt.Sprintf("This endpoint serves no model of that name. Its models are: %s; '%s' means the first.", strings.Join(aliases, ", "), defaultModel),
	}
}

// unreachable reports whether an answer is missing because the upstream could
// not be got to give one, and not because of what it said.
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
