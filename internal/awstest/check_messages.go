package awstest

import (
	"fmt"
	"strings"
	"unicode"
)

const (
	userRole      = "user"
	assistantRole = "assistant"
	startWithUser = "A conversation must start with a user message. Try again with a conversation that starts with a user message."
)

func anyMessages(c *call) string {
	if len(c.body.Messages) > 0 || c.isPrompt() {
		return ""
	}
	return startWithUser
}

func inlineSystem(c *call) string {
	for i, m := range c.body.Messages {
		if m.Role == "system" {
			return fmt.Sprintf("The role of the Message object at messages.%d is not supported by this model: system.", i)
		}
	}
	return ""
}

func emptyContent(c *call) string {
	for i, m := range c.body.Messages {
		if len(m.Content) == 0 {
			return fmt.Sprintf("The content field in the Message object at messages.%d is empty. Add a ContentBlock object to the content field and try again.", i)
		}
		for j, b := range m.Content {
			// Claude takes a result without content; reports say that others do not.
			if b.ToolResult != nil && len(b.ToolResult.Content) == 0 && !c.traits.claude {
				return fmt.Sprintf("The content field in the ToolResultBlock object at messages.%d.content.%d.toolResult is empty.", i, j)
			}
		}
	}
	return ""
}

func blankText(c *call) string {
	const message = "The text field in the %s object at %s is blank. Add text to the text field, and try again."
	for i, s := range c.body.System {
		if isBlank(s.Text) {
			return fmt.Sprintf(message, "SystemContentBlock", fmt.Sprintf("system.%d", i))
		}
	}
	for i, m := range c.body.Messages {
		for j, b := range m.Content {
			at := fmt.Sprintf("messages.%d.content.%d", i, j)
			if isBlank(b.Text) {
				return fmt.Sprintf(message, "ContentBlock", at)
			}
			if b.ToolResult == nil {
				continue
			}
			for k, r := range b.ToolResult.Content {
				if isBlank(r.Text) {
					return fmt.Sprintf(message, "ToolResultContentBlock", fmt.Sprintf("%s.toolResult.content.%d", at, k))
				}
			}
		}
	}
	return ""
}

func isBlank(text *string) bool { return text != nil && strings.TrimSpace(*text) == "" }

func leadingReply(c *call) string {
	if len(c.body.Messages) > 0 && c.body.Messages[0].Role == assistantRole {
		return startWithUser
	}
	return ""
}

func repeatedRole(c *call) string {
	for i, m := range c.body.Messages {
		if i > 0 && m.Role == c.body.Messages[i-1].Role {
			return fmt.Sprintf("messages.%d: roles must alternate between \"user\" and \"assistant\", but found multiple %q roles in a row", i, m.Role)
		}
	}
	return ""
}

// last is the last message if it is the assistant's, else nil.
func (c *call) last() *message {
	if n := len(c.body.Messages); n > 0 && c.body.Messages[n-1].Role == assistantRole {
		return &c.body.Messages[n-1]
	}
	return nil
}

func prefill(c *call) string {
	if c.last() != nil && (!c.traits.prefill || c.thinks()) {
		return "This model does not support assistant message prefill. The conversation must end with a user message."
	}
	return ""
}

func trailingSpace(c *call) string {
	m := c.last()
	if m == nil {
		return ""
	}
	text := m.Content[len(m.Content)-1].Text
	if text != nil && strings.TrimRightFunc(*text, unicode.IsSpace) != *text {
		return "messages: final assistant content cannot end with trailing whitespace"
	}
	return ""
}

func systemPrompt(c *call) string {
	if len(c.body.System) > 0 {
		return "This model doesn't support system prompts. Remove the system field and try again."
	}
	return ""
}

// blockRoles also holds server tool use to its place: the service runs those
// tools itself, so use and result are both the assistant's.
func blockRoles(c *call) string {
	for i, m := range c.body.Messages {
		for j, b := range m.Content {
			at := fmt.Sprintf("messages.%d.content.%d", i, j)
			switch {
			case b.ToolUse != nil && m.Role != assistantRole:
				return at + ": user messages cannot contain tool uses"
			case b.ReasoningContent != nil && m.Role != assistantRole:
				return at + ": user messages cannot contain reasoning content"
			case b.ToolResult != nil && b.ToolResult.Type == "" && m.Role != userRole:
				return at + ": assistant messages cannot contain tool results"
			}
		}
	}
	return ""
}

func reasoningReplay(c *call) string {
	for i, m := range c.body.Messages {
		for j, b := range m.Content {
			if b.ReasoningContent == nil || b.ReasoningContent.ReasoningText == nil {
				continue
			}
			if t := b.ReasoningContent.ReasoningText; t.Signature != Signature(t.Text) {
				return fmt.Sprintf("messages.%d.content.%d: Invalid `signature` in `thinking` block", i, j)
			}
		}
	}
	if !c.thinks() {
		return ""
	}
	// While a tool is being used the turn goes on, so its thinking must be there.
	for i := len(c.body.Messages) - 1; i >= 0; i-- {
		m := c.body.Messages[i]
		if m.Role != assistantRole {
			continue
		}
		if len(m.toolUses()) > 0 && m.Content[0].ReasoningContent == nil {
			return fmt.Sprintf("messages.%d.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`. "+
				"When `thinking` is enabled, a final `assistant` message must start with a thinking block.", i)
		}
		break
	}
	return ""
}

func inputLength(c *call) string {
	var n int
	for _, s := range c.body.System {
		if s.Text != nil {
			n += len(*s.Text)
		}
	}
	for _, m := range c.body.Messages {
		n += textLength(m.Content)
	}
	if c.body.ToolConfig != nil {
		for _, t := range c.body.ToolConfig.Tools {
			if t.ToolSpec != nil {
				n += len(t.ToolSpec.InputSchema.JSON)
			}
		}
	}
	const bytesPerToken = 4
	switch tokens := n / bytesPerToken; {
	case tokens <= c.traits.window:
		return ""
	case c.traits.claude:
		return fmt.Sprintf("prompt is too long: %d tokens > %d maximum", tokens, c.traits.window)
	default:
		return "Input is too long for requested model."
	}
}

// textLength is the text in the blocks, in bytes, tool inputs and results
// included.
func textLength(blocks []contentBlock) (n int) {
	for _, b := range blocks {
		n += len(b.JSON)
		if b.Text != nil {
			n += len(*b.Text)
		}
		if b.ToolUse != nil {
			n += len(b.ToolUse.Input)
		}
		if b.ToolResult != nil {
			n += textLength(b.ToolResult.Content)
		}
	}
	return n
}
