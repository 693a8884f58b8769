package bedrock

import (
	"crypto/rand"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/types"

	"hyperstudy-endpoint/internal/openai"
)

// A reply is the part of a Converse answer that is used:
// https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html#API_runtime_Converse_ResponseSyntax
type reply struct {
	Output struct {
		Message *struct {
			Content few[replyBlock] `json:"content"`
		} `json:"message"`
	} `json:"output"`
	StopReason  types.StopReason `json:"stopReason"`
	Usage       replyUsage       `json:"usage"`
	ServiceTier struct {
		Type string `json:"type"`
	} `json:"serviceTier"`
}

// A replyBlock is one content block. A kind that is not here is passed over.
type replyBlock struct {
	Text             string        `json:"text"`
	ToolUse          *replyToolUse `json:"toolUse"`
	ReasoningContent struct {
		ReasoningText struct {
			Text string `json:"text"`
		} `json:"reasoningText"`
	} `json:"reasoningContent"`
	CitationsContent struct {
		Content few[struct {
			Text string `json:"text"`
		}] `json:"content"`
	} `json:"citationsContent"`
}

type replyToolUse struct {
	ToolUseID string          `json:"toolUseId"`
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"` // as the model wrote it
	Type      string          `json:"type"`  // server_tool_use: a tool that Bedrock runs itself
}

// A replyUsage counts tokens. Those of the prompt cache are not among the input's.
type replyUsage struct {
	InputTokens           int `json:"inputTokens"`
	OutputTokens          int `json:"outputTokens"`
	CacheReadInputTokens  int `json:"cacheReadInputTokens"`
	CacheWriteInputTokens int `json:"cacheWriteInputTokens"`
}

func (u replyUsage) openai() openai.Usage {
	for _, n := range []*int{&u.InputTokens, &u.OutputTokens, &u.CacheReadInputTokens, &u.CacheWriteInputTokens} {
		*n = max(0, *n)
	}
	prompt := u.InputTokens + u.CacheReadInputTokens + u.CacheWriteInputTokens
	usage := openai.Usage{PromptTokens: prompt, CompletionTokens: u.OutputTokens, TotalTokens: prompt + u.OutputTokens}
	if u.CacheReadInputTokens > 0 {
		usage.PromptTokensDetails = &openai.PromptTokensDetails{CachedTokens: u.CacheReadInputTokens}
	}
	return usage
}

// An answer is what a model said, put together from a reply or a stream.
type answer struct {
	text, reasoning strings.Builder
	calls           []openai.ToolCall
	stopReason      types.StopReason
	usage           replyUsage
	serviceTier     string
}

// callID is the id of the next call. Clients answer a call by its id, so that one
// that is missing or was there before is replaced.
func (a *answer) callID(id string) string {
	if id == "" || slices.ContainsFunc(a.calls, func(c openai.ToolCall) bool { return c.ID == id }) {
		return "call_" + rand.Text()
	}
	return id
}

// decodeReply decodes the body of a Converse answer within the limits.
func decodeReply(body []byte) (*reply, error) {
	if !openai.IsUnicode(body) {
		return nil, errUnicode
	}
	var r reply
	if err := json.Unmarshal(body, &r); err != nil {
		return nil, err
	}
	if r.Output.Message == nil {
		return &r, nil
	}
	input := 0
	for _, b := range r.Output.Message.Content {
		if b.ToolUse != nil {
			input += len(b.ToolUse.Input)
		}
	}
	if input > maxToolInput {
		return nil, errToolInput
	}
	return &r, nil
}

// completion reads the body of a Converse answer.
func (t *translation) completion(body []byte) (*openai.ChatCompletion, error) {
	r, err := decodeReply(body)
	if err != nil {
		return nil, undecodable(err)
	}
	if r.Output.Message == nil {
		return nil, emptyReply(r.Usage.openai())
	}
	a := answer{stopReason: r.StopReason, usage: r.Usage, serviceTier: r.ServiceTier.Type}
	for _, b := range r.Output.Message.Content {
		a.text.WriteString(b.Text)
		for _, c := range b.CitationsContent.Content {
			a.text.WriteString(c.Text)
		}
		a.reasoning.WriteString(b.ReasoningContent.ReasoningText.Text)
		if b.ToolUse != nil && b.ToolUse.Type != string(types.ToolUseTypeServerToolUse) {
			a.calls = append(a.calls, openai.ToolCall{ID: a.callID(b.ToolUse.ToolUseID), Type: "function", Function: openai.FunctionCall{
				Name: t.names.receive(b.ToolUse.Name), Arguments: t.members.restore(callArguments(b.ToolUse.Input)),
			}})
		}
	}
	if t.formatted() {
		text := t.members.restore(a.text.String())
		a.text.Reset()
		a.text.WriteString(text)
	}
	return t.finish(&a)
}

// callArguments is a tool's input as the text of the arguments. No input is no
// text, so that whoever judges the call can count the mend.
func callArguments(input json.RawMessage) string {
	if isNull(input) {
		return ""
	}
	return string(input)
}

// finish makes the completion of an answer.
func (t *translation) finish(a *answer) (*openai.ChatCompletion, error) {
	if t.jsonTool != "" {
		a.takeJSON(t.jsonTool)
	}
	if t.input.ToolConfig == nil || t.jsonTool != "" {
		a.calls = nil // the caller has no tools that could be called
	}
	if len(t.req.CallableTools()) > 0 && t.family.tag != "" {
		a.liftThinking(t.family.tag)
	}
	a.emptyCut()
	content, usage := a.text.String(), a.usage.openai()
	if len(a.calls) == 0 && content == "" {
		if err := t.missing(a, usage); err != nil {
			return nil, err
		}
	}
	message := openai.AnswerMessage{Role: "assistant", ReasoningContent: a.reasoning.String(), ToolCalls: a.calls}
	if content != "" || len(a.calls) == 0 {
		message.Content = &content
	}
	return &openai.ChatCompletion{
		ID: "chatcmpl-" + rand.Text(), Object: "chat.completion", Created: time.Now().Unix(), Model: t.req.Model,
		Choices:     []openai.Choice{{Message: message, FinishReason: finishReason(a)}},
		Usage:       usage,
		ServiceTier: a.serviceTier,
		Ignored:     t.ignored(),
	}, nil
}

// takeJSON makes the input of the hidden tool the text of the answer. Text that
// stands beside it would make it no JSON. Several different inputs follow one
// another, since it is not for this package to choose. If the model did not call
// the tool, its text is the answer.
func (a *answer) takeJSON(tool string) {
	var inputs []string
	for _, call := range a.calls {
		if call.Function.Name == tool && !slices.Contains(inputs, call.Function.Arguments) {
			inputs = append(inputs, call.Function.Arguments)
		}
	}
	if len(inputs) > 0 {
		a.text.Reset()
		a.text.WriteString(strings.Join(inputs, "\n"))
	}
}

// liftThinking moves the tagged reasoning that the text begins with: every block
// that is complete, without the tags and the white space around them. With a
// tool to call, what a model thinks of calling it must not pass for a call.
func (a *answer) liftThinking(tag string) {
	open, shut := "<"+tag+">", "</"+tag+">"
	text, lifted := strings.TrimSpace(a.text.String()), []string(nil)
	for {
		inner, opened := strings.CutPrefix(text, open)
		thought, rest, closed := strings.Cut(inner, shut)
		if !opened || !closed {
			break
		}
		lifted, text = append(lifted, strings.TrimSpace(thought)), strings.TrimSpace(rest)
	}
	if lifted == nil {
		return
	}
	if a.reasoning.Len() > 0 {
		lifted = append([]string{a.reasoning.String()}, lifted...)
	}
	a.reasoning.Reset()
	a.reasoning.WriteString(strings.Join(lifted, "\n"))
	a.text.Reset()
	a.text.WriteString(text)
}

// emptyCut takes the place holder away that Converse has for the input of a call
// that was cut before its arguments began: an empty object would be a decision.
func (a *answer) emptyCut() {
	if finishReason(a) != openai.FinishLength {
		return
	}
	for i := range a.calls {
		if strings.Join(strings.Fields(a.calls[i].Function.Arguments), "") == "{}" {
			a.calls[i].Function.Arguments = ""
		}
	}
}

// missing is the error for an answer with neither text nor calls, if its stop
// reason promises some: that sample failed, and another may not.
func (t *translation) missing(a *answer, usage openai.Usage) error {
	switch a.stopReason {
	case types.StopReasonMalformedModelOutput, types.StopReasonMalformedToolUse:
		return malformed(usage)
	case types.StopReasonToolUse:
		if t.input.ToolConfig != nil {
			return malformed(usage)
		}
	case types.StopReasonEndTurn, types.StopReasonStopSequence, types.StopReasonMaxTokens, types.StopReasonModelContextWindowExceeded,
		types.StopReasonContentFiltered, types.StopReasonGuardrailIntervened:
	}
	return nil
}

// stopReasonRefusal is how newer Claude models end when they decline to answer.
// The SDK does not name it.
const stopReasonRefusal types.StopReason = "refusal"

// finishReason is the API's word for why the model stopped.
func finishReason(a *answer) string {
	switch a.stopReason {
	case types.StopReasonMaxTokens, types.StopReasonModelContextWindowExceeded:
		return openai.FinishLength
	case types.StopReasonContentFiltered, types.StopReasonGuardrailIntervened, stopReasonRefusal:
		return openai.FinishContentFilter
	case types.StopReasonEndTurn, types.StopReasonStopSequence, types.StopReasonToolUse,
		types.StopReasonMalformedModelOutput, types.StopReasonMalformedToolUse:
	}
	if len(a.calls) > 0 {
		return openai.FinishToolCalls
	}
	return openai.FinishStop
}
