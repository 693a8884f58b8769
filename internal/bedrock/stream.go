package bedrock

import (
	"context"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/types"

	"hyperstudy-endpoint/internal/openai"
)

// Stream makes one attempt at a completion with ConverseStream and hands every
// piece of text, reasoning and tool call to emit as it arrives. It returns the
// whole completion, whose text is what was emitted. A model that cannot stream
// while it has tools, and an answer that has to be rewritten first, come in one
// piece. An error of emit ends the stream and is returned; every other is an
// [*openai.Error].
func (p *Provider) Stream(ctx context.Context, req *openai.ChatCompletionRequest, emit func(openai.Delta) error) (*openai.ChatCompletion, error) {
	t, err := p.translate(ctx, req)
	if err != nil {
		return nil, err
	}
	if t.input.ToolConfig != nil && (!t.family.can(streamedTools) || t.jsonTool != "" || t.family.tag != "") {
		return p.whole(ctx, t, emit)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // ends the connection when emit fails
	out, err := p.client.ConverseStream(ctx, t.streamInput(), frameCheck{}.option)
	if err != nil {
		return nil, t.fault(ctx, err)
	}
	events := out.GetStream()
	defer func() { _ = events.Close() }()
	s := streamed{translation: t, emit: emit, calls: map[int32]int{}}
	if t.formatted() {
		s.text.other = t.members.original
	}
	if err := s.read(ctx, events); err != nil {
		return nil, err
	}
	return s.finish()
}

// whole makes the completion with Converse and emits it at once.
func (p *Provider) whole(ctx context.Context, t *translation, emit func(openai.Delta) error) (*openai.ChatCompletion, error) {
	completion, err := p.converse(ctx, t)
	if err != nil {
		return nil, err
	}
	m := completion.Choices[0].Message
	delta := openai.Delta{Content: m.Content, ReasoningContent: m.ReasoningContent}
	for i, call := range m.ToolCalls {
		delta.ToolCalls = append(delta.ToolCalls, openai.ToolCallDelta{
			Index: i, ID: call.ID, Type: call.Type, Function: openai.FunctionCallDelta(call.Function),
		})
	}
	if err := emit(delta); err != nil {
		return nil, err
	}
	return completion, nil
}

// A streamed answer grows with the events of a stream.
type streamed struct {
	*translation
	answer  answer
	emit    func(openai.Delta) error
	calls   map[int32]int // the index of a tool call by that of its content block
	text    memberNames   // reads the text
	args    []*callReader // read the arguments of the tool calls
	size    int           // bytes of text, reasoning and arguments
	argued  int           // bytes of arguments among them
	stopped bool
	failed  error // of emit, or for an answer beyond the limits
}

// A callReader puts together the arguments of a tool call.
type callReader struct {
	memberNames
	read strings.Builder
}

// read takes events until the stream ends. The SDK reports neither a stream that
// breaks off nor one that ends early, so it has to have come to its messageStop.
func (s *streamed) read(ctx context.Context, events *bedrockruntime.ConverseStreamEventStream) error {
	for event := range events.Events() {
		s.take(event)
		if s.failed != nil {
			return s.failed
		}
	}
	if err := events.Err(); err != nil && !s.stopped {
		return s.fault(ctx, err)
	}
	if e := interrupted(ctx, ctx.Err()); e != nil && !s.stopped {
		return e
	}
	if !s.stopped {
		e := unusable.error()
		e.Message = "Amazon Bedrock broke off in the middle of its answer. Try again."
		return e
	}
	return nil
}

// take adds one event. Kinds of events and deltas that are not known here have
// nothing for a chat completion.
func (s *streamed) take(event types.ConverseStreamOutput) {
	switch e := event.(type) {
	case *types.ConverseStreamOutputMemberContentBlockStart:
		if start, ok := e.Value.Start.(*types.ContentBlockStartMemberToolUse); ok {
			s.open(aws.ToInt32(e.Value.ContentBlockIndex), start.Value)
		}
	case *types.ConverseStreamOutputMemberContentBlockDelta:
		s.grow(aws.ToInt32(e.Value.ContentBlockIndex), e.Value.Delta)
	case *types.ConverseStreamOutputMemberContentBlockStop:
		if index, ok := s.calls[aws.ToInt32(e.Value.ContentBlockIndex)]; ok {
			s.shut(index)
		}
	case *types.ConverseStreamOutputMemberMessageStop:
		s.say(s.text.rest())
		for index := range s.args {
			s.shut(index)
		}
		s.answer.stopReason, s.stopped = e.Value.StopReason, true
	case *types.ConverseStreamOutputMemberMetadata:
		if u := e.Value.Usage; u != nil {
			s.answer.usage = replyUsage{
				InputTokens: int(aws.ToInt32(u.InputTokens)), OutputTokens: int(aws.ToInt32(u.OutputTokens)),
				CacheReadInputTokens: int(aws.ToInt32(u.CacheReadInputTokens)), CacheWriteInputTokens: int(aws.ToInt32(u.CacheWriteInputTokens)),
			}
		}
		if e.Value.ServiceTier != nil {
			s.answer.serviceTier = string(e.Value.ServiceTier.Type)
		}
	}
}

// send emits a delta, unless emit has failed before.
func (s *streamed) send(d openai.Delta) {
	if s.failed == nil {
		s.failed = s.emit(d)
	}
}

// fail ends the stream with an error, unless it has failed before.
func (s *streamed) fail(err error) {
	if s.failed == nil {
		s.failed = err
	}
}

// count adds to the size of the answer.
func (s *streamed) count(n int) {
	if s.size += n; s.size > maxReply {
		s.fail(overlong())
	}
}

// open begins a tool call. Without tools a call cannot be meant and is dropped.
func (s *streamed) open(block int32, use types.ToolUseBlockStart) {
	if s.input.ToolConfig == nil || use.Type == types.ToolUseTypeServerToolUse {
		return
	}
	if len(s.answer.calls) == maxBlocks {
		s.fail(undecodable(errManyBlocks))
		return
	}
	call := openai.ToolCall{ID: s.answer.callID(aws.ToString(use.ToolUseId)), Type: "function", Function: openai.FunctionCall{Name: s.names.receive(aws.ToString(use.Name))}}
	s.calls[block] = len(s.answer.calls)
	s.answer.calls, s.args = append(s.answer.calls, call), append(s.args, &callReader{memberNames: memberNames{other: s.members.original}})
	s.send(openai.Delta{ToolCalls: []openai.ToolCallDelta{{
		Index: s.calls[block], ID: call.ID, Type: call.Type, Function: openai.FunctionCallDelta{Name: call.Function.Name},
	}}})
}

func (s *streamed) grow(block int32, delta types.ContentBlockDelta) {
	switch d := delta.(type) {
	case *types.ContentBlockDeltaMemberText:
		s.say(s.text.add(d.Value))
	case *types.ContentBlockDeltaMemberReasoningContent:
		if r, ok := d.Value.(*types.ReasoningContentBlockDeltaMemberText); ok && r.Value != "" {
			s.answer.reasoning.WriteString(r.Value)
			s.count(len(r.Value))
			s.send(openai.Delta{ReasoningContent: r.Value})
		}
	case *types.ContentBlockDeltaMemberToolUse:
		if index, ok := s.calls[block]; ok {
			s.argue(index, s.args[index].add(aws.ToString(d.Value.Input)))
		}
	}
}

// say adds a piece to the text.
func (s *streamed) say(piece string) {
	if piece != "" {
		s.answer.text.WriteString(piece)
		s.count(len(piece))
		s.send(openai.Delta{Content: &piece})
	}
}

// argue adds a piece to the arguments of a tool call.
func (s *streamed) argue(index int, piece string) {
	if piece != "" {
		s.args[index].read.WriteString(piece)
		s.count(len(piece))
		if s.argued += len(piece); s.argued > maxToolInput {
			s.fail(undecodable(errToolInput))
		}
		s.send(openai.Delta{ToolCalls: []openai.ToolCallDelta{{Index: index, Function: openai.FunctionCallDelta{Arguments: piece}}}})
	}
}

// shut ends a tool call. One without arguments has an empty object for them.
func (s *streamed) shut(index int) {
	s.argue(index, s.args[index].rest())
	if isBlank(s.args[index].read.String()) {
		s.argue(index, "{}")
	}
	arguments := s.args[index].read.String()
	if !openai.IsUnicode([]byte(arguments)) {
		s.fail(undecodable(errUnicode))
	}
	s.answer.calls[index].Function.Arguments = arguments
}

func (s *streamed) finish() (*openai.ChatCompletion, error) { return s.translation.finish(&s.answer) }
