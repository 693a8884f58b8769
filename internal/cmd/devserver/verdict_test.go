package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"testing"
)

func TestVerdict(t *testing.T) {
	t.Parallel()
	const (
		rating = `{"messages":[{"role":"user","content":"Rate"}],"tools":[{"type":"function","function":{"name":"submit_response",` +
			`"parameters":{"type":"object","properties":{"value":{"type":"number","maximum":10}},"required":["value"]}}}]%s}`
		text   = `{"messages":[{"role":"user","content":"Think"}]%s}`
		answer = `{"choices":[{"message":{"role":"assistant",%s},"finish_reason":"%s"}]}`
	)
	call := func(args string) string {
		quoted, _ := json.Marshal(args)
		return `{"id":"c","type":"function","function":{"name":"submit_response","arguments":` + string(quoted) + `}}`
	}
	calls := func(list string) string { return `"content":null,"tool_calls":[` + list + `]` }
	for _, tc := range []struct {
		name, request, answer string
		want                  verdict
	}{
		{"valid call", fmt.Sprintf(rating, ""), fmt.Sprintf(answer, calls(call(`{"value":7.5}`)), "tool_calls"), passed("Valid: one call of submit_response")},
		{"valid calls", fmt.Sprintf(rating, `,"parallel_tool_calls":true`), fmt.Sprintf(answer, calls(call(`{"value":1}`)+","+call(`{"value":2}`)), "tool_calls"), passed("Valid: 2 calls")},
		{"several calls", fmt.Sprintf(rating, ""), fmt.Sprintf(answer, calls(call(`{"value":1}`)+","+call(`{"value":2}`)), "tool_calls"),
			failed("Not valid", "There are several calls and not one.")},
		{"out of range", fmt.Sprintf(rating, ""), fmt.Sprintf(answer, calls(call(`{"value":11}`)), "tool_calls"), failed("Not valid", "/value must be at most 10")},
		{"not in form", fmt.Sprintf(rating, ""), fmt.Sprintf(answer, calls(call(`{"value":"7"}`)), "tool_calls"), failed("Not valid", "It would have to be mended: number_string.")},
		{"finish reason", fmt.Sprintf(rating, ""), fmt.Sprintf(answer, calls(call(`{"value":7}`)), "stop"), failed("Not valid", `The finish reason is "stop" and not "tool_calls".`)},
		{"no call", fmt.Sprintf(rating, ""), fmt.Sprintf(answer, `"content":"7"`, "stop"), failed("No tool was called")},
		{"call not wanted", fmt.Sprintf(rating, `,"tool_choice":"none"`), fmt.Sprintf(answer, calls(call(`{"value":7}`)), "tool_calls"), failed("A call of a tool that was not offered")},
		{"text", fmt.Sprintf(text, ""), fmt.Sprintf(answer, `"content":"Hm."`, "stop"), passed("Text as the model wrote it")},
		{"JSON", fmt.Sprintf(text, `,"response_format":{"type":"json_object"}`), fmt.Sprintf(answer, `"content":"{}"`, "stop"), passed("Valid JSON")},
		{"JSON in a fence", fmt.Sprintf(text, `,"response_format":{"type":"json_object"}`), fmt.Sprintf(answer, "\"content\":\"```json\\n{}\\n```\"", "stop"),
			failed("Not the JSON that was asked for", "It would have to be mended: fenced_json.")},
		{"no JSON", fmt.Sprintf(text, `,"response_format":{"type":"json_object"}`), fmt.Sprintf(answer, `"content":null`, "stop"), failed("No text")},
		{"wrong request", `{}`, fmt.Sprintf(answer, `"content":"Hm."`, "stop"), failed("Answered although the request is wrong", "Missing required parameter: 'messages'.")},
		{"no choice", fmt.Sprintf(text, ""), `{"choices":[]}`, failed("Not a chat completion", "It has 0 choices and not one.")},
		{"no JSON at all", fmt.Sprintf(text, ""), `[]`, failed("Not a chat completion", "json: cannot unmarshal array into Go value of type openai.ChatCompletion")},
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
