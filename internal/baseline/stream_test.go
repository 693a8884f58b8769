package baseline

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"hyperstudy-endpoint/internal/openai"
)

func TestStream(t *testing.T) {
	t.Parallel()
	var pieces []string
	c, err := New().Stream(t.Context(), request(t, `"seed":4`), func(d openai.Delta) error {
		pieces = append(pieces, *d.Content)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if text := content(t, c); strings.Join(pieces, "") != text || len(pieces) != len(strings.Fields(text)) {
		t.Errorf("streamed %q of %q", pieces, text)
	}
	whole := complete(t, `"seed":4`)
	if content(t, whole) != content(t, c) || whole.Usage != c.Usage || whole.ID != c.ID {
		t.Errorf("streamed %+v, but completed %+v", c, whole)
	}
}

func TestStreamWithTool(t *testing.T) {
	t.Parallel()
	c, err := New().Stream(t.Context(), request(t, `"tools":[`+likert+`]`), func(d openai.Delta) error {
		t.Errorf("streamed %+v", d)
		return nil
	})
	if err != nil || len(c.Choices[0].Message.ToolCalls) != 1 {
		t.Errorf("got %+v, %v", c, err)
	}
}

func TestStreamEndsWithEmit(t *testing.T) {
	t.Parallel()
	gone, emitted := errors.New("the reader is gone"), 0
	_, err := New().Stream(t.Context(), request(t, ""), func(openai.Delta) error {
		emitted++
		return gone
	})
	if !errors.Is(err, gone) || emitted != 1 {
		t.Errorf("got %v after %d pieces", err, emitted)
	}
}

func TestContextEnds(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	_, streaming := New().Stream(ctx, request(t, ""), func(openai.Delta) error {
		cancel()
		return nil
	})
	_, completing := New().Complete(ctx, request(t, ""))
	_, broken := New().Stream(t.Context(), request(t, `"response_format":{"type":"json_schema","json_schema":{"name":"n","schema":false}}`), nil)
	for _, err := range []error{streaming, completing} {
		var e *openai.Error
		if !errors.As(err, &e) || e.Status != http.StatusGatewayTimeout || e.Code != openai.CodeTimeout || !errors.Is(err, context.Canceled) {
			t.Errorf("got error %v", err)
		}
	}
	if e := openai.AsError(broken); e.Status != http.StatusBadRequest {
		t.Errorf("got error %v", broken)
	}
}

// TestPromptTokens checks what counts for the estimate.
func TestPromptTokens(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name string
		body string
		want int
	}{
		{"nothing", `{"messages":[{"role":"user","content":""}]}`, 0},
		{"one byte", `{"messages":[{"role":"user","content":"a"}]}`, 1},
		{"four bytes", `{"messages":[{"role":"user","content":"abcd"}]}`, 1},
		{"bytes, not characters", `{"messages":[{"role":"user","content":"äöü"}]}`, 2},
		{"several messages", `{"messages":[{"role":"system","content":"abc"},{"role":"user","content":[{"type":"text","text":"ab"},{"type":"image_url","image_url":{"url":"https://example.org/x.png"}}]}]}`, 2},
		{"tool calls", `{"messages":[{"role":"assistant","tool_calls":[{"id":"c","function":{"name":"go","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c","content":"ok"}]}`, 2},
		{"refusal", `{"messages":[{"role":"assistant","refusal":"No."}]}`, 1},
		{"no tools", `{"messages":[{"role":"user","content":""}],"tools":[]}`, 0},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			req, err := openai.DecodeRequest(strings.NewReader(tc.body))
			if err != nil {
				t.Fatal(err)
			}
			if got := promptTokens(req); got != tc.want {
				t.Errorf("got %d, want %d", got, tc.want)
			}
		})
	}
}
