package bedrock

import (
	"context"
	"encoding/base64"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/types"

	"hyperstudy-endpoint/internal/ceiling"
	"hyperstudy-endpoint/internal/openai"
)

// canned answers every Converse call at once, without a network.
type canned struct{}

func (canned) Do(r *http.Request) (*http.Response, error) {
	const reply = `{"output":{"message":{"role":"assistant","content":[{"toolUse":{"toolUseId":"t1","name":"submit_response","input":{"value":63.5}}}]}},"stopReason":"tool_use","usage":{"inputTokens":900,"outputTokens":12,"totalTokens":912},"metrics":{"latencyMs":1}}`
	_, err := io.Copy(io.Discard, r.Body)
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(reply)), Request: r,
	}, err
}

// measured returns a provider without a network and a request for it.
func measured(tb testing.TB, body string) (*Provider, *openai.ChatCompletionRequest) {
	tb.Helper()
	client := bedrockruntime.New(bedrockruntime.Options{
		Region: "us-east-1", HTTPClient: canned{}, Retryer: aws.NopRetryer{},
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "test", SecretAccessKey: "test"}, nil
		}),
	})
	p, err := New(client, Options{})
	if err != nil {
		tb.Fatal(err)
	}
	req, err := decodeRequest(tb, body).WithModel(claude45)
	if err != nil {
		tb.Fatal(err)
	}
	if c, err := p.Complete(tb.Context(), req); err != nil || len(c.Choices[0].Message.ToolCalls) != 1 {
		tb.Fatalf("%+v, %v", c, err)
	}
	return p, req
}

// withImage is a request with an image of about size bytes in base64.
func withImage(tb testing.TB, size int) string {
	tb.Helper()
	data := append(picture(tb, types.ImageFormatPng, 1200, 900), make([]byte, size*3/4)...)
	return strings.Replace(ceiling.Request(0), `"content":""`,
		`"content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,`+base64.StdEncoding.EncodeToString(data)+`"}}]`, 1)
}

// TestAllocations includes those of the SDK, which are most.
func TestAllocations(t *testing.T) {
	for _, tc := range []struct {
		name, body string
		most       float64
	}{
		{"text", ceiling.Request(4 << 10), 450},
		{"image", withImage(t, 256<<10), 460},
	} {
		p, req := measured(t, tc.body)
		t.Run(tc.name, func(t *testing.T) {
			ceiling.Allocs(t, tc.most, func() { _, _ = p.Complete(context.Background(), req) })
		})
	}
}

func BenchmarkComplete(b *testing.B) {
	for _, bm := range []struct{ name, body string }{
		{"4KB", ceiling.Request(4 << 10)}, {"64KB", ceiling.Request(64 << 10)}, {"image1MB", withImage(b, 1<<20)}, {"image4MB", withImage(b, 4<<20)},
	} {
		p, req := measured(b, bm.body)
		b.Run(bm.name, func(b *testing.B) {
			b.SetBytes(int64(len(bm.body)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := p.Complete(b.Context(), req); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
