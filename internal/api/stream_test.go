package api

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"hyperstudy-endpoint/internal/openai"
)

// events reads a response's server-sent events.
func events(t *testing.T, response *httptest.ResponseRecorder) []string {
	t.Helper()
	body := response.Body.String()
	if ct := response.Header().Get("Content-Type"); ct != "text/event-stream; charset=utf-8" {
		t.Fatalf("Content-Type %q, body %s", ct, body)
	}
	var list []string
	for _, event := range strings.Split(strings.TrimSuffix(body, "\n\n"), "\n\n") {
		data, ok := strings.CutPrefix(event, "data: ")
		if !ok || strings.Contains(data, "\n") {
			t.Fatalf("event %q", event)
		}
		list = append(list, data)
	}
	return list
}

// deltas checks what all chunks have in common and returns each one's delta
// and finish reason as JSON.
func deltas(t *testing.T, chunks []string) []string {
	t.Helper()
	var list []string
	for _, data := range chunks {
		var c struct {
			ID, Object, Model string
			Created           int64
			Choices           []map[string]json.RawMessage
		}
		if err := json.Unmarshal([]byte(data), &c); err != nil {
			t.Fatalf("%s: %v", data, err)
		}
		if c.ID == "" || c.Object != "chat.completion.chunk" || c.Model != "upstream-id" || c.Created == 0 {
			t.Errorf("chunk %s", data)
		}
		if len(c.Choices) != 1 {
			list = append(list, data)
			continue
		}
		finish, ok := c.Choices[0]["finish_reason"]
		if !ok || string(c.Choices[0]["index"]) != "0" {
			t.Errorf("choice of chunk %s", data)
		}
		list = append(list, string(c.Choices[0]["delta"])+string(finish))
	}
	return list
}

func equal(t *testing.T, got, want []string) {
	t.Helper()
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestStreamedDecision(t *testing.T) {
	t.Parallel()
	call := openai.ToolCall{ID: "call_1", Type: "function", Function: openai.FunctionCall{Name: "wait", Arguments: `{ }`}}
	h, seen := serve(says(openai.AnswerMessage{Content: text("Hm."), ReasoningContent: "why", ToolCalls: []openai.ToolCall{call}}))
	body := `{"messages":[{"role":"user","content":"x"}],"tools":[{"type":"function","function":{"name":"wait"}}],"stream":true,"stream_options":{"include_usage":true}}`
	response := do(t, h, "POST", "/chat/completions", body)
	list := events(t, response)
	if last := list[len(list)-1]; last != "[DONE]" {
		t.Fatalf("last event %q", last)
	}
	list = list[:len(list)-1]
	usage := list[len(list)-1]
	if !strings.Contains(usage, `"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5}`) {
		t.Errorf("usage chunk %s", usage)
	}
	for _, c := range list[:len(list)-1] {
		if !strings.Contains(c, `"usage":null`) {
			t.Errorf("chunk %s has no null usage", c)
		}
	}
	equal(t, deltas(t, list[:len(list)-1]), []string{
		`{"role":"assistant","content":""}null`,
		`{"reasoning_content":"why"}null`,
		`{"content":"Hm."}null`,
		`{"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"wait","arguments":""}}]}null`,
		`{"tool_calls":[{"index":0,"function":{"arguments":"{ }"}}]}null`,
		`{}"tool_calls"`,
	})
	if response.Header().Get("X-Endpoint-Attempts") != "1" || seen.Status != 200 || seen.Kind != KindDecision {
		t.Errorf("header %v, exchange %+v", response.Header(), seen)
	}
}

func TestStreamThatFailsBeforeItBegins(t *testing.T) {
	t.Parallel()
	h, _ := serve(says(openai.AnswerMessage{Content: text("no call")}))
	body := `{"messages":[{"role":"user","content":"x"}],"tools":[{"type":"function","function":{"name":"wait"}}],"stream":true}`
	if e := failure(t, do(t, h, "POST", "/chat/completions", body)); e.Status != 502 || e.Code != "no_tool_call" {
		t.Errorf("%+v", e)
	}
}

// live is a Streamer that emits words and ends with err.
type live struct {
	provide
	words []string
	err   error
}

func (l live) Stream(_ context.Context, req *openai.ChatCompletionRequest, emit func(openai.Delta) error) (*openai.ChatCompletion, error) {
	for _, w := range l.words {
		if err := emit(openai.Delta{Content: &w}); err != nil {
			return nil, err
		}
	}
	if l.err != nil {
		return nil, l.err
	}
	return says(openai.AnswerMessage{Content: text(strings.Join(l.words, ""))})(req)
}

const streamedText = `{"messages":[{"role":"user","content":"x"}],"stream":true}`

func TestLiveText(t *testing.T) {
	t.Parallel()
	h, _ := serve(live{words: []string{"Hel", "lo"}})
	list := events(t, do(t, h, "POST", "/chat/completions", streamedText))
	equal(t, deltas(t, list[:len(list)-1]), []string{
		`{"role":"assistant","content":""}null`,
		`{"content":"Hel"}null`,
		`{"content":"lo"}null`,
		`{}"stop"`,
	})
	if list[len(list)-1] != "[DONE]" || strings.Contains(strings.Join(list, ""), "usage") {
		t.Errorf("events %q: usage was not asked for", list)
	}
}

func TestLiveTextThatBreaksOff(t *testing.T) {
	t.Parallel()
	h, seen := serve(live{words: []string{"Hel"}, err: &openai.Error{Status: 502, Type: openai.TypeServer, Code: openai.CodeUpstream, Message: "lost"}})
	list := events(t, do(t, h, "POST", "/chat/completions", streamedText))
	last := list[len(list)-1]
	if last != `{"error":{"message":"lost","type":"server_error","param":null,"code":"upstream_error"}}` {
		t.Errorf("last event %s", last)
	}
	for _, chunk := range list {
		if strings.Contains(chunk, `"finish_reason":"`) || chunk == "[DONE]" {
			t.Errorf("event %s of a stream that broke off", chunk)
		}
	}
	if seen.Error == nil || seen.Error.Code != openai.CodeUpstream {
		t.Errorf("exchange %+v", seen)
	}
}

// TestStreamIsBuffered checks that a stream is whole where the front end cannot
// flush, such as a buffered integration.
func TestStreamIsBuffered(t *testing.T) {
	t.Parallel()
	h, seen := serve(live{words: []string{"Hel", "lo"}})
	r := httptest.NewRequestWithContext(t.Context(), "POST", "http://host/chat/completions", strings.NewReader(streamedText))
	r.Header.Set("Authorization", "Bearer key")
	w := httptest.NewRecorder()
	h.ServeHTTP(struct{ http.ResponseWriter }{w}, r)
	if list := events(t, w); len(list) != 5 || list[4] != "[DONE]" || seen.Status != http.StatusOK {
		t.Errorf("status %d, events %q", seen.Status, list)
	}
}
