package bedrock

import (
	"encoding/json"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/types"

	"hyperstudy-endpoint/internal/openai"
)

// jsonToolName is what the hidden tool is called, if a format has no usable name.
const jsonToolName = "json_answer"

// What is asked for in words.
const (
	wantObject = "Answer with one JSON object and nothing else: no introduction, no explanation, no code fence."
	wantSchema = wantObject + " The object must be valid under this JSON Schema:\n"
	unlessCall = " This does not hold when you call a tool."
)

// addFormat asks for the response format: by structured outputs, else as the
// input of a tool that the model has to call, else in words.
func (t *translation) addFormat() error {
	f := t.req.ResponseFormat
	t.honour("response_format")
	switch f.Type {
	case openai.FormatJSONObject:
		t.instruct(wantObject)
		return nil
	case openai.FormatJSONSchema:
	default:
		return nil
	}
	if !isObject(f.Schema) {
		return openai.InvalidValue("response_format.json_schema.schema", "Invalid value for 'response_format.json_schema.schema': it must be an object.")
	}
	if t.family.can(structured) {
		if schema, ok := structuredSchema(f.Schema); ok && t.grammar.holds(schema, false) {
			t.addTextFormat(schema)
			return nil
		}
	}
	if t.family.can(tools|anyTool) && len(t.req.CallableTools()) == 0 && !t.thinks {
		if schema, err := t.schemas.toolSchema(f.Schema, t.family.dialect); err == nil {
			t.addJSONTool(schema)
			return nil
		}
	}
	t.instruct(wantSchema + string(compact(f.Schema)))
	return nil
}

// instruct adds a sentence of ours to the system prompt.
func (t *translation) instruct(text string) {
	if len(t.req.CallableTools()) > 0 {
		text += unlessCall
	}
	t.system = append(t.system, text)
}

func (t *translation) addTextFormat(schema json.RawMessage) {
	f := t.req.ResponseFormat
	definition := types.JsonSchemaDefinition{Schema: aws.String(string(t.members.schema(schema)))}
	if validToolName(f.Name, true) {
		definition.Name = aws.String(f.Name)
	}
	if !isBlank(f.Description) {
		definition.Description = aws.String(f.Description)
	}
	t.outputConfig().TextFormat = &types.OutputFormat{
		Type:      types.OutputFormatTypeJsonSchema,
		Structure: &types.OutputFormatStructureMemberJsonSchema{Value: definition},
	}
}

// formatted reports whether the text of the answer is JSON of a schema that was sent.
func (t *translation) formatted() bool {
	return t.input.OutputConfig != nil && t.input.OutputConfig.TextFormat != nil
}

// setEffort says how much a model that thinks adaptively should think.
func (t *translation) setEffort(effort string) { t.outputConfig().Effort = aws.String(effort) }

func (t *translation) outputConfig() *types.OutputConfig {
	if t.input.OutputConfig == nil {
		t.input.OutputConfig = &types.OutputConfig{}
	}
	return t.input.OutputConfig
}

// addJSONTool offers one tool, which must be called and whose input is the answer.
func (t *translation) addJSONTool(schema json.RawMessage) {
	f := t.req.ResponseFormat
	t.jsonTool = jsonToolName
	if validToolName(f.Name, t.family.can(hyphens)) {
		t.jsonTool = f.Name
	}
	description := f.Description
	if isBlank(description) {
		description = "Gives the answer. Call it exactly once."
	}
	t.input.ToolConfig = &types.ToolConfiguration{
		Tools: []types.Tool{&types.ToolMemberToolSpec{Value: types.ToolSpecification{
			Name:        aws.String(t.jsonTool),
			Description: aws.String(description),
			InputSchema: &types.ToolInputSchemaMemberJson{Value: newDocument(t.members.schema(schema))},
		}}},
	}
	if t.family.can(singleCall) {
		t.chooseOneCall(openai.ToolChoice{Mode: openai.ChoiceRequired})
		return
	}
	t.input.ToolConfig.ToolChoice = &types.ToolChoiceMemberAny{}
}
