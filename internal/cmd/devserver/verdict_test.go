package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"
)

// Requests: a decision, and a stage of cognition.
const (
	rating = `{"messages":[{"role":"user","content":"Rate"}],"tools":[{"type":"function","function":{"name":"submit_response",` +
		`"parameters":{"type":"object","properties":{"value":{"type":"number","maximum":10}},"required":["value"]}}}]}`
	stage = `{"messages":[{"role":"user","content":"Think"}]}`
)

// with adds a member to a request.
func with(request, member string) string {
	return strings.TrimSuffix(request, "}") + "," + member + "}"
}

// answer is a completion whose message has these members.
func answer(members, finish string) string {
	return fmt.Sprintf(`{"id":"1","object":"chat.completion","created":1,"choices":[{"index":0,"message":{"role":"assistant",%s},"finish_reason":%q}]}`, members, finish)
}

// calls are the members of a message with a call for each of the arguments.
func calls(arguments ...string) string {
	var list []string
	for i, args := range arguments {
		quoted, _ := json.Marshal(args) // no string fails
		list = append(list, fmt.Sprintf(`{"id":"c%d","type":"function","function":{"name":"submit_response","arguments":%s}}`, i, quoted))
	}
	return `"content":null,"tool_calls":[` + strings.Join(list, ",") + `]`
}

// A judged is an answer to a request, and the verdict that it should get.
type judged struct {
	name, request, answer string
	want                  verdict
}

func TestVerdict(t *testing.T) {
	t.Parallel()
	checkVerdicts(t, []judged{
		{"valid call", rating, answer(calls(`{"value":7.5}`), "tool_calls"), passed("Valid: one call of submit_response")},
		{"valid calls", with(rating, `"parallel_tool_calls":true`), answer(calls(`{"value":1}`, `{"value":2}`), "tool_calls"), passed("Valid: 2 calls")},
		{"several calls", rating, answer(calls(`{"value":1}`, `{"value":2}`), "tool_calls"),
			failed("Not valid", "There are several calls and not one.")},
		{"out of range", rating, answer(calls(`{"value":11}`), "tool_calls"), failed("Not valid", "/value must be at most 10")},
		{"not in form", rating, answer(calls(`{"value":"7"}`), "tool_calls"), failed("Not valid", "It would have to be mended: number_string.")},
		{"half a character", rating, answer(calls(`{"value":7,"a":"\ud83d"}`), "tool_calls"), failed("Not valid", "/a must not hold half of a surrogate pair")},
		{"no call", rating, answer(`"content":"7"`, "stop"), failed("No tool was called")},
		{"call not wanted", with(rating, `"tool_choice":"none"`), answer(calls(`{"value":7}`), "tool_calls"), failed("A call of a tool that was not offered")},
		{"text", stage, answer(`"content":"Hm."`, "stop"), passed("Text as the model wrote it")},
		{"JSON", with(stage, `"response_format":{"type":"json_object"}`), answer(`"content":"{}"`, "stop"), passed("Valid JSON")},
		{"JSON in a fence", with(stage, `"response_format":{"type":"json_object"}`), answer("\"content\":\"```json\\n{}\\n```\"", "stop"),
			failed("Not the JSON that was asked for", "It would have to be mended: fenced_json.")},
		{"no JSON", with(stage, `"response_format":{"type":"json_object"}`), answer(`"content":null`, "stop"), failed("No text")},
		{"wrong request", `{}`, answer(`"content":"Hm."`, "stop"), failed("Answered although the request is wrong", "Missing required parameter: 'messages'.")},
		{"refusal", stage, answer(`"content":null,"refusal":"I would rather not."`, "stop"), passed("The model declined")},
		{"no text", stage, answer(`"content":null`, "stop"), failed("No text")},
		{"empty text", stage, answer(`"content":" "`, "stop"), failed("No text")},
		{"text that a limit left nothing of", stage, answer(`"content":""`, "length"), passed("Text as the model wrote it")},
	})
}

// TestVerdictOnForm checks answers that clients cannot read, or read differently.
func TestVerdictOnForm(t *testing.T) {
	t.Parallel()
	checkVerdicts(t, []judged{
		{"finish reason", rating, answer(calls(`{"value":7}`), "stop"), failed(notInForm, `finish_reason "stop" where it should be "tool_calls"`)},
		{"call without an id", rating, answer(`"tool_calls":[{"type":"function","function":{"name":"submit_response","arguments":"{}"}}]`, "tool_calls"),
			failed(notInForm, "a call without an id")},
		{"refusal beside a call", rating, answer(`"refusal":"No.",`+calls(`{"value":7}`), "tool_calls"),
			failed(notInForm, "a refusal beside a tool call, so that nobody knows which of them counts")},
		{"no choice", stage, `{"choices":[]}`, failed(notInForm, "choices is empty")},
		{"empty choice", stage, `{"choices":[{}]}`, failed(notInForm, "choices[0] has no message")},
		{"empty message", stage, `{"choices":[{"message":{}}]}`, failed(notInForm, `object is not "chat.completion"`)},
		{"two choices", stage, `{"choices":[{"message":{}},{"message":{}}]}`, failed(notInForm, "there are 2 choices where one was asked for")},
		{"error beside the choices", stage, `{"error":{"message":"overloaded"},"choices":[{"message":{}}]}`,
			failed(notInForm, "an error stands beside the choices, so that nobody knows which of them counts")},
		{"not JSON at all", stage, `<html>`, failed(notInForm, "the body is not JSON")},
		{"no completion at all", stage, `[]`, failed(notInForm, "the body has not the form of a completion: it is an array")},
		{"members of other types", stage, `{"choices":[{"message":"Hm."}]}`, failed(notInForm, "the body has not the form of a completion: choices.message is a string")},
	})
}

func checkVerdicts(t *testing.T, list []judged) {
	t.Helper()
	for _, tc := range list {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			question, err := json.Marshal(exchange{tc.request, tc.answer})
			if err != nil {
				t.Fatal(err)
			}
			w := ask(http.MethodPost, "http://localhost:8080/page/verdict", string(question), nil)
			if got := decode[verdict](t, w.Body); w.Code != http.StatusOK || !reflect.DeepEqual(got, tc.want) {
				t.Errorf("got %d %+v, want %+v", w.Code, got, tc.want)
			}
		})
	}
}
