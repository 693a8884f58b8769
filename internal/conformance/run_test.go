package conformance

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
)

// targetOf is an endpoint that is entered as it should be.
func targetOf(h http.Handler) Target {
	return Target{
		BaseURL: "https://agent.example.org/v1", APIKey: fakeKey, Client: &http.Client{Transport: direct{h}},
		Resolve: func(context.Context, string) ([]netip.Addr, error) {
			return []netip.Addr{netip.MustParseAddr("93.184.215.14"), netip.MustParseAddr("2606:2800:21f:cb07:6820:80da:af6b:8b2c")}, nil
		},
	}
}

var runOptions = Options{Repeat: 2, Callers: 4}

// goodOnes are ways to do everything right.
var goodOnes = []struct {
	name string
	set  func(f *fake, target *Target)
	told map[string]string // parts of messages
}{
	{name: "plain", told: map[string]string{"connection.list": "1 model", "parameter.seed": "alike twice", "stream.decision": "One call"}},
	{name: "model given", set: func(f *fake, target *Target) {
		f.models, target.Model = []string{"first", "second"}, "second"
	}, told: map[string]string{"connection.list": `asks for "first", this run for "second"`}},
	{name: "streams refused", set: func(f *fake, _ *Target) {
		f.take = func(w http.ResponseWriter, _ *http.Request, q *query) bool {
			if q.Stream {
				fail(w, 400, "unsupported_parameter", "streams are not supported")
			}
			return q.Stream
		}
	}, told: map[string]string{"stream.text": "streams are not supported"}},
	{name: "list open to all", set: openList, told: map[string]string{"key.models": "without a key"}},
	{name: "model refuses in a stream", set: answered(func(q *query, m object) string {
		if !q.Stream {
			return ""
		}
		delete(m, "tool_calls")
		m["refusal"] = "I cannot take part in this."
		return "stop"
	}), told: map[string]string{"stream.decision": "refused"}},
	{name: "forbids wrong keys", set: refusing(403, `{"error":{"message":"no"}}`)},
	{name: "empty text beside calls", set: answered(func(_ *query, m object) string {
		m["content"], m["reasoning_content"] = "", "They may be in a hurry."
		return ""
	})},
	{name: "empty list of calls beside text", set: changed(func(q *query, c object) {
		if len(q.Tools) == 0 {
			messageOf(c)["tool_calls"] = []any{}
		}
	})},
	{name: "more in every answer", set: func(f *fake, _ *Target) {
		f.seal = func(_ *http.Request, w *httptest.ResponseRecorder) {
			if w.Header().Get("Content-Type") == "application/json" {
				w.Header().Set("Content-Type", "application/json; charset=utf-8")
				body := strings.Replace(w.Body.String(), "{", `{"service_tier":"x","x":[1],`, 1)
				w.Body.Reset()
				w.Body.WriteString("\n\n" + body + "\n")
			}
		}
	}},
	{name: "model waits whenever it can", set: call(func(q *query, c object) {
		if q.has(`"name":"wait"`) {
			function(c)["name"], function(c)["arguments"] = "wait", "{}"
		}
	}), told: map[string]string{"answer.likert": "Called: submit_response (1), wait (1)", "image.inline": "chose to wait", "chat.turn": "Called: wait (2)"}},
	{name: "model obeys participants", set: call(func(q *query, c object) {
		for _, value := range []string{orderedValue, writtenValue} {
			if q.has(value) {
				function(c)["arguments"] = `{"value":` + value + `0}`
			}
		}
	}), told: map[string]string{"text.orders": "2 of 2 answers gave the participant's value", "text.markup": "2 of 2 answers"}},
	{name: "no seed", set: func(f *fake, _ *Target) {
		f.seal = func(_ *http.Request, w *httptest.ResponseRecorder) {
			w.Header().Set("X-Endpoint-Ignored", "top_p, seed")
		}
	}, told: map[string]string{"parameter.seed": "this model has no seed", "parameter.persona": "as the endpoint says: seed, top_p"}},
	{name: "another answer each time", set: func(f *fake, _ *Target) {
		var n atomic.Int32
		call(func(q *query, c object) {
			if ofKind("rating")(q) {
				function(c)["arguments"] = fmt.Sprintf(`{"value":%d}`, n.Add(1)%100)
			}
		})(f, nil)
	}, told: map[string]string{"parameter.seed": "answered differently"}},
	{name: "key of digits", set: func(f *fake, target *Target) { f.key, target.APIKey = "0123456789", "0123456789" }},
	{name: "model sees pictures", set: func(*fake, *Target) {}, told: map[string]string{"image.inline": "saw what is shown", "image.formats": "saw what is shown", "image.several": "saw what is shown", "image.link": "not known"}},
	{name: "model waits when it may say little", set: limitedTo(func(object) {}), told: map[string]string{"parameter.limit": "a whole call of wait"}},
	{name: "model gives what words ask for", set: written(func(q *query, said string) string {
		switch {
		case q.has("integer only"):
			return " 7\n"
		case q.has("JSON only"):
			return `{"score":7,"lesson":"none"}`
		}
		return said
	}), told: map[string]string{"cognition.words": "2 of 2 texts", "cognition.integer": "2 of 2 texts"}},
	{name: "streams with comments, CRLF and whole calls", set: func(f *fake, _ *Target) {
		f.seal = func(_ *http.Request, w *httptest.ResponseRecorder) {
			if w.Header().Get("Content-Type") == "text/event-stream" {
				body := ": keep-alive\n\n" + strings.ReplaceAll(w.Body.String(), "data: ", "event: message\ndata:")
				w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
				w.Body.Reset()
				w.Body.WriteString(strings.ReplaceAll(body, "\n", "\r\n"))
			}
		}
	}},
	{name: "unreadable pictures answered", set: func(f *fake, _ *Target) {
		f.take = func(w http.ResponseWriter, _ *http.Request, q *query) bool {
			if q.has("aGVsbG8=") {
				write(w, 200, answerOf(q))
			}
			return q.has("aGVsbG8=")
		}
	}, told: map[string]string{"image.broken": "as if it had been seen"}},
}

// TestGood runs against endpoints that do everything right: nothing may be
// found.
func TestGood(t *testing.T) {
	t.Parallel()
	for _, tc := range goodOnes {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				f := newFake()
				target := targetOf(f)
				if tc.set != nil {
					tc.set(f, &target)
				}
				report := Run(t.Context(), target, runOptions)
				for _, r := range report.Results {
					if r.Verdict == Fail || r.Verdict == Warn || r.Verdict == Skip {
						t.Errorf("%s: %s: %s", r.Check.ID, r.Verdict, r.Message)
					}
					if !strings.Contains(r.Message, tc.told[r.Check.ID]) {
						t.Errorf("%s: %q does not hold %q", r.Check.ID, r.Message, tc.told[r.Check.ID])
					}
				}
			})
		})
	}
}
