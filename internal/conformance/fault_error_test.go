package conformance

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"time"
)

const badRequest = `{"error":{"message":"unknown parameter"}}`

var parameterFaults = []planted{
	{name: "temperature with top_p refused", set: only(chatPath, func(q *query) bool { return q.has(`"top_p"`) }, with(400, "application/json", badRequest)),
		warns: found("A request with seed, temperature, top_p is refused", "parameter.persona")},
	{name: "max_completion_tokens refused", set: only(chatPath, func(q *query) bool { return q.has("max_completion_tokens") }, with(400, "application/json", badRequest)),
		warns: found("max_completion_tokens", "parameter.persona")},
	{name: "unknown parameters refused", set: only(chatPath, func(q *query) bool { return q.has("min_p") }, with(422, "application/json", badRequest)),
		warns: found("min_p, repeat_penalty, top_k is refused with 422", "parameter.extra")},
	{name: "unknown parameters crash", set: only(chatPath, func(q *query) bool { return q.has("min_p") }, with(500, "application/json", badRequest)),
		fails: found("is answered with 500", "parameter.extra")},
	{name: "half a call for a whole one", set: limited(`{"value":"I walk to the"}`, "tool_calls"), fails: found(`finish_reason is "tool_calls"`, "parameter.limit")},
	{name: "nothing but the limit", set: limitedTo(func(c object) {
		delete(messageOf(c), "tool_calls")
		choiceOf(c)["finish_reason"] = "length"
	})},
	{name: "half a call, marked as such", set: limited(`{"value":"I walk to the`, "length"), warns: found("only finish_reason says so", "parameter.limit")},
}

// limited answers with a call that a limit of tokens cut off.
func limited(arguments, finish string) func(*fake, *Target) {
	return limitedTo(func(c object) {
		choiceOf(c)["finish_reason"] = finish
		f := function(firstCall(messageOf(c)))
		f["name"], f["arguments"] = "submit_response", arguments
	})
}

// limitedTo changes the answer that a limit of tokens cuts off.
func limitedTo(change func(c object)) func(*fake, *Target) {
	return only(chatPath, func(q *query) bool { return q.MaxTokens == tinyLimit }, func(w http.ResponseWriter, _ *http.Request) {
		q := &query{}
		q.Tools = slices.Grow(q.Tools, 1)[:1]
		q.Tools[0].Function.Name = "wait"
		c := answerOf(q)
		change(c)
		write(w, 200, c)
	})
}

var errorFaults = []planted{
	{name: "unknown model replaced", set: func(f *fake, _ *Target) { f.models = append(f.models, unknownModel) },
		warns: found(`answered by "fake-model-2026"`, "error.model")},
	{name: "unknown model blames the key", set: only(chatPath, func(q *query) bool { return q.Model == unknownModel }, with(403, "application/json", badRequest)),
		fails: found("which blames the key", "error.model")},
	{name: "unknown model crashes", set: only(chatPath, func(q *query) bool { return q.Model == unknownModel }, with(500, "application/json", badRequest)),
		fails: found("a server error", "error.model")},
	{name: "bad JSON crashes", set: only(chatPath, func(q *query) bool { return !strings.HasSuffix(string(q.raw), "}") }, with(500, "application/json", badRequest)),
		fails: found("A body that is cut off is answered with a server error", "error.json")},
	{name: "bad JSON is answered", set: only(chatPath, func(q *query) bool { return !strings.HasSuffix(string(q.raw), "}") }, with(200, "application/json", "{}")),
		fails: found("as if all were well", "error.json")},
	{name: "no messages crash", set: only(chatPath, func(q *query) bool { return q.Messages == nil && strings.HasSuffix(string(q.raw), "}") }, with(500, "application/json", badRequest)),
		fails: found("A request without messages is answered with a server error", "error.request")},
	{name: "errors in another form", set: func(f *fake, _ *Target) { f.seal = inDetail }, fails: found("the experimenter sees no reason", "error.form")},
	{name: "errors as web pages", set: func(f *fake, _ *Target) {
		f.seal = func(_ *http.Request, w *httptest.ResponseRecorder) {
			if w.Code >= 400 {
				w.Header().Set("Content-Type", "text/html")
				w.Body.Reset()
				w.Body.WriteString("<html><h1>Bad Gateway</h1></html>")
			}
		}
	}, fails: found(`Content-Type "text/html"`, "error.form")},
	{name: "errors as text", set: only(chatPath, func(q *query) bool { return q.Model == unknownModel }, with(404, "application/json", `{"error":"model not found"}`)),
		fails: found("1 of ", "error.form")},
	{name: "errors quote participants", set: only(chatPath, func(q *query) bool { return q.has("narrator") },
		with(422, "application/json", `{"error":{"message":"bad role in {'content': 'my sister Quillanthe does not know'}"}}`)),
		warns: found("repeats what a participant wrote", "error.private")},
	{name: "other paths hang", set: only("/v1/props", nil, hang), fails: found("did not answer within 10 s", "error.props")},
	{name: "other paths crash", set: only("/v1/props", nil, with(500, "text/plain", "panic")), fails: found("a server error, 500", "error.props")},
}

// crowded answers all but the first few of the requests that are there at once.
func crowded(most int32, answer http.HandlerFunc) func(*fake, *Target) {
	return func(f *fake, _ *Target) {
		var there atomic.Int32
		f.take = func(w http.ResponseWriter, r *http.Request, q *query) bool {
			n := there.Add(1)
			defer there.Add(-1)
			if n > most {
				answer(w, r)
				return true
			}
			time.Sleep(time.Second)
			return false
		}
	}
}

func throttled(w http.ResponseWriter, _ *http.Request) {
	fail(w, 429, "rate_limit_exceeded", "slow down")
}

// dropped is a connection that ends without an answer.
func dropped(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

var timeFaults = []planted{
	{name: "throttled under load", set: crowded(2, throttled), fails: found("were throttled: 429 Too Many Requests (slow down)", "basics.parallel", "load.parallel")},
	{name: "failing under load", set: crowded(2, with(503, "application/json", badRequest)), fails: found("at once failed: 503", "basics.parallel", "load.parallel")},
	{name: "dropping under load", set: crowded(2, dropped),
		fails: and(found("connection reset by peer", "basics.parallel", "load.parallel"), "had no whole answer", "time.connection"), blinds: true},
	{name: "waiting under load", set: crowded(3, hang),
		fails: and(found("at once had no answer in time", "basics.parallel", "load.parallel"), "no answer within 60 s", "time.limit"), blinds: true},
	{name: "answers mixed up under load", set: func(f *fake, _ *Target) {
		var there atomic.Int32
		f.take = func(http.ResponseWriter, *http.Request, *query) bool {
			there.Add(1)
			return false
		}
		f.change = func(_ *query, c object) {
			if calls, _ := messageOf(c)["tool_calls"].([]any); len(calls) > 0 && there.Load() > 2 {
				function(firstCall(messageOf(c)))["arguments"] = `{"value":"of another request"}`
			}
		}
		f.seal = func(*http.Request, *httptest.ResponseRecorder) { there.Add(-1) }
	}, fails: found("at once break the schema: /value must be", "basics.parallel", "load.parallel")},
	{name: "one kind hangs", set: only(chatPath, ofKind("ranking"), hang), fails: found("2 of ", "time.limit"), blinds: true},
	{name: "all decisions hang", set: only(chatPath, func(q *query) bool { return len(q.Tools) > 0 }, hang),
		fails: found("no answer within 60 s", "time.limit"), blinds: true},
	{name: "one kind is dropped", set: only(chatPath, ofKind("ranking"), dropped), fails: found("connection reset by peer", "time.connection"), blinds: true},
	{name: "everything is dropped", set: func(f *fake, _ *Target) {
		f.take = func(http.ResponseWriter, *http.Request, *query) bool { panic(http.ErrAbortHandler) }
	}, fails: found("could not be made: connection reset", "connection.models"), blinds: true},
	{name: "near the limit", set: func(f *fake, t *Target) { f.delay, t.Limit = 9*time.Second, 10*time.Second },
		warns: and(found("took 9 s; the limit is 10 s", "time.limit"), "little is left", "basics.parallel", "load.parallel")},
}

// droppedFaults drop the connection for one kind of request each.
func droppedFaults() []planted {
	var list []planted
	for name, is := range map[string]func(q *query) bool{
		"pictures":    func(q *query) bool { return q.has("image_url") && !q.has("gif") && !q.has("jpeg") },
		"cognition":   func(q *query) bool { return q.Format != nil || q.has("What does Participant B want") && !q.Stream },
		"streams":     func(q *query) bool { return q.Stream },
		"a seed":      func(q *query) bool { return q.has("top_p") || q.MaxTokens == tinyLimit },
		"the unknown": func(q *query) bool { return q.Model == unknownModel },
		"errors":      func(q *query) bool { return q.has("narrator") || len(q.raw) > 0 && q.Messages == nil },
		"length":      func(q *query) bool { return len(q.raw) > 10_000 },
	} {
		list = append(list, planted{name: "dropped: " + name, set: only(chatPath, is, dropped), blinds: true, fails: found("connection reset by peer", "time.connection")})
	}
	return list
}

var streamFaults = []planted{
	{name: "streamed call where no tool was offered", set: func(f *fake, _ *Target) {
		f.change = func(q *query, c object) {
			if q.Stream && len(q.Tools) == 0 {
				messageOf(c)["tool_calls"] = []any{object{"id": "c", "type": "function", "function": object{"name": "wait", "arguments": "{}"}}}
			}
		}
	}, fails: found("although no tool was offered", "stream.text")},
	{name: "stream is no stream", set: func(f *fake, _ *Target) {
		f.take = func(_ http.ResponseWriter, _ *http.Request, q *query) bool {
			q.Stream = false
			return false
		}
	}, fails: found(`the Content-Type is "application/json"`, "stream.text", "stream.decision")},
	{name: "stream crashes", set: only(chatPath, func(q *query) bool { return q.Stream }, with(500, "application/json", badRequest)),
		fails: found("is answered with 500", "stream.text", "stream.decision")},
	{name: "stream without [DONE]", set: events(func(e []string) []string { return e[:len(e)-1] }), fails: found("[DONE] is missing", "stream.text", "stream.decision")},
	{name: "stream goes on after [DONE]", set: events(func(e []string) []string { return append(e, e[0]) }), fails: found("events after [DONE]", "stream.text", "stream.decision")},
	{name: "stream without usage", set: events(func(e []string) []string { return slices.Delete(e, len(e)-2, len(e)-1) }),
		fails: found("there is no usage", "stream.text", "stream.decision")},
	{name: "stream without a finish reason", set: events(func(e []string) []string { return slices.Delete(e, len(e)-3, len(e)-2) }),
		fails: found("no chunk has a finish_reason", "stream.text", "stream.decision")},
	{name: "stream goes on after the finish reason", set: events(func(e []string) []string { return slices.Insert(e, len(e)-2, e[len(e)-4]) }),
		fails: found("content after the finish_reason", "stream.text", "stream.decision")},
	{name: "stream of no JSON", set: events(func(e []string) []string { return slices.Insert(e, 1, "{") }), fails: found("not a chunk in JSON", "stream.text", "stream.decision")},
	{name: "stream ends in an error", set: events(func(e []string) []string { return append(e[:2], `{"error":{"message":"overloaded"}}`) }),
		fails: found("an event is an error", "stream.text", "stream.decision")},
	{name: "stream of two choices", set: replaced(`"index":0}],"created"`, `"index":1}],"created"`), fails: found("a choice beside the first", "stream.text", "stream.decision")},
	{name: "stream that cuts a character in two", set: replaced(`"content":"They "`, `"content":"The\ud83d"`), fails: found("half a character", "stream.text")},
	{name: "chunks of another object", set: replaced(`chat.completion.chunk`, `chat.completion`), fails: found("a chunk's object", "stream.text", "stream.decision")},
	{name: "streamed call without an index", set: replaced(`"index":0}]},"finish`, `"i":0}]},"finish`), fails: found("has no index", "stream.decision")},
	{name: "streamed calls with gaps", set: replaced(`"index":0}]},"finish`, `"index":2}]},"finish`), fails: found("have gaps", "stream.decision")},
	{name: "streamed call without a name", set: replaced(`"name":"submit_response"`, `"x":1`), fails: found("has no name", "stream.decision")},
	{name: "streamed call invalid", set: replaced(`2.5}`, `962.5}`), fails: found("at most 100", "stream.decision")},
	{name: "stream of no text", set: replaced(`"content"`, `"reasoning_content"`), fails: found("holds no text", "stream.text")},
}

func events(change func(e []string) []string) func(*fake, *Target) {
	return func(f *fake, _ *Target) { f.chunks = change }
}

// replaced puts other words into every event.
func replaced(old, replacement string) func(*fake, *Target) {
	return events(func(e []string) []string {
		for i := range e {
			e[i] = strings.ReplaceAll(e[i], old, replacement)
		}
		return e
	})
}
