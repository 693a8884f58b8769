package conformance

import (
	"net/http"
	"strings"
)

// peers are endpoints that others use, with the behaviour that their sources or
// documentation show, or that was seen.
var peers = []planted{
	// bedrock-access-gateway: FastAPI's errors, no model "default", and one key.
	{name: "peer: bedrock-access-gateway", set: func(f *fake, _ *Target) {
		f.seal = inDetail
		f.take = func(w http.ResponseWriter, r *http.Request, q *query) bool {
			if r.URL.Path == chatPath && q.Model == "default" {
				fail(w, 400, "", "Unsupported model default")
			}
			return r.URL.Path == chatPath && q.Model == "default"
		}
	}, fails: and(found("400 Bad Request", "basics.call", "basics.parallel"), "OpenAI's form", "error.form")},
	// bedrockify: no key of its own, and numbers that come back as strings.
	{name: "peer: bedrockify", quick: true, set: func(f *fake, t *Target) {
		accepting(func(string) bool { return true })(f, t)
		call(numbersAsStrings)(f, t)
	}, blinds: true, fails: and(found("was accepted (200)", "key.wrong", "key.missing"), "/value must be number, not string", "basics.call", "basics.parallel", "answer.rating")},
	// Portkey without the headers that HyperStudy cannot send.
	{name: "peer: Portkey as HyperStudy calls it", quick: true, set: func(f *fake, _ *Target) {
		f.take = func(w http.ResponseWriter, _ *http.Request, _ *query) bool {
			write(w, 400, object{"status": "failure", "message": "Either x-portkey-config or x-portkey-provider header is required"})
			return true
		}
	}, blinds: true, fails: and(and(found("answered with 400", "connection.models", "connection.cold", "basics.call"), "not with 401 or 403", "key.wrong", "key.missing"),
		"400", "basics.parallel", "answer.rating", "error.form")},
	// The same behind a proxy that adds the headers, before an OpenAI upstream.
	{name: "peer: Portkey with headers, OpenAI", set: only(modelsPath, nil, with(500, "text/plain", "Internal Server Error")), blinds: true,
		fails: and(found("500 Internal Server Error", "connection.models"), "text/plain", "error.form")},
	// And before Bedrock, whose credentials are the proxy's own.
	{name: "peer: Portkey with headers, Bedrock", quick: true, set: func(f *fake, t *Target) {
		accepting(func(string) bool { return true })(f, t)
		inner := f.take
		f.take = func(w http.ResponseWriter, r *http.Request, q *query) bool {
			if r.URL.Path == modelsPath {
				with(404, "text/plain", "Not Found")(w, r)
				return true
			}
			return inner(w, r, q)
		}
	}, blinds: true, fails: and(found("was accepted (200)", "key.wrong", "key.missing"), "404", "connection.models", "error.form")},
	// moolen/openai-bedrock-proxy: no key of its own, no model "default".
	{name: "peer: moolen/openai-bedrock-proxy", quick: true, set: func(f *fake, t *Target) {
		accepting(func(string) bool { return true })(f, t)
		inner := f.take
		f.take = func(w http.ResponseWriter, r *http.Request, q *query) bool {
			if q.Model == "default" {
				fail(w, 400, "invalid_model", "unknown model")
				return true
			}
			return inner(w, r, q)
		}
	}, fails: and(found("was accepted (200)", "key.wrong", "key.missing"), "unknown model", "basics.call", "basics.parallel")},
	// Lambda functions around LiteLLM without a list of models: API Gateway
	// answers for the path that is not there.
	{name: "peer: LiteLLM on Lambda", quick: true, set: func(f *fake, _ *Target) {
		f.take = func(w http.ResponseWriter, r *http.Request, q *query) bool {
			if r.URL.Path == modelsPath {
				with(404, "application/json", `{"message":"Not Found"}`)(w, r)
				return true
			}
			return false
		}
	}, blinds: true, fails: and(found("404", "connection.models"), "OpenAI's form", "error.form")},
	// The proxy of LiteLLM 1.108.7 as it is installed, without a database: seen
	// before the dev server as its upstream.
	{name: "peer: LiteLLM proxy", set: func(f *fake, _ *Target) {
		f.take = func(w http.ResponseWriter, r *http.Request, q *query) bool {
			switch key := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer"); {
			case r.URL.Path == "/v1/props":
				return false
			case strings.TrimSpace(key) == "":
				with(500, "text/plain; charset=utf-8", "Internal Server Error")(w, r)
			case r.Header.Get("Authorization") != "Bearer "+fakeKey:
				fail(w, 400, "400", "No connected db.")
			case q.Model == "default":
				fail(w, 400, "400", "Invalid model name passed in model=default.")
			default:
				return false
			}
			return true
		}
	}, fails: and(and(and(found("500 Internal Server Error and not with 401", "key.missing", "key.malformed"), "No connected db", "key.wrong"),
		"model=default", "basics.call", "basics.parallel"), `Content-Type "text/plain`, "error.form")},
	// Ollama asks for no key, and cuts what is too long for its window.
	{name: "peer: Ollama", set: func(f *fake, t *Target) {
		accepting(func(string) bool { return true })(f, t)
		window(700)(f, t)
	}, fails: and(found("was accepted (200)", "key.wrong", "key.missing", "key.malformed"), "the conversation was cut", "text.long", "text.large")},
	// llama-server: its model list is open, and a wrong key gets OpenAI's form.
	{name: "peer: llama-server", set: openList},
	// llama-server without --api-key, as seen with a model of 135 million parameters:
	// its parser does not take what the model writes for a call.
	{name: "peer: llama-server with a small model", quick: true, set: func(f *fake, t *Target) {
		accepting(func(string) bool { return true })(f, t)
		inner := f.take
		f.take = func(w http.ResponseWriter, r *http.Request, q *query) bool {
			if len(q.Tools) > 0 {
				fail(w, 500, "500", "The model produced output that does not match the expected peg-native format")
				return true
			}
			return inner(w, r, q)
		}
	}, blinds: true, fails: and(and(found("was accepted (200)", "key.wrong", "key.missing"), "support function calling", "basics.call"),
		"500 Internal Server Error (The model produced output", "basics.parallel", "answer.rating")},
	// A model without a template for tools: the server gives its text.
	{name: "peer: model without function calling", quick: true, set: answered(func(_ *query, m object) string {
		return saying(strings.Repeat("I would answer 70. ", 3))(nil, m)
	}), blinds: true, fails: and(found("text instead", "basics.call"), "11 of 11 decisions were answered with text instead of a tool call", "decision.call")},
}

// openList lists the models whatever the key is.
func openList(f *fake, _ *Target) {
	f.take = func(w http.ResponseWriter, r *http.Request, _ *query) bool {
		if r.URL.Path == modelsPath {
			f.list(w)
		}
		return r.URL.Path == modelsPath
	}
}
