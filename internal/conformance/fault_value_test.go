package conformance

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"sync/atomic"
)

// A bad value for a kind of question, and what is said of it.
var badValues = []struct{ name, kind, value, phrase string }{
	{"above the maximum", "steps", `5.1`, "at most 5"},
	{"below the minimum", "steps", `-5.1`, "at least -5"},
	{"off the step", "steps", `2.35`, "a multiple of 0.1"},
	{"between two points", "likert", `4.5`, "must be integer"},
	{"number as text", "likert", `"4"`, "must be integer, not string"},
	{"label instead of the number", "likert", `"entirely true"`, "must be integer"},
	{"paraphrase of an option", "choice", `"Ask a guard"`, "one of the 4 options, to the letter"},
	{"index of an option", "choice", `2`, "not number"},
	{"option in another case", "choice", `"walk home"`, "to the letter"},
	{"one choice without an array", "choices", `"Sport"`, "must be array"},
	{"a choice twice", "choices", `["Sport","Sport"]`, "must not hold an item twice"},
	{"too many choices", "choices", `["Sport","Cinema","Museum","Concert"]`, "at most 3 items"},
	{"no choice", "choices", `[]`, "at least 1 item"},
	{"space trimmed, case folded", "lookalikes", `"CAFe"`, "one of the 8 options"},
	{"text too long by a character", "text", encoded(strings.Repeat("é", 501)), "at most 500 characters"},
	{"text empty", "text", `""`, "at least 1 character"},
	{"number at an open limit", "number", `24`, "less than 24"},
	{"no e-mail address", "email", `"Ada at example"`, "must be an e-mail address"},
	{"item missing in a ranking", "ranking", `["autumn","spring","winter"]`, "at least 4 items"},
	{"item twice in a ranking", "ranking", `["autumn","spring","winter","winter"]`, "an item twice"},
	{"dimension left out", "rapid", `{"Calm":40,"悲しみ":7}`, `lacks the property "Joy / delight"`},
	{"None as a word", "rapid", `{"Calm":40,"Joy / delight":"None","悲しみ":7}`, "/value/Joy ~1 delight must fit one of 2 schemas"},
	{"name in another alphabet", "rapid", `{"Calm":40,"Joy / delight":1,"kanashimi":7}`, "lacks the property"},
	{"null for an optional answer", "questionnaire", `{"school":12,"diet":"vegan","way":{"minutes":17.5,"crowded":false},"languages":[{"name":"Czech","level":6}],"remark":null}`,
		"/value/remark must be string, not null"},
	{"property that nobody asked for", "questionnaire", `{"school":12,"diet":"vegan","way":{"minutes":17.5,"crowded":false,"by":"bus"},"languages":[{"name":"Czech","level":6}]}`,
		"/value/way has a property that is not in the schema"},
	{"fault deep inside", "questionnaire", `{"school":12,"diet":"vegan","way":{"minutes":17.5,"crowded":false},"languages":[{"name":"Czech","level":7}]}`, "/value/languages/0/level must be at most 6"},
	{"yes for true", "consent", `"yes"`, "must be boolean"},
	{"1 for true", "consent", `1`, "must be boolean"},
	{"reference not followed", "structured", `{"version":2,"day":"Tue","span":[9,24],"where":{"place":"library"}}`, "/value/span/1 must be at most 23"},
	{"both of two alternatives", "structured", `{"version":2,"day":"Tue","span":[9,17],"where":{"place":"library","call":true}}`, "exactly one of 2 schemas"},
	{"constant changed", "structured", `{"version":"2","day":"Tue","span":[9,17],"where":{"call":true}}`, "the one value that is allowed"},
	{"pattern broken", "structured", `{"version":2,"day":"Tuesday","span":[9,17],"where":{"call":true}}`, "must match the pattern"},
	{"a third of two items", "structured", `{"version":2,"day":"Tue","span":[9,17,18],"where":{"call":true}}`, "/value/span/2 is not allowed"},
}

var numberInJSON = regexp.MustCompile(`([:\[,])(-?[0-9.]+)`)

// numbersAsStrings does what comes of a number in Bedrock's SDK for Go, which is
// a kind of string, if it is encoded like any other value.
func numbersAsStrings(_ *query, c object) {
	function(c)["arguments"] = numberInJSON.ReplaceAllString(argumentsOf(c), `$1"$2"`)
}

// ofKind tells the questions of a kind from others.
func ofKind(id string) func(q *query) bool {
	question := string(quoted(kindOf(id).question))
	return func(q *query) bool { return q.has(question[1:len(question)-1]) && !q.has(`"name":"send_chat"`) }
}

// submits changes the value that is given to a kind of question.
func submits(id, value string) func(*fake, *Target) {
	is := ofKind(id)
	return call(func(q *query, c object) {
		if is(q) {
			function(c)["arguments"] = `{"value":` + value + `}`
		}
	})
}

// schemaFaults are about several kinds of questions, or about more than a value.
var schemaFaults = []planted{
	{name: "numbers as strings", set: call(numbersAsStrings), blinds: true, fails: and(found("not string", "answer.rating", "answer.steps", "answer.likert", "answer.number", "answer.questionnaire", "answer.sparse",
		"basics.call", "image.inline", "image.formats", "image.several", "image.link", "text.orders", "text.markup", "text.long", "text.large"), "schema", "answer.rapid", "answer.structured", "basics.parallel", "load.parallel")},
	{name: "a property too many", set: call(func(_ *query, c object) {
		if function(c)["name"] == "wait" {
			function(c)["arguments"] = `{"reason":"nothing to do"}`
		}
	}), fails: found("has a property that is not in the schema", "chat.wait")},
	{name: "schema with oneOf refused", set: only(chatPath, ofKind("structured"), with(400, "application/json", `{"error":{"message":"oneOf is not supported"}}`)),
		fails: found("Every request was answered with an error: 400 Bad Request (oneOf is not supported)", "answer.structured")},
	{name: "tool without parameters refused", set: only(chatPath, func(q *query) bool { return q.has("press_continue") },
		with(400, "application/json", `{"error":{"message":"parameters are missing"}}`)), fails: found("parameters are missing", "chat.bare")},
	{name: "no good call in the end", set: only(chatPath, ofKind("email"), with(502, "application/json", `{"error":{"message":"no valid call after 3 attempts"}}`)),
		fails: found("no valid call after 3 attempts", "answer.email")},
	{name: "every second decision fails", set: func(f *fake, _ *Target) {
		var asked atomic.Int32
		f.take = func(w http.ResponseWriter, _ *http.Request, q *query) bool {
			if !ofKind("ranking")(q) || asked.Add(1)%2 == 0 {
				return false
			}
			fail(w, 502, "model_error", "the model stumbled")
			return true
		}
	}, warns: found("2 answers: 1 valid at once, 1 failed. The first error: 502 Bad Gateway (the model stumbled)", "answer.ranking")},
	{name: "model refuses", set: answered(func(q *query, m object) string {
		if !ofKind("consent")(q) {
			return ""
		}
		delete(m, "tool_calls")
		m["refusal"] = "I cannot take part in this."
		return "stop"
	}), warns: found("The model refused 2 of 2 requests", "answer.consent")},
	{name: "model refuses a number", set: answered(func(q *query, m object) string {
		if !q.has("respond") {
			return ""
		}
		delete(m, "tool_calls")
		return "content_filter"
	}), warns: found("refused to submit a number", "basics.call")},
	{name: "answers filtered", set: answered(func(q *query, m object) string {
		if !ofKind("consent")(q) {
			return ""
		}
		delete(m, "tool_calls")
		return "content_filter"
	}), warns: found("The model refused", "answer.consent")},
	{name: "characters garbled", set: call(func(_ *query, c object) {
		var args map[string]string
		if json.Unmarshal([]byte(argumentsOf(c)), &args) == nil && strings.Contains(args["value"], "とても") {
			garbled := []rune{}
			for _, b := range []byte(args["value"]) {
				garbled = append(garbled, rune(b))
			}
			function(c)["arguments"] = encoded(object{"value": string(garbled)})
		}
	}), fails: found("one of the 5 options, to the letter", "text.scripts")},
	{name: "participant's text breaks the form", set: call(func(q *query, c object) {
		if q.has(writtenValue) {
			function(c)["arguments"] = `{"value":"` + writtenValue + `"}`
		}
	}), fails: found("must be number", "text.markup")},
}

// valueFaults are one bad value each.
func valueFaults() []planted {
	var list []planted
	for id, t := range map[string]struct{ shown, arguments, phrase string }{
		"chat.turn":   {"a video is playing", `{"text":"hello"}`, `lacks the property "message"`},
		"chat.opener": {"Recent chat: none yet", `{"message":null}`, "/message must be string, not null"},
		"chat.both":   {`What do you do?\n\nRecent chat`, `{"value":"Walk home","message":"sorry"}`, "has a property that is not in the schema"},
	} {
		list = append(list, planted{name: id + ": wrong arguments", fails: found(t.phrase, id), set: call(func(q *query, c object) {
			if q.has(t.shown) && q.has(`"name":"send_chat"`) && !q.has("SYSTEM") {
				function(c)["arguments"] = t.arguments
			}
		})})
	}
	for _, b := range badValues {
		list = append(list, planted{name: b.kind + ": " + b.name, set: submits(b.kind, b.value), fails: found(b.phrase, "answer."+b.kind)})
	}
	return list
}
