package awstest_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/document"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/types"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"hyperstudy-endpoint/internal/awstest"
)

const (
	nova   = "amazon.nova-lite-v1:0"
	claude = "us.anthropic.claude-sonnet-4-5-20250929-v1:0"
)

func say(model, text string) *bedrockruntime.ConverseInput {
	return &bedrockruntime.ConverseInput{ModelId: aws.String(model), Messages: []types.Message{{
		Role: types.ConversationRoleUser, Content: []types.ContentBlock{&types.ContentBlockMemberText{Value: text}},
	}}}
}

func content(t *testing.T, out *bedrockruntime.ConverseOutput) []types.ContentBlock {
	t.Helper()
	m, ok := out.Output.(*types.ConverseOutputMemberMessage)
	if !ok {
		t.Fatalf("output is %T", out.Output)
	}
	return m.Value.Content
}

// client is the SDK's client, and converse a call of it that must succeed.
func client(srv *awstest.Server) *bedrockruntime.Client {
	return bedrockruntime.NewFromConfig(srv.Config())
}

func converse(t *testing.T, srv *awstest.Server, in *bedrockruntime.ConverseInput) *bedrockruntime.ConverseOutput {
	t.Helper()
	out, err := client(srv).Converse(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestText(t *testing.T) {
	t.Parallel()
	srv := awstest.NewServer(t)
	srv.Reply(awstest.Text("good <day> \u00e9").WithUsage(awstest.Usage{InputTokens: 3, OutputTokens: 4, CacheReadInputTokens: 5}))
	out := converse(t, srv, say(claude, "hi"))
	if text, ok := content(t, out)[0].(*types.ContentBlockMemberText); !ok || text.Value != "good <day> \u00e9" {
		t.Errorf("content is %#v", content(t, out)[0])
	}
	if out.StopReason != types.StopReasonEndTurn {
		t.Errorf("stop reason is %s", out.StopReason)
	}
	if u := out.Usage; *u.InputTokens != 3 || *u.OutputTokens != 4 || *u.TotalTokens != 12 || *u.CacheReadInputTokens != 5 || u.CacheWriteInputTokens != nil {
		t.Errorf("usage is %+v", u)
	}
	got := srv.Requests()
	if len(got) != 1 || got[0].ModelID != claude || got[0].Stream || got[0].Refusal != "" || got[0].Time.IsZero() {
		t.Fatalf("requests are %+v", got)
	}
	if want := `{"messages":[{"content":[{"text":"hi"}],"role":"user"}]}`; string(got[0].Body) != want {
		t.Errorf("body is %s", got[0].Body)
	}
}

// Numbers in a tool's input come through the SDK as they were scripted.
func TestToolUseKeepsNumbers(t *testing.T) {
	t.Parallel()
	for _, number := range []string{"9007199254740993", "1e-7", "0.1", "-0", "72", "123456789012345678901234567890"} {
		srv := awstest.NewServer(t)
		srv.Reply(awstest.ToolUse("submit", `{ "value":`+number+`}`))
		out := converse(t, srv, say(nova, "hi"))
		use, ok := content(t, out)[0].(*types.ContentBlockMemberToolUse)
		if !ok || out.StopReason != types.StopReasonToolUse || *use.Value.Name != "submit" {
			t.Fatalf("content is %#v, stop reason %s", content(t, out)[0], out.StopReason)
		}
		got, err := use.Value.Input.MarshalSmithyDocument()
		if want := `{"value":` + number + `}`; err != nil || string(got) != want {
			t.Errorf("input is %s, %v, want %s", got, err, want)
		}
	}
}

func TestToolUseIDs(t *testing.T) {
	t.Parallel()
	srv := awstest.NewServer(t)
	srv.Reply(awstest.Text("let me see").And(awstest.ToolUse("f", "{}")).And(awstest.ToolUse("g", "{}")).And(awstest.ToolUseID("mine", "h", "{}")))
	seen := map[string]bool{}
	for range 2 {
		for _, b := range content(t, converse(t, srv, say(nova, "hi"))) {
			if use, ok := b.(*types.ContentBlockMemberToolUse); ok {
				seen[*use.Value.ToolUseId] = true
			}
		}
	}
	if len(seen) != 5 || !seen["mine"] { // twice f and g, and one id that was given
		t.Errorf("ids are %v", seen)
	}
}

func TestScript(t *testing.T) {
	t.Parallel()
	srv := awstest.NewServer(t)
	got := func(model string) string {
		t.Helper()
		b := content(t, converse(t, srv, say(model, "hi")))
		text, ok := b[0].(*types.ContentBlockMemberText)
		if !ok {
			t.Fatalf("content is %#v", b[0])
		}
		return text.Value
	}
	expect := func(model, want string) {
		t.Helper()
		if text := got(model); text != want {
			t.Errorf("%s answers %q, want %q", model, text, want)
		}
	}
	expect(nova, "OK.")
	srv.Reply(awstest.Text("a"), awstest.Text("b"))
	srv.ReplyFor(claude, awstest.Text("own"))
	expect(nova, "a")
	expect(claude, "own")
	expect(nova, "b")
	expect(nova, "b")
	srv.Reply(awstest.Text("c"))
	expect(nova, "c")
	srv.Handle(func(r awstest.Request) awstest.Reply { return awstest.Text(r.ModelID) })
	expect(claude, claude)
	srv.Handle(nil)
	expect(claude, "own")
}

func TestStop(t *testing.T) {
	t.Parallel()
	srv := awstest.NewServer(t)
	srv.Reply(
		awstest.Stop("content_filtered"),
		awstest.ToolUse("f", `{"a":1}`).WithStop("max_tokens"),
		awstest.Content(`{"image":{"format":"png","source":{"bytes":"YQ=="}}}`),
	)
	if out := converse(t, srv, say(nova, "hi")); out.StopReason != types.StopReasonContentFiltered || len(content(t, out)) != 0 {
		t.Errorf("output is %+v", out)
	}
	if out := converse(t, srv, say(nova, "hi")); out.StopReason != types.StopReasonMaxTokens || len(content(t, out)) != 1 {
		t.Errorf("output is %+v", out)
	}
	if out := converse(t, srv, say(nova, "hi")); out.StopReason != types.StopReasonEndTurn {
		t.Errorf("output is %+v", out)
	} else if _, ok := content(t, out)[0].(*types.ContentBlockMemberImage); !ok {
		t.Errorf("content is %#v", content(t, out)[0])
	}
}

// The service answers reasoning with its signature, which a caller must repeat.
func TestReasoning(t *testing.T) {
	t.Parallel()
	srv := awstest.NewServer(t)
	srv.Reply(awstest.Reasoning("because").And(awstest.Text("so")))
	in := say(claude, "hi")
	blocks := content(t, converse(t, srv, in))
	in.Messages = append(in.Messages, types.Message{Role: types.ConversationRoleAssistant, Content: blocks}, in.Messages[0])
	converse(t, srv, in)
	reasoning, ok := blocks[0].(*types.ContentBlockMemberReasoningContent)
	if !ok {
		t.Fatalf("content is %#v", blocks[0])
	}
	text, ok := reasoning.Value.(*types.ReasoningContentBlockMemberReasoningText)
	if !ok || *text.Value.Text != "because" {
		t.Fatalf("reasoning is %#v", reasoning.Value)
	}
	text.Value.Signature = nil
	if _, err := client(srv).Converse(t.Context(), in); err == nil || srv.Requests()[2].Rule != "R40" {
		t.Errorf("error is %v", err)
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		reply  awstest.Reply
		status int
		code   string
	}{
		{"throttled", awstest.Throttled(), 429, "ThrottlingException"},
		{"invalid tool use", awstest.InvalidToolUse(), 424, "ModelErrorException"},
		{"access denied", awstest.Error(403, "AccessDeniedException", "no"), 403, "AccessDeniedException"},
		{"unmodelled", awstest.Error(403, "ExpiredTokenException", "old"), 403, "ExpiredTokenException"},
		{"html", awstest.HTML(502), 502, ""},
		{"not json", awstest.Raw(200, "<"), 200, ""},
		{"cut short", awstest.Text("hello").CutShort(), 200, ""},
		{"dropped", awstest.Drop(), 0, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			srv := awstest.NewServer(t)
			srv.Reply(tc.reply)
			_, err := client(srv).Converse(t.Context(), say(nova, "hi"))
			if err == nil {
				t.Fatal("no error")
			}
			var response *smithyhttp.ResponseError
			if !errors.As(err, &response) || response.HTTPStatusCode() != tc.status {
				t.Errorf("error is %v, want status %d", err, tc.status)
			}
			var api smithy.APIError
			if tc.code != "" && (!errors.As(err, &api) || api.ErrorCode() != tc.code) {
				t.Errorf("error is %v, want %s", err, tc.code)
			}
			if len(srv.Requests()) != 1 {
				t.Errorf("%d requests, want 1: nothing here retries", len(srv.Requests()))
			}
		})
	}
}

func TestThrottledIsTyped(t *testing.T) {
	t.Parallel()
	srv := awstest.NewServer(t)
	srv.Reply(awstest.Throttled().WithHeader("Retry-After", "2"))
	_, err := client(srv).Converse(t.Context(), say(nova, "hi"))
	var throttled *types.ThrottlingException
	if !errors.As(err, &throttled) || throttled.ErrorMessage() == "" {
		t.Fatalf("error is %v", err)
	}
	var response *smithyhttp.ResponseError
	if !errors.As(err, &response) || response.HTTPResponse().Header.Get("Retry-After") != "2" {
		t.Errorf("no Retry-After in %v", err)
	}
}

func TestRefusal(t *testing.T) {
	t.Parallel()
	srv := awstest.NewServer(t)
	srv.Reply(awstest.Text("first"))
	_, err := client(srv).Converse(t.Context(), say(claude, " "))
	var invalid *types.ValidationException
	if !errors.As(err, &invalid) || !strings.Contains(invalid.ErrorMessage(), "messages.0.content.0 is blank") {
		t.Fatalf("error is %v", err)
	}
	if got := srv.Requests(); got[0].Rule != "R1" || got[0].Refusal != invalid.ErrorMessage() {
		t.Errorf("request is %+v", got[0])
	}
	converse(t, srv, say(claude, "hi"))
	if got := srv.Requests(); len(got) != 2 || got[1].Refusal != "" {
		t.Errorf("requests are %+v", got)
	}
}

// The id of an application inference profile names no model.
func TestFamilyAndModels(t *testing.T) {
	t.Parallel()
	const arn = "arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/abcdefghijkl"
	srv := awstest.NewServer(t)
	in := say(arn, "hi")
	in.ToolConfig = &types.ToolConfiguration{Tools: []types.Tool{&types.ToolMemberToolSpec{Value: types.ToolSpecification{
		Name:        aws.String("f"),
		InputSchema: &types.ToolInputSchemaMemberJson{Value: document.NewLazyDocument(map[string]any{"type": "object"})},
	}}}}
	converse(t, srv, in)
	if got := srv.Requests()[0].ModelID; got != arn {
		t.Errorf("model id is %s", got)
	}
	srv.Family(arn, awstest.Titan)
	if _, err := client(srv).Converse(t.Context(), in); err == nil || srv.Requests()[1].Rule != "R15" {
		t.Errorf("error is %v, want R15", err)
	}
	srv.Models(nova)
	converse(t, srv, say(nova, "hi"))
	for _, id := range []string{claude, ""} {
		_, err := client(srv).Converse(t.Context(), say(id, "hi"))
		if err == nil || !strings.Contains(err.Error(), "The provided model identifier is invalid.") {
			t.Errorf("error of %q is %v", id, err)
		}
	}
}

func TestConcurrentUse(t *testing.T) {
	t.Parallel()
	srv := awstest.NewServer(t)
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			srv.Reply(awstest.Text(fmt.Sprint(i)))
			srv.Family(fmt.Sprint(i), awstest.Nova)
			if _, err := client(srv).Converse(t.Context(), say(nova, "hi")); err != nil {
				t.Error(err)
			}
			srv.Requests()
		})
	}
	wg.Wait()
	if n := len(srv.Requests()); n != 16 {
		t.Errorf("%d requests", n)
	}
}

func TestUnknownRoutes(t *testing.T) {
	t.Parallel()
	srv := awstest.NewServer(t)
	for _, path := range []string{"/", "/model/x/invoke", "/model/x", "/model/x/converse/y"} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, srv.URL+path, strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		resp, err := srv.Client().Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != http.StatusNotFound {
			t.Errorf("%s: status %d", path, resp.StatusCode)
		}
	}
}
