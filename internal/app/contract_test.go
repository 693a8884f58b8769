package app_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

// several is a deployment of several models, the first of which is the default.
const several = "fast=bedrock:us.amazon.nova-2-lite-v1:0,org/large:1=external:large-model,null=baseline:random,claude=bedrock:us.anthropic.claude-haiku-4-5-20251001-v1:0"

type modelList struct {
	Object string  `json:"object"`
	Data   []model `json:"data"`
}

type model struct {
	ID      string `json:"id"`
	Object  string `json:"object"`
	Created int64  `json:"created"`
	OwnedBy string `json:"owned_by"`
}

// TestModels lists the models and gets each of them.
func TestModels(t *testing.T) {
	t.Parallel()
	d := deploy(t, several)
	start := time.Now()
	a := d.do(t, http.MethodGet, "/models", nil)
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("the list took %v from a cold start, HyperStudy waits 10 s", took)
	}
	a.checkHeader(t)
	var list modelList
	strictly(t, a.body, &list)
	var ids, owners []string
	for _, m := range list.Data {
		ids, owners = append(ids, m.ID), append(owners, m.OwnedBy)
		if m.Object != "model" || m.Created < 1_600_000_000 {
			t.Errorf("%+v", m)
		}
	}
	if a.status != 200 || list.Object != "list" || !slices.Equal(ids, []string{"fast", "org/large:1", "null", "claude"}) ||
		!slices.Equal(owners, []string{"bedrock", "external", "baseline", "bedrock"}) {
		t.Fatalf("%d %s", a.status, a.body)
	}
	for path, id := range map[string]string{
		"/models/fast": "fast", "/models/default": "fast", "/models/null": "null", "/models/org/large:1": "org/large:1",
		"/models/org%2Flarge%3A1": "org/large:1", "/v1//models/claude/": "claude",
	} {
		var m model
		a := d.do(t, http.MethodGet, path, nil)
		strictly(t, a.body, &m)
		if a.status != 200 || m.ID != id {
			t.Errorf("%s: %d %s", path, a.status, a.body)
		}
	}
	d.do(t, http.MethodGet, "/models/gpt-unheard-of", nil).failed(t, 404, "model_not_found", "model")
	if n := len(d.upstream.all()) + len(d.aws.Requests()); n > 0 {
		t.Errorf("listing models made %d upstream calls", n)
	}
}

// TestModelNames asks for models by every name they have.
func TestModelNames(t *testing.T) {
	t.Parallel()
	d := deploy(t, several)
	s := &stage{deployment: d}
	s.serve(d)
	fingerprints := map[string]string{}
	for _, tc := range []struct{ member, model string }{
		{`"model":"default"`, "us.amazon.nova-2-lite-v1:0"},
		{`"model":""`, "us.amazon.nova-2-lite-v1:0"},
		{`"model":null`, "us.amazon.nova-2-lite-v1:0"},
		{`"model":"fast"`, "us.amazon.nova-2-lite-v1:0"},
		{`"model":"org/large:1"`, "large-model" + snapshot},
		{`"model":"claude"`, "us.anthropic.claude-haiku-4-5-20251001-v1:0"},
	} {
		c := s.ask(t, with(t, request(t, "rating"), tc.member), submits(answered)).completion(t)
		if c.Model != tc.model {
			t.Errorf("%s was answered by %q, want %q", tc.member, c.Model, tc.model)
		}
		if f := fingerprints[tc.model]; f != "" && f != c.SystemFingerprint {
			t.Errorf("%s has fingerprints %q and %q", tc.model, f, c.SystemFingerprint)
		}
		fingerprints[tc.model] = c.SystemFingerprint
	}
	seen := map[string]bool{}
	for _, f := range fingerprints {
		seen[f] = true
	}
	if len(seen) != 3 {
		t.Errorf("fingerprints of three models: %v", fingerprints)
	}
	body := []byte(`{"messages":[{"role":"user","content":"no model at all"}]}`)
	if c := s.ask(t, body, says("fine")).completion(t); c.Model != "us.amazon.nova-2-lite-v1:0" {
		t.Errorf("without a model: %q", c.Model)
	}
	for _, name := range []string{"Fast", "fast ", "us.amazon.nova-2-lite-v1:0", "gpt-4o"} {
		s.play(says("no"))
		e := s.post(t, with(t, request(t, "rating"), `"model":`+compactJSON(name))).failed(t, 404, "model_not_found", "model")
		s.calledUpstream(t, 0)
		for _, alias := range []string{"fast", "org/large:1", "null", "claude"} {
			if !strings.Contains(e.message, "'"+alias+"'") {
				t.Errorf("the message does not list %s: %s", alias, e.message)
			}
		}
	}
	s.nothingRefused(t)
}

// TestConnectionTest does what HyperStudy does in its settings: both requests
// within their limits, from a cold start, whatever the model.
func TestConnectionTest(t *testing.T) {
	t.Parallel()
	for _, b := range backends {
		t.Run(b.name, func(t *testing.T) {
			t.Parallel()
			s := on(t, b)
			start := time.Now()
			if a := s.do(t, http.MethodGet, "/models", nil); a.status != 200 || time.Since(start) > 10*time.Second {
				t.Errorf("models: %d after %v", a.status, time.Since(start))
			}
			start = time.Now()
			c := s.reached(t, s.ask(t, request(t, "connection-test"), cut(says("Hi"))), 1, "")
			if c.Choices[0].FinishReason != "length" || time.Since(start) > 30*time.Second {
				t.Errorf("%+v after %v", c.Choices[0], time.Since(start))
			}
			for _, key := range []string{"", "Bearer", "Bearer sk-test-wrong", "Basic " + apiKey, apiKey} {
				s.do(t, http.MethodPost, "/chat/completions", request(t, "connection-test"), "Authorization", key).failed(t, 401, "invalid_api_key", "")
			}
			s.nothingRefused(t)
		})
	}
}

// TestPaths goes through the API's routes, and around them.
func TestPaths(t *testing.T) {
	t.Parallel()
	s := on(t, both[0])
	s.play(says("pong"))
	body := request(t, "connection-test")
	for _, tc := range []struct {
		method, path string
		status       int
		code         string
	}{
		{"GET", "/models", 200, ""},
		{"GET", "/models/", 200, ""},
		{"GET", "//models//", 200, ""},
		{"GET", "/v1/models", 200, ""},
		{"GET", "//v1//models/", 200, ""},
		{"GET", "/models?limit=20&after=x", 200, ""},
		{"POST", "/chat/completions", 200, ""},
		{"POST", "/chat/completions/", 200, ""},
		{"POST", "//chat//completions//", 200, ""},
		{"POST", "/v1/chat/completions", 200, ""},
		{"POST", "//v1//chat/completions/?x=1", 200, ""},
		{"GET", "/props", 404, "unknown_url"},
		{"GET", "/v1/v1/models", 404, "unknown_url"},
		{"GET", "/chat/completions", 404, "unknown_url"}, // leads to the function that does not know it
		{"POST", "/models", 404, "unknown_url"},
		{"GET", "/v1", 404, "unknown_url"},
		{"POST", "/completions", 404, "unknown_url"},
		{"POST", "/chat/completions/x", 404, "unknown_url"},
		{"POST", "/embeddings", 404, "unknown_url"},
		{"GET", "/%2e%2e/models%00", 404, "unknown_url"},
		{"DELETE", "/models/agent", 404, "unknown_url"},
		{"PUT", "/chat/completions", 404, "unknown_url"},
		{"GET", "/", 404, "unknown_url"},
		{"POST", "/", 404, "unknown_url"},
	} {
		t.Run(tc.method+" "+tc.path, func(t *testing.T) {
			payload := body
			if tc.method == http.MethodGet {
				payload = nil
			}
			a := s.do(t, tc.method, tc.path, payload)
			if tc.status == 200 {
				if a.status != 200 {
					t.Errorf("%d %s", a.status, a.body)
				}
				return
			}
			a.failed(t, tc.status, tc.code, "")
		})
	}
}
