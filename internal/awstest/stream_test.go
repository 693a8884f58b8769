package awstest_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/types"
	"github.com/aws/smithy-go"

	"hyperstudy-endpoint/internal/awstest"
)

// A transcript is what the SDK's reader made of a stream.
type transcript struct {
	events            []types.ConverseStreamOutput
	text, input       string
	reasoning, signed string
	deltas            int
	stop              types.StopReason
	usage             *types.TokenUsage
	err               error
}

func open(ctx context.Context, t *testing.T, srv *awstest.Server) *bedrockruntime.ConverseStreamEventStream {
	t.Helper()
	in := say(nova, "hi")
	out, err := client(srv).ConverseStream(ctx, &bedrockruntime.ConverseStreamInput{ModelId: in.ModelId, Messages: in.Messages})
	if err != nil {
		t.Fatal(err)
	}
	return out.GetStream()
}

func read(t *testing.T, srv *awstest.Server) (out transcript) {
	t.Helper()
	stream := open(t.Context(), t, srv)
	for event := range stream.Events() {
		out.events = append(out.events, event)
		switch e := event.(type) {
		case *types.ConverseStreamOutputMemberContentBlockDelta:
			out.deltas++
			switch d := e.Value.Delta.(type) {
			case *types.ContentBlockDeltaMemberText:
				out.text += d.Value
			case *types.ContentBlockDeltaMemberToolUse:
				out.input += *d.Value.Input
			case *types.ContentBlockDeltaMemberReasoningContent:
				switch r := d.Value.(type) {
				case *types.ReasoningContentBlockDeltaMemberText:
					out.reasoning += r.Value
				case *types.ReasoningContentBlockDeltaMemberSignature:
					out.signed += r.Value
				}
			}
		case *types.ConverseStreamOutputMemberMessageStop:
			out.stop = e.Value.StopReason
		case *types.ConverseStreamOutputMemberMetadata:
			out.usage = e.Value.Usage
		}
	}
	out.err = stream.Err()
	if err := stream.Close(); err != nil && out.err == nil {
		t.Errorf("close: %v", err)
	}
	return out
}

func TestStream(t *testing.T) {
	t.Parallel()
	srv := awstest.NewServer(t)
	const text, input = "Grüße: " + "\u65e5\u672c\u8a9e\u306e\u30c6\u30ad\u30b9\u30c8", `{"value": 9007199254740993, "why": "\u00e9\n"}`
	srv.Reply(awstest.Reasoning("because of that").And(awstest.Text(text)).And(awstest.ToolUse("submit", input)).
		WithUsage(awstest.Usage{InputTokens: 2, OutputTokens: 3}))
	got := read(t, srv)
	if got.err != nil || got.text != text || got.input != input || got.reasoning != "because of that" || got.signed != awstest.Signature(got.reasoning) {
		t.Errorf("stream is %+v", got)
	}
	if got.stop != types.StopReasonToolUse || *got.usage.TotalTokens != 5 || got.deltas < 8 {
		t.Errorf("stop %s, usage %+v, %d deltas", got.stop, got.usage, got.deltas)
	}
	if r := srv.Requests(); !r[0].Stream {
		t.Error("not recorded as a stream")
	}
	if _, ok := got.events[0].(*types.ConverseStreamOutputMemberMessageStart); !ok {
		t.Errorf("first event is %T", got.events[0])
	}
	if _, ok := got.events[len(got.events)-1].(*types.ConverseStreamOutputMemberMetadata); !ok {
		t.Errorf("last event is %T", got.events[len(got.events)-1])
	}
}

// An empty input has no piece of JSON in the stream, as with the service.
func TestStreamEmptyInput(t *testing.T) {
	t.Parallel()
	srv := awstest.NewServer(t)
	srv.Reply(awstest.ToolUse("wait", "{}"))
	if got := read(t, srv); got.input != "" || got.deltas != 1 || got.stop != types.StopReasonToolUse {
		t.Errorf("stream is %+v", got)
	}
}

func TestScriptedStream(t *testing.T) {
	t.Parallel()
	start := []awstest.Event{awstest.MessageStart(), awstest.TextDelta(0, "hel")}
	rest := []awstest.Event{awstest.TextDelta(0, "lo"), awstest.BlockStop(0), awstest.MessageStop("end_turn"), awstest.Metadata(awstest.DefaultUsage)}
	between := func(e ...awstest.Event) awstest.Reply { return awstest.Stream(slices.Concat(start, e, rest)...) }
	for _, tc := range []struct {
		name  string
		reply awstest.Reply
		text  string
		code  string // of the error, or "" for none
		fails bool   // with an error of no code
		stop  types.StopReason
	}{
		{name: "whole", reply: between(), text: "hello", stop: types.StopReasonEndTurn},
		{name: "pause", reply: between(awstest.Pause(5 * time.Millisecond)), text: "hello", stop: types.StopReasonEndTurn},
		{name: "unknown event", reply: between(awstest.NewEvent("novelty", `{"x":1}`)), text: "hello", stop: types.StopReasonEndTurn},
		{name: "exception first", reply: awstest.Stream(awstest.Exception("throttlingException", "slow down")), code: "ThrottlingException"},
		{name: "exception between", reply: between(awstest.Exception("modelStreamErrorException", "oops")), text: "hel", code: "ModelStreamErrorException"},
		{name: "error between", reply: between(awstest.StreamError("InternalFailure", "oops")), text: "hel", code: "InternalFailure"},
		{name: "truncated", reply: awstest.Stream(start...), text: "hel"},
		{name: "garbage", reply: between(awstest.Bytes([]byte(strings.Repeat("garbage ", 4)))), text: "hel", fails: true},
		{name: "cut short", reply: awstest.Text("hello").CutShort(), text: "hello"},
		{name: "broken", reply: between(awstest.Break()), text: "hel"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			srv := awstest.NewServer(t)
			srv.Reply(tc.reply)
			got := read(t, srv)
			if got.text != tc.text || got.stop != tc.stop {
				t.Errorf("text %q, stop %q, want %q, %q", got.text, got.stop, tc.text, tc.stop)
			}
			var api smithy.APIError
			if tc.code != "" && (!errors.As(got.err, &api) || api.ErrorCode() != tc.code) {
				t.Errorf("error is %v, want %s", got.err, tc.code)
			}
			if tc.fails && got.err == nil {
				t.Error("no error")
			}
			if tc.stop != "" && got.err != nil {
				t.Error(got.err)
			}
		})
	}
}

// Each event is sent at once: the first can be read while the rest is held back.
func TestStreamIsFlushed(t *testing.T) {
	t.Parallel()
	srv := awstest.NewServer(t)
	held, release := context.WithCancel(t.Context())
	srv.Reply(awstest.Stream(awstest.MessageStart(), awstest.Stall(held), awstest.MessageStop("end_turn")))
	stream := open(t.Context(), t, srv)
	if e := <-stream.Events(); e == nil {
		t.Fatalf("no event: %v", stream.Err())
	}
	release()
	if e, ok := (<-stream.Events()).(*types.ConverseStreamOutputMemberMessageStop); !ok {
		t.Errorf("event is %T, error %v", e, stream.Err())
	}
	if err := stream.Close(); err != nil {
		t.Error(err)
	}
}

func TestStreamError(t *testing.T) {
	t.Parallel()
	srv := awstest.NewServer(t)
	srv.Reply(awstest.Throttled())
	in := say(nova, "hi")
	_, err := client(srv).ConverseStream(t.Context(), &bedrockruntime.ConverseStreamInput{ModelId: in.ModelId, Messages: in.Messages})
	var throttled *types.ThrottlingException
	if !errors.As(err, &throttled) {
		t.Errorf("error is %v", err)
	}
}

// The stream and the buffered form of a reply say the same.
func TestStreamEqualsConverse(t *testing.T) {
	t.Parallel()
	srv := awstest.NewServer(t)
	reply := awstest.Text("one").And(awstest.ToolUse("f", `{"a":[1,2,3],"b":{"c":"d"}}`))
	srv.Reply(reply)
	stream := read(t, srv)
	blocks := content(t, converse(t, srv, say(nova, "hi")))
	text, _ := blocks[0].(*types.ContentBlockMemberText)
	use, _ := blocks[1].(*types.ContentBlockMemberToolUse)
	if text == nil || use == nil || text.Value != stream.text {
		t.Fatalf("blocks are %#v", blocks)
	}
	got, err := use.Value.Input.MarshalSmithyDocument()
	if err != nil || string(got) != stream.input || !json.Valid(got) {
		t.Errorf("input is %s (%v) and %s", got, err, stream.input)
	}
}
