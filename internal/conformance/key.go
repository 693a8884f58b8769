package conformance

import (
	"context"
	"net/http"
	"strings"

	"hyperstudy-endpoint/internal/wording"
)

// wrongKey is nobody's key.
const wrongKey = "sk-conformance-this-key-is-wrong"

func keyChecks() []check {
	return []check{
		{Check: Check{ID: "key.accepted", Group: "key", Title: "key accepted", Quick: true, Cost: testCost,
			Requirement: "The key, sent as Authorization: Bearer KEY, is accepted."}, run: checkKeyAccepted, always: true},
		{Check: Check{ID: "key.wrong", Group: "key", Title: "auth enforced", Quick: true, Cost: testCost,
			Requirement: "A wrong key is refused with 401 or 403."}, run: checkWrongKey},
		{Check: Check{ID: "key.missing", Group: "key", Title: "missing key", Quick: true, Cost: testCost,
			Requirement: "A request without a key is refused with 401 or 403."}, run: checkMissingKey},
		{Check: Check{ID: "key.malformed", Group: "key", Title: "malformed keys", Cost: testCost.times(5),
			Requirement: "What is nearly the key, or the key in another scheme, is refused with 401 or 403."}, run: checkMalformedKeys},
		{Check: Check{ID: "key.models", Group: "key", Title: "key for /models", Cost: Cost{Requests: 1},
			Requirement: "Whether the list of models needs the key is reported; HyperStudy sends it either way."}, run: checkModelsKey},
		{Check: Check{ID: "key.echo", Group: "key", Title: "key not repeated", Cost: testCost,
			Requirement: "An answer does not repeat the key that was sent: answers are kept with the data."}, run: checkKeyEcho},
	}
}

// keyProblem says why a key cannot be sent.
func keyProblem(key string) string {
	switch {
	case key == "":
		return "there is no API key"
	case strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }):
		return "the API key holds a space, a line break or a character beyond ASCII"
	}
	return ""
}

func checkKeyAccepted(ctx context.Context, s *session) finding {
	if problem := keyProblem(s.target.APIKey); problem != "" {
		return failed("Copy the key again, and nothing but the key.", "%s.", wording.Capital(problem))
	}
	if s.stop != "" {
		return skipped("Not made: %s.", s.stop)
	}
	x := s.test(ctx)
	if !blamesKey(x) {
		if x.err != nil {
			return skipped("The request had no answer: %s.", x.Error)
		}
		if x.Status != http.StatusOK {
			return passed("The request failed, but not for the key.")
		}
		return passed("The key is accepted.")
	}
	s.stop = "the key is refused"
	return failed("Enter the endpoint's current key. If it is the right one, see that nothing in front of the server takes the Authorization header for its own.",
		"The key is refused with %s.", x.outcome())
}

// knock tries a completion of one token with another key.
func (s *session) knock(ctx context.Context, r request) *Exchange {
	r.method, r.path, r.limit = http.MethodPost, "/chat/completions", connectionLimit
	r.body = s.oneToken(ctx).encode()
	return s.send(ctx, r)
}

// checkRefusal judges the answer to a request whose key, described by what, is
// not to be accepted.
func checkRefusal(x *Exchange, what string) finding {
	const advice = "Have the server compare the whole key before it does anything else."
	switch {
	case x.err != nil:
		return failed("Answer 401; HyperStudy tells a wrong key by 401 or 403 only.", "%s had no answer (%s), and not 401 or 403.", wording.Capital(what), x.Error)
	case blamesKey(x):
		return passed("Refused with status %d.", x.Status)
	case x.Status < 300:
		return failed(advice, "%s was accepted (%d): whoever finds the URL can use the model.", wording.Capital(what), x.Status)
	}
	return failed("Answer 401; HyperStudy tells a wrong key by 401 or 403 only.", "%s was answered with %s and not with 401 or 403.", wording.Capital(what), x.outcome())
}

func checkWrongKey(ctx context.Context, s *session) finding {
	return checkRefusal(s.knock(ctx, request{authorization: "Bearer " + wrongKey}), "a wrong key")
}

func checkMissingKey(ctx context.Context, s *session) finding {
	return checkRefusal(s.knock(ctx, request{anonymous: true}), "a request without a key")
}

func checkMalformedKeys(ctx context.Context, s *session) finding {
	key := s.target.APIKey
	if len(key) < 2 {
		return skipped("The key is too short to be spoilt.")
	}
	var f finding
	for _, tc := range []struct{ what, authorization string }{
		{"an empty key", "Bearer "},
		{"the key without its last character", "Bearer " + key[:len(key)-1]},
		{"the key with a character more", "Bearer " + key + "x"},
		{"the key with its case turned", "Bearer " + turnCase(key)},
		{"the key as another scheme", "Basic " + key},
	} {
		if tc.authorization == "Bearer "+key {
			continue
		}
		if f = checkRefusal(s.knock(ctx, request{authorization: tc.authorization}), tc.what); f.verdict == Fail {
			return f
		}
	}
	return f
}

// turnCase makes capitals small and the other way round.
func turnCase(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z':
			return r ^ ' '
		}
		return r
	}, s)
}

func checkModelsKey(ctx context.Context, s *session) finding {
	x := s.send(ctx, request{method: http.MethodGet, path: "/models", limit: modelsLimit, anonymous: true})
	switch {
	case x.err != nil:
		return skipped("The request had no answer: %s.", x.Error)
	case blamesKey(x):
		return told("The list of models needs the key.")
	}
	if x.Status != http.StatusOK {
		return told("Without a key, the list of models is answered with %s.", x.outcome())
	}
	return told("The list of models is served without a key.")
}

func checkKeyEcho(ctx context.Context, s *session) finding {
	x := s.knock(ctx, request{authorization: "Bearer " + wrongKey})
	if x.err == nil && strings.Contains(string(x.body), wrongKey) {
		return warned("Leave the key out of the message.", "The answer to a wrong key repeats the whole key.")
	}
	return passed("A wrong key is not repeated.")
}
