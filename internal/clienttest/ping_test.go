package clienttest

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/ssestream"

	"hyperstudy-endpoint/internal/api"
	"hyperstudy-endpoint/internal/auth"
	"hyperstudy-endpoint/internal/chat"
	wire "hyperstudy-endpoint/internal/openai"
)

var update = flag.Bool("update", false, "rewrite the recorded streams in node/streams")

// TestPings has the client read streams with long silences, in no time: client
// and endpoint talk over a pipe. What the endpoint sends is kept in node/streams,
// where the Node client reads it.
func TestPings(t *testing.T) {
	t.Parallel()
	const pause = 50 * time.Second
	for _, tc := range []struct {
		name  string
		model slowModel
		tools bool
		pings int
		text  string // "" for the decision
		fails string // code of the error
	}{
		{"text", slowModel{"I feel ", "calm."}, false, 1 + 3, "I feel calm.", ""},
		{"decision", slowModel{"", ""}, true, 1 + 3, "", ""},
		{"error", slowModel{""}, true, 1, "", wire.CodeUpstream},
		{"error-within", slowModel{"I feel "}, false, 1 + 3, "I feel ", wire.CodeUpstream},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				e := newPiped(t, tc.model)
				params := e.ask("How calm do you feel?")
				params.StreamOptions.IncludeUsage = openai.Bool(true)
				if tc.tools {
					params.Tools = tools()
				}
				start := time.Now()
				stream := e.Chat.Completions.NewStreaming(t.Context(), params, option.WithHeader("X-Request-Id", "recorded"))
				acc := &openai.ChatCompletionAccumulator{}
				for stream.Next() {
					if !acc.AddChunk(stream.Current()) {
						t.Fatalf("the accumulator refuses %s", stream.Current().RawJSON())
					}
				}
				if took := time.Since(start); took < pause {
					t.Errorf("took %v", took)
				}
				checkEnd(t, stream.Err(), tc.fails)
				if tc.fails == "" && tc.text == "" {
					if call := decision(t, &acc.ChatCompletion); call.Function.Arguments != `{"value":72.5}` || acc.Usage.TotalTokens != 19 {
						t.Errorf("%+v", acc.ChatCompletion)
					}
				} else if tc.text != "" && acc.Choices[0].Message.Content != tc.text {
					t.Errorf("%+v", acc.ChatCompletion)
				}
				if n := strings.Count(e.sent.String(), ": ping\n\n"); n != tc.pings {
					t.Errorf("%d pings, want %d", n, tc.pings)
				}
				keep(t, tc.name, e.sent.Bytes())
			})
		})
	}
}

func checkEnd(t *testing.T, err error, code string) {
	t.Helper()
	var failure *ssestream.StreamError
	if code == "" && err != nil || code != "" && (!errors.As(err, &failure) || !strings.Contains(failure.Message, code)) {
		t.Errorf("the stream ended with %v, want %q", err, code)
	}
}

// keep compares what was sent with the recording, or makes it.
func keep(t *testing.T, name string, sent []byte) {
	t.Helper()
	path := filepath.Join("node", "streams", name+".sse")
	if *update {
		if err := os.WriteFile(path, sent, 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if want := readFile(t, path); !bytes.Equal(sent, want) {
		t.Errorf("%s is another stream (go test -run TestPings -update rewrites it):\ngot  %s\nwant %s", path, sent, want)
	}
}

// A slowModel says these words, thinking 50 s before each. It fails after a single
// one, 50 s later if that was not empty. Where tools are offered it rates.
type slowModel []string

func (m slowModel) Complete(ctx context.Context, req *wire.ChatCompletionRequest) (*wire.ChatCompletion, error) {
	return m.Stream(ctx, req, func(wire.Delta) error { return nil })
}

func (m slowModel) Stream(ctx context.Context, req *wire.ChatCompletionRequest, emit func(wire.Delta) error) (*wire.ChatCompletion, error) {
	for _, word := range m {
		select {
		case <-time.After(50 * time.Second):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		if word == "" {
			continue
		}
		if err := emit(wire.Delta{Content: &word}); err != nil {
			return nil, err
		}
	}
	if len(m) == 1 {
		if m[0] != "" {
			time.Sleep(50 * time.Second)
		}
		return nil, &wire.Error{Status: http.StatusBadGateway, Type: wire.TypeServer, Code: wire.CodeUpstream, Message: "The model broke off."}
	}
	text := strings.Join(m, "")
	choice := wire.Choice{Message: wire.AnswerMessage{Role: "assistant", Content: &text}, FinishReason: wire.FinishStop}
	if len(req.CallableTools()) > 0 {
		call := wire.ToolCall{ID: "call_1", Type: "function", Function: wire.FunctionCall{Name: "submit_response", Arguments: `{"value":72.5}`}}
		choice = wire.Choice{Message: wire.AnswerMessage{Role: "assistant", ToolCalls: []wire.ToolCall{call}}, FinishReason: wire.FinishToolCalls}
	}
	return &wire.ChatCompletion{
		ID: "chatcmpl-recorded", Object: "chat.completion", Created: time.Now().Unix(), Model: req.Model, Choices: []wire.Choice{choice},
		Usage: wire.Usage{PromptTokens: 12, CompletionTokens: 7, TotalTokens: 19},
	}, nil
}

// piped is an endpoint that is reached over a pipe, and what it has sent.
type piped struct {
	endpoint
	sent bytes.Buffer
}

func newPiped(t *testing.T, p chat.Provider) *piped {
	t.Helper()
	e := &piped{endpoint: endpoint{subject: subject{"slow", "scripted", "slow-model"}}}
	models := []chat.Model{{Alias: "slow", ID: "slow-model", Provider: p, Fingerprint: "fp_0123456789"}}
	handler := api.New(api.Options{Keys: auth.FixedKey(callerKey), Completer: chat.New(models, chat.Options{})})
	listener := &pipes{conns: make(chan net.Conn), closed: make(chan struct{})}
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		handler.ServeHTTP(&copying{w, &e.sent}, r)
	})}
	go func() { _ = server.Serve(listener) }() // ends when the server is closed
	transport := &http.Transport{DialContext: listener.dial}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		_ = server.Close()
	})
	e.Client = openai.NewClient(option.WithBaseURL("http://endpoint/v1"), option.WithAPIKey(callerKey), option.WithMaxRetries(0),
		option.WithHTTPClient(&http.Client{Transport: transport}))
	return e
}

// copying keeps a copy of a response's body.
type copying struct {
	http.ResponseWriter
	to io.Writer
}

func (c *copying) Write(p []byte) (int, error) {
	if _, err := c.to.Write(p); err != nil {
		return 0, err
	}
	return c.ResponseWriter.Write(p)
}

func (c *copying) Unwrap() http.ResponseWriter { return c.ResponseWriter }

// pipes is a net.Listener without a network.
type pipes struct {
	conns  chan net.Conn
	closed chan struct{}
}

func (p *pipes) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case p.conns <- server:
		return client, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	close(p.closed)
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.UnixAddr{} }
