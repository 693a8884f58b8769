package app_test

import (
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// null is a deployment whose answers need nobody else.
const null = "agent=baseline:random"

// withKey asks for the models with a key.
func (d *deployment) withKey(t *testing.T, key string) answer {
	t.Helper()
	return d.do(t, http.MethodGet, "/models", nil, "Authorization", "Bearer "+key)
}

// TestKeys asks with good and bad keys for each kind of secret.
func TestKeys(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, secret string
		good, bad    []string
	}{
		{"plain text", "sk-one-0123456789", []string{"sk-one-0123456789"}, []string{"sk-one-012345678", "sk-one-01234567890", "SK-ONE-0123456789"}},
		{"line break at the end", "sk-one-0123456789\n", []string{"sk-one-0123456789"}, []string{"sk-one"}},
		{"two labels", `{"lab":"sk-lab-0123456789","pilot":"sk-pilot-0123456789"}`, []string{"sk-lab-0123456789", "sk-pilot-0123456789"}, []string{"lab", "pilot", "sk-lab", `{"lab":"sk-lab-0123456789","pilot":"sk-pilot-0123456789"}`}},
		{"empty", " ", nil, []string{"x", " ", "null"}},
		{"an empty label", `{"lab":""}`, nil, []string{"x", "lab"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			d := deploy(t, null)
			d.aws.SetSecret(keySecret, tc.secret)
			for _, key := range tc.good {
				if a := d.withKey(t, key); a.status != 200 {
					t.Errorf("a good key: %d %s", a.status, a.body)
				}
			}
			var words []string
			for _, key := range tc.bad {
				a := d.withKey(t, key)
				e := a.failed(t, 401, "invalid_api_key", "")
				words = append(words, e.message)
				if a.header.Get("X-Amzn-Remapped-Www-Authenticate") != "Bearer" { // what API Gateway makes of WWW-Authenticate
					t.Errorf("header %v", a.header)
				}
			}
			words = append(words, d.do(t, http.MethodGet, "/models", nil, "Authorization", "").failed(t, 401, "invalid_api_key", "").message)
			for _, w := range words {
				if w != words[0] {
					t.Errorf("a missing and a wrong key can be told apart: %q, %q", w, words[0])
				}
			}
			d.noLine(t, append(append([]string{"sk-"}, tc.good...), "Bearer")...)
		})
	}
}

// TestLabels checks that the log tells the keys apart without their text.
func TestLabels(t *testing.T) {
	t.Parallel()
	d := deploy(t, null)
	d.aws.SetSecret(keySecret, `{"lab":"sk-lab-0123456789","pilot":"sk-pilot-0123456789"}`)
	d.withKey(t, "sk-lab-0123456789")
	d.withKey(t, "sk-pilot-0123456789")
	d.withKey(t, "sk-pilot-0123456789")
	if lab, pilot := d.linesWith(`"key":"lab"`), d.linesWith(`"key":"pilot"`); lab != 1 || pilot != 2 {
		t.Errorf("%d lines of lab and %d of pilot: %s", lab, pilot, lines(d.logs()))
	}
}

// TestSecretByARN names the secrets as CloudFormation does.
func TestSecretByARN(t *testing.T) {
	t.Parallel()
	d := deploy(t, "agent=external:large-model")
	env := d.chat.Env
	for i, v := range env {
		switch v {
		case "API_KEY_SECRET=" + keySecret:
			env[i] = "API_KEY_SECRET=" + d.aws.SetSecret(keySecret, apiKey)
		case "EXTERNAL_API_KEY_SECRET=" + upstreamSecret:
			env[i] = "EXTERNAL_API_KEY_SECRET=" + d.aws.SetSecret(upstreamSecret, upstreamKey)
		}
	}
	s := &stage{deployment: d}
	s.serve(d)
	if c := s.ask(t, request(t, "connection-test"), says("Hi")).completion(t); c.text(t) != "Hi" {
		t.Errorf("%+v", c)
	}
	d.noLine(t, "arn:aws")
}

// TestRotation replaces the key while callers are at work, in the way that the
// documentation describes: both keys for a while, then the new one.
func TestRotation(t *testing.T) {
	t.Parallel()
	const (
		callers, requests = 8, 40
		next              = "sk-next-0123456789"
	)
	d := deploy(t, null)
	body := request(t, "rating")
	var key atomic.Value
	key.Store(apiKey)
	var done atomic.Int32
	var wg sync.WaitGroup
	for range callers {
		wg.Go(func() {
			for range requests {
				a, err := d.send(t.Context(), http.MethodPost, "/chat/completions", body, "Authorization", fmt.Sprint("Bearer ", key.Load()))
				if err != nil || a.status != 200 {
					t.Errorf("%d %s %v", a.status, a.body, err)
				}
				if done.Add(1) == callers*requests/4 {
					d.aws.SetSecret(keySecret, `{"old":"`+apiKey+`","new":"`+next+`"}`)
					key.Store(next)
				}
				if done.Load() == callers*requests*3/4 {
					d.aws.SetSecret(keySecret, next)
				}
			}
		})
	}
	wg.Wait()
	d.noLine(t, apiKey, next)
}

// TestRotationAtOnce replaces the key and uses the new one right away.
func TestRotationAtOnce(t *testing.T) {
	t.Parallel()
	d := deploy(t, null)
	if a := d.withKey(t, apiKey); a.status != 200 {
		t.Fatalf("%d", a.status)
	}
	d.aws.SetSecret(keySecret, "sk-next-0123456789")
	if a := d.withKey(t, "sk-next-0123456789"); a.status != 200 {
		t.Errorf("the new key: %d %s", a.status, a.body)
	}
	d.withKey(t, apiKey).failed(t, 401, "invalid_api_key", "")
	calls, start := d.aws.SecretCalls(), time.Now()
	for range 50 {
		d.withKey(t, "sk-guess-0123456789").failed(t, 401, "invalid_api_key", "")
	}
	if n := d.aws.SecretCalls() - calls; n > 1+int(time.Since(start)/time.Second) {
		t.Errorf("50 guesses led to %d calls of Secrets Manager", n)
	}
}

// TestSecretsManagerDown goes through an outage.
func TestSecretsManagerDown(t *testing.T) {
	t.Parallel()
	d := deploy(t, null)
	d.aws.SecretsDown(true)
	for _, path := range []string{"/models", "/chat/completions"} {
		method, body := http.MethodGet, []byte(nil)
		if path != "/models" {
			method, body = http.MethodPost, request(t, "rating")
		}
		// No key was ever fetched: nobody gets in.
		d.do(t, method, path, body).failed(t, 503, "service_unavailable", "")
		d.do(t, method, path, body, "Authorization", "").failed(t, 503, "service_unavailable", "")
	}
	if d.linesWith("API_KEY_SECRET", "WARN") != 2 {
		t.Errorf("both functions should say that INIT could not fetch the key: %s", lines(d.logs()))
	}
	d.aws.SecretsDown(false)
	for range 2 { // works at once, and goes on to work in the next outage
		if a := d.withKey(t, apiKey); a.status != 200 {
			t.Errorf("%d %s", a.status, a.body)
		}
		if c := d.post(t, request(t, "rating")).completion(t); c.Choices[0].FinishReason != "tool_calls" {
			t.Errorf("%+v", c)
		}
		d.aws.SecretsDown(true)
		d.withKey(t, "sk-wrong-0123456789").failed(t, 401, "invalid_api_key", "")
	}
	d.noLine(t, apiKey)
}

// TestUpstreamKey replaces the key of the external model, and takes it away.
func TestUpstreamKey(t *testing.T) {
	t.Parallel()
	s := on(t, both[1])
	body := request(t, "rating")
	s.reached(t, s.ask(t, body, submits(answered)), 1, "")
	s.upstream.setKey("sk-upstream-next")
	s.aws.SetSecret(upstreamSecret, "sk-upstream-next")
	s.reached(t, s.ask(t, body, submits(answered)), 1, "")
	s.upstream.setKey("sk-nobody-knows")
	// Not 401: that would say that the caller's own key is wrong.
	s.ask(t, body, submits(answered)).failed(t, 502, "model_access_denied", "")
	s.aws.DeleteSecret(upstreamSecret)
	s.ask(t, body, submits(answered)).failure(t)
	s.noLine(t, upstreamKey, "sk-upstream", apiKey)
}
