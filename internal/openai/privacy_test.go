package openai

import (
	"errors"
	"strings"
	"testing"
)

const canary = "Zanzibar"

// canaryBodies are requests that are refused, or their members beside the
// messages, with the canary where words of participants, tools or models may stand.
var canaryBodies = map[string]string{
	"broken JSON":             `{"messages":[{"role":"user","content":"Zanzibar"}`,
	"broken in the word":      `{"messages":"Zanzibar` + "\n" + `"}`,
	"bare word":               `Zanzibar`,
	"bare word within":        `{"messages":Zanzibar}`,
	"invalid UTF-8":           "{\"messages\":\"Zanzibar\xff\"}",
	"string body":             `"Zanzibar"`,
	"messages":                `{"messages":"Zanzibar"}`,
	"message":                 `{"messages":["Zanzibar"]}`,
	"role":                    `{"messages":[{"role":"Zanzibar","content":"Zanzibar"}]}`,
	"role of another type":    `{"messages":[{"role":["Zanzibar"],"content":"a"}]}`,
	"content":                 `{"messages":[{"role":"user","content":{"Zanzibar":"Zanzibar"}}]}`,
	"part":                    `{"messages":[{"role":"user","content":["Zanzibar"]}]}`,
	"part type":               `{"messages":[{"role":"user","content":[{"type":"Zanzibar"}]}]}`,
	"part text":               `{"messages":[{"role":"user","content":[{"type":"text","text":["Zanzibar"]}]}]}`,
	"image":                   `{"messages":[{"role":"user","content":[{"type":"image_url","image_url":["Zanzibar"]}]}]}`,
	"image of the system":     `{"messages":[{"role":"system","content":[{"type":"image_url","image_url":{"url":"https://Zanzibar.test/"}}]}]}`,
	"name":                    `{"messages":[{"role":"user","content":"Zanzibar","name":["Zanzibar"]}]}`,
	"function call":           `{"messages":[{"role":"assistant","content":"Zanzibar","function_call":"Zanzibar"}]}`,
	"tool call":               `{"messages":[{"role":"assistant","tool_calls":["Zanzibar"]}]}`,
	"tool call type":          `{"messages":[{"role":"assistant","tool_calls":[{"id":"Zanzibar","type":"Zanzibar","function":{"name":"Zanzibar"}}]}]}`,
	"tool call id":            `{"messages":[{"role":"assistant","tool_calls":[{"id":"Zanzibar","function":{"name":"Zanzibar","arguments":"Zanzibar"}}]}]}`,
	"orphan result":           `{"messages":[{"role":"tool","tool_call_id":"Zanzibar","content":"Zanzibar"}]}`,
	"result of another call":  `{"messages":[{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"f"}}]},{"role":"tool","tool_call_id":"Zanzibar"}]}`,
	"twice the same call":     `{"messages":[{"role":"assistant","tool_calls":[{"id":"Zanzibar","function":{"name":"f"}},{"id":"Zanzibar","function":{"name":"f"}}]}]}`,
	"tool":                    `"tools":["Zanzibar"]`,
	"tool type":               `"tools":[{"type":"Zanzibar"}]`,
	"tool name":               `"tools":[{"function":{"name":"Zanzibar"}},{"function":{"name":"Zanzibar"}}]`,
	"tool description":        `"tools":[{"function":{"name":"f","description":["Zanzibar"]}}]`,
	"tool choice":             offer("f") + `,"tool_choice":"Zanzibar"`,
	"chosen function":         offer("f") + `,"tool_choice":{"type":"function","function":{"name":"Zanzibar"}}`,
	"kind of choice":          offer("f") + `,"tool_choice":{"type":"Zanzibar"}`,
	"response format":         `"response_format":"Zanzibar"`,
	"response format type":    `"response_format":{"type":"Zanzibar"}`,
	"response format's name":  `"response_format":{"type":"json_schema","json_schema":{"name":["Zanzibar"],"schema":{}}}`,
	"model":                   `"model":["Zanzibar"]`,
	"temperature":             `"temperature":"Zanzibar"`,
	"seed":                    `"seed":"Zanzibar"`,
	"stop":                    `"stop":{"Zanzibar":1}`,
	"max_tokens":              `"max_tokens":"Zanzibar"`,
	"n":                       `"n":"Zanzibar"`,
	"stream options":          `"stream_options":{"Zanzibar":"Zanzibar"}`,
	"audio":                   `"audio":{"voice":"Zanzibar"}`,
	"functions":               `"functions":[{"name":"Zanzibar"}]`,
	"function_call parameter": `"function_call":{"name":"Zanzibar"}`,
}

// TestErrorsQuoteNothing checks that the canary is not in what the caller of a
// refused request is told.
func TestErrorsQuoteNothing(t *testing.T) {
	t.Parallel()
	for name, body := range canaryBodies {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if strings.HasPrefix(body, `"`) && strings.Contains(body, `":`) {
				body = hi + "," + body + "}"
			}
			if !strings.Contains(body, canary) {
				t.Fatal("no canary in the request")
			}
			_, err := DecodeRequest(strings.NewReader(body))
			var e *Error
			if !errors.As(err, &e) {
				t.Fatalf("got error %v", err)
			}
			sent, err := e.MarshalJSON()
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(strings.ToLower(string(sent)), strings.ToLower(canary)) {
				t.Errorf("the answer quotes the request: %s", sent)
			}
		})
	}
	digits := map[string]string{"temperature": `"temperature":271828`, "seed": `"seed":2718.28`, "n": `"n":2718.28`, "max_tokens": `"max_tokens":2718.28`, "model": `"model":271828`}
	for name, members := range digits {
		_, err := DecodeRequest(strings.NewReader(hi + "," + members + "}"))
		if err == nil || strings.Contains(err.Error(), "2718") {
			t.Errorf("%s: got error %v", name, err)
		}
	}
}
