package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"
)

func TestVerdict(t *testing.T) {
	t.Parallel()
	const (
		rating = `{"messages":[{"role":"user","content":"Rate"}],"tools":[{"type":"function","function":{"name":"submit_response",` +
			`"parameters":{"type":"object","properties":{"value":{"type":"number","maximum":10}},"required":["value"]}}}]%s}`
		text   = `{"messages":[{"role":"user","content":"Think"}]%s}`
		answer = `{"id":"1","object":"chat.completion","created":1,"choices":[{"index":0,"message":{"role":"assistant",%s},"finish_reason":"%s"}]}`
	)
	call := func(args string) string {
		quoted, _ := json.Marshal(args)
		return `{"id":"c","type":"function","function":{"name":"submit_response","arguments":` + string(quoted) + `}}`
	}
	second := func(args string) string { return strings.Replace(call(args), `"c"`, `"d"`, 1) }
	calls := func(list string) string { return `"content":null,"tool_calls":[` + list + `]` }
	for _, tc := range []struct {
		name, request, answer string
		want                  verdict
	}{
		{"valid call", fmt.Sprintf(rating, ""), fmt.Sprintf(answer, calls(call(`{"value":7.5}`)), "tool_calls"), passed("Valid: one call of submit_response")},
		{"valid calls", fmt.Sprintf(rating, `,"parallel_tool_calls":true`), fmt.Sprintf(answer, calls(call(`{"value":1}`)+","+second(`{"value":2}`)), "tool_calls"), passed("Valid: 2 calls")},
		{"several calls", fmt.Sprintf(rating, ""), fmt.Sprintf(answer, calls(call(`{"value":1}`)+","+second(`{"value":2}`)), "tool_calls"),
			failed("Not valid", "There are several calls and not one.")},
		{"out of range", fmt.Sprintf(rating, ""), fmt.Sprintf(answer, calls(call(`{"value":11}`)), "tool_calls"), failed("Not valid", "/value must be at most 10")},
		{"not in form", fmt.Sprintf(rating, ""), fmt.Sprintf(answer, calls(call(`{"value":"7"}`)), "tool_calls"), failed("Not valid", "It would have to be mended: number_string.")},
		{"finish reason", fmt.Sprintf(rating, ""), fmt.Sprintf(answer, calls(call(`{"value":7}`)), "stop"), failed(notInForm, `Finish_reason "stop" where it should be "tool_calls".`)},
		{"half a character", fmt.Sprintf(rating, ""), fmt.Sprintf(answer, calls(call(`{"value":7,"a":"\ud83d"}`)), "tool_calls"), failed("Not valid", "/a must not hold half of a surrogate pair")},
		{"call without an id", fmt.Sprintf(rating, ""), fmt.Sprintf(answer, calls(`{"type":"function","function":{"name":"submit_response","arguments":"{}"}}`), "tool_calls"),
			failed(notInForm, "A call without an id.")},
		{"refusal beside a call", fmt.Sprintf(rating, ""), fmt.Sprintf(answer, `"refusal":"No.",`+calls(call(`{"value":7}`)), "tool_calls"),
			failed(notInForm, "A refusal beside a tool call, so that nobody knows which of them counts.")},
		{"no call", fmt.Sprintf(rating, ""), fmt.Sprintf(answer, `"content":"7"`, "stop"), failed("No tool was called")},
		{"call not wanted", fmt.Sprintf(rating, `,"tool_choice":"none"`), fmt.Sprintf(answer, calls(call(`{"value":7}`)), "tool_calls"), failed("A call of a tool that was not offered")},
		{"text", fmt.Sprintf(text, ""), fmt.Sprintf(answer, `"content":"Hm."`, "stop"), passed("Text as the model wrote it")},
		{"JSON", fmt.Sprintf(text, `,"response_format":{"type":"json_object"}`), fmt.Sprintf(answer, `"content":"{}"`, "stop"), passed("Valid JSON")},
		{"JSON in a fence", fmt.Sprintf(text, `,"response_format":{"type":"json_object"}`), fmt.Sprintf(answer, "\"content\":\"```json\\n{}\\n```\"", "stop"),
			failed("Not the JSON that was asked for", "It would have to be mended: fenced_json.")},
		{"no JSON", fmt.Sprintf(text, `,"response_format":{"type":"json_object"}`), fmt.Sprintf(answer, `"content":null`, "stop"), failed("No text")},
		{"wrong request", `{}`, fmt.Sprintf(answer, `"content":"Hm."`, "stop"), failed("Answered although the request is wrong", "Missing required parameter: 'messages'.")},
		{"refusal", fmt.Sprintf(text, ""), fmt.Sprintf(answer, `"content":null,"refusal":"I would rather not."`, "stop"), passed("The model declined")},
		{"no text", fmt.Sprintf(text, ""), fmt.Sprintf(answer, `"content":null`, "stop"), failed("No text")},
		{"empty text", fmt.Sprintf(text, ""), fmt.Sprintf(answer, `"content":" "`, "stop"), failed("No text")},
		{"text that a limit left nothing of", fmt.Sprintf(text, ""), fmt.Sprintf(answer, `"content":""`, "length"), passed("Text as the model wrote it")},
		{"no choice", fmt.Sprintf(text, ""), `{"choices":[]}`, failed(notInForm, "Choices is empty.")},
		{"empty choice", fmt.Sprintf(text, ""), `{"choices":[{}]}`, failed(notInForm, "Choices[0] has no message.")},
		{"empty message", fmt.Sprintf(text, ""), `{"choices":[{"message":{}}]}`, failed(notInForm, `Object is not "chat.completion".`)},
		{"two choices", fmt.Sprintf(text, ""), `{"choices":[{"message":{}},{"message":{}}]}`, failed(notInForm, "There are 2 choices where one was asked for.")},
		{"error beside the choices", fmt.Sprintf(text, ""), `{"error":{"message":"overloaded"},"choices":[{"message":{}}]}`,
			failed(notInForm, "An error stands beside the choices, so that nobody knows which of them counts.")},
		{"not JSON at all", fmt.Sprintf(text, ""), `<html>`, failed(notInForm, "The body is not JSON.")},
		{"no completion at all", fmt.Sprintf(text, ""), `[]`, failed(notInForm, "The body has not the form of a completion: json: cannot unmarshal array into Go value of type conformance.completion.")},
	} {
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
