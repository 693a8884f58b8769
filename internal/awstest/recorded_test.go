package awstest_test

import (
	"errors"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/types"
	"github.com/aws/smithy-go"

	"hyperstudy-endpoint/internal/awstest"
)

const recorded = `{"output":{"message":{"role":"assistant","content":[
	{"reasoningContent":{"reasoningText":{"text":"because of that","signature":"s"}}},
	{"citationsContent":{"content":[{"text":"cited "}]}},
	{"hologram":{}},
	{"text":"and said"},
	{"toolUse":{"toolUseId":"a","name":"submit","input":{"value": 9007199254740993}}},
	{"toolUse":{"toolUseId":"b","name":"wait","input":null,"type":"server_tool_use"}}
	]}},"stopReason":"tool_use","usage":{"inputTokens":2,"outputTokens":3,"totalTokens":5},"serviceTier":{"type":"flex"}}`

// TestRecordedStream checks that a stream says what the recorded body says.
func TestRecordedStream(t *testing.T) {
	t.Parallel()
	srv := awstest.NewServer(t)
	srv.Reply(awstest.ParseReply([]byte(recorded)))
	got := read(t, srv)
	if got.err != nil || got.text != "cited and said" || got.input != `{"value": 9007199254740993}` || got.reasoning != "because of that" || got.signed != "s" {
		t.Errorf("stream is %+v", got)
	}
	if got.stop != types.StopReasonToolUse || *got.usage.TotalTokens != 5 {
		t.Errorf("stop %s, usage %+v", got.stop, got.usage)
	}
	uses := 0
	for _, event := range got.events {
		if e, ok := event.(*types.ConverseStreamOutputMemberContentBlockStart); ok {
			use, ok := e.Value.Start.(*types.ContentBlockStartMemberToolUse)
			if !ok || (uses == 1) != (use.Value.Type == types.ToolUseTypeServerToolUse) {
				t.Errorf("start %+v", e.Value.Start)
			}
			uses++
		}
	}
	if uses != 2 {
		t.Errorf("%d tool uses", uses)
	}
	if out := converse(t, srv, say(nova, "hi")); out.StopReason != types.StopReasonToolUse {
		t.Errorf("Converse got %+v", out)
	}
}

// TestRecordedEvents checks a stream that is given event by event.
func TestRecordedEvents(t *testing.T) {
	t.Parallel()
	srv := awstest.NewServer(t)
	srv.Reply(awstest.ParseReply([]byte(`{"events":[{"messageStart":{"role":"assistant"}},{"contentBlockDelta":{"contentBlockIndex":0,"delta":{"text":"Some"}}},` +
		`{"exception":"modelStreamErrorException","message":"lost"}]}`)))
	got := read(t, srv)
	var api smithy.APIError
	if got.text != "Some" || !errors.As(got.err, &api) || api.ErrorCode() != "ModelStreamErrorException" {
		t.Errorf("stream is %+v", got)
	}
}

// TestRecordedError checks an error from a file, and what is no completion.
func TestRecordedError(t *testing.T) {
	t.Parallel()
	srv := awstest.NewServer(t)
	srv.Reply(awstest.ParseReply([]byte(`{"status":429,"code":"ThrottlingException","message":"slow down","retryAfter":"3"}`)))
	_, err := client(srv).Converse(t.Context(), say(nova, "hi"))
	var api smithy.APIError
	if !errors.As(err, &api) || api.ErrorCode() != "ThrottlingException" {
		t.Errorf("error %v", err)
	}
	srv = awstest.NewServer(t)
	srv.Reply(awstest.ParseReply([]byte("<html>")))
	if got := read(t, srv); got.err == nil && got.stop != "" {
		t.Errorf("a stream that ended well: %+v", got)
	}
}
