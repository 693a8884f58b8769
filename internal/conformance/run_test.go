package conformance

import (
	"context"
	"net/http"
	"net/netip"
	"strings"
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

// TestGood runs against endpoints that do everything right: nothing may be
// found.
func TestGood(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
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
		{name: "list open to all", set: func(f *fake, _ *Target) {
			f.take = func(w http.ResponseWriter, r *http.Request, _ *query) bool {
				if r.URL.Path == "/v1/models" {
					f.list(w)
				}
				return r.URL.Path == "/v1/models"
			}
		}, told: map[string]string{"key.models": "without a key"}},
	} {
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
