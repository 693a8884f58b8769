package conformance

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
)

// changed changes every completion that is not streamed.
func changed(change func(q *query, c object)) func(*fake, *Target) {
	return func(f *fake, _ *Target) {
		f.change = func(q *query, c object) {
			if !q.Stream {
				change(q, c)
			}
		}
	}
}

// without takes a member out of every completion.
func without(name string) func(*fake, *Target) {
	return changed(func(_ *query, c object) { delete(c, name) })
}

// counting changes the usage of every completion.
func counting(change func(u object)) func(*fake, *Target) {
	return changed(func(_ *query, c object) { change(usageOf(c)) })
}

// window reads no more than that many tokens, and says nothing.
func window(most int) func(*fake, *Target) {
	return counting(func(u object) {
		u["prompt_tokens"] = min(as[int](u["prompt_tokens"]), most)
		u["total_tokens"] = as[int](u["prompt_tokens"]) + as[int](u["completion_tokens"])
	})
}

// written changes the text of every answer that has one.
func written(change func(q *query, text string) string) func(*fake, *Target) {
	return changed(func(q *query, c object) {
		m := messageOf(c)
		if said, ok := m["content"].(string); ok {
			m["content"] = change(q, said)
		}
	})
}

// sealed changes the response to completions as it leaves.
func sealed(change func(w *httptest.ResponseRecorder)) func(*fake, *Target) {
	return func(f *fake, _ *Target) {
		f.seal = func(r *http.Request, w *httptest.ResponseRecorder) {
			if r.URL.Path == chatPath && w.Code == 200 && !strings.HasPrefix(w.Header().Get("Content-Type"), "text/event-stream") {
				change(w)
			}
		}
	}
}

// spelled writes a part of every answer in another way, escapes included.
func spelled(old, replacement string) func(*fake, *Target) {
	return sealed(func(w *httptest.ResponseRecorder) {
		body := w.Body.String()
		w.Body.Reset()
		w.Body.WriteString(strings.ReplaceAll(body, old, replacement))
	})
}

var answerFaults = []planted{
	{name: "no id", set: without("id"), fails: found("there is no id", "form.completion")},
	{name: "no object", set: without("object"), fails: found(`object is not "chat.completion"`, "form.completion")},
	{name: "time as text", set: changed(func(_ *query, c object) { c["created"] = "2026-01-01" }), fails: found("created is not a time", "form.completion")},
	{name: "no index", set: changed(func(_ *query, c object) { delete(choiceOf(c), "index") }), fails: found("index is not 0", "form.completion")},
	{name: "no role", set: changed(func(_ *query, c object) { delete(messageOf(c), "role") }), fails: found("role is not", "form.completion")},
	{name: "no finish reason without tools", set: changed(func(q *query, c object) {
		if len(q.Tools) == 0 {
			choiceOf(c)["finish_reason"] = nil
		}
	}), fails: found("there is no finish_reason", "form.completion")},
	{name: "answers called text", set: sealed(func(w *httptest.ResponseRecorder) { w.Header().Set("Content-Type", "text/plain") }),
		fails: found(`the Content-Type is "text/plain"`, "form.completion")},
	{name: "empty choices", set: changed(func(q *query, c object) {
		if q.has("likertscale") && !q.has("send_chat") {
			c["choices"] = []any{}
		}
	}), blinds: true, fails: found("choices is empty", "form.completion")},
	{name: "choice without a message", set: changed(func(q *query, c object) {
		if q.has("likertscale") {
			delete(choiceOf(c), "message")
		}
	}), blinds: true, fails: found("choices[0] has no message", "form.completion")},
	{name: "empty body", set: only(chatPath, ofKind("likert"), with(200, "application/json", "")), blinds: true, fails: found("the body is empty", "form.completion")},
	{name: "web page as an answer", set: only(chatPath, ofKind("likert"), with(200, "text/html", "<html>Welcome</html>")), blinds: true,
		fails: found("the body is not JSON", "form.completion")},
	{name: "two JSON values", set: sealed(func(w *httptest.ResponseRecorder) { w.Body.WriteString("{}") }), blinds: true,
		fails: and(found("the body is not JSON", "form.completion"), "without a choices array", "connection.cold")},
	{name: "not UTF-8", set: sealed(func(w *httptest.ResponseRecorder) {
		if body := w.Body.String(); strings.Contains(body, "Café") {
			w.Body.Reset()
			w.Body.WriteString(strings.ReplaceAll(body, "é", "\xe9"))
		}
	}), blinds: true, fails: found("the body is not UTF-8", "form.completion")},
	{name: "error beside the choices", set: changed(func(_ *query, c object) { c["error"] = object{"message": "overloaded"} }),
		fails: found("an error stands beside the choices", "form.completion")},
	{name: "more choices than asked for", set: changed(func(_ *query, c object) {
		c["choices"] = []any{choiceOf(c), object{"index": 1, "message": messageOf(c), "finish_reason": choiceOf(c)["finish_reason"]}}
	}), fails: found("there are 2 choices where one was asked for", "form.completion")},
	{name: "half a character in the text", set: spelled("at the door", `at the \ud83d door`), blinds: true,
		fails: found(`half a character, the escape \ud83d without its other half`, "form.completion")},
	{name: "half a character in the call", set: spelled("By train.", `By \uDE00 train.`), blinds: true,
		fails: found(`half a character, the escape \uDE00 without its other half`, "form.completion")},
	{name: "a member twice", set: spelled(`"choices":`, `"choices":[],"choices":`), blinds: true,
		fails: found(`the member "choices" twice`, "form.completion")},
	{name: "members of another type", set: sealed(func(w *httptest.ResponseRecorder) {
		body := w.Body.String()
		w.Body.Reset()
		w.Body.WriteString(strings.Replace(body, `"choices":[`, `"choices":[[]],"x":[`, 1))
	}), blinds: true, fails: found("not the form of a completion", "form.completion")},
	{name: "no usage", set: without("usage"), blinds: true, fails: found("there is no usage", "form.usage")},
	{name: "usage as text", set: counting(func(u object) { u["prompt_tokens"] = "12" }), blinds: true, fails: found("does not hold integers", "form.usage")},
	{name: "usage without a total", set: counting(func(u object) { delete(u, "total_tokens") }), blinds: true, fails: found("usage lacks", "form.usage")},
	{name: "wrong sum", set: counting(func(u object) { u["total_tokens"] = 1 }), blinds: true, fails: found("not the sum", "form.usage")},
	{name: "usage of nothing", set: counting(func(u object) {
		for name := range u {
			u[name] = 0
		}
	}), blinds: true, fails: found("counts no tokens of the prompt", "form.usage")},
	{name: "no model", set: without("model"), fails: found("there is no model", "form.model")},
	{name: "model is called default", set: changed(func(_ *query, c object) { c["model"] = "default" }), warns: found("will not say which it was", "form.model")},
	{name: "reasoning in the text", set: written(func(q *query, said string) string {
		if q.Format != nil {
			return said
		}
		return "<think>They seem to be in a hurry.</think>" + said
	}), fails: found("as <think>", "form.reasoning")},
}

// guessing answers pictures with a number, whatever they show.
func guessing(number int) func(*fake, *Target) {
	return call(func(q *query, c object) {
		if q.number() != "" {
			function(c)["arguments"] = fmt.Sprintf(`{"value":%d}`, number)
		}
	})
}

var textFaults = []planted{
	{name: "call where no tool was offered", set: changed(func(q *query, c object) {
		if len(q.Tools) == 0 && q.has("What does Participant B want") {
			messageOf(c)["tool_calls"] = []any{object{"id": "c", "type": "function", "function": object{"name": "wait", "arguments": "{}"}}}
		}
	}), fails: found("although none was offered", "cognition.text")},
	{name: "no text", set: written(func(q *query, said string) string {
		if q.Format == nil {
			return ""
		}
		return said
	}), fails: found("no text in message.content", "cognition.text")},
	{name: "text used up by thinking", set: changed(func(q *query, c object) {
		if q.MaxTokens == cognitionTokens && q.Format == nil {
			messageOf(c)["content"], choiceOf(c)["finish_reason"] = "", "length"
		}
	}), warns: found("1024 tokens were not enough", "cognition.text")},
	{name: "requests without tools refused", set: only(chatPath, func(q *query) bool {
		return q.MaxTokens == cognitionTokens && len(q.Tools) == 0 && !q.Stream && !q.has("narrator") && q.Format == nil
	},
		with(400, "application/json", `{"error":{"message":"tools are required"}}`)),
		fails: found("400 Bad Request (tools are required)", "cognition.text", "cognition.words", "cognition.integer")},
	{name: "JSON in a code fence", set: written(func(q *query, said string) string {
		if q.Format == nil {
			return said
		}
		return "```json\n" + said + "\n```"
	}), fails: and(found("it is not JSON", "cognition.object"), "it is not JSON", "cognition.schema")},
	{name: "JSON that breaks the schema", set: written(func(_ *query, said string) string { return strings.Replace(said, `"trust":7`, `"trust":70`, 1) }),
		fails: found("/trust must be at most 10", "cognition.schema")},
	{name: "half a character in the JSON", set: written(func(_ *query, said string) string { return strings.Replace(said, "to be first", `to be \ud83d`, 1) }),
		fails: found("half a character", "cognition.schema")},
	{name: "JSON cut off", set: changed(func(q *query, c object) {
		if q.Format != nil {
			messageOf(c)["content"], choiceOf(c)["finish_reason"] = `{"a":`, "length"
		}
	}), warns: found("1024 tokens were not enough", "cognition.object", "cognition.schema")},
	{name: "response_format refused", set: only(chatPath, func(q *query) bool { return q.Format != nil }, with(400, "application/json", `{"error":{"message":"no response_format"}}`)),
		warns: found("refuses response_format", "cognition.object", "cognition.schema")},
	{name: "conversation cut in silence", set: window(512), fails: found("only 512 tokens were read", "text.long", "text.large")},
	{name: "too long for the model", set: only(chatPath, func(q *query) bool { return len(q.raw) > 100_000 },
		with(400, "application/json", `{"error":{"message":"32768 tokens at the most"}}`)),
		warns: found("32768 tokens at the most", "text.large")},
	{name: "too long for the server", set: only(chatPath, func(q *query) bool { return len(q.raw) > 100_000 }, with(500, "application/json", `{"error":{"message":"out of memory"}}`)),
		fails: found("500 Internal Server Error (out of memory)", "text.large")},
	{name: "pictures refused", set: only(chatPath, func(q *query) bool { return q.has("image_url") && !q.has("aGVsbG8=") },
		with(400, "application/json", `{"error":{"message":"this model sees no images"}}`)),
		warns: found("this model sees no images", "image.inline", "image.formats", "image.several", "image.link")},
	{name: "pictures crash", set: only(chatPath, func(q *query) bool { return q.has("image_url") }, with(500, "application/json", `{"error":{"message":"oops"}}`)),
		fails: found("is answered with 500", "image.inline", "image.formats", "image.several", "image.link", "image.broken")},
	{name: "large requests throttled", set: only(chatPath, func(q *query) bool { return len(q.raw) > 100_000 }, throttled),
		warns: found("is throttled: 429", "text.large")},
	{name: "GIF refused", set: only(chatPath, func(q *query) bool { return q.has("image/gif") }, with(400, "application/json", `{"error":{"message":"no such format"}}`)),
		warns: found("no such format). (gif)", "image.formats")},
	{name: "links refused", set: only(chatPath, func(q *query) bool { return q.has(defaultImageURL) }, with(400, "application/json", `{"error":{"message":"links are not fetched"}}`)),
		warns: found("links are not fetched", "image.link")},
	{name: "answer to a picture breaks the schema", set: call(func(q *query, c object) {
		if q.has("image/png") && !q.has("aGVsbG8=") {
			function(c)["arguments"] = `{"value":"943"}`
		}
	}), fails: found("breaks the schema: /value must be integer, not string", "image.inline", "image.several")},
	{name: "model that does not see", set: guessing(500), warns: found("Use a model that sees pictures", "image.inline", "image.formats", "image.several")},
	{name: "model that does not see GIF", set: call(func(q *query, c object) {
		if q.has("image/gif") {
			function(c)["arguments"] = `{"value":500}`
		}
	}), warns: found("answered with 500 where 617 is shown: the decision was not made with it. (gif)", "image.formats")},
	{name: "pictures in another order", set: call(func(q *query, c object) {
		if number := []byte(q.number()); len(q.pictures()) > 1 {
			slices.Reverse(number)
			function(c)["arguments"] = `{"value":` + string(number) + `}`
		}
	}), warns: found("answered with 925 where 529 is shown", "image.several")},
}
