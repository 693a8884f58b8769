package app_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"
)

const (
	limit = 10 * time.Second // as it is set in HyperStudy and for the endpoint
	// age is how long ago the requests of these tests came in, as after a long
	// cold start: it leaves less to wait for.
	age = 6 * time.Second
)

// aged is a stage whose requests came in a while ago.
func aged(t *testing.T, b backend, ago time.Duration) *stage {
	t.Helper()
	s := on(t, b, "REQUEST_TIMEOUT_SECONDS="+strconv.Itoa(int(limit.Seconds())))
	s.gateway.Age = ago
	return s
}

// inTime asks, and fails the test unless the answer comes before the limit.
func (s *stage) inTime(t *testing.T, body []byte, steps ...step) (answer, time.Duration) {
	t.Helper()
	start := time.Now()
	a := s.ask(t, body, steps...)
	took := time.Since(start)
	if took+s.gateway.Age > limit {
		t.Errorf("answered %v after the request came in, the limit is %v", took+s.gateway.Age, limit)
	}
	return a, took
}

// TestFaultyUpstream has upstreams fail in ways that another attempt may not
// meet.
func TestFaultyUpstream(t *testing.T) {
	t.Parallel()
	good := submits(answered)
	for _, tc := range []struct {
		name     string
		steps    []step
		attempts int // of the good answer; 0 if there is none
		status   int
		code     string
	}{
		{"slow", []step{slow(1500*time.Millisecond, good)}, 1, 0, ""},
		{"too slow", []step{slow(8*time.Second, good)}, 0, 504, "timeout"},
		{"hanging", []step{hangs()}, 0, 504, "timeout"},
		{"hanging at the second attempt", []step{submits(`{"value":140}`), hangs()}, 0, 504, "timeout"},
		{"dropping", []step{drops(), good}, 2, 0, ""},
		{"dropping always", []step{drops()}, 0, 0, ""}, // 502, or 504 if the time ends in the middle of an attempt
		{"breaking off", []step{breaks(good), good}, 2, 0, ""},
		{"a page", []step{web(http.StatusBadGateway), good}, 2, 0, ""},
		{"a page with status 200", []step{web(http.StatusOK), good}, 2, 0, ""},
		{"pages always", []step{web(http.StatusServiceUnavailable)}, 0, 0, ""},
		{"failing", []step{fails(http.StatusInternalServerError), good}, 2, 0, ""},
		{"failing always", []step{fails(http.StatusInternalServerError)}, 0, 0, ""},
		{"throttling twice", []step{throttled(""), throttled(""), good}, 3, 0, ""},
		{"throttling always", []step{throttled("")}, 0, 429, "rate_limit_exceeded"},
		{"throttling between bad answers", []step{submits(`{"value":140}`), throttled(""), says("Hm."), good}, 4, 0, ""},
	} {
		for _, b := range both {
			t.Run(tc.name+"/"+b.name, func(t *testing.T) {
				t.Parallel()
				s := aged(t, b, age)
				if b.isExternal() && tc.steps[0].external.drop {
					s.unseen = 1 // the connection opened during INIT is no worse for having died
				}
				a, took := s.inTime(t, request(t, "rating"), tc.steps...)
				if tc.attempts > 0 {
					s.reached(t, a, tc.attempts, "")
					return
				}
				e := a.failure(t)
				if tc.code != "" && (e.status != tc.status || e.code != tc.code) || e.status < 429 {
					t.Errorf("%+v after %v, want %d %s", e, took, tc.status, tc.code)
				}
				calls, _ := s.played()
				a.disclosed(t, calls-s.unseen, "")
				if tc.name != "hanging" && tc.name != "too slow" && calls < 2 {
					t.Errorf("given up after %d attempts", calls)
				}
				s.nothingRefused(t)
			})
		}
	}
}

// TestRetryAfter checks that an upstream that asks to be left alone is.
func TestRetryAfter(t *testing.T) {
	t.Parallel()
	for _, b := range both {
		t.Run("short/"+b.name, func(t *testing.T) {
			t.Parallel()
			s := aged(t, b, age)
			a, took := s.inTime(t, request(t, "rating"), throttled("1"), submits(answered))
			s.reached(t, a, 2, "")
			if took < time.Second {
				t.Errorf("asked again within %v", took)
			}
		})
		t.Run("too long/"+b.name, func(t *testing.T) {
			t.Parallel()
			s := aged(t, b, age)
			a, took := s.inTime(t, request(t, "rating"), throttled("60"))
			a.failed(t, 429, "rate_limit_exceeded", "")
			s.calledUpstream(t, 1)
			if a.header.Get("Retry-After") != "60" || took > 2*time.Second {
				t.Errorf("Retry-After %q after %v", a.header.Get("Retry-After"), took)
			}
		})
	}
}

// TestLateRequest asks when the limit is over already.
func TestLateRequest(t *testing.T) {
	t.Parallel()
	for _, b := range both {
		t.Run(b.name, func(t *testing.T) {
			t.Parallel()
			s := aged(t, b, time.Minute)
			start := time.Now()
			a := s.ask(t, request(t, "rating"), hangs())
			a.failed(t, 504, "timeout", "")
			if took := time.Since(start); took > 2*time.Second {
				t.Errorf("answered after %v", took)
			}
		})
	}
}

// TestUpstreamIsCalledOff checks that nobody pays for what nobody waits for.
func TestUpstreamIsCalledOff(t *testing.T) {
	t.Parallel()
	s := aged(t, both[1], 8*time.Second)
	gone := make(chan struct{})
	s.upstream.handle(func(sent) (reply, tokens) { return reply{delay: time.Hour, gone: gone}, tokens{} })
	s.post(t, request(t, "rating")).failed(t, 504, "timeout", "")
	select {
	case <-gone:
	case <-time.After(5 * time.Second):
		t.Error("the upstream still writes an answer that comes too late")
	}
}

// TestStreamInTime checks streams that do not get to their end.
func TestStreamInTime(t *testing.T) {
	t.Parallel()
	body := with(t, request(t, "stage-text"), `"stream":true`)
	for _, b := range both {
		t.Run("hanging/"+b.name, func(t *testing.T) {
			t.Parallel()
			s := aged(t, b, age)
			a, _ := s.inTime(t, body, hangs())
			a.failed(t, 504, "timeout", "")
		})
		t.Run("breaking off/"+b.name, func(t *testing.T) {
			t.Parallel()
			s := aged(t, b, age)
			a, _ := s.inTime(t, body, breaks(says("One word after the other, and then none.")))
			events := a.events(t)
			last := events[len(events)-1]
			if a.status != 200 || !strings.HasPrefix(last, `{"error":{"message":`) || !strings.Contains(last, `"code":"upstream_error"`) {
				t.Errorf("%d, last event %s", a.status, last)
			}
			if strings.Contains(string(a.body), `"finish_reason":"`) {
				t.Errorf("a stream that broke off has a finish reason: %s", a.body)
			}
		})
	}
}

// TestSecretsManagerSlow checks that a hanging Secrets Manager does not take
// the caller's time.
func TestSecretsManagerSlow(t *testing.T) {
	t.Parallel()
	d := deploy(t, null, "REQUEST_TIMEOUT_SECONDS=10")
	d.aws.SecretDelay(time.Hour)
	d.gateway.Age = 7 * time.Second
	start := time.Now()
	a := d.post(t, request(t, "rating"))
	if e := a.failure(t); e.status != 503 && e.status != 504 {
		t.Errorf("%+v", e)
	}
	// INIT gives up by itself; the request's own time is what is left of the limit.
	if took := time.Since(start); took > 8*time.Second {
		t.Errorf("answered after %v", took)
	}
}
