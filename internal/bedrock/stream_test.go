package bedrock

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"hyperstudy-endpoint/internal/awstest"
	"hyperstudy-endpoint/internal/openai"
)

const (
	claude45 = "us.anthropic.claude-sonnet-4-5-20250929-v1:0"
	novaLite = "us.amazon.nova-lite-v1:0"
	llama33  = "us.meta.llama3-3-70b-instruct-v1:0"
	// angerTool has a property that is sent to Claude as name_9370c6.
	angerTool = `"tools":[{"type":"function","function":{"name":"rate","parameters":{"type":"object","properties":{"怒り":{"type":"number"}}}}}]`
	oneTool   = `"tools":[{"type":"function","function":{"name":"rate"}},{"type":"function","function":{"name":"get-mood"}}]`
)

// ask is a request of one user message, with more members if there are any.
func ask(model string, more ...string) string {
	members := append([]string{`"model":"` + model + `"`, `"messages":[{"role":"user","content":"Hi"}]`}, more...)
	return "{" + strings.Join(members, ",") + "}"
}

// A transcript puts emitted deltas together as clients do.
type transcript struct {
	text, reasoning string
	calls           []openai.ToolCall
	deltas          []openai.Delta
}

func (r *transcript) emit(d openai.Delta) error {
	r.deltas = append(r.deltas, d)
	if d.Content != nil {
		r.text += *d.Content
	}
	r.reasoning += d.ReasoningContent
	for _, c := range d.ToolCalls {
		if c.Index == len(r.calls) {
			r.calls = append(r.calls, openai.ToolCall{})
		}
		call := &r.calls[c.Index] // a hole in the indexes panics
		call.ID += c.ID
		call.Type += c.Type
		call.Function.Name += c.Function.Name
		call.Function.Arguments += c.Function.Arguments
	}
	return nil
}

// ending is a stream of events that ends for a reason.
func ending(reason string, events ...awstest.Event) awstest.Reply {
	return awstest.Stream(append(events, awstest.MessageStop(reason), awstest.Metadata(awstest.DefaultUsage))...)
}

// streamCases are what testdata/cases has no room for: text that was rewritten on
// the way, in pieces.
var streamCases = []struct {
	name    string
	request string
	reply   awstest.Reply

	text   string
	calls  []string // name and arguments
	finish string
}{
	{
		name: "text", request: ask(claude45), text: "Hello there, participant.", finish: "stop",
		reply: awstest.Text("Hello there, participant."),
	},
	{
		name: "R23 names of properties in pieces", request: ask(claude45, angerTool), finish: "tool_calls",
		reply: ending("tool_use", awstest.ToolUseStart(0, "a", "rate"), awstest.ToolUseDelta(0, `{ "name_`), awstest.ToolUseDelta(0, `9370c6`), awstest.ToolUseDelta(0, `": "name_93`),
			awstest.ToolUseDelta(0, `70c6", "n\`), awstest.ToolUseDelta(0, `u0061me_9370c6":1.0}`), awstest.BlockStop(0),
			awstest.ToolUseStart(1, "b", "rate"), awstest.ToolUseDelta(1, `{"name_9370c6": {"name_9370c6": 2, "name_93`), awstest.BlockStop(1)),
		calls: []string{`rate { "怒り": "name_9370c6", "怒り":1.0}`, `rate {"怒り": {"怒り": 2, "name_93`},
	},
	{
		name: "R23 a call that does not end", request: ask(claude45, angerTool), finish: "length",
		reply: ending("max_tokens", awstest.ToolUseStart(0, "a", "rate"), awstest.ToolUseDelta(0, `{"name_9370c6`)),
		calls: []string{`rate {"name_9370c6`},
	},
	{
		name: "R23 names of properties in JSON text", request: ask(claude45, `"response_format":{"type":"json_schema","json_schema":{"name":"n","schema":{"type":"object","properties":{"怒り":{"type":"number"}}}}}`), finish: "stop",
		reply: ending("end_turn", awstest.TextDelta(0, `{"name`), awstest.TextDelta(0, `_9370c6"`), awstest.TextDelta(0, `: 1, "`)),
		text:  `{"怒り": 1, "`,
	},
	{
		name: "R23 text is not JSON", request: ask(claude45, angerTool), text: `{"name_9370c6": 1}`, finish: "stop",
		reply: awstest.Text(`{"name_9370c6": 1}`),
	},
	{
		name: "text of a family without tools in streams", request: ask(llama33), text: "Hi.", finish: "content_filter",
		reply: awstest.Text("Hi.").WithStop("guardrail_intervened"),
	},
}

func TestStream(t *testing.T) {
	t.Parallel()
	for _, tt := range streamCases {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			srv := awstest.NewServer(t)
			srv.Reply(tt.reply)
			var got transcript
			completion, err := newProvider(t, srv, Options{}).Stream(t.Context(), decodeRequest(t, tt.request), got.emit)
			if err != nil {
				t.Fatal(err)
			}
			if calls := srv.Requests(); len(calls) != 1 || calls[0].Refusal != "" || !calls[0].Stream {
				t.Errorf("calls: %+v", calls)
			}
			choice := completion.Choices[0]
			if got.text != tt.text || choice.FinishReason != tt.finish {
				t.Errorf("text %q, finish %q", got.text, choice.FinishReason)
			}
			if choice.Message.ReasoningContent != got.reasoning || choice.Message.Content != nil && *choice.Message.Content != got.text {
				t.Errorf("the completion has another text than was emitted: %+v", choice.Message)
			}
			checkCalls(t, "emitted", got.calls, tt.calls)
			checkCalls(t, "returned", choice.Message.ToolCalls, tt.calls)
			if u := completion.Usage; u.PromptTokens != awstest.DefaultUsage.InputTokens || u.TotalTokens != u.PromptTokens+u.CompletionTokens {
				t.Errorf("usage %+v", u)
			}
		})
	}
}

func checkCalls(t *testing.T, what string, got []openai.ToolCall, want []string) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s %d calls, want %d", what, len(got), len(want))
		return
	}
	for i, c := range got {
		if is := c.Function.Name + " " + c.Function.Arguments; is != want[i] || c.ID == "" || c.Type != "function" {
			t.Errorf("%s call %d is %q (id %q, type %q), want %q", what, i, is, c.ID, c.Type, want[i])
		}
	}
}

// TestStreamFaults: a stream that fails is an error, whether anything came
// before and whatever the SDK says of it.
func TestStreamFaults(t *testing.T) {
	t.Parallel()
	text := awstest.TextDelta(0, "Some")
	tests := []struct {
		name      string
		reply     awstest.Reply
		emitted   string
		status    int
		code      string
		temporary bool
	}{
		{"throttled at once", awstest.Throttled(), "", http.StatusTooManyRequests, openai.CodeRateLimit, true},
		{"exception as the first event", awstest.Stream(awstest.Exception("throttlingException", "slow down")), "", http.StatusTooManyRequests, openai.CodeRateLimit, true},
		{"exception in the middle", awstest.Stream(text, awstest.Exception("modelStreamErrorException", "x")), "Some", http.StatusBadGateway, openai.CodeModelError, true},
		{"validation in the middle", awstest.Stream(text, awstest.Exception("validationException", "prompt is too long")), "Some", http.StatusBadRequest, openai.CodeContextLength, false},
		{"internal error", awstest.Stream(text, awstest.Exception("internalServerException", "x")), "Some", http.StatusInternalServerError, openai.CodeUpstream, true},
		{"unavailable", awstest.Stream(awstest.Exception("serviceUnavailableException", "x")), "", http.StatusServiceUnavailable, openai.CodeUnavailable, true},
		{"error message", awstest.Stream(text, awstest.StreamError("Weird", "x")), "Some", http.StatusBadGateway, openai.CodeUpstream, true},
		{"ends without messageStop", awstest.Stream(text), "Some", http.StatusBadGateway, openai.CodeUpstream, true},
		{"ends without anything", awstest.Stream(awstest.MessageStart()), "", http.StatusBadGateway, openai.CodeUpstream, true},
		{"half a frame", awstest.Stream(text, awstest.Bytes([]byte{0, 0, 0, 99, 0})), "Some", http.StatusBadGateway, openai.CodeUpstream, true},
		{"a page instead of a stream", awstest.HTML(http.StatusOK), "", http.StatusBadGateway, openai.CodeUpstream, true},
		{"JSON instead of a stream", awstest.Raw(http.StatusOK, `{"stopReason":"end_turn"}`), "", http.StatusBadGateway, openai.CodeUpstream, true},
		{"garbage in the middle", awstest.Stream(text, awstest.Bytes([]byte("<html>Bad gateway</html>"))), "Some", http.StatusBadGateway, openai.CodeUpstream, true},
		{"connection breaks", awstest.Stream(text, awstest.Break()), "Some", http.StatusBadGateway, openai.CodeUpstream, true},
		{"no connection", awstest.Drop(), "", http.StatusBadGateway, openai.CodeUpstream, true},
		{"malformed", awstest.Stream(awstest.MessageStart(), awstest.MessageStop("malformed_model_output")), "", http.StatusBadGateway, openai.CodeModelError, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			srv := awstest.NewServer(t)
			srv.Reply(tt.reply)
			var got transcript
			_, err := newProvider(t, srv, Options{}).Stream(t.Context(), decodeRequest(t, ask(claude45)), got.emit)
			var e *openai.Error
			if !errors.As(err, &e) {
				t.Fatalf("error %v", err)
			}
			if got.text != tt.emitted || e.Status != tt.status || e.Code != tt.code || e.Temporary != tt.temporary {
				t.Errorf("emitted %q, then %d %q temporary=%v: %v", got.text, e.Status, e.Code, e.Temporary, e)
			}
		})
	}
}

// TestStreamEmitFails: the client has gone, so the stream is given up.
func TestStreamEmitFails(t *testing.T) {
	t.Parallel()
	srv := awstest.NewServer(t)
	srv.Reply(awstest.Stream(awstest.TextDelta(0, "a"), awstest.Stall(t.Context())))
	gone := errors.New("gone")
	_, err := newProvider(t, srv, Options{}).Stream(t.Context(), decodeRequest(t, ask(claude45)), func(openai.Delta) error { return gone })
	if !errors.Is(err, gone) {
		t.Errorf("error %v", err)
	}
}

// TestStreamCancelled: the context ends while Bedrock is silent.
func TestStreamCancelled(t *testing.T) {
	t.Parallel()
	srv := awstest.NewServer(t)
	srv.Reply(awstest.Stream(awstest.TextDelta(0, "a"), awstest.Stall(t.Context())))
	ctx, cancel := context.WithCancel(t.Context())
	_, err := newProvider(t, srv, Options{}).Stream(ctx, decodeRequest(t, ask(claude45)), func(openai.Delta) error {
		cancel()
		return nil
	})
	if e := openai.AsError(err); !errors.Is(err, context.Canceled) || e.Temporary {
		t.Errorf("error %v", err)
	}
}

// TestStreamRequest: a stream is asked for with the same body as a completion.
func TestStreamRequest(t *testing.T) {
	t.Parallel()
	srv := awstest.NewServer(t)
	p := newProvider(t, srv, Options{GuardrailID: "abc123", GuardrailVersion: "DRAFT"})
	req := decodeRequest(t, ask("openai.gpt-oss-120b-1:0", oneTool, `"temperature":0.5,"service_tier":"flex","reasoning_effort":"low"`,
		`"response_format":{"type":"json_schema","json_schema":{"name":"n","schema":{"type":"object","properties":{}}}}`))
	if _, err := p.Complete(t.Context(), req); err != nil {
		t.Fatal(err)
	}
	completion, err := p.Stream(t.Context(), req, new(transcript).emit)
	if err != nil {
		t.Fatal(err)
	}
	calls := srv.Requests()
	if len(calls) != 2 || string(calls[0].Body) != string(calls[1].Body) || !strings.Contains(string(calls[1].Body), "DRAFT") {
		t.Errorf("Converse       %s\nConverseStream %s", calls[0].Body, calls[1].Body)
	}
	if strings.Join(completion.Ignored, " ") != "" {
		t.Errorf("ignored %v", completion.Ignored)
	}
}

// TestStreamEveryFamily: whatever the family, a request with tools that is to be
// streamed is one that Bedrock takes, be it a stream or not.
func TestStreamEveryFamily(t *testing.T) {
	t.Parallel()
	for _, f := range everyFamily() {
		if !f.can(tools) {
			continue
		}
		srv := awstest.NewServer(t)
		srv.Reply(awstest.ToolUseID("a", "rate", `{"v": 1}`))
		var got transcript
		_, err := newProvider(t, srv, Options{}).Stream(t.Context(), decodeRequest(t, ask(modelOf(srv, f), oneTool)), got.emit)
		if err != nil || srv.Requests()[0].Stream != (f.can(streamedTools) && f.tag == "") {
			t.Errorf("%s: %v, %+v", f.name, err, srv.Requests())
		}
		checkCalls(t, f.name, got.calls, []string{`rate {"v": 1}`})
	}
}

// TestStreamSilence: a long pause before a tool's input is no fault (bug-ai-sdk-provider-440).
func TestStreamSilence(t *testing.T) {
	t.Parallel()
	srv := awstest.NewServer(t)
	srv.Reply(ending("tool_use", awstest.ToolUseStart(0, "a", "rate"), awstest.Pause(300*time.Millisecond), awstest.ToolUseDelta(0, "{}"), awstest.BlockStop(0)))
	completion, err := newProvider(t, srv, Options{}).Stream(t.Context(), decodeRequest(t, ask(claude45, oneTool)), new(transcript).emit)
	if err != nil || len(completion.Choices[0].Message.ToolCalls) != 1 {
		t.Errorf("error %v", err)
	}
}
