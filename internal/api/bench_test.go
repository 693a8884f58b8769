package api

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"hyperstudy-endpoint/internal/ceiling"
	"hyperstudy-endpoint/internal/openai"
	"hyperstudy-endpoint/internal/report"
)

// immediate answers every request with the same completion.
type immediate struct{ completion openai.ChatCompletion }

func (i *immediate) Complete(context.Context, *openai.ChatCompletionRequest, func(string, openai.Delta) error) (*openai.ChatCompletion, *report.Report, error) {
	return &i.completion, &report.Report{Attempts: 1}, nil
}

// discard is a response that goes nowhere.
type discard struct{ header http.Header }

func (d *discard) Header() http.Header         { return d.header }
func (d *discard) Write(p []byte) (int, error) { return len(p), nil }
func (d *discard) WriteHeader(int)             {}

// exchangeOf returns what one request costs: reading it, and writing the answer.
func exchangeOf(tb testing.TB, body string) func() {
	tb.Helper()
	c := &immediate{openai.ChatCompletion{ID: "c", Object: "chat.completion", Model: "m", Choices: []openai.Choice{{
		Message: openai.AnswerMessage{Role: "assistant", ToolCalls: []openai.ToolCall{{
			ID: "call_1", Type: "function", Function: openai.FunctionCall{Name: "submit_response", Arguments: `{"value":63.5}`},
		}}},
		FinishReason: openai.FinishToolCalls,
	}}}}
	server := New(Options{Keys: oneKey{}, Completer: c})
	return func() {
		r, err := http.NewRequestWithContext(context.Background(), http.MethodPost, "https://host/chat/completions", io.NopCloser(strings.NewReader(body)))
		if err != nil {
			tb.Fatal(err)
		}
		r.ContentLength = int64(len(body))
		r.Header.Set("Authorization", "Bearer key")
		w := &discard{http.Header{}}
		server.ServeHTTP(w, r)
		if w.header.Get("X-Endpoint-Attempts") != "1" {
			tb.Fatalf("answered with %v", w.header)
		}
	}
}

func TestAllocations(t *testing.T) {
	ceiling.Allocs(t, 145, exchangeOf(t, ceiling.Request(4<<10)))
	ceiling.Allocs(t, 145, exchangeOf(t, ceiling.Request(256<<10))) // as many, however long the request is
}

func BenchmarkServeHTTP(b *testing.B) {
	for name, size := range map[string]int{"4KB": 4 << 10, "64KB": 64 << 10, "1MB": 1 << 20, "4.5MB": 4_500_000} {
		once := exchangeOf(b, ceiling.Request(size))
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				once()
			}
		})
	}
}
