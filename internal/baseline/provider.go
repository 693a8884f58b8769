package baseline

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	"hyperstudy-endpoint/internal/openai"
)

// ModelID is the model that completions of the baseline name. It is also the
// owner that a model list gives.
const ModelID = "baseline:random"

// A Provider answers chat completion requests at random. It may be used by
// several goroutines at once.
type Provider struct{}

// New returns a provider.
func New() *Provider { return &Provider{} }

// Complete answers a request: with one tool call if it has callable tools, with
// JSON if a response format asks for that, else with a sentence. The same
// messages, tools, tool choice, response format and seed give the same answer;
// without a seed each answer is new.
//
// Errors are an [*openai.Error]: a 400 naming the schema that nothing could be
// drawn from, or a 504 if ctx has ended.
func (p *Provider) Complete(ctx context.Context, req *openai.ChatCompletionRequest) (*openai.ChatCompletion, error) {
	if err := ended(ctx); err != nil {
		return nil, err
	}
	a := answer{req: req, random: newSource(req)}
	if err := a.write(); err != nil {
		return nil, err
	}
	prompt := promptTokens(req)
	return &openai.ChatCompletion{
		ID:      "chatcmpl-" + a.random.hex(12),
		Object:  "chat.completion",
		Created: time.Now().Unix(),
		Model:   ModelID,
		Choices: []openai.Choice{{Message: a.message, FinishReason: a.finish}},
		Usage: openai.Usage{
			PromptTokens: prompt, CompletionTokens: a.tokens, TotalTokens: prompt + a.tokens,
		},
		Ignored: a.ignored(),
	}, nil
}

// Stream answers as Complete does and hands out the text word by word.
func (p *Provider) Stream(ctx context.Context, req *openai.ChatCompletionRequest, emit func(openai.Delta) error) (*openai.ChatCompletion, error) {
	completion, err := p.Complete(ctx, req)
	if err != nil {
		return nil, err
	}
	content := completion.Choices[0].Message.Content
	if content == nil {
		return completion, nil
	}
	for _, word := range splitWords(*content) {
		if err := ended(ctx); err != nil {
			return nil, err
		}
		if err := emit(openai.Delta{Content: &word}); err != nil {
			return nil, err
		}
	}
	return completion, nil
}

func ended(ctx context.Context) error {
	if ctx.Err() == nil {
		return nil
	}
	return &openai.Error{
		Status: http.StatusGatewayTimeout, Type: openai.TypeServer, Code: openai.CodeTimeout, Err: ctx.Err(),
		Message: "The request ended before the baseline had answered.",
	}
}

// An answer is written for one request.
type answer struct {
	req    *openai.ChatCompletionRequest
	random *source

	message openai.AnswerMessage
	finish  string
	tokens  int
}

func (a *answer) write() error {
	a.message.Role = string(openai.RoleAssistant)
	if tools := a.req.CallableTools(); len(tools) > 0 {
		return a.callTool(pick(a.random, tools...))
	}
	text, err := a.text()
	if err != nil {
		return err
	}
	a.finish = openai.FinishStop
	if a.limited(len(text)) {
		text = cut(text, bytesPerToken**a.req.MaxTokens)
		a.finish = openai.FinishLength
	}
	a.tokens = estimate(len(text))
	a.message.Content = &text
	return nil
}

// callTool calls a tool with arguments drawn from its schema.
func (a *answer) callTool(t openai.Tool) error {
	arguments, err := drawArguments(a.random, t.Parameters)
	if err != nil {
		i := slices.IndexFunc(a.req.Tools, func(o openai.Tool) bool { return o.Name == t.Name })
		return cannotDraw(fmt.Sprintf("tools[%d].function.parameters", i), "arguments for the tool "+quoteName(t.Name, i), err)
	}
	call := openai.ToolCall{ID: "call_" + a.random.hex(12), Type: "function"}
	call.Function.Name = t.Name
	a.finish = openai.FinishToolCalls
	if a.limited(len(t.Name) + len(arguments)) {
		arguments = cut(arguments, max(0, bytesPerToken**a.req.MaxTokens-len(t.Name)))
		a.finish = openai.FinishLength
	}
	call.Function.Arguments = arguments
	a.tokens = estimate(len(t.Name) + len(arguments))
	a.message.ToolCalls = []openai.ToolCall{call}
	return nil
}

// text returns the whole text that answers a request without callable tools.
func (a *answer) text() (string, error) {
	switch f := a.req.ResponseFormat; f.Type {
	case openai.FormatJSONObject:
		return `{"baseline":"random"}`, nil
	case openai.FormatJSONSchema:
		text, err := drawValue(a.random, f.Schema)
		if err != nil {
			return "", cannotDraw("response_format.json_schema.schema", "an answer", err)
		}
		return text, nil
	default:
		return beforeStop(sentence(a.random), a.req.Stop), nil
	}
}

// limited reports whether an answer of so many bytes exceeds the request's limit.
func (a *answer) limited(bytes int) bool {
	return a.req.MaxTokens != nil && estimate(bytes) > *a.req.MaxTokens
}

// cannotDraw is the 400 for a schema that gave no value.
func cannotDraw(param, what string, err error) *openai.Error {
	e := openai.InvalidValue(param, "The baseline cannot draw %s: %s.", what, err)
	e.Err = err
	return e
}

// quoteName names a tool in a message. A name that is not one the API reference
// allows might be anything, and is replaced by the tool's place.
func quoteName(name string, i int) string {
	const longest = 64
	for _, r := range name {
		if !isNameRune(r) {
			return fmt.Sprintf("tools[%d]", i)
		}
	}
	if len(name) > longest {
		return fmt.Sprintf("tools[%d]", i)
	}
	return "'" + name + "'"
}

func isNameRune(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-'
}

// honoured are the parameters that have their effect, or that no answer of the
// baseline could contradict.
var honoured = []string{
	"model", "messages", "tools", "tool_choice", "parallel_tool_calls", "response_format",
	"max_tokens", "max_completion_tokens", "seed", "stream", "stream_options", "n", "logprobs",
}

// ignored returns the names of the parameters without effect, sorted.
func (a *answer) ignored() []string {
	var names []string
	for _, m := range a.req.Body.Members() {
		plainText := len(a.message.ToolCalls) == 0 && !a.req.ResponseFormat.WantsJSON()
		switch {
		case !a.req.Body.Has(m.Name), slices.Contains(honoured, m.Name) && !a.overruled(m.Name):
		case m.Name == "stop" && plainText:
		default:
			names = append(names, m.Name)
		}
	}
	slices.Sort(names)
	return names
}

// overruled reports whether a parameter gave way to another one.
func (a *answer) overruled(name string) bool {
	return name == "max_tokens" && a.req.MaxTokensParam == "max_completion_tokens"
}
