package app_test

import (
	"strings"
	"testing"
)

// A backend is a model that answers, under the alias "agent".
type backend struct {
	name   string
	entry  string // of MODELS, without the alias
	vision bool
}

// backends are one or two models of each of the families of Bedrock that
// differ most in what they take, and an external model.
var backends = []backend{
	{"claude", "bedrock:us.anthropic.claude-haiku-4-5-20251001-v1:0", true},
	{"claude adaptive", "bedrock:us.anthropic.claude-opus-4-8", true},
	{"nova", "bedrock:us.amazon.nova-lite-v1:0", true},
	{"nova 2", "bedrock:us.amazon.nova-2-lite-v1:0", true},
	{"llama", "bedrock:us.meta.llama3-3-70b-instruct-v1:0", false},
	{"llama 4", "bedrock:us.meta.llama4-maverick-17b-instruct-v1:0", true},
	{"mistral", "bedrock:mistral.mistral-large-2407-v1:0", false},
	{"pixtral", "bedrock:us.mistral.pixtral-large-2502-v1:0", true},
	{"external", "external:large-model", true},
}

// both are a model of each provider that calls an upstream, for tests in which
// the families make no difference.
var both = []backend{backends[3], backends[8]}

// isExternal reports whether the backend is an external model.
func (b *backend) isExternal() bool { return strings.HasPrefix(b.entry, "external:") }

// modelID is what an answer of the backend says as its model.
func (b *backend) modelID() string {
	provider, id, _ := strings.Cut(b.entry, ":")
	if provider == "external" {
		return id + snapshot
	}
	return id
}

// A stage is a deployment of one backend with a script for it.
type stage struct {
	*deployment
	player
	backend backend
	unseen  int // upstream calls of one request that are no attempts: on connections that had died
}

// on deploys a backend.
func on(t *testing.T, b backend, settings ...string) *stage {
	t.Helper()
	s := &stage{deployment: deploy(t, "agent="+b.entry, settings...), backend: b}
	s.serve(s.deployment)
	return s
}

// ask plays a script to one request.
func (s *stage) ask(t *testing.T, body []byte, steps ...step) answer {
	t.Helper()
	s.play(steps...)
	return s.post(t, body)
}

// calledUpstream fails the test unless the last request led to n upstream
// calls.
func (s *stage) calledUpstream(t *testing.T, n int) {
	t.Helper()
	if got, _ := s.played(); got != n {
		t.Errorf("%d upstream calls, want %d", got, n)
	}
}

// reached sums up a good answer: n upstream calls, these things mended, and the usage
// of all of them.
func (s *stage) reached(t *testing.T, a answer, n int, mended string) completion {
	t.Helper()
	c := a.completion(t)
	calls, billed := s.played()
	if calls != n {
		t.Errorf("%d upstream calls, want %d", calls, n)
	}
	a.disclosed(t, n-s.unseen, mended)
	c.billed(t, billed)
	if c.Model != s.backend.modelID() {
		t.Errorf("model %q, want %q", c.Model, s.backend.modelID())
	}
	return c
}
