package external

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"hyperstudy-endpoint/internal/openai"
	"hyperstudy-endpoint/internal/upstreamtest"
)

// FuzzEvents holds the reader to what it promises: it ends, its events have
// data, and how the lines end changes nothing.
func FuzzEvents(f *testing.F) {
	for _, seed := range []string{
		"", "data: a\n\n", "data: a\r\n\r\ndata:b\r\rdata", "event: error\ndata: {}\n\n: c\n\nerror: x", "data\n\n", ":\n\ndata: a\ndata: b", "\ufeffdata: x\n\n",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, stream string) {
		got := events(t, stream)
		if !strings.Contains(stream, "\r") {
			for _, end := range []string{"\r\n", "\r"} {
				if other := events(t, strings.ReplaceAll(stream, "\n", end)); other != got {
					t.Errorf("with %q: %q, want %q", end, other, got)
				}
			}
		}
	})
}

func events(t *testing.T, stream string) string {
	t.Helper()
	reader := eventReader{r: bufio.NewReader(strings.NewReader(stream))}
	var all strings.Builder
	for range len(stream) + 1 {
		ev, err := reader.next()
		if errors.Is(err, io.EOF) {
			return all.String()
		}
		if err != nil {
			t.Fatal(err)
		}
		all.WriteString(ev.name + "|" + string(ev.data) + "\x00")
	}
	t.Fatal("more events than bytes")
	return ""
}

// FuzzReply answers requests with anything. A failure is an *openai.Error with
// nothing of the reply in it, and a completion is one that the API allows.
func FuzzReply(f *testing.F) {
	replies, err := filepath.Glob("testdata/cases/*/reply.*")
	if err != nil || len(replies) == 0 {
		f.Fatal("no replies", err)
	}
	for i, path := range replies {
		f.Add(uint16(200+i%2*200), readFile(f, path))
	}
	for _, q := range upstreamtest.Quirks() {
		for _, r := range q.Rules {
			f.Add(uint16(r.Status), []byte(r.Reply))
		}
	}
	for _, r := range upstreamtest.Replies {
		f.Add(uint16(max(r.Status, 200)), []byte(r.Body))
	}
	for _, x := range upstreamtest.Failures {
		f.Add(uint16(x.Status), []byte(x.Body))
	}
	f.Add(uint16(200), []byte(sse(said(`"content":"\ud83d"`), said(`"content":"\ude00"`), argued("0", `\ud83d`), stops)))
	req := request(f, `"max_tokens":1,"temperature":0.5,"seed":1,"tool_choice":"required","response_format":{"type":"json_object"},`+upstreamtest.OneStrictTool)
	f.Fuzz(func(t *testing.T, status uint16, reply []byte) {
		if status = 100 + status%500; status < 200 {
			status += 100
		}
		p := New(Options{BaseURL: parseURL(t, "http://upstream.invalid"), HTTP: &http.Client{
			Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
				return &http.Response{StatusCode: int(status), Header: http.Header{}, Body: io.NopCloser(bytes.NewReader(reply)), Request: r}, nil
			}),
		}})
		completion, err := p.Complete(t.Context(), req)
		checkOutcome(t, completion, err)
		completion, err = p.Stream(context.WithoutCancel(t.Context()), req, func(openai.Delta) error { return nil })
		checkOutcome(t, completion, err)
	})
}

func checkOutcome(t *testing.T, completion *openai.ChatCompletion, err error) {
	t.Helper()
	if err != nil {
		e := openai.AsError(err)
		if e.Code == openai.CodeInternal || e.Status < 400 || e.Message == "" || e.Type == "" {
			t.Errorf("a failure without an error of ours: %+v", err)
		}
		return
	}
	if len(completion.Choices) != 1 || completion.ID == "" || completion.Object != "chat.completion" || completion.Model == "" {
		t.Fatalf("incomplete: %+v", completion)
	}
	choice := completion.Choices[0]
	ids := map[string]bool{"": true}
	for _, call := range choice.Message.ToolCalls {
		if ids[call.ID] || call.Type != "function" {
			t.Errorf("call %+v", call)
		}
		ids[call.ID] = true
	}
	switch choice.FinishReason {
	case openai.FinishStop, openai.FinishLength, openai.FinishContentFilter, openai.FinishToolCalls:
	default:
		t.Errorf("finish_reason %q", choice.FinishReason)
	}
	if (choice.FinishReason == openai.FinishToolCalls) && len(choice.Message.ToolCalls) == 0 {
		t.Error("tool_calls without calls")
	}
	if choice.Message.Content == nil && len(choice.Message.ToolCalls) == 0 && choice.Message.Refusal == nil {
		t.Error("neither content nor calls nor a refusal")
	}
	if u := completion.Usage; u.PromptTokens < 0 || u.CompletionTokens < 0 || u.TotalTokens < 0 {
		t.Errorf("usage %+v", u)
	}
}
