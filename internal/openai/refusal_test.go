package openai

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// refused decodes what has to be refused and returns how.
func refused(t *testing.T, r io.Reader) *Error {
	t.Helper()
	_, err := DecodeRequest(r)
	var e *Error
	if !errors.As(err, &e) {
		t.Fatalf("got error %v, want an *Error", err)
	}
	if e.Type != TypeInvalidRequest || e.Message == "" || e.Temporary {
		t.Errorf("got %+v", e)
	}
	return e
}

type refusal struct{ name, body, param, code string }

// checkRefusals decodes the bodies. A body that does not start with a brace is the
// members of a request beside its messages.
func checkRefusals(t *testing.T, cases []refusal) {
	t.Helper()
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			body := tc.body
			if !strings.HasPrefix(body, "{") {
				body = `{"messages":[{"role":"user","content":"Hi"}],` + body + `}`
			}
			e := refused(t, strings.NewReader(body))
			if e.Status != http.StatusBadRequest || e.Param != tc.param || e.Code != tc.code {
				t.Errorf("got %d, param %q, code %q (%s), want 400, %q, %q", e.Status, e.Param, e.Code, e.Message, tc.param, tc.code)
			}
		})
	}
}

func TestRefusesParameters(t *testing.T) {
	t.Parallel()
	const value, missing, unsupported = CodeInvalidValue, CodeMissingParameter, CodeUnsupportedParameter
	checkRefusals(t, []refusal{
		{"two choices", `"n":2`, "n", unsupported},
		{"no choice", `"n":0`, "n", unsupported},
		{"text for n", `"n":"1"`, "n", value},
		{"log probabilities", `"logprobs":true`, "logprobs", unsupported},
		{"number for logprobs", `"logprobs":1`, "logprobs", value},
		{"audio", `"audio":{"voice":"alloy"}`, "audio", unsupported},
		{"functions", `"functions":[]`, "functions", unsupported},
		{"function call", `"function_call":"auto"`, "function_call", unsupported},
		{"number for the model", `"model":5`, "model", value},
		{"text for temperature", `"temperature":"1"`, "temperature", value},
		{"temperature above", `"temperature":2.1`, "temperature", value},
		{"temperature below", `"temperature":-0.1`, "temperature", value},
		{"temperature beyond numbers", `"temperature":1e999`, "temperature", value},
		{"top_p above", `"top_p":1.01`, "top_p", value},
		{"top_p below", `"top_p":-1`, "top_p", value},
		{"fraction for seed", `"seed":1.5`, "seed", value},
		{"exponent for seed", `"seed":1e3`, "seed", value},
		{"text for seed", `"seed":"one"`, "seed", value},
		{"number in a text for seed", `"seed":"12"`, "seed", value},
		{"list for seed", `"seed":[1]`, "seed", value},
		{"text for parallel_tool_calls", `"parallel_tool_calls":"no"`, "parallel_tool_calls", value},
		{"number for reasoning_effort", `"reasoning_effort":1`, "reasoning_effort", value},
		{"list for service_tier", `"service_tier":[]`, "service_tier", value},
		{"text for stream", `"stream":"true"`, "stream", value},
		{"five stop sequences", `"stop":["a","b","c","d","e"]`, "stop", value},
		{"number for stop", `"stop":1`, "stop", value},
		{"number among stop sequences", `"stop":["a",1]`, "stop", value},
		{"no tokens", `"max_tokens":0`, "max_tokens", value},
		{"fewer than no tokens", `"max_tokens":-5`, "max_tokens", value},
		{"half a token", `"max_tokens":0.5`, "max_tokens", value},
		{"text for max_tokens", `"max_tokens":"16"`, "max_tokens", value},
		{"tokens beyond integers", `"max_tokens":1e300`, "max_tokens", value},
		{"no tokens of the newer kind", `"max_tokens":5,"max_completion_tokens":0`, "max_completion_tokens", value},
		{"stream options without a stream", `"stream_options":{"include_usage":true}`, "stream_options", value},
		{"list for stream options", `"stream":true,"stream_options":[]`, "stream_options", value},
		{"text for include_usage", `"stream":true,"stream_options":{"include_usage":"yes"}`, "stream_options.include_usage", value},
		{"text for response_format", `"response_format":"json"`, "response_format", value},
		{"response format without a type", `"response_format":{}`, "response_format.type", value},
		{"unknown response format", `"response_format":{"type":"xml"}`, "response_format.type", value},
		{"number for a response format's type", `"response_format":{"type":1}`, "response_format.type", value},
		{"no JSON schema", `"response_format":{"type":"json_schema"}`, "response_format.json_schema", missing},
		{"null for a JSON schema", `"response_format":{"type":"json_schema","json_schema":null}`, "response_format.json_schema", missing},
		{"text for a JSON schema", `"response_format":{"type":"json_schema","json_schema":"x"}`, "response_format.json_schema", value},
		{"JSON schema without a name", `"response_format":{"type":"json_schema","json_schema":{"schema":{}}}`, "response_format.json_schema.name", missing},
		{"JSON schema without a schema", `"response_format":{"type":"json_schema","json_schema":{"name":"n"}}`, "response_format.json_schema.schema", missing},
		{"number for a JSON schema's name", `"response_format":{"type":"json_schema","json_schema":{"name":1,"schema":{}}}`, "response_format.json_schema.name", value},
		{"text for strict", `"response_format":{"type":"json_schema","json_schema":{"name":"n","schema":{},"strict":"yes"}}`, "response_format.json_schema.strict", value},
	})
}

func TestRefusesMessages(t *testing.T) {
	t.Parallel()
	const value, missing, unsupported = CodeInvalidValue, CodeMissingParameter, CodeUnsupportedParameter
	messages := func(list string) string { return `{"messages":[` + list + `]}` }
	user := func(content string) string { return messages(`{"role":"user","content":` + content + `}`) }
	call := func(call string) string { return messages(`{"role":"assistant","tool_calls":[` + call + `]}`) }
	checkRefusals(t, []refusal{
		{"no messages", `{}`, "messages", missing},
		{"null for messages", `{"messages":null}`, "messages", missing},
		{"object for messages", `{"messages":{}}`, "messages", value},
		{"empty messages", messages(""), "messages", value},
		{"text for a message", messages(`"Hi"`), "messages[0]", value},
		{"null for a message", messages(`{"role":"user","content":"a"},null`), "messages[1]", value},
		{"no role", messages(`{"content":"a"}`), "messages[0].role", missing},
		{"null for a role", messages(`{"role":null,"content":"a"}`), "messages[0].role", missing},
		{"unknown role", messages(`{"role":"function","content":"a"}`), "messages[0].role", value},
		{"role in capitals", messages(`{"role":"User","content":"a"}`), "messages[0].role", value},
		{"number for a role", messages(`{"role":1,"content":"a"}`), "messages[0].role", value},
		{"no content", messages(`{"role":"user"}`), "messages[0].content", missing},
		{"null for content", messages(`{"role":"system","content":null}`), "messages[0].content", missing},
		{"number for content", user(`1`), "messages[0].content", value},
		{"object for content", user(`{"type":"text","text":"a"}`), "messages[0].content", value},
		{"number for a name", messages(`{"role":"user","content":"a","name":1}`), "messages[0].name", value},
		{"text for a part", user(`["a"]`), "messages[0].content[0]", value},
		{"part without a type", user(`[{"text":"a"}]`), "messages[0].content[0].type", value},
		{"unknown part", user(`[{"type":"text","text":"a"},{"type":"video"}]`), "messages[0].content[1].type", value},
		{"number for a part's type", user(`[{"type":1}]`), "messages[0].content[0].type", value},
		{"text part without text", user(`[{"type":"text"}]`), "messages[0].content[0].text", missing},
		{"number for text", user(`[{"type":"text","text":1}]`), "messages[0].content[0].text", value},
		{"refusal part without one", user(`[{"type":"refusal"}]`), "messages[0].content[0].refusal", missing},
		{"image without a URL", user(`[{"type":"image_url"}]`), "messages[0].content[0].image_url", missing},
		{"image with an empty URL", user(`[{"type":"image_url","image_url":{"url":""}}]`), "messages[0].content[0].image_url.url", value},
		{"image object without a URL", user(`[{"type":"image_url","image_url":{}}]`), "messages[0].content[0].image_url", value},
		{"number for an image", user(`[{"type":"image_url","image_url":1}]`), "messages[0].content[0].image_url", value},
		{"image of the system", messages(`{"role":"system","content":[{"type":"image_url","image_url":{"url":"https://a.test/b"}}]}`), "messages[0].content[0]", value},
		{"image of the assistant", messages(`{"role":"assistant","content":[{"type":"image_url","image_url":"https://a.test/b"}]}`), "messages[0].content[0]", value},
		{"assistant without anything", messages(`{"role":"assistant"}`), "messages[0].content", value},
		{"assistant with a function call", messages(`{"role":"assistant","content":"a","function_call":{"name":"f","arguments":""}}`), "messages[0].function_call", unsupported},
		{"tool calls of a user", messages(`{"role":"user","content":"a","tool_calls":[{"id":"c","function":{"name":"f"}}]}`), "messages[0].tool_calls", value},
		{"tool result without an id", messages(`{"role":"tool","content":"a"}`), "messages[0].tool_call_id", missing},
		{"object for tool calls", messages(`{"role":"assistant","tool_calls":{}}`), "messages[0].tool_calls", value},
		{"text for a tool call", call(`"x"`), "messages[0].tool_calls[0]", value},
		{"tool call without a function", call(`{"id":"c"}`), "messages[0].tool_calls[0].function", missing},
		{"text for a function", call(`{"id":"c","function":"f"}`), "messages[0].tool_calls[0].function", value},
		{"call without a name", call(`{"id":"c","function":{"arguments":"{}"}}`), "messages[0].tool_calls[0].function.name", missing},
		{"number for a called name", call(`{"id":"c","function":{"name":1}}`), "messages[0].tool_calls[0].function.name", value},
		{"number for an id", call(`{"id":1,"function":{"name":"f"}}`), "messages[0].tool_calls[0].id", value},
		{"call of another type", call(`{"id":"c","type":"custom","function":{"name":"f"}}`), "messages[0].tool_calls[0].type", unsupported},
		{"call without an id", call(`{"function":{"name":"f"}}`), "messages[0].tool_calls[0].id", missing},
	})
}

// TestRefusesBodies checks what is no JSON object at all.
func TestRefusesBodies(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000)
	cases := []struct{ name, body, message string }{
		{"empty", "", "The request body is empty. Send a JSON object with 'model' and 'messages'."},
		{"space", " \r\n\t", "The request body is empty. Send a JSON object with 'model' and 'messages'."},
		{"byte order mark alone", "\ufeff", "The request body is empty. Send a JSON object with 'model' and 'messages'."},
		{"array", `[{"role":"user"}]`, "The request body must be one JSON object."},
		{"string", `"messages"`, "The request body must be one JSON object."},
		{"null", `null`, "The request body must be one JSON object."},
		{"two values", `{"messages":[]}{}`, "The request body is not valid JSON (at byte 16 of 17)."},
		{"two lines", "{}\n{}\n", "The request body is not valid JSON (at byte 4 of 6)."},
		{"cut off", `{"messages":[`, "The request body is not valid JSON (at byte 13 of 13)."},
		{"form", `model=a&messages=b`, "The request body is not valid JSON (at byte 1 of 18)."},
		{"nested too deeply", `{"metadata":` + deep + `}`, "The request body is not valid JSON (at byte 10012 of 40013)."},
		{"invalid UTF-8", "{\"messages\":\"\xff\"}", "The request body is not valid UTF-8."},
		{"half a character", "{\"messages\":\"\xc3\"}", "The request body is not valid UTF-8."},
		{"UTF-16", "\xff\xfe{\x00}\x00", "The request body is not valid UTF-8."},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			e := refused(t, strings.NewReader(tc.body))
			if e.Status != http.StatusBadRequest || e.Code != CodeInvalidJSON || e.Param != "" || e.Message != tc.message {
				t.Errorf("got %d %q %q: %s", e.Status, e.Code, e.Param, e.Message)
			}
		})
	}
}

func TestReaderFails(t *testing.T) {
	t.Parallel()
	limited := http.MaxBytesReader(httptest.NewRecorder(), io.NopCloser(strings.NewReader(`{"messages":[]}`)), 10)
	e := refused(t, limited)
	if e.Status != http.StatusRequestEntityTooLarge || e.Code != CodeRequestTooLarge || e.Message != "The request body is larger than 10 bytes. Send fewer or smaller images." {
		t.Errorf("got %+v", e)
	}
	e = refused(t, io.MultiReader(strings.NewReader("{"), brokenReader{}))
	if e.Status != http.StatusBadRequest || e.Code != CodeInvalidJSON || !errors.Is(e, errBroken) || strings.Contains(e.Message, errBroken.Error()) {
		t.Errorf("got %+v", e)
	}
}

var errBroken = errors.New("the connection was reset")

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, errBroken }
