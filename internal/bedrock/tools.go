package bedrock

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/types"

	"hyperstudy-endpoint/internal/openai"
)

// forced reports whether the model will be made to call a tool.
func (t *translation) forced() bool {
	return t.req.ToolChoice.Forced() && t.family.can(anyTool)
}

// addTools offers the tools that may be called under the caller's choice.
func (t *translation) addTools() error {
	callable := t.req.CallableTools()
	if len(callable) == 0 {
		t.honour("tool_choice", "parallel_tool_calls")
		return nil
	}
	if !t.family.can(tools) {
		return openai.Unsupported("tools", "This model cannot call tools. Choose another model for requests with 'tools'.")
	}
	for _, tool := range callable {
		t.names.reserve(tool.Name)
	}
	c := &types.ToolConfiguration{}
	for _, tool := range callable {
		spec, err := t.toolSpec(tool)
		if err != nil {
			return err
		}
		c.Tools = append(c.Tools, &types.ToolMemberToolSpec{Value: spec})
	}
	t.input.ToolConfig = c
	t.chooseTool(c)
	return nil
}

func (t *translation) toolSpec(tool openai.Tool) (types.ToolSpecification, error) {
	at := fmt.Sprintf("tools[%d].function.parameters", slices.IndexFunc(t.req.Tools, func(o openai.Tool) bool { return o.Name == tool.Name }))
	schema, err := t.schemas.toolSchema(tool.Parameters, t.family.dialect)
	if err != nil {
		return types.ToolSpecification{}, openai.InvalidValue(at, "Invalid schema for '%s': %s.", at, err)
	}
	spec := types.ToolSpecification{
		Name:        aws.String(t.names.send(tool.Name)),
		InputSchema: &types.ToolInputSchemaMemberJson{Value: newDocument(t.members.schema(schema))},
	}
	if !isBlank(tool.Description) {
		spec.Description = aws.String(tool.Description)
	}
	if tool.Strict != nil && *tool.Strict && t.family.can(strictTools) && isStrict(schema) && t.grammar.holds(schema, true) {
		spec.Strict = aws.Bool(true)
	}
	return spec, nil
}

// chooseTool says which tool must be called, if any, and how many may be.
func (t *translation) chooseTool(c *types.ToolConfiguration) {
	choice := t.req.ToolChoice
	if !choice.Forced() || t.forced() {
		t.honour("tool_choice")
	}
	if parallel := t.req.ParallelToolCalls; parallel != nil && *parallel {
		t.honour("parallel_tool_calls")
	} else if t.family.can(singleCall) {
		t.honour("parallel_tool_calls")
		t.chooseOneCall(choice)
		return
	}
	switch {
	case !t.forced():
	case len(choice.Names) == 1 && t.family.can(namedTool):
		c.ToolChoice = &types.ToolChoiceMemberTool{Value: types.SpecificToolChoice{Name: aws.String(t.names.send(choice.Names[0]))}}
	default: // a single named tool is the only one offered
		c.ToolChoice = &types.ToolChoiceMemberAny{}
	}
}

// chooseOneCall puts the choice into Claude's own field, which has a limit to one
// call. The field needs a type and must not meet a toolChoice in toolConfig.
func (t *translation) chooseOneCall(choice openai.ToolChoice) {
	var field openai.Object
	switch {
	case !choice.Forced() || !t.family.can(anyTool):
		field.Set("type", quote("auto"))
	case len(choice.Names) == 1:
		field.Set("type", quote("tool"))
		field.Set("name", quote(t.names.send(choice.Names[0])))
	default:
		field.Set("type", quote("any"))
	}
	field.Set("disable_parallel_tool_use", json.RawMessage("true"))
	raw, err := field.MarshalJSON()
	if err != nil { // no string fails to marshal
		return
	}
	t.fields.Set("tool_choice", raw)
}
