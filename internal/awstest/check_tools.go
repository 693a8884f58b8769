package awstest

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

func hasTools(c *call) bool       { return c.body.ToolConfig != nil }
func hasStreamTools(c *call) bool { return c.body.ToolConfig != nil && c.stream }
func hasTextFormat(c *call) bool  { return c.body.OutputConfig.TextFormat != nil }

// specs are the tools offered, by their place in the list.
func (c *call) specs() map[int]*toolSpec {
	out := map[int]*toolSpec{}
	if c.body.ToolConfig == nil {
		return out
	}
	for i, t := range c.body.ToolConfig.Tools {
		if t.ToolSpec != nil {
			out[i] = t.ToolSpec
		}
	}
	return out
}

// eachTool gives the first message that check has for a tool, in their order.
func (c *call) eachTool(check func(i int, t *toolSpec) string) string {
	if c.body.ToolConfig == nil {
		return ""
	}
	for i, t := range c.body.ToolConfig.Tools {
		if t.ToolSpec == nil {
			continue
		}
		if message := check(i, t.ToolSpec); message != "" {
			return message
		}
	}
	return ""
}

// choice is the way in which the request chooses a tool, and the tool's name.
func (c *call) choice() (toolChoice, string) {
	if c.body.ToolConfig == nil || c.body.ToolConfig.ToolChoice == nil {
		return 0, ""
	}
	switch t := c.body.ToolConfig.ToolChoice; {
	case t.Auto != nil:
		return choiceAuto, ""
	case t.Any != nil:
		return choiceAny, ""
	case t.Tool != nil:
		return choiceTool, t.Tool.Name
	}
	return 0, ""
}

func toolChoices(c *call) string {
	way, _ := c.choice()
	if way == 0 || c.traits.choices&way != 0 {
		return ""
	}
	name := map[toolChoice]string{choiceAuto: "auto", choiceAny: "any", choiceTool: "tool"}[way]
	return fmt.Sprintf("This model doesn't support the toolConfig.toolChoice.%s field. Remove toolConfig.toolChoice.%s and try again.", name, name)
}

func forcedThinking(c *call) string {
	way, _ := c.choice()
	if way&(choiceAny|choiceTool) == 0 || !c.thinks() || strings.HasPrefix(c.base, "anthropic.claude-opus-4-8") {
		return ""
	}
	return "Thinking may not be enabled when tool_choice forces tool use."
}

// forcedReasoning judges a quirk of DeepSeek V3, which answers in text if it is told
// to reason and forced to call a tool: https://github.com/langchain-ai/langchain-aws/pull/1261
func forcedReasoning(c *call) string {
	way, _ := c.choice()
	if way&(choiceAny|choiceTool) == 0 || c.family != DeepSeekV3 || c.fields.all["reasoning_config"] == nil {
		return ""
	}
	return "The model did not call the tool: it does not while it reasons."
}

func duplicateTools(c *call) string {
	seen := map[string]bool{}
	return c.eachTool(func(_ int, t *toolSpec) string {
		if seen[t.Name] {
			return "The toolConfig.tools field contains duplicate tool names: " + t.Name
		}
		seen[t.Name] = true
		return ""
	})
}

func chosenTool(c *call) string {
	way, name := c.choice()
	if way != choiceTool {
		return ""
	}
	for _, t := range c.specs() {
		if t.Name == name {
			return ""
		}
	}
	return "The tool name in toolConfig.toolChoice.tool.name must be one of the tools in toolConfig.tools."
}

var novaName = regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9_]*$`)

// novaToolName also judges the names in the history.
func novaToolName(c *call) string {
	for i, m := range c.body.Messages {
		for j, b := range m.Content {
			if b.ToolUse != nil && !novaName.MatchString(b.ToolUse.Name) {
				return fmt.Sprintf("The tool name at messages.%d.content.%d.toolUse.name must satisfy the pattern %s", i, j, novaName)
			}
		}
	}
	return c.eachTool(func(i int, t *toolSpec) string {
		if novaName.MatchString(t.Name) {
			return ""
		}
		return fmt.Sprintf("The tool name at toolConfig.tools.%d.toolSpec.name must satisfy the pattern %s", i, novaName)
	})
}

func cachePoints(c *call) string {
	if c.traits.claude || c.traits.unknown {
		return ""
	}
	const message = "This model doesn't support the cachePoint field at %s. Remove it and try again."
	if c.body.ToolConfig != nil {
		for i, t := range c.body.ToolConfig.Tools {
			if t.CachePoint != nil {
				return fmt.Sprintf(message, fmt.Sprintf("toolConfig.tools.%d", i))
			}
		}
	}
	if c.traits.nova {
		return ""
	}
	for i, s := range c.body.System {
		if s.CachePoint != nil {
			return fmt.Sprintf(message, fmt.Sprintf("system.%d", i))
		}
	}
	for i, m := range c.body.Messages {
		for j, b := range m.Content {
			if b.CachePoint != nil {
				return fmt.Sprintf(message, fmt.Sprintf("messages.%d.content.%d", i, j))
			}
		}
	}
	return ""
}

// structured judges strict tools and outputConfig, the two forms of structured
// outputs, whose schemas are a subset of JSON Schema.
func structured(c *call) string {
	const maxStrict = 20
	strict := 0
	var strictSchemas []json.RawMessage
	message := c.eachTool(func(i int, t *toolSpec) string {
		if !t.Strict {
			return ""
		}
		if strict++; strict > maxStrict {
			return fmt.Sprintf("Too many strict tools: at most %d are allowed.", maxStrict)
		}
		if !c.traits.strict {
			return fmt.Sprintf("This model doesn't support the strict field. Remove toolConfig.tools.%d.toolSpec.strict and try again.", i)
		}
		strictSchemas = append(strictSchemas, t.InputSchema.JSON)
		return strictSchema(t.InputSchema.JSON)
	})
	format := c.body.OutputConfig.TextFormat
	switch {
	case message != "":
		return message
	case format == nil:
		return tooComplex(strictSchemas)
	case !c.traits.textFormat:
		return "This model doesn't support the outputConfig.textFormat field. Remove outputConfig.textFormat and try again."
	}
	schema := json.RawMessage(format.Structure.JSONSchema.Schema)
	if !json.Valid(schema) || !isObject(schema) {
		return "The value at outputConfig.textFormat.structure.jsonSchema.schema must be a JSON object."
	}
	if message := strictSchema(schema); message != "" {
		return message
	}
	return tooComplex(append(strictSchemas, schema))
}
