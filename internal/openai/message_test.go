package openai

import (
	"encoding/json"
	"reflect"
	"testing"
)

// TestMessageRoundTrip writes messages and decodes what was written.
func TestMessageRoundTrip(t *testing.T) {
	t.Parallel()
	call := ToolCall{ID: "c", Type: "function", Function: FunctionCall{Name: "f", Arguments: `{"a":"<b>"}`}}
	cases := []struct {
		name    string
		message Message
		want    string
	}{
		{"text", TextMessage(RoleUser, "a\n\"<b>&\u2028é🙂"), `{"role":"user","content":"a\n\"<b>&\u2028é🙂"}`},
		{"empty text", TextMessage(RoleSystem, ""), `{"role":"system","content":""}`},
		{"name", Message{Role: RoleUser, Name: "n", Content: []Part{{Type: PartText, Text: "a"}}}, `{"role":"user","content":"a","name":"n"}`},
		{"two texts", Message{Role: RoleUser, Content: []Part{{Type: PartText, Text: "a"}, {Type: PartText, Text: "b"}}},
			`{"role":"user","content":[{"text":"a","type":"text"},{"text":"b","type":"text"}]}`},
		{"image", Message{Role: RoleUser, Content: []Part{{Type: PartImageURL, ImageURL: "https://a.test/?x=1&y=2"}}},
			`{"role":"user","content":[{"image_url":{"url":"https://a.test/?x=1&y=2"},"type":"image_url"}]}`},
		{"refusal part", Message{Role: RoleAssistant, Content: []Part{{Type: PartRefusal, Text: "No."}}}, `{"role":"assistant","content":[{"refusal":"No.","type":"refusal"}]}`},
		{"refusal", Message{Role: RoleAssistant, Refusal: "No."}, `{"role":"assistant","content":null,"refusal":"No."}`},
		{"tool call", Message{Role: RoleAssistant, ToolCalls: []ToolCall{call}},
			`{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{\"a\":\"<b>\"}"}}]}`},
		{"tool call and text", Message{Role: RoleAssistant, Content: []Part{{Type: PartText, Text: "a"}}, ToolCalls: []ToolCall{call}},
			`{"role":"assistant","content":"a","tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{\"a\":\"<b>\"}"}}]}`},
		{"tool result", Message{Role: RoleTool, ToolCallID: "c", Content: []Part{{Type: PartText, Text: "1"}}}, `{"role":"tool","content":"1","tool_call_id":"c"}`},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got, err := Marshal(tc.message)
			if err != nil || string(got) != tc.want {
				t.Fatalf("got %s, %v, want %s", got, err, tc.want)
			}
			again, err := decodeMessage(got, "messages[0]")
			if err != nil || !reflect.DeepEqual(again, tc.message) {
				t.Errorf("decoded %+v, %v, want %+v", again, err, tc.message)
			}
			escaped, err := json.Marshal(tc.message)
			if err != nil {
				t.Fatal(err)
			}
			if again, err := decodeMessage(escaped, "messages[0]"); err != nil || !reflect.DeepEqual(again, tc.message) {
				t.Errorf("decoded %+v, %v from %s", again, err, escaped)
			}
		})
	}
}

func TestMessageText(t *testing.T) {
	t.Parallel()
	m := Message{Content: []Part{{Type: PartText, Text: "a"}, {Type: PartImageURL, ImageURL: "data:,"}, {Type: PartText, Text: " b"}}}
	if got := m.Text(); got != "a b" {
		t.Errorf("got %q", got)
	}
	if got := (&Message{}).Text(); got != "" {
		t.Errorf("no content has the text %q", got)
	}
}

func TestMarshal(t *testing.T) {
	t.Parallel()
	got, err := Marshal(map[string]string{"a": "<&>"})
	if err != nil || string(got) != `{"a":"<&>"}` {
		t.Errorf("got %q, %v", got, err)
	}
	if got, err := Marshal(func() {}); err == nil {
		t.Errorf("a function became %q", got)
	}
}
