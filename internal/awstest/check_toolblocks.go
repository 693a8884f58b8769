package awstest

import (
	"encoding/json"
	"fmt"
	"strings"
)

// toolUses are the ids of the message's tool uses that the caller must answer.
func (m message) toolUses() (ids []string) {
	for _, b := range m.Content {
		if b.ToolUse != nil && b.ToolUse.Type == "" {
			ids = append(ids, b.ToolUse.ToolUseID)
		}
	}
	return ids
}

// toolResults are the ids of the message's tool results from the caller.
func (m message) toolResults() (ids []string) {
	for _, b := range m.Content {
		if b.ToolResult != nil && b.ToolResult.Type == "" {
			ids = append(ids, b.ToolResult.ToolUseID)
		}
	}
	return ids
}

func duplicateIDs(c *call) string {
	everywhere := map[string]bool{}
	for i, m := range c.body.Messages {
		uses := m.toolUses()
		if id := duplicate(uses); id != "" {
			return fmt.Sprintf("The toolUse blocks at messages.%d.content contain duplicate Ids: %s", i, id)
		}
		if id := duplicate(m.toolResults()); id != "" {
			return fmt.Sprintf("The toolResult blocks at messages.%d.content contain duplicate Ids: %s", i, id)
		}
		for _, id := range uses {
			if everywhere[id] && c.traits.claude {
				return fmt.Sprintf("messages.%d.content: `tool_use` ids must be unique", i)
			}
			everywhere[id] = true
		}
	}
	return ""
}

// duplicate is the first string that is in the list twice, or "".
func duplicate(list []string) string {
	seen := map[string]bool{}
	for _, s := range list {
		if seen[s] {
			return s
		}
		seen[s] = true
	}
	return ""
}

func missingResults(c *call) string {
	for i, m := range c.body.Messages {
		got := map[string]bool{}
		if i+1 < len(c.body.Messages) {
			for _, id := range c.body.Messages[i+1].toolResults() {
				got[id] = true
			}
		}
		var missing []string
		for _, id := range m.toolUses() {
			if !got[id] {
				missing = append(missing, id)
			}
		}
		if missing != nil {
			return fmt.Sprintf("Expected toolResult blocks at messages.%d.content for the following Ids: %s", i+1, strings.Join(missing, ", "))
		}
	}
	return ""
}

func orphanResults(c *call) string {
	var before []string
	for i, m := range c.body.Messages {
		if results := m.toolResults(); len(results) > len(before) {
			return fmt.Sprintf("The number of toolResult blocks at messages.%d.content exceeds the number of toolUse blocks of previous turn.", i)
		}
		before = m.toolUses()
	}
	return ""
}

func mixedResults(c *call) string {
	for _, m := range c.body.Messages {
		results, others := 0, 0
		for _, b := range m.Content {
			switch {
			case b.ToolResult != nil:
				results++
			case b.CachePoint == nil:
				others++
			}
		}
		if results > 0 && others > 0 {
			return "Conversation blocks and tool result blocks cannot be provided in the same turn."
		}
	}
	return ""
}

func resultsFirst(c *call) string {
	for i, m := range c.body.Messages {
		others := false
		for _, b := range m.Content {
			if others && b.ToolResult != nil && b.ToolResult.Type == "" {
				return fmt.Sprintf("messages.%d: `tool_use` ids were found without `tool_result` blocks immediately after: %s. "+
					"Each `tool_use` block must have a corresponding `tool_result` block in the next message.", i-1, b.ToolResult.ToolUseID)
			}
			others = others || b.ToolResult == nil
		}
	}
	return ""
}

func documentAfterResult(c *call) string {
	for i, m := range c.body.Messages {
		result := false
		for j, b := range m.Content {
			if result && (b.Document != nil || b.Video != nil) {
				return fmt.Sprintf("messages.%d.content.%d: a document or video cannot follow a tool result in the same message", i, j)
			}
			result = result || b.ToolResult != nil
		}
	}
	return ""
}

func toolConfigMissing(c *call) string {
	if c.body.ToolConfig != nil {
		return ""
	}
	for _, m := range c.body.Messages {
		if len(m.toolUses())+len(m.toolResults()) > 0 {
			return "The toolConfig field must be defined when using toolUse and toolResult content blocks."
		}
	}
	return ""
}

func inputObject(c *call) string {
	const message = "The format of the value at messages.%d.content.%d.toolUse.input is invalid. Provide a json object for the field and try again."
	for i, m := range c.body.Messages {
		for j, b := range m.Content {
			if b.ToolUse != nil && !isObject(b.ToolUse.Input) {
				return fmt.Sprintf(message, i, j)
			}
		}
	}
	return ""
}

func resultObject(c *call) string {
	for i, m := range c.body.Messages {
		for j, b := range m.Content {
			if b.ToolResult == nil {
				continue
			}
			for k, r := range b.ToolResult.Content {
				if r.JSON != nil && !isObject(r.JSON) {
					return fmt.Sprintf("The format of the value at messages.%d.content.%d.toolResult.content.%d.json is invalid. Provide a json object for the field and try again.", i, j, k)
				}
			}
		}
	}
	return ""
}

func isObject(raw json.RawMessage) bool { return strings.HasPrefix(string(raw), "{") }

func resultStatus(c *call) string {
	for i, m := range c.body.Messages {
		for j, b := range m.Content {
			if b.ToolResult != nil && b.ToolResult.Status != "" {
				return fmt.Sprintf("This model doesn't support the status field. Remove messages.%d.content.%d.toolResult.status and try again.", i, j)
			}
		}
	}
	return ""
}
