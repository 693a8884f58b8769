package clienttest

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"reflect"
	"sync/atomic"
	"testing"
	"time"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"hyperstudy-endpoint/internal/awstest"
)

// leastCompared is how many recordings at least have to come out of a stream as
// the provider made them.
const leastCompared = 110

// TestRecordings has the client read every case of both providers as a stream of
// the compiled function: what it puts together is the completion that it gets
// without a stream and, where the endpoint had nothing to mend or to ask again,
// the provider's own; an error has the status and the code that it has there.
func TestRecordings(t *testing.T) {
	t.Parallel()
	list := recordings(t)
	models, aliases := modelsOf(list)
	const workers = 2
	free := make(chan *replayer, workers)
	for range workers {
		d := deployModels(t, models)
		free <- &replayer{deployment: d, api: d.client(t, 0), late: d.client(t, 8*time.Second)}
	}
	var compared atomic.Int32
	t.Run("all", func(t *testing.T) {
		for _, r := range list {
			t.Run(r.name, func(t *testing.T) {
				t.Parallel()
				p := <-free
				defer func() { free <- p }()
				if p.replay(t, r, aliases[r.entry]) {
					compared.Add(1)
				}
			})
		}
	})
	if n := compared.Load(); n < leastCompared {
		t.Errorf("%d recordings could be compared, want %d", n, leastCompared)
	}
}

// A replayer plays one recording after the other.
type replayer struct {
	*deployment
	api  openai.Client
	late openai.Client // its requests have a second left
}

// replay reports whether the stream was compared with the provider's completion.
func (p *replayer) replay(t *testing.T, r *recording, alias string) bool {
	t.Helper()
	p.bedrock.Forget()
	if r.family != "" {
		var model string
		decode(t, r.members["model"], &model)
		p.bedrock.Family(model, awstest.Family(r.family))
	}
	r.play(p.deployment)
	api := p.api
	if r.temporary {
		api = p.late
	}
	streamed, err := p.stream(t, api, r.body(t, alias, true))
	for _, request := range p.bedrock.Requests() {
		if request.Refusal != "" {
			t.Errorf("Bedrock refused %s: %s", request.Body, request.Refusal)
		}
	}
	switch {
	case r.broken && r.failure != nil:
		checkEnd(t, err, r.failure.code)
		return false
	case r.failure != nil && r.failure.status != 0:
		failed(t, err, *r.failure)
		return false
	case r.events:
		checkEnd(t, err, "")
		same(t, "of the provider", streamed, content(t, r.completion), r.reply)
		return true
	}
	var response *http.Response
	whole, wholeErr := api.Chat.Completions.New(t.Context(), openai.ChatCompletionNewParams{},
		option.WithRequestBody("application/json", r.body(t, alias, false)), option.WithResponseInto(&response))
	if wholeErr != nil {
		var e *openai.Error
		if !errors.As(wholeErr, &e) || r.failure == nil && !r.judged() || r.failure != nil && e.Code != r.failure.code {
			t.Fatalf("the answer to a request without a stream is %v", wholeErr)
		}
		failed(t, err, failure{e.StatusCode, e.Type, e.Code, e.Param, e.Message})
		return false
	}
	if err != nil {
		t.Fatalf("the stream ended with %v", err)
	}
	same(t, "without a stream", streamed, content(t, whole), nil)
	if response.Header.Get("X-Endpoint-Mended") != "" || response.Header.Get("X-Endpoint-Attempts") != "1" {
		return false
	}
	golden := content(t, r.completion)
	if len(golden.Calls) > 0 {
		golden.Finish = "tool_calls" // also where the limit was reached just behind a good call
	}
	same(t, "of the provider", streamed, golden, r.reply)
	return true
}

// stream reads a stream to its end by the client's accumulator.
func (p *replayer) stream(t *testing.T, api openai.Client, body []byte) (said, error) {
	t.Helper()
	stream := api.Chat.Completions.NewStreaming(t.Context(), openai.ChatCompletionNewParams{}, option.WithRequestBody("application/json", body))
	acc, reasoning, finished := openai.ChatCompletionAccumulator{}, "", 0
	for stream.Next() {
		chunk := stream.Current()
		if !acc.AddChunk(chunk) {
			t.Fatalf("the accumulator refuses %s", chunk.RawJSON())
		}
		if len(chunk.Choices) > 0 {
			reasoning += extra(t, chunk.Choices[0].Delta.JSON.ExtraFields["reasoning_content"].Raw())
		}
		if _, ok := acc.JustFinishedToolCall(); ok {
			finished++
		}
	}
	if err := stream.Err(); err != nil {
		return said{}, err
	}
	s := content(t, &acc.ChatCompletion)
	s.Reasoning = reasoning
	if finished != len(s.Calls) {
		t.Errorf("the client saw %d calls finish, of %d", finished, len(s.Calls))
	}
	return s, nil
}

// said is what a completion says.
type said struct {
	Content, Refusal, Reasoning, Finish, Model, Tier string
	Calls                                            []saidCall
	Prompt, Completion, Total, Cached, Thought       int64
}

type saidCall struct{ ID, Type, Name, Arguments string }

// content takes a completion apart.
func content(t *testing.T, c *openai.ChatCompletion) said {
	t.Helper()
	if len(c.Choices) != 1 {
		t.Fatalf("not one choice: %s", c.RawJSON())
	}
	m, u := c.Choices[0].Message, c.Usage
	s := said{
		Content: m.Content, Refusal: m.Refusal, Reasoning: extra(t, m.JSON.ExtraFields["reasoning_content"].Raw()), Finish: c.Choices[0].FinishReason,
		Model: c.Model, Tier: string(c.ServiceTier),
		Prompt: u.PromptTokens, Completion: u.CompletionTokens, Total: u.TotalTokens,
		Cached: u.PromptTokensDetails.CachedTokens, Thought: u.CompletionTokensDetails.ReasoningTokens,
	}
	for _, call := range m.ToolCalls {
		s.Calls = append(s.Calls, saidCall{call.ID, call.Type, call.Function.Name, call.Function.Arguments})
	}
	return s
}

// extra is the text of a member that the client has no field for.
func extra(t *testing.T, raw string) string {
	t.Helper()
	if raw == "" {
		return ""
	}
	var text string
	decode(t, json.RawMessage(raw), &text)
	return text
}

// same compares what was said. The id of a call that is not in the reply is new
// in every answer.
func same(t *testing.T, what string, got, want said, reply []byte) {
	t.Helper()
	if len(got.Calls) == len(want.Calls) {
		for i := range want.Calls {
			if !bytes.Contains(reply, []byte(quote(want.Calls[i].ID))) && got.Calls[i].ID != "" {
				want.Calls[i].ID = got.Calls[i].ID
			}
		}
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("the stream says\n%+v\nand the completion %s\n%+v", got, what, want)
	}
}
