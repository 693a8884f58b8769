package conformance

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"time"
)

const (
	modelsPath = "/v1/models"
	chatPath   = "/v1/chat/completions"
)

func oneTokenAsked(q *query) bool { return q.MaxTokens == 1 }

var connectionFaults = []planted{
	{name: "list is a server error", set: only(modelsPath, nil, with(500, "application/json", `{"error":{"message":"the list is broken"}}`)),
		fails: found("500 Internal Server Error (the list is broken)", "connection.models"), blinds: true},
	{name: "no list", set: only(modelsPath, nil, with(404, "application/json", `{"error":{"message":"not found"}}`)),
		fails: found("hyperstudy-agent does not", "connection.models"), blinds: true},
	{name: "list hangs", set: only(modelsPath, nil, hang), fails: found("within 10 s", "connection.models"), blinds: true},
	{name: "list of another form", set: only(modelsPath, nil, with(200, "application/json", `{"models":["a"]}`)),
		fails: found("no data array", "connection.list")},
	{name: "list is a web page", set: only(modelsPath, nil, with(200, "text/html", "<html>")), fails: found("not JSON", "connection.list")},
	{name: "list without ids", set: only(modelsPath, nil, with(200, "application/json", `{"object":"list","data":[{"name":"a"}]}`)),
		fails: found("a model has no id", "connection.list")},
	{name: "list is empty", set: func(f *fake, _ *Target) { f.models = nil }, warns: found("The list is empty", "connection.list")},
	{name: "one token is too few", set: only(chatPath, oneTokenAsked, with(400, "application/json", `{"error":{"message":"max_tokens must be at least 16"}}`)),
		fails: and(found("at least 16", "connection.cold"), "not with 401", "key.wrong", "key.missing", "key.malformed"), blinds: true},
	{name: "cold start too slow", set: func(f *fake, _ *Target) {
		var begun atomic.Bool
		f.take = func(_ http.ResponseWriter, r *http.Request, q *query) bool {
			if r.URL.Path != chatPath || begun.Swap(true) {
				return false
			}
			time.Sleep(40 * time.Second)
			return true
		}
	}, fails: found("within 30 s", "connection.cold"), blinds: true},
	{name: "works only once", set: func(f *fake, _ *Target) {
		var tests atomic.Int32
		f.take = func(w http.ResponseWriter, r *http.Request, q *query) bool {
			if r.URL.Path != chatPath || !oneTokenAsked(q) || tests.Add(1) != 2 {
				return false
			}
			fail(w, 503, "service_unavailable", "the model is being unloaded")
			return true
		}
	}, fails: found("being unloaded", "connection.warm")},
	{name: "no choices", set: func(f *fake, _ *Target) {
		f.change = func(q *query, c object) {
			if oneTokenAsked(q) {
				delete(c, "choices")
			}
		}
	}, fails: and(found("without a choices array", "connection.cold"), "there is no choices array", "form.completion"), blinds: true},
}

// accepting takes keys that are not the right one.
func accepting(nearly func(authorization string) bool) func(*fake, *Target) {
	return func(f *fake, _ *Target) {
		f.take = func(_ http.ResponseWriter, r *http.Request, _ *query) bool {
			if a := r.Header.Get("Authorization"); r.URL.Path == chatPath && nearly(a) {
				r.Header.Set("Authorization", "Bearer "+fakeKey)
			}
			return false
		}
	}
}

// refusing answers wrong keys in another way.
func refusing(status int, body string) func(*fake, *Target) {
	return func(f *fake, _ *Target) {
		f.seal = func(_ *http.Request, w *httptest.ResponseRecorder) {
			if w.Code == 401 {
				w.Code = status
				w.Body.Reset()
				w.Body.WriteString(body)
			}
		}
	}
}

var keyFaults = []planted{
	{name: "key is wrong", set: func(f *fake, _ *Target) { f.key = "another" }, fails: found("401 Unauthorized (the key is wrong)", "key.accepted"), blinds: true},
	{name: "no key is given", set: func(_ *fake, t *Target) { t.APIKey = " \n" }, fails: found("There is no API key", "key.accepted"), blinds: true},
	{name: "key is given with more", set: func(_ *fake, t *Target) { t.APIKey += "\nsk-another" }, fails: found("a line break", "key.accepted"), blinds: true},
	{name: "key goes to AWS instead", set: only(chatPath, nil, with(403, "application/json", `{"message":"Forbidden"}`)),
		fails: and(found("403", "key.accepted"), "OpenAI's form", "error.form"), blinds: true},
	{name: "any key is right", set: accepting(func(string) bool { return true }), fails: found("was accepted (200)", "key.wrong", "key.missing", "key.malformed")},
	{name: "no key is right too", set: accepting(func(a string) bool { return a == "" }), fails: found("A request without a key was accepted", "key.missing")},
	{name: "empty key is right too", set: accepting(func(a string) bool { return strings.TrimSpace(a) == "Bearer" }), fails: found("An empty key was accepted", "key.malformed")},
	{name: "only the beginning of the key counts", set: accepting(func(a string) bool { return strings.HasPrefix(a, "Bearer "+fakeKey[:8]) }),
		fails: found("without its last character was accepted", "key.malformed")},
	{name: "what follows the key does not count", set: accepting(func(a string) bool { return strings.HasPrefix(a, "Bearer "+fakeKey) }),
		fails: found("with a character more was accepted", "key.malformed")},
	{name: "case of the key does not count", set: accepting(func(a string) bool { return strings.EqualFold(a, "Bearer "+fakeKey) }),
		fails: found("its case turned was accepted", "key.malformed")},
	{name: "scheme does not count", set: accepting(func(a string) bool { return strings.HasSuffix(a, fakeKey) }), fails: found("another scheme was accepted", "key.malformed")},
	{name: "wrong key is a bad request", set: refusing(400, `{"error":{"message":"bad key"}}`),
		fails: found("400 Bad Request (bad key) and not with 401 or 403", "key.wrong", "key.missing", "key.malformed")},
	{name: "wrong key is a server error", set: refusing(500, `{"error":{"message":"oops"}}`), fails: found("500", "key.wrong", "key.missing", "key.malformed")},
	{name: "wrong key is dropped", set: func(f *fake, _ *Target) {
		f.seal = func(_ *http.Request, w *httptest.ResponseRecorder) {
			if w.Code == 401 {
				panic(http.ErrAbortHandler)
			}
		}
	}, fails: found("had no answer (connection reset by peer), and not 401 or 403", "key.wrong", "key.missing", "key.malformed"), blinds: true},
	{name: "key of one character", set: func(f *fake, t *Target) { f.key, t.APIKey = "k", "k" }, blinds: true},
	{name: "wrong key is repeated", set: refusing(401, `{"error":{"message":"wrong key: `+wrongKey+`"}}`), warns: found("repeats the whole key", "key.echo")},
}
