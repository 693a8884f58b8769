package chat

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"hyperstudy-endpoint/internal/openai"
	"hyperstudy-endpoint/internal/report"
)

// within answers the request under a limit of time and returns how long it took.
func within(t *testing.T, limit time.Duration, c *Completer, req *openai.ChatCompletionRequest) (*openai.ChatCompletion, *report.Report, time.Duration, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	start := time.Now()
	completion, report, err := c.Complete(ctx, req, nil)
	return completion, report, time.Since(start), err
}

func TestRetriesWhatIsTemporary(t *testing.T) {
	t.Parallel()
	for _, fault := range []*openai.Error{throttled, broken} {
		synctest.Test(t, func(t *testing.T) {
			p := &script{replies: []reply{{err: fault}, {err: fault}, {completion: submit(`{"value":1}`)}}}
			_, report, took, err := within(t, time.Minute, completer(p, Options{}), rating(t, ""))
			if err != nil {
				t.Fatalf("%s: %v", fault.Code, err)
			}
			if want := firstWait + 2*firstWait; took != want {
				t.Errorf("%s: took %v, want waits of %v", fault.Code, took, want)
			}
			if report.Attempts != 3 || report.Retries != 2 || report.Reasks != 0 {
				t.Errorf("%s: report %+v", fault.Code, report)
			}
		})
	}
}

func TestDoesNotRetryWhatIsNot(t *testing.T) {
	t.Parallel()
	p := &script{replies: []reply{{err: denied}}}
	_, _, err := completer(p, Options{}).Complete(t.Context(), rating(t, ""), nil)
	if e := asError(t, err); e.Code != openai.CodeModelAccessDenied || len(p.requests) != 1 {
		t.Errorf("%+v after %d attempts", e, len(p.requests))
	}
}

func TestGivesUpBeforeTheDeadline(t *testing.T) {
	t.Parallel()
	const limit = 57 * time.Second
	for _, tc := range []struct {
		name   string
		reply  reply
		status int
		code   string
	}{
		{"throttled to the end", reply{err: throttled}, 429, openai.CodeRateLimit},
		{"broken to the end", reply{err: broken, after: time.Second}, 502, openai.CodeUpstream},
		{"hangs", reply{after: time.Hour, completion: submit(`{"value":1}`)}, 504, openai.CodeTimeout},
		{"Retry-After beyond the deadline", reply{err: &openai.Error{Status: 429, Code: openai.CodeRateLimit, Temporary: true, RetryAfter: time.Hour}}, 429, openai.CodeRateLimit},
		{"Retry-After beyond all measure", reply{err: &openai.Error{Status: 429, Code: openai.CodeRateLimit, Temporary: true, RetryAfter: math.MaxInt64}}, 429, openai.CodeRateLimit},
		{"slow and broken", reply{err: broken, after: 40 * time.Second}, 502, openai.CodeUpstream},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				p := &script{replies: []reply{tc.reply}}
				_, _, took, err := within(t, limit, completer(p, Options{}), rating(t, ""))
				if e := asError(t, err); e.Status != tc.status || e.Code != tc.code {
					t.Errorf("%+v, want %d %s", e, tc.status, tc.code)
				}
				if took > limit {
					t.Errorf("took %v of %v", took, limit)
				}
				if p.overlap {
					t.Error("two attempts ran at once")
				}
			})
		})
	}
}

func TestHonoursRetryAfter(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		busy := &openai.Error{Status: 429, Temporary: true, RetryAfter: 7 * time.Second}
		p := &script{replies: []reply{{err: busy}, {completion: submit(`{"value":1}`)}}}
		_, _, took, err := within(t, time.Minute, completer(p, Options{}), rating(t, ""))
		if err != nil || took < busy.RetryAfter {
			t.Errorf("%v after %v", err, took)
		}
	})
}

func TestReasksOnlyWhileAnotherAttemptFits(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name     string
		each     time.Duration
		attempts int
	}{
		{"fast", 2 * time.Second, 6}, // the first and MaxReasks
		{"three fit", 18 * time.Second, 3},
		{"only one fits", 30 * time.Second, 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				p := &script{replies: []reply{{after: tc.each, completion: submit(`{"value":140}`)}}}
				_, _, took, err := within(t, 57*time.Second, completer(p, Options{MaxReasks: 5}), rating(t, ""))
				if e := asError(t, err); e.Code != openai.CodeInvalidToolCall {
					t.Errorf("%+v", e)
				}
				if len(p.requests) != tc.attempts || took > 57*time.Second {
					t.Errorf("%d attempts in %v, want %d", len(p.requests), took, tc.attempts)
				}
			})
		})
	}
}

func TestThrottledCallersSpread(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const callers = 200
		var (
			mu    sync.Mutex
			wg    sync.WaitGroup
			retry []time.Duration // when each caller came back
		)
		req := rating(t, "")
		for range callers {
			wg.Go(func() {
				p := &script{replies: []reply{{err: throttled}, {completion: submit(`{"value":1}`)}}}
				c := New([]Model{{Alias: "fast", Provider: p}}, Options{})
				if _, _, _, err := within(t, time.Minute, c, req); err != nil {
					t.Error(err)
				}
				mu.Lock()
				retry = append(retry, p.at[1].Sub(p.at[0]))
				mu.Unlock()
			})
		}
		wg.Wait()
		var early int
		for _, d := range retry {
			if d > firstWait {
				t.Errorf("a first wait of %v", d)
			}
			if d < firstWait/2 {
				early++
			}
		}
		if early < callers/4 || early > 3*callers/4 {
			t.Errorf("%d of %d callers came back in the first half of the wait", early, callers)
		}
	})
}

// TestNothingIsLostUnderThrottling plays 100 rooms with two agents each whose
// upstream throttles a fifth of all calls.
func TestNothingIsLostUnderThrottling(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := &flaky{rate: 0.2}
		c := New([]Model{{Alias: "fast", Provider: p}}, Options{})
		req := rating(t, "")
		var wg sync.WaitGroup
		for range 200 {
			wg.Go(func() {
				for range 5 {
					if _, _, _, err := within(t, 57*time.Second, c, req); err != nil {
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
	})
}

// flaky throttles some of its calls and answers the others after 1.6 s.
type flaky struct{ rate float64 }

func (f *flaky) Complete(ctx context.Context, _ *openai.ChatCompletionRequest) (*openai.ChatCompletion, error) {
	if rand.Float64() < f.rate {
		return nil, throttled
	}
	return submit(`{"value":1}`), wait(ctx, 1600*time.Millisecond)
}

func TestFallback(t *testing.T) {
	t.Parallel()
	const limit = 57 * time.Second
	for _, tc := range []struct {
		name   string
		main   reply
		answer bool // by the fallback
		code   string
	}{
		{"throttled", reply{err: throttled}, true, ""},
		{"broken", reply{err: broken}, true, ""},
		{"no access", reply{err: denied}, false, openai.CodeModelAccessDenied},
		{"bad answers", reply{completion: answer("no")}, false, openai.CodeNoToolCall},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				main := &script{replies: []reply{tc.main}}
				other := &script{replies: []reply{{after: 20 * time.Second, completion: submit(`{"value":1}`)}}}
				c := New([]Model{
					{Alias: "fast", ID: "upstream-id", Provider: main, Fallback: "spare"},
					{Alias: "spare", ID: "spare-id", Provider: other},
				}, Options{MaxReasks: 1})
				_, report, took, err := within(t, limit, c, rating(t, ""))
				if !tc.answer {
					if e := asError(t, err); e.Code != tc.code || len(other.requests) != 0 || report.Fallback != "" {
						t.Errorf("%+v, %d calls of the fallback", e, len(other.requests))
					}
					return
				}
				if err != nil || report.Fallback != "spare" || report.ModelID != "spare-id" || took > limit {
					t.Errorf("%v after %v, report %+v", err, took, report)
				}
				if n := len(main.requests); n < 3 || report.Attempts != n+1 {
					t.Errorf("the fallback was asked after %d attempts; reported %d", n, report.Attempts)
				}
			})
		})
	}
}

func TestCallerGoesAway(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		p := &script{replies: []reply{{err: throttled}}}
		time.AfterFunc(time.Second, cancel)
		_, _, err := completer(p, Options{}).Complete(ctx, rating(t, ""), nil)
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%v, want that the caller went away", err)
		}
	})
}

func TestUsageOfFailedAttemptsCounts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		billed := *broken
		billed.Usage = openai.Usage{PromptTokens: 100, CompletionTokens: 1, TotalTokens: 101}
		p := &script{replies: []reply{{err: &billed}, {completion: submit(`{"value":1}`)}}}
		got, _, _, err := within(t, time.Minute, completer(p, Options{}), rating(t, ""))
		if err != nil || got.Usage.TotalTokens != 208 {
			t.Errorf("%v, usage %+v", err, got.Usage)
		}
	})
}

// streamed is a Streamer that emits words and then ends as told.
type streamed struct {
	script
	words []string
	err   error
	calls int
}

func (s *streamed) Stream(_ context.Context, _ *openai.ChatCompletionRequest, emit func(openai.Delta) error) (*openai.ChatCompletion, error) {
	s.calls++
	text := ""
	for _, w := range s.words {
		text += w
		if err := emit(openai.Delta{Content: &w}); err != nil {
			return nil, err
		}
	}
	return answer(text), s.err
}

func TestStreaming(t *testing.T) {
	t.Parallel()
	plain := func(t *testing.T) *openai.ChatCompletionRequest {
		t.Helper()
		return decode(t, `{"messages":[{"role":"user","content":"x"}],"stream":true}`)
	}
	t.Run("text is emitted as it comes", func(t *testing.T) {
		t.Parallel()
		p := &streamed{words: []string{"Hello", " you"}}
		var got string
		c, _, err := completer(p, Options{}).Complete(t.Context(), plain(t), func(model string, d openai.Delta) error {
			got += *d.Content
			if model != "upstream-id" {
				t.Errorf("model %q", model)
			}
			return nil
		})
		if err != nil || got != "Hello you" || *c.Choices[0].Message.Content != got {
			t.Errorf("%q, %+v, %v", got, c, err)
		}
	})
	t.Run("no retry once text is out", func(t *testing.T) {
		t.Parallel()
		p := &streamed{words: []string{"Hel"}, err: broken}
		_, _, err := completer(p, Options{}).Complete(t.Context(), plain(t), func(string, openai.Delta) error { return nil })
		if asError(t, err).Code != openai.CodeUpstream || p.calls != 1 {
			t.Errorf("%v after %d calls", err, p.calls)
		}
	})
	t.Run("retry while nothing is out", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			p := &streamed{err: broken}
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			defer cancel()
			_, _, err := completer(p, Options{}).Complete(ctx, plain(t), func(string, openai.Delta) error { return nil })
			if err == nil || p.calls < 3 {
				t.Errorf("%v after %d calls", err, p.calls)
			}
		})
	})
	t.Run("a decision is judged before anything is sent", func(t *testing.T) {
		t.Parallel()
		p := &streamed{script: script{replies: []reply{{completion: submit(`{"value":1}`)}}}}
		_, _, err := completer(p, Options{}).Complete(t.Context(), rating(t, `,"stream":true`), func(string, openai.Delta) error {
			t.Error("something was emitted")
			return nil
		})
		if err != nil || p.calls != 0 {
			t.Errorf("%v after %d streams", err, p.calls)
		}
	})
}

// TestDistributionIsTheModels asks a model that prefers some values and fails
// at random whatever its value: what comes out must be distributed as its
// valid answers are.
func TestDistributionIsTheModels(t *testing.T) {
	t.Parallel()
	const draws = 20000
	weights := map[string]float64{`{"value":10}`: 0.5, `{"value":50}`: 0.3, `{"value":90}`: 0.2}
	m := &opinionated{rng: rand.New(rand.NewPCG(1, 2)), weights: weights}
	c := completer(m, Options{MaxReasks: 5})
	req := rating(t, "")
	counts := map[string]int{}
	answered := 0
	for range draws {
		got, _, err := c.Complete(t.Context(), req, nil)
		if err != nil {
			continue // too unlucky to answer in six attempts
		}
		answered++
		counts[got.Choices[0].Message.ToolCalls[0].Function.Arguments]++
	}
	if answered < draws*9/10 {
		t.Fatalf("only %d of %d were answered", answered, draws)
	}
	var chi2 float64
	for value, w := range weights {
		expected := w * float64(answered)
		chi2 += (float64(counts[value]) - expected) * (float64(counts[value]) - expected) / expected
	}
	if chi2 > 13.8 { // p = 0.001 with two degrees of freedom
		t.Errorf("counts %v of %d, chi-square %.1f", counts, answered, chi2)
	}
}

// opinionated draws a value by weight and spoils every third answer in one of
// several ways, independently of the value.
type opinionated struct {
	rng     *rand.Rand
	weights map[string]float64
}

func (o *opinionated) Complete(context.Context, *openai.ChatCompletionRequest) (*openai.ChatCompletion, error) {
	switch r := o.rng.Float64(); {
	case r < 0.12:
		return answer("About seventy."), nil
	case r < 0.24:
		return submit(`{"value":140}`), nil
	case r < 0.36:
		return submit(`{"rating":50}`), nil
	}
	r := o.rng.Float64()
	for _, value := range []string{`{"value":10}`, `{"value":50}`} {
		if r -= o.weights[value]; r < 0 {
			return submit(value), nil
		}
	}
	return submit(`{"value":90}`), nil
}
