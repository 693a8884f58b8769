package openai

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
)

// checkConversation refuses tool messages that answer no call and calls that
// are not answered, as the API does.
func checkConversation(messages []Message) error {
	for i := 0; i < len(messages); i++ {
		m := &messages[i]
		if m.Role == RoleTool {
			return InvalidValue(fmt.Sprintf("messages[%d].role", i),
				"messages[%d] has role 'tool' but does not answer a tool call of the assistant message before it.", i)
		}
		if len(m.ToolCalls) == 0 {
			continue
		}
		next, err := checkResults(messages, i)
		if err != nil {
			return err
		}
		i = next - 1
	}
	return nil
}

// checkResults matches the tool messages behind the assistant message at i with
// its calls and returns the index of the message after them.
func checkResults(messages []Message, i int) (int, error) {
	open := map[string]bool{}
	for k, call := range messages[i].ToolCalls {
		at := fmt.Sprintf("messages[%d].tool_calls[%d].id", i, k)
		if call.ID == "" {
			return 0, Missing(at)
		}
		if open[call.ID] {
			return 0, InvalidValue(at, "Two tool calls of messages[%d] have the same id.", i)
		}
		open[call.ID] = true
	}
	next := i + 1
	for ; next < len(messages) && messages[next].Role == RoleTool; next++ {
		id := messages[next].ToolCallID
		if !open[id] {
			return 0, InvalidValue(fmt.Sprintf("messages[%d].tool_call_id", next),
				"messages[%d] answers no open tool call of messages[%d].", next, i)
		}
		delete(open, id)
	}
	if len(open) > 0 {
		return 0, InvalidValue(fmt.Sprintf("messages[%d].tool_calls", i),
			"The tool calls of messages[%d] must be followed by one tool message for each of them; %d are missing.", i, len(open))
	}
	return next, nil
}

// WithMessages returns a copy of the request with more messages at its end.
func (r *ChatCompletionRequest) WithMessages(more ...Message) (*ChatCompletionRequest, error) {
	c := r.clone()
	c.Messages = append(c.Messages[:len(c.Messages):len(c.Messages)], more...)
	raw := bytes.TrimSpace(r.Body.Get("messages"))
	// Clipped, because what follows in the array belongs to the request's body.
	list := bytes.NewBuffer(slices.Clip(bytes.TrimSpace(raw[:len(raw)-1])))
	for _, m := range more {
		encoded, err := Marshal(m)
		if err != nil {
			return nil, err
		}
		list.WriteByte(',')
		list.Write(encoded)
	}
	list.WriteByte(']')
	c.Body.Set("messages", list.Bytes())
	return c, nil
}

// WithForcedTool returns a copy of the request whose tool choice demands a
// call of one of the tools that were callable before.
func (r *ChatCompletionRequest) WithForcedTool() (*ChatCompletionRequest, error) {
	c := r.clone()
	c.ToolChoice.Mode = ChoiceRequired
	if len(c.ToolChoice.Names) == 0 {
		c.Body.Set("tool_choice", json.RawMessage(`"required"`))
		return c, nil
	}
	if r.ToolChoice.Forced() {
		return c, nil
	}
	choice, err := ParseObject(r.Body.Get("tool_choice"))
	if err != nil {
		return nil, err
	}
	allowed, err := ParseObject(choice.Get("allowed_tools"))
	if err != nil {
		return nil, err
	}
	allowed.Set("mode", json.RawMessage(`"required"`))
	encoded, err := allowed.MarshalJSON()
	if err != nil {
		return nil, err
	}
	choice.Set("allowed_tools", encoded)
	if encoded, err = choice.MarshalJSON(); err != nil {
		return nil, err
	}
	c.Body.Set("tool_choice", encoded)
	return c, nil
}

// WithModel returns a copy of the request for another model.
func (r *ChatCompletionRequest) WithModel(id string) (*ChatCompletionRequest, error) {
	name, err := json.Marshal(id)
	if err != nil {
		return nil, err
	}
	c := r.clone()
	c.Model = id
	c.Body.Set("model", name)
	return c, nil
}

// WithMaxTokens returns a copy of the request with a limit on the completion.
func (r *ChatCompletionRequest) WithMaxTokens(n int) *ChatCompletionRequest {
	c := r.clone()
	c.MaxTokens = &n
	if c.MaxTokensParam == "" {
		c.MaxTokensParam = "max_tokens"
	}
	c.Body.Set(c.MaxTokensParam, fmt.Append(nil, n))
	return c
}

func (r *ChatCompletionRequest) clone() *ChatCompletionRequest {
	c := *r
	c.Body = r.Body.Clone()
	return &c
}

// WithoutMaxTokens returns a copy of the request without a limit on the
// completion.
func (r *ChatCompletionRequest) WithoutMaxTokens() *ChatCompletionRequest {
	c := r.clone()
	c.MaxTokens = nil
	c.Body.Delete(r.MaxTokensParam)
	c.MaxTokensParam = ""
	return c
}
