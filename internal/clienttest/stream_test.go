package clienttest

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/ssestream"

	"hyperstudy-endpoint/internal/awstest"
)

type chunks = ssestream.Stream[openai.ChatCompletionChunk]

// accumulate reads a stream to its end.
func accumulate(t *testing.T, stream *chunks) *openai.ChatCompletionAccumulator {
	t.Helper()
	acc := &openai.ChatCompletionAccumulator{}
	for stream.Next() {
		if !acc.AddChunk(stream.Current()) {
			t.Fatalf("the accumulator refuses %s", stream.Current().RawJSON())
		}
	}
	if err := stream.Err(); err != nil {
		t.Fatal(err)
	}
	if len(acc.Choices) != 1 {
		t.Fatalf("not one choice: %+v", acc.ChatCompletion)
	}
	return acc
}

// piece is the text and the finish reason that a chunk holds.
func piece(c openai.ChatCompletionChunk) (text, finish string) {
	if len(c.Choices) == 0 {
		return "", ""
	}
	return c.Choices[0].Delta.Content, c.Choices[0].FinishReason
}

func TestStreamedText(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, e *endpoint) {
		const text = "I feel <calm> & ready for whatever comes. 静か"
		e.script(says(text))
		for _, usage := range []bool{false, true} {
			params := e.ask("How do you feel?")
			if usage {
				params.StreamOptions.IncludeUsage = openai.Bool(true)
			}
			stream := e.Chat.Completions.NewStreaming(t.Context(), params)
			c := accumulate(t, stream)
			if got := c.Choices[0].Message.Content; got == "" || e.scripted() && got != text {
				t.Errorf("content %q", got)
			}
			if c.Choices[0].FinishReason != "stop" || c.Model != e.id || c.ID == "" {
				t.Errorf("finish reason %q of %q, id %q", c.Choices[0].FinishReason, c.Model, c.ID)
			}
			if u := c.Usage; usage != (u.TotalTokens > 0) || u.TotalTokens != u.PromptTokens+u.CompletionTokens {
				t.Errorf("usage %+v, wanted: %t", u, usage)
			}
			// The client keeps the last chunk: with the usage it has no choice.
			if last := stream.Current(); usage != (len(last.Choices) == 0) {
				t.Errorf("last chunk %s", last.RawJSON())
			}
		}
	})
}

// TestLiveText checks that text arrives while the model still writes: the fakes
// write on only when the client has the beginning.
func TestLiveText(t *testing.T) {
	t.Parallel()
	functions := func(s subject) func(*testing.T) *endpoint {
		return func(t *testing.T) *endpoint { return deploy(t, s, 0) }
	}
	for name, start := range map[string]func(*testing.T) *endpoint{
		"nova": functions(nova), "claude": functions(claude), "gpt": functions(gpt), "dev": devWithLLM,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := start(t)
			gate, open := context.WithCancel(t.Context())
			defer open()
			live := awstest.Stream(awstest.MessageStart(), awstest.TextDelta(0, "I feel "), awstest.Stall(gate),
				awstest.TextDelta(0, "calm."), awstest.BlockStop(0), awstest.MessageStop("end_turn"), awstest.Metadata(awstest.DefaultUsage))
			if e.provider == "bedrock" {
				e.bedrock.ReplyFor(e.id, live)
			}
			e.llm.handle(func(w http.ResponseWriter, _ *http.Request) {
				sendChunks(w, "I feel ")
				<-gate.Done()
				sendChunks(w, "calm.")
				sendEnd(w)
			})
			text := ""
			stream := e.Chat.Completions.NewStreaming(t.Context(), e.ask("How do you feel?"))
			for stream.Next() {
				more, _ := piece(stream.Current())
				if text += more; text == "I feel " {
					open()
				}
			}
			if err := stream.Err(); err != nil || text != "I feel calm." {
				t.Errorf("%q, %v", text, err)
			}
		})
	}
}

func TestStreamedDecision(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, e *endpoint) {
		e.script(calls("submit_response", `{"value": 720}`), calls("submit_response", `{"value": 72}`)) // the first must not show
		params := e.decide()
		params.StreamOptions.IncludeUsage = openai.Bool(true)
		stream := e.Chat.Completions.NewStreaming(t.Context(), params)
		acc := &openai.ChatCompletionAccumulator{}
		finished := 0
		for stream.Next() {
			acc.AddChunk(stream.Current())
			if call, ok := acc.JustFinishedToolCall(); ok {
				finished++
				if call.Index != 0 || call.ID == "" {
					t.Errorf("finished %+v", call)
				}
			}
		}
		if err := stream.Err(); err != nil {
			t.Fatal(err)
		}
		call := decision(t, &acc.ChatCompletion)
		if e.scripted() && compact(t, call.Function.Arguments) != `{"value":72}` {
			t.Errorf("arguments %q", call.Function.Arguments)
		}
		if finished != 1 || acc.Choices[0].Message.Content != "" || acc.Usage.TotalTokens == 0 {
			t.Errorf("%d finished calls, content %q, usage %+v", finished, acc.Choices[0].Message.Content, acc.Usage)
		}
	})
}

// TestStreamFailures checks that a failure ahead of the first chunk is an error
// like any other, and that a later one never looks like the end of an answer.
func TestStreamFailures(t *testing.T) {
	t.Parallel()
	t.Run("before", func(t *testing.T) {
		t.Parallel()
		everywhere(t, func(t *testing.T, e *endpoint) {
			params := e.ask("Hi")
			params.Model = "gpt-9"
			stream := e.Chat.Completions.NewStreaming(t.Context(), params)
			if stream.Next() {
				t.Fatalf("got %s", stream.Current().RawJSON())
			}
			failed(t, stream.Err(), failure{404, invalid, "model_not_found", "model", e.alias})
		})
	})
	bedrock, external := deploy(t, claude, 0), deploy(t, gpt, 0)
	bedrock.bedrock.ReplyFor(bedrock.id, awstest.Stream(awstest.MessageStart(), awstest.TextDelta(0, "I feel "), awstest.Break()))
	external.llm.handle(func(w http.ResponseWriter, _ *http.Request) {
		sendChunks(w, "I feel ")
		_, _ = io.WriteString(w, "data: [DONE]\n\n") // and no finish_reason
	})
	for name, e := range map[string]*endpoint{"within": bedrock, "an end that was never reached": external} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			stream := e.Chat.Completions.NewStreaming(t.Context(), e.ask("How do you feel?"))
			text, finish := "", ""
			for stream.Next() {
				more, end := piece(stream.Current())
				text, finish = text+more, finish+end
			}
			var failure *ssestream.StreamError
			if !errors.As(stream.Err(), &failure) || !strings.Contains(failure.Message, "upstream_error") {
				t.Errorf("the stream ended with %v", stream.Err())
			}
			if text != "I feel " || finish != "" {
				t.Errorf("text %q, finish reason %q", text, finish)
			}
		})
	}
}
