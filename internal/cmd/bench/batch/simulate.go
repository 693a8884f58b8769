package batch

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"time"

	"hyperstudy-endpoint/internal/chat"
	"hyperstudy-endpoint/internal/openai"
)

// Times of a simulated call: the time limit in HyperStudy less the endpoint's
// reserve, and how long an upstream takes to refuse a call.
const (
	budget  = 57 * time.Second
	refusal = 60 * time.Millisecond
)

// An upstream is a model with a quota, in the time of whoever calls it.
type upstream struct {
	scenario Scenario
	quota    *Quota

	mu   sync.Mutex
	rand *rand.Rand
}

// Complete makes one attempt. It implements [chat.Provider].
func (u *upstream) Complete(ctx context.Context, _ *openai.ChatCompletionRequest) (*openai.ChatCompletion, error) {
	if !u.quota.Take(u.scenario.Tokens()) {
		if err := sleep(ctx, refusal); err != nil {
			return nil, err
		}
		return nil, &openai.Error{Status: http.StatusTooManyRequests, Type: openai.TypeRateLimit, Code: openai.CodeRateLimit, Temporary: true}
	}
	u.mu.Lock()
	took := u.scenario.Latency(u.rand)
	u.mu.Unlock()
	if err := sleep(ctx, took); err != nil {
		return nil, &openai.Error{Status: http.StatusGatewayTimeout, Type: openai.TypeServer, Code: openai.CodeTimeout, Err: err}
	}
	text := "72"
	return &openai.ChatCompletion{Choices: []openai.Choice{{Message: openai.AnswerMessage{Role: "assistant", Content: &text}, FinishReason: openai.FinishStop}}}, nil
}

// Simulate plays a batch against a model with a quota: through a Completer,
// which is what the functions are made of, or, without retries, the way an
// endpoint does that hands every refusal on.
func Simulate(ctx context.Context, s Scenario, quota *Quota, seed uint64, retries bool) (*Result, error) {
	up := &upstream{scenario: s, quota: quota, rand: rand.New(rand.NewPCG(seed, 0))} //nolint:gosec // a simulation that can be repeated
	completer := chat.New([]chat.Model{{Alias: "m", ID: "m", Provider: up}}, chat.Options{})
	req, err := openai.DecodeRequest(strings.NewReader(`{"messages":[{"role":"user","content":"Rate it."}]}`))
	if err != nil {
		return nil, fmt.Errorf("batch: %w", err)
	}
	return Play(ctx, s, seed, func(ctx context.Context, _ Call) error {
		ctx, cancel := context.WithTimeout(ctx, budget)
		defer cancel()
		if !retries {
			_, err := up.Complete(ctx, req)
			return err
		}
		_, _, err := completer.Complete(ctx, req, nil)
		return err
	}), nil
}
