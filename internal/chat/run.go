package chat

import (
	"context"
	"net/http"
	"time"

	"hyperstudy-endpoint/internal/openai"
)

// Waits before a retry: full jitter over a range that doubles from firstWait to
// longestWait, so that callers throttled at the same moment come back spread
// out. Source: AWS Architecture Blog, "Exponential Backoff And Jitter".
//
// The range is never more than a part of the time that is left. So among callers
// that wait for the same quota those come more often who have waited longest,
// and few wait in vain. The figures are from internal/cmd/bench/batch; see
// docs/decisions/0012-retries-under-a-quota.md.
const (
	firstWait   = 400 * time.Millisecond
	longestWait = 10 * time.Second
	partOfRest  = 5
)

// A run is the work on one answer of one model.
type run struct {
	completer  *Completer
	model      Model
	judge      judge
	emit       Emit
	report     *ledger
	retryUntil time.Time // no retry begins later; only set where there is a deadline
	ownLimit   bool      // the limit on tokens is the deployment's and not the caller's
	patience   patience
}

// prepare turns the caller's request into the one for the model.
func (r *run) prepare(req *openai.ChatCompletionRequest) (*openai.ChatCompletionRequest, error) {
	req, err := req.WithModel(r.model.ID)
	if err != nil {
		return nil, err
	}
	if req.MaxTokens == nil && r.model.MaxTokens > 0 {
		req = req.WithMaxTokens(r.model.MaxTokens)
		r.ownLimit = true
	}
	mode := req.ToolChoice.Mode
	if r.completer.requireTools && len(req.CallableTools()) > 0 && (mode == "" || mode == openai.ChoiceAuto) {
		return req.WithForcedTool()
	}
	return req, nil
}

// insist asks until an answer is good or may not be asked for again.
func (r *run) insist(ctx context.Context, req *openai.ChatCompletionRequest) (*openai.ChatCompletion, error) {
	for asked := 0; ; asked++ {
		completion, err := r.attempt(ctx, req)
		if err != nil {
			return nil, err
		}
		verdict := r.judge.judge(completion)
		if verdict.good() {
			r.report.Mended = verdict.mended
			return completion, nil
		}
		r.report.Violations += verdict.violations()
		cause := r.final(completion, req, verdict)
		if cause == nil && (asked >= r.completer.maxReasks || !r.fits(ctx) || tooLong(completion)) {
			cause = exhausted(completion, req, verdict)
		}
		if cause != nil {
			return nil, r.worded(cause)
		}
		r.report.Reasks++
		if req, err = r.nextRequest(req, completion, verdict); err != nil {
			return nil, err
		}
	}
}

// nextRequest is the request that asks for a better answer. An answer that was
// cut at the deployment's own limit is asked for again without that limit; any
// other is put back with what is wrong with it.
func (r *run) nextRequest(req *openai.ChatCompletionRequest, completion *openai.ChatCompletion, v verdict) (*openai.ChatCompletionRequest, error) {
	if r.ownLimit && cut(completion, req, v) {
		r.ownLimit = false
		return req.WithoutMaxTokens(), nil
	}
	return reask(req, completion, v)
}

// attempt asks the provider once, and again while it meets a temporary fault
// and there is time.
func (r *run) attempt(ctx context.Context, req *openai.ChatCompletionRequest) (*openai.ChatCompletion, error) {
	for wait := firstWait; ; wait = min(2*wait, longestWait) {
		began := time.Now()
		completion, err := r.once(ctx, req)
		if err == nil {
			r.patience.answered()
			return completion, nil
		}
		fault := openai.AsError(err)
		if ctx.Err() != nil {
			return nil, outOfTime(ctx, fault)
		}
		left := r.patience.left(fault, began, r.completer.paces[r.model.Alias].usual() > 0)
		pause, ok := r.pause(ctx, fault.RetryAfter, wait)
		if !fault.Temporary || r.report.emitted || !ok || left <= 0 {
			return nil, err
		}
		pause = min(pause, left)
		if fault.Code == openai.CodeModelError {
			r.report.Reasks++ // the model answered, and the answer is drawn again
		} else {
			r.report.Retries++
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return nil, outOfTime(ctx, fault)
		}
	}
}

// once makes one attempt and books it.
func (r *run) once(ctx context.Context, req *openai.ChatCompletionRequest) (*openai.ChatCompletion, error) {
	started := time.Now()
	completion, err := r.call(ctx, req)
	took := time.Since(started)
	if err != nil {
		r.report.attempted(took, openai.AsError(err).Usage, nil)
		return nil, err
	}
	r.report.attempted(took, completion.Usage, completion.Ignored)
	r.completer.paces[r.model.Alias].answered(took)
	if len(completion.Choices) != 1 {
		return nil, &openai.Error{
			Status: http.StatusBadGateway, Type: openai.TypeServer, Code: openai.CodeUpstream, Temporary: true, Patience: openai.AFewTimes,
			Message: "The model's answer did not hold exactly one choice.",
		}
	}
	return completion, nil
}

// call hands the request to the provider, as a stream if somebody listens and
// nothing has to be judged first.
func (r *run) call(ctx context.Context, req *openai.ChatCompletionRequest) (*openai.ChatCompletion, error) {
	streamer, ok := r.model.Provider.(Streamer)
	if !ok || r.emit == nil || !r.judge.acceptsAll() {
		return r.model.Provider.Complete(ctx, req)
	}
	return streamer.Stream(ctx, req, func(d openai.Delta) error {
		r.report.emitted = true
		return r.emit(r.model.ID, d)
	})
}

// fits reports whether an attempt as long as the longest so far still ends
// before the deadline if it starts now.
func (r *run) fits(ctx context.Context) bool {
	deadline, ok := ctx.Deadline()
	return !ok || r.report.longest < time.Until(deadline)
}

// pause draws how long to wait before a retry: what the upstream asked for and
// a random part of wait, or of partOfRest of the time that is left if that is
// less. It reports false once there is too little left to spread retries over.
func (r *run) pause(ctx context.Context, asked, wait time.Duration) (time.Duration, bool) {
	deadline, ok := ctx.Deadline()
	if !ok {
		return asked + r.completer.jitter(wait), true
	}
	room := min(time.Until(deadline)-r.report.longest, time.Until(r.retryUntil))
	if asked > room-firstWait { // compared and not subtracted: asked may be any number
		return 0, false
	}
	return asked + r.completer.jitter(min(wait, max(firstWait, (room-asked)/partOfRest))), true
}
