package conformance

import (
	"maps"
	"strings"
)

// everyCall are the checks that every decision without a good call fails,
// beside the one of its kind.
var everyCall = []string{"basics.call", "stream.decision"}

// answered changes the message of every decision, and the finish reason if it
// returns one.
func answered(change func(q *query, m object) (finish string)) func(*fake, *Target) {
	return func(f *fake, _ *Target) {
		f.change = func(q *query, c object) {
			first := choiceOf(c)
			if len(q.Tools) == 0 {
				return
			}
			if finish := change(q, messageOf(c)); finish != "" {
				first["finish_reason"] = finish
			}
		}
	}
}

// call changes the call of every decision that is not streamed.
func call(change func(q *query, c object)) func(*fake, *Target) {
	return answered(func(q *query, m object) string {
		if !q.Stream {
			change(q, firstCall(m))
		}
		return ""
	})
}

func saying(text any) func(*query, object) string {
	return func(_ *query, m object) string {
		delete(m, "tool_calls")
		m["content"] = text
		return "stop"
	}
}

var callFaults = []planted{
	{name: "text instead of a call", set: answered(saying("I would say about 70.")), blinds: true,
		fails: and(found("text instead", everyCall...), "were answered with text instead of a tool call, so HyperStudy has nothing to carry out", "decision.call")},
	{name: "call written as text", set: answered(func(q *query, m object) string {
		return saying("<tool_call>"+encoded(firstCall(m))+"</tool_call>")(q, m)
	}), blinds: true,
		fails: and(found("a call written as text", everyCall...), "a call written as text", "decision.call")},
	{name: "neither call nor text", set: answered(saying(nil)), blinds: true,
		fails: found("neither text nor a tool call", append(everyCall, "decision.call")...)},
	{name: "call in the old form", set: answered(func(_ *query, m object) string {
		m["function_call"] = function(firstCall(m))
		delete(m, "tool_calls")
		return "function_call"
	}), blinds: true, fails: found("neither text nor a tool call", append(everyCall, "decision.call")...)},
	{name: "cut off before the call", set: answered(func(_ *query, m object) string {
		delete(m, "tool_calls")
		return "length"
	}), blinds: true, fails: found("what a limit of tokens left, without a tool call", append(everyCall, "decision.call")...)},
	{name: "two calls at once", set: answered(func(_ *query, m object) string {
		second := maps.Clone(firstCall(m))
		second["id"] = "call_2"
		m["tool_calls"] = []any{firstCall(m), second}
		return ""
	}), blinds: true, fails: found("2 tool calls", append(everyCall, "decision.one")...)},
	{name: "two calls of one id", set: answered(func(_ *query, m object) string {
		m["tool_calls"] = []any{firstCall(m), firstCall(m)}
		return ""
	}), blinds: true, fails: and(found("2 tool calls", append(everyCall, "decision.one")...), "two calls of one id", "decision.form")},
	{name: "name in another case", set: call(func(_ *query, c object) { function(c)["name"] = strings.ToUpper(as[string](function(c)["name"])) }), blinds: true,
		fails: found(`which was not offered`, "decision.name", "basics.call")},
	{name: "tool of another screen", set: call(func(q *query, c object) {
		if !q.has(`"name":"send_chat"`) && q.has("likertscale") {
			function(c)["name"], function(c)["arguments"] = "send_chat", `{"message":"hi"}`
		}
	}), blinds: true, fails: found(`call of "send_chat", which was not offered`, "decision.name")},
	{name: "call without a name", set: call(func(q *query, c object) {
		if q.has("likertscale") {
			delete(function(c), "name")
		}
	}), blinds: true, fails: found("a call without a name", "decision.name")},
	{name: "arguments as JSON", set: call(func(q *query, c object) {
		if !q.has(`"respond"`) {
			function(c)["arguments"] = object{"value": 1}
		}
	}), blinds: true, fails: found("not a string but the JSON itself", "decision.arguments")},
	{name: "arguments encoded twice", set: call(func(q *query, c object) {
		if q.has("likertscale") {
			function(c)["arguments"] = encoded(function(c)["arguments"])
		}
	}), blinds: true, fails: found("encoded twice", "decision.arguments")},
	{name: "arguments empty where there are none", set: call(func(_ *query, c object) {
		if function(c)["arguments"] == "{}" {
			function(c)["arguments"] = ""
		}
	}), blinds: true, fails: found("an empty object would be {}", "decision.arguments")},
	{name: "arguments missing", set: call(func(_ *query, c object) {
		if function(c)["arguments"] == "{}" {
			delete(function(c), "arguments")
		}
	}), blinds: true, fails: found("arguments are missing", "decision.arguments")},
	{name: "arguments are an array", set: call(func(q *query, c object) {
		if q.has("likertscale") {
			function(c)["arguments"] = "[5]"
		}
	}), blinds: true, fails: found("not an object", "decision.arguments")},
	{name: "arguments cut off", set: answered(func(q *query, m object) string {
		if q.Stream || !q.has("likertscale") {
			return ""
		}
		function(firstCall(m))["arguments"] = `{"value":`
		return "length"
	}), blinds: true, fails: and(found("not JSON, cut off at a limit of tokens", "decision.arguments"), `finish_reason "length"`, "decision.form")},
	{name: "half a character in the arguments", set: call(func(q *query, c object) {
		if q.has("likertscale") {
			function(c)["arguments"] = `{"value":5,"\ud83d":"\ud83d\ude00"}`
		}
	}), blinds: true, fails: found(`it has half a character, the escape \ud83d without its other half`, "decision.arguments")},
	{name: "a member of the arguments twice", set: call(func(q *query, c object) {
		if q.has("likertscale") {
			function(c)["arguments"] = `{"value":5,"value":6}`
		}
	}), blinds: true, fails: found(`it has the member "value" twice`, "decision.arguments")},
	{name: "refusal beside a call", set: answered(func(_ *query, m object) string {
		m["refusal"] = "I would rather not."
		return ""
	}), fails: found("a refusal beside a tool call", "decision.form", "stream.decision")},
	{name: "finish reason stop", set: answered(func(q *query, _ object) string { return "stop" }),
		fails: found(`finish_reason "stop"`, "decision.form", "stream.decision")},
	{name: "call without an id", set: call(func(_ *query, c object) { delete(c, "id") }), fails: found("a call without an id", "decision.form")},
	{name: "call of another type", set: call(func(_ *query, c object) { c["type"] = "tool" }), fails: found(`type is not "function"`, "decision.form")},
	{name: "content in parts", set: answered(func(_ *query, m object) string {
		m["content"] = []any{object{"type": "text", "text": "hm"}}
		return ""
	}), fails: found("content that is neither null nor a string", "decision.form")},
}
