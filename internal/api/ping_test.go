package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"hyperstudy-endpoint/internal/openai"
)

// A timeline is a ResponseWriter that keeps when something was written. Where
// goneAfter is set, writes fail from then on.
type timeline struct {
	*httptest.ResponseRecorder
	start     time.Time
	goneAfter time.Duration
	entries   []string
}

var errGone = errors.New("connection closed")

func (l *timeline) Write(p []byte) (int, error) {
	at := time.Since(l.start)
	if l.goneAfter > 0 && at >= l.goneAfter {
		return 0, errGone
	}
	what := "body"
	switch {
	case string(p) == ": ping\n\n":
		what = "ping"
	case strings.HasPrefix(string(p), `data: {"error":`):
		what = "error"
	case strings.HasPrefix(string(p), "data: "):
		what = "data"
	}
	if entry := fmt.Sprintf("%v %s", at, what); len(l.entries) == 0 || l.entries[len(l.entries)-1] != entry {
		l.entries = append(l.entries, entry)
	}
	return l.ResponseRecorder.Write(p)
}

// slow is a Streamer whose words and whose end each take their time.
type slow struct {
	words []string
	pause time.Duration // before each word
	end   time.Duration // before the end
	err   error         // as which it ends
	call  bool          // it ends with a tool call
	ended *time.Time    // when it ended
}

func (s slow) Complete(ctx context.Context, req *openai.ChatCompletionRequest) (*openai.ChatCompletion, error) {
	return s.Stream(ctx, req, func(openai.Delta) error { return nil })
}

func (s slow) Stream(ctx context.Context, req *openai.ChatCompletionRequest, emit func(openai.Delta) error) (*openai.ChatCompletion, error) {
	if s.ended != nil {
		defer func() { *s.ended = time.Now() }()
	}
	for _, w := range s.words {
		if err := wait(ctx, s.pause); err != nil {
			return nil, err
		}
		if err := emit(openai.Delta{Content: &w}); err != nil {
			return nil, err
		}
	}
	if err := wait(ctx, s.end); err != nil {
		return nil, err
	}
	if s.err != nil {
		return nil, s.err
	}
	m := openai.AnswerMessage{Content: text(strings.Join(s.words, ""))}
	if s.call {
		m = openai.AnswerMessage{ToolCalls: []openai.ToolCall{{ID: "call_1", Type: "function", Function: openai.FunctionCall{Name: "wait", Arguments: "{}"}}}}
	}
	return says(m)(req)
}

// wait sleeps unless ctx ends first, as a provider waits for its upstream.
func wait(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return &openai.Error{Status: http.StatusBadGateway, Code: openai.CodeUpstream, Message: "lost", Err: ctx.Err()}
	}
}

const (
	streamedCall = `{"messages":[{"role":"user","content":"x"}],"tools":[{"type":"function","function":{"name":"wait"}}],"stream":true}`
	wholeCall    = `{"messages":[{"role":"user","content":"x"}],"tools":[{"type":"function","function":{"name":"wait"}}]}`
)

// run sends one request that may take limit and writes the answer into l.
func run(t *testing.T, l *timeline, p slow, body string, limit time.Duration) *Exchange {
	t.Helper()
	h, seen := serve(p)
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	r := httptest.NewRequestWithContext(ctx, http.MethodPost, "http://host/v1/chat/completions", strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer key")
	l.ResponseRecorder, l.start = httptest.NewRecorder(), time.Now()
	h.ServeHTTP(l, r)
	time.Sleep(time.Hour) // nothing may be written any more
	return seen
}

// TestPings checks when a silent stream is kept alive and when it is left alone.
func TestPings(t *testing.T) {
	t.Parallel()
	fault := &openai.Error{Status: 502, Type: openai.TypeServer, Code: openai.CodeModelError, Message: "lost"}
	for _, tc := range []struct {
		name     string
		provider slow
		body     string
		limit    time.Duration
		status   int // of the response
		code     string
		want     string
	}{
		{"a decision within 44 s", slow{end: 44 * time.Second, call: true}, streamedCall, 297 * time.Second, 200, "", "44s data"},
		{"a decision of 80 s", slow{end: 80 * time.Second, call: true}, streamedCall, 297 * time.Second, 200, "", "45s ping,1m0s ping,1m15s ping,1m20s data"},
		{"text that begins late", slow{words: []string{"a", "b"}, pause: 50 * time.Second}, streamedText, 297 * time.Second, 200, "", "45s ping,50s data,1m5s ping,1m20s ping,1m35s ping,1m40s data"},
		{"text in time", slow{words: []string{"a", "b", "c"}, pause: 14 * time.Second}, streamedText, 297 * time.Second, 200, "", "14s data,28s data,42s data"},
		{"an end that comes late", slow{words: []string{"a"}, end: 31 * time.Second}, streamedText, 297 * time.Second, 200, "", "0s data,15s ping,30s ping,31s data"},
		{"a failure after 44 s", slow{end: 44 * time.Second, err: fault}, streamedCall, 297 * time.Second, 502, openai.CodeModelError, "44s body"},
		{"a failure after 46 s", slow{end: 46 * time.Second, err: fault}, streamedCall, 297 * time.Second, 200, openai.CodeModelError, "45s ping,46s error"},
		{"no time for a ping", slow{end: time.Hour}, streamedCall, 57 * time.Second, 504, openai.CodeTimeout, "57s body"},
		{"a time limit", slow{end: time.Hour}, streamedCall, 97 * time.Second, 200, openai.CodeTimeout, "45s ping,1m0s ping,1m15s ping,1m37s error"},
		{"not a stream", slow{end: 80 * time.Second, call: true}, wholeCall, 297 * time.Second, 200, "", "1m20s body"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var l timeline
				seen := run(t, &l, tc.provider, tc.body, tc.limit)
				if got := strings.Join(l.entries, ","); got != tc.want || l.Code != tc.status {
					t.Errorf("status %d, %s\nwant status %d, %s", l.Code, got, tc.status, tc.want)
				}
				code, status := "", 200
				if seen.Error != nil {
					code, status = seen.Error.Code, seen.Error.Status
				}
				if code != tc.code || seen.Status != status {
					t.Errorf("exchange has status %d and error %q, want %q", seen.Status, code, tc.code)
				}
				attempts := "1"
				if len(tc.provider.words) > 0 || strings.HasPrefix(tc.want, "45s ping") {
					attempts = "" // was not known when the header left
				}
				if got := l.Result().Header.Get("X-Endpoint-Attempts"); got != attempts {
					t.Errorf("X-Endpoint-Attempts %q, want %q", got, attempts)
				}
			})
		})
	}
}

// TestLongestSilence checks that no stream is silent for a minute, however long
// it may take, until the request's time is up.
func TestLongestSilence(t *testing.T) {
	t.Parallel()
	for limit := 10 * time.Second; limit <= 297*time.Second; limit += 500 * time.Millisecond {
		synctest.Test(t, func(t *testing.T) {
			var l timeline
			run(t, &l, slow{end: time.Hour}, streamedCall, limit)
			before := time.Duration(0)
			for _, entry := range l.entries {
				at, err := time.ParseDuration(strings.Fields(entry)[0])
				if err != nil || at-before >= time.Minute {
					t.Errorf("limit %v: silent from %v to %v (%v)", limit, before, at, err)
				}
				before = at
			}
			if before != limit || l.Code != http.StatusGatewayTimeout && limit < firstPing+pingEvery {
				t.Errorf("limit %v: status %d, %v", limit, l.Code, l.entries)
			}
		})
	}
}

// TestCallerHangsUp checks that nothing is asked of a model for a caller who has
// gone, as soon as it shows: at the next word, ping or chunk.
func TestCallerHangsUp(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name     string
		provider slow
		body     string
		gone     time.Duration
		want     time.Duration // when the provider ends
	}{
		{"at a word", slow{words: []string{"a", "b", "c"}, pause: 5 * time.Second, end: time.Hour}, streamedText, 7 * time.Second, 10 * time.Second},
		{"at a ping in the text", slow{words: []string{"a"}, end: time.Hour}, streamedText, 7 * time.Second, 15 * time.Second},
		{"at the first ping", slow{end: time.Hour}, streamedCall, 7 * time.Second, 45 * time.Second},
		{"at a later ping", slow{end: time.Hour}, streamedCall, 70 * time.Second, 75 * time.Second},
		{"at the answer", slow{end: 10 * time.Second, call: true}, streamedCall, 7 * time.Second, 10 * time.Second},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var ended time.Time
				tc.provider.ended = &ended
				l := timeline{goneAfter: tc.gone}
				seen := run(t, &l, tc.provider, tc.body, 297*time.Second)
				if took := ended.Sub(l.start); took != tc.want || seen.Status != openai.StatusClientClosed || seen.Error != nil {
					t.Errorf("the model was asked for %v, want %v; status %d, error %v", took, tc.want, seen.Status, seen.Error)
				}
				if seen.Report == nil || seen.Report.Attempts != 1 {
					t.Errorf("report %+v", seen.Report)
				}
			})
		})
	}
}

// TestPanicWhilePinging checks that a stream which was opened by a ping and
// whose work then panics ends with an error and no more pings.
func TestPanicWhilePinging(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var l timeline
		h, seen := serve(panics{slow{end: 50 * time.Second}})
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://host/v1/chat/completions", strings.NewReader(streamedCall))
		r.Header.Set("Authorization", "Bearer key")
		l.ResponseRecorder, l.start = httptest.NewRecorder(), time.Now()
		h.ServeHTTP(&l, r)
		time.Sleep(time.Hour)
		if got := strings.Join(l.entries, ","); got != "45s ping,50s error" || seen.Status != 500 || seen.Stack == nil {
			t.Errorf("%s, status %d", got, seen.Status)
		}
	})
}

// panics is a slow provider that panics instead of failing.
type panics struct{ slow }

func (p panics) Complete(ctx context.Context, _ *openai.ChatCompletionRequest) (*openai.ChatCompletion, error) {
	_ = wait(ctx, p.end)
	panic("lost")
}
