package app_test

import (
	"net/http"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"hyperstudy-endpoint/internal/awstest"
)

// ticket is what each decision of the load test is known by.
var ticket = regexp.MustCompile(`decision (\d+)`)

// echo is a model that submits the number of the decision it is asked for, and
// an upstream that throttles every fifth call.
func echo(n int64, body []byte) step {
	m := ticket.FindSubmatch(body)
	switch {
	case m == nil:
		return says("Which decision?")
	case n%5 == 0:
		return throttled("")
	}
	return slow(20*time.Millisecond, submits(`{"value":`+string(m[1])+`}`))
}

// TestLoad has 100 callers make four decisions each, all at once, while a fifth
// of the upstream calls is throttled. No decision may be lost, and none may be
// somebody else's.
func TestLoad(t *testing.T) {
	t.Parallel()
	for _, b := range both {
		t.Run(b.name, func(t *testing.T) { // one after the other: each starts a hundred processes
			s := on(t, b)
			var count atomic.Int64
			s.aws.Handle(func(r awstest.Request) awstest.Reply { return echo(count.Add(1), r.Body).bedrock(r) })
			s.upstream.handle(func(r sent) (reply, tokens) { return echo(count.Add(1), r.body).external, tokens{10, 1} })
			s.hammer(t, 100, 4)
			if n := count.Load(); n < 500*9/10 {
				t.Errorf("%d upstream calls for 400 decisions with a fifth throttled", n)
			}
			s.nothingRefused(t)
		})
	}
}

// hammer has callers make decisions, and checks that each gets its own.
func (s *stage) hammer(t *testing.T, callers, each int) {
	t.Helper()
	template := strings.Replace(string(request(t, "rating")), `"maximum": 100,`, `"maximum": 100000,`, 1)
	ctx := t.Context()
	var wg sync.WaitGroup
	for caller := range callers {
		wg.Go(func() {
			for i := range each {
				number := compactJSON(caller*each + i)
				body := strings.Replace(template, "After scene 5", "decision "+number, 1)
				a, err := s.send(ctx, http.MethodPost, "/chat/completions", []byte(body))
				if err != nil || a.status != 200 || !strings.Contains(string(a.body), `{\"value\":`+number+`}`) {
					t.Errorf("decision %s is lost: %d %s %v", number, a.status, a.body, err)
				}
			}
		})
	}
	wg.Wait()
}

// TestParallelVerify sends the request of hyperstudy-agent verify eight times at
// once, from a cold start.
func TestParallelVerify(t *testing.T) {
	t.Parallel()
	for _, b := range both {
		t.Run(b.name, func(t *testing.T) {
			t.Parallel()
			s := on(t, b)
			s.play(calls(toolCall{"respond", `{"value":3}`}))
			body := request(t, "verify-respond")
			ctx := t.Context()
			var wg sync.WaitGroup
			for range 8 {
				wg.Go(func() {
					if a, err := s.send(ctx, http.MethodPost, "/chat/completions", body); err != nil || a.status != 200 {
						t.Errorf("%d %s %v", a.status, a.body, err)
					}
				})
			}
			wg.Wait()
			s.nothingRefused(t)
		})
	}
}

// TestConcurrencyLimit checks what a caller gets when Lambda has no environment
// to spare: an error in the API's form, from API Gateway.
func TestConcurrencyLimit(t *testing.T) {
	t.Parallel()
	s := on(t, both[0])
	s.chat.MaxConcurrency = 1
	s.play(slow(time.Second, says("pong")))
	body := request(t, "connection-test")
	ctx := t.Context()
	answers := make([]answer, 3)
	var wg sync.WaitGroup
	for i := range answers {
		wg.Go(func() {
			var err error
			if answers[i], err = s.send(ctx, http.MethodPost, "/chat/completions", body); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	good := 0
	for _, a := range answers {
		if a.status == 200 {
			good++
			continue
		}
		a.failed(t, 429, "rate_limit_exceeded", "")
	}
	if good != 1 {
		t.Errorf("%d of 3 answered with one environment", good)
	}
}
