package bedrock

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/types"
)

func (p probe) names() string {
	kept := func(name string) bool {
		tr := p.sent(`"tools":[{"type":"function","function":{"name":"` + name + `"}}]`)
		spec, ok := tr.input.ToolConfig.Tools[0].(*types.ToolMemberToolSpec)
		return ok && aws.ToString(spec.Value.Name) == name
	}
	if kept(strings.Repeat("a", 65)) || !kept(strings.Repeat("a", 64)) || kept("a.b") || !kept("a_1") {
		p.t.Errorf("%s: which names are kept is not what the page says", p.family.name)
	}
	switch {
	case kept("a-b") && kept("1a"):
		return "letters, digits, `_`, `-`"
	case !kept("a-b") && !kept("1a"):
		return "letters, digits, `_`, a letter first"
	}
	p.t.Errorf("%s: names may have hyphens or begin with a digit, but not both", p.family.name)
	return ""
}

func (p probe) ids() string {
	kept := func(id string) bool {
		call := fmt.Sprintf(`{"id":%q,"type":"function","function":{"name":"rate","arguments":"{}"}}`, id)
		tr, err := p.say(`[{"role":"user","content":"Hi"},{"role":"assistant","tool_calls":[`+call+`]},{"role":"tool","tool_call_id":"`+id+`","content":"ok"}]`, `"tools":`+offered)
		if err != nil {
			p.t.Fatal(err)
		}
		for _, block := range tr.input.Messages[1].Content {
			if use, ok := block.(*types.ContentBlockMemberToolUse); ok {
				return aws.ToString(use.Value.ToolUseId) == id
			}
		}
		p.t.Errorf("%s is sent no tool use", p.family.name)
		return false
	}
	switch {
	case kept("functions.rate:0"):
		return "letters, digits, `_`, `-`, `.`, `:`"
	case kept("call_1-a") && !kept("call.1"):
		return "letters, digits, `_`, `-`"
	case kept("abcdefgh9") && !kept("call_1-a"):
		return "nine letters or digits"
	}
	p.t.Errorf("%s: which ids are kept is not known here", p.family.name)
	return ""
}

func (p probe) schema() string {
	const parameters = `{"type":"object","properties":{"v":{"$ref":"#/$defs/n"}},"additionalProperties":false,"$defs":{"n":{"type":"number"}}}`
	tr := p.sent(`"tools":[{"type":"function","function":{"name":"rate","parameters":` + parameters + `}}]`)
	spec, ok := tr.input.ToolConfig.Tools[0].(*types.ToolMemberToolSpec)
	if !ok {
		p.t.Fatalf("%s is sent a %T", p.family.name, tr.input.ToolConfig.Tools[0])
	}
	input, ok := spec.Value.InputSchema.(*types.ToolInputSchemaMemberJson)
	if !ok {
		p.t.Fatalf("%s is sent a %T", p.family.name, spec.Value.InputSchema)
	}
	raw, err := input.Value.MarshalSmithyDocument()
	if err != nil {
		p.t.Fatal(err)
	}
	var top map[string]json.RawMessage
	if err := json.Unmarshal(raw, &top); err != nil {
		p.t.Fatal(err)
	}
	switch {
	case top["$defs"] != nil && top["additionalProperties"] != nil:
		return "draft 2020-12"
	case strings.Contains(string(top["properties"]), `"number"`) && top["additionalProperties"] == nil:
		return "plain"
	}
	p.t.Errorf("%s is sent the schema %s", p.family.name, raw)
	return ""
}

func (p probe) system() string {
	tr, err := p.say(`[{"role":"system","content":"You are Robin."},{"role":"user","content":"Hi"}]`)
	if err != nil {
		p.t.Fatal(err)
	}
	if len(tr.input.System) == 1 {
		return "used"
	}
	if text, ok := tr.input.Messages[0].Content[0].(*types.ContentBlockMemberText); !ok || text.Value != "You are Robin." {
		p.t.Errorf("%s: the system prompt is lost", p.family.name)
	}
	return "before the first user text"
}

func (p probe) images() string {
	const picture = "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"
	if _, err := p.say(`[{"role":"user","content":[{"type":"image_url","image_url":{"url":"` + picture + `"}}]}]`); err != nil {
		return "400"
	}
	return "used"
}

func (p probe) leading() string {
	tr, err := p.say(`[{"role":"assistant","content":"Hello"},{"role":"user","content":"Hi"}]`)
	if err != nil {
		p.t.Fatal(err)
	}
	if tr.input.Messages[0].Role == types.ConversationRoleAssistant {
		return "as it is"
	}
	return "a full stop before"
}

func (p probe) prefill() string {
	tr, err := p.say(`[{"role":"user","content":"Hi"},{"role":"assistant","content":"I"}]`)
	if err != nil {
		p.t.Fatal(err)
	}
	if tr.input.Messages[len(tr.input.Messages)-1].Role == types.ConversationRoleAssistant {
		return "continued"
	}
	return "\"" + goOn + "\" behind"
}

func (p probe) mixed() string {
	if !p.family.can(tools) {
		return "as text"
	}
	tr, err := p.say(`[{"role":"user","content":"Hi"},{"role":"assistant","tool_calls":[{"id":"abcdefgh9","type":"function","function":{"name":"rate","arguments":"{}"}}]},`+
		`{"role":"tool","tool_call_id":"abcdefgh9","content":"ok"},{"role":"user","content":"Go on"}]`, `"tools":`+offered)
	if err != nil {
		p.t.Fatal(err)
	}
	if len(tr.input.Messages) == 3 {
		return "as it is"
	}
	return "a full stop between"
}

func (p probe) jsonSchema() string {
	const format = `"response_format":{"type":"json_schema","json_schema":{"name":"n","strict":true,"schema":{"type":"object","properties":{"v":{"type":"number"}},"required":["v"],"additionalProperties":false}}}`
	switch tr := p.sent(format); {
	case tr.formatted():
		return "natively"
	case tr.jsonTool != "":
		return "by a hidden tool"
	case len(tr.input.System) > 0 || !p.family.can(systemPrompt):
		return "in words"
	}
	p.t.Errorf("%s is not asked for JSON", p.family.name)
	return ""
}

func (p probe) tag() string {
	for _, tag := range []string{"thinking", "think"} {
		tr := p.sent()
		if p.family.can(tools) {
			tr = p.sent(`"tools":` + offered)
		}
		a := answer{stopReason: types.StopReasonEndTurn}
		a.text.WriteString("<" + tag + ">Hm.</" + tag + ">Yes.")
		completion, err := tr.finish(&a)
		if err != nil {
			p.t.Fatal(err)
		}
		if m := completion.Choices[0].Message; m.ReasoningContent == "Hm." && *m.Content == "Yes." {
			return "a leading `<" + tag + ">`"
		}
	}
	return "none"
}
