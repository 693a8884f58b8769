package external

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"hyperstudy-endpoint/internal/ceiling"
	"hyperstudy-endpoint/internal/openai"
)

// canned answers every request at once, without a network.
type canned struct{}

func (canned) RoundTrip(r *http.Request) (*http.Response, error) {
	const reply = `{"id":"c","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function","function":{"name":"submit_response","arguments":"{\"value\":63.5}"}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":900,"completion_tokens":12,"total_tokens":912}}`
	_, err := io.Copy(io.Discard, r.Body)
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(reply)), Request: r,
	}, err
}

// measured returns a provider without a network and a request for it.
func measured(tb testing.TB, body string) (*Provider, *openai.ChatCompletionRequest) {
	tb.Helper()
	p := New(Options{BaseURL: &url.URL{Scheme: "https", Host: "llm.invalid", Path: "/v1"}, HTTP: &http.Client{Transport: canned{}}})
	req, err := openai.DecodeRequest(strings.NewReader(body))
	if err != nil {
		tb.Fatal(err)
	}
	if c, err := p.Complete(tb.Context(), req); err != nil || len(c.Choices[0].Message.ToolCalls) != 1 {
		tb.Fatalf("%+v, %v", c, err)
	}
	return p, req
}

func TestAllocations(t *testing.T) {
	p, req := measured(t, ceiling.Request(4<<10))
	ceiling.Allocs(t, 185, func() { _, _ = p.Complete(context.Background(), req) })
	p, req = measured(t, ceiling.Request(256<<10)) // as many, however long the request is
	ceiling.Allocs(t, 185, func() { _, _ = p.Complete(context.Background(), req) })
}

func BenchmarkComplete(b *testing.B) {
	for name, size := range map[string]int{"4KB": 4 << 10, "64KB": 64 << 10, "1MB": 1 << 20} {
		p, req := measured(b, ceiling.Request(size))
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := p.Complete(b.Context(), req); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
