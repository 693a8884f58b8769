package bedrock

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"unicode"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/types"

	"hyperstudy-endpoint/internal/openai"
)

const (
	// filler is the text of a message that must be there but has nothing to say.
	filler = "."
	// goOn follows an assistant message that must not be the last.
	goOn = "Please continue."
	// noOutput is the result of a tool that returned nothing.
	noOutput = "(no output)"
)

// addMessages translates the conversation.
func (t *translation) addMessages(ctx context.Context, f *fetcher) error {
	pictures, err := t.pictures(ctx, f)
	if err != nil {
		return err
	}
	c := &conversation{family: t.family, names: t.names, members: t.members, ids: newToolIDs(t.family), pictures: pictures, asText: len(t.req.CallableTools()) == 0}
	for i := range t.req.Messages {
		if err := c.add(i, &t.req.Messages[i]); err != nil {
			return err
		}
	}
	t.addSystem(c.system)
	if !t.family.can(systemPrompt) {
		t.input.System = nil
		c.foldSystem(append(c.system, t.system...))
	}
	c.settle(t.family.can(prefill) && !t.exclusive)
	t.input.Messages = c.messages()
	return nil
}

// A turn is what one role says until the other one does.
type turn struct {
	role    types.ConversationRole
	results []types.ContentBlock // tool results, which stand first
	blocks  []types.ContentBlock
}

func (t *turn) empty() bool { return len(t.results)+len(t.blocks) == 0 }

// say appends text to a turn unless it is blank, which Bedrock refuses.
func (t *turn) say(text string) {
	if !isBlank(text) {
		t.blocks = append(t.blocks, &types.ContentBlockMemberText{Value: text})
	}
}

// A conversation becomes the messages of a Converse request.
type conversation struct {
	family   *family
	names    *toolNames
	members  *propertyNames
	ids      *toolIDs
	pictures map[picturePlace]types.ContentBlock
	asText   bool // tool calls and their results are told as text

	system []string
	turns  []*turn
	calls  map[string]openai.ToolCall // of the last assistant message, by id
	sent   map[string]string          // the ids sent for those
}

// turn returns the last turn if it is of the role, else a new one: messages of
// one role in a row are one turn.
func (c *conversation) turn(role types.ConversationRole) *turn {
	if n := len(c.turns); n > 0 && c.turns[n-1].role == role {
		return c.turns[n-1]
	}
	t := &turn{role: role}
	c.turns = append(c.turns, t)
	return t
}

func (c *conversation) add(i int, m *openai.Message) error {
	for j, p := range m.Content {
		if p.Type == openai.PartAudio || p.Type == openai.PartFile {
			at := fmt.Sprintf("messages[%d].content[%d]", i, j)
			return openai.Unsupported(at+".type", "'%s' is of type '%s', which is not supported. Supported are 'text' and 'image_url'.", at, p.Type)
		}
	}
	switch m.Role {
	case openai.RoleSystem, openai.RoleDeveloper:
		for _, p := range m.Content {
			if !isBlank(p.Text) {
				c.system = append(c.system, p.Text)
			}
		}
	case openai.RoleUser:
		c.addUser(i, m)
	case openai.RoleAssistant:
		c.addAssistant(m)
	case openai.RoleTool:
		c.addResult(m)
	}
	return nil
}

func (c *conversation) addUser(i int, m *openai.Message) {
	t := c.turn(types.ConversationRoleUser)
	for j, p := range m.Content {
		if picture, ok := c.pictures[picturePlace{i, j}]; ok {
			t.blocks = append(t.blocks, picture)
			continue
		}
		t.say(p.Text)
	}
}

func (c *conversation) addAssistant(m *openai.Message) {
	t := c.turn(types.ConversationRoleAssistant)
	for _, p := range m.Content {
		t.say(p.Text)
	}
	t.say(m.Refusal)
	c.calls, c.sent = map[string]openai.ToolCall{}, map[string]string{}
	for _, call := range m.ToolCalls {
		c.calls[call.ID] = call
		if c.asText {
			t.say(fmt.Sprintf("[Called the tool %s with %s]", call.Function.Name, toolInput(call.Function.Arguments)))
			continue
		}
		id := c.ids.send(call.ID)
		c.sent[call.ID] = id
		t.blocks = append(t.blocks, &types.ContentBlockMemberToolUse{Value: types.ToolUseBlock{
			ToolUseId: aws.String(id),
			Name:      aws.String(c.names.send(call.Function.Name)),
			Input:     newDocument(c.members.arguments(toolInput(call.Function.Arguments))),
		}})
	}
}

// toolInput is the arguments of a call in the history as the object that Bedrock
// wants. Arguments that are none, such as those of a call that was cut off, are
// kept as text within one.
func toolInput(arguments string) json.RawMessage {
	raw := []byte(strings.TrimSpace(arguments))
	switch {
	case len(raw) == 0 || isNull(raw):
		return json.RawMessage("{}")
	case isObject(raw) && json.Valid(raw):
		return compact(raw)
	}
	text, err := openai.Marshal(arguments)
	if err != nil { // no string fails to marshal
		return json.RawMessage("{}")
	}
	return json.RawMessage(`{"arguments":` + string(text) + `}`)
}

func (c *conversation) addResult(m *openai.Message) {
	t := c.turn(types.ConversationRoleUser)
	if c.asText {
		output := m.Text()
		if isBlank(output) {
			output = noOutput
		}
		t.say(fmt.Sprintf("[The tool %s returned: %s]", c.calls[m.ToolCallID].Function.Name, output))
		return
	}
	result := types.ToolResultBlock{ToolUseId: aws.String(c.sent[m.ToolCallID])}
	for _, p := range m.Content {
		if !isBlank(p.Text) {
			result.Content = append(result.Content, &types.ToolResultContentBlockMemberText{Value: p.Text})
		}
	}
	if len(result.Content) == 0 {
		result.Content = []types.ToolResultContentBlock{&types.ToolResultContentBlockMemberText{Value: noOutput}}
	}
	t.results = append(t.results, &types.ContentBlockMemberToolResult{Value: result})
}

// foldSystem puts the system prompt before the first words of the user.
func (c *conversation) foldSystem(texts []string) {
	if len(texts) == 0 {
		return
	}
	if len(c.turns) == 0 || c.turns[0].role != types.ConversationRoleUser {
		c.lead()
	}
	first := c.turns[0]
	first.blocks = append([]types.ContentBlock{&types.ContentBlockMemberText{Value: join(texts)}}, first.blocks...)
}

// lead puts a user turn at the start.
func (c *conversation) lead() {
	c.turns = append([]*turn{{role: types.ConversationRoleUser}}, c.turns...)
}

// settle makes the turns a conversation that the family accepts.
func (c *conversation) settle(mayEndWithAssistant bool) {
	if n := len(c.turns); n > 0 && c.turns[n-1].role == types.ConversationRoleAssistant && c.turns[n-1].empty() {
		c.turns = c.turns[:n-1] // nothing to continue
	}
	users := false
	for _, t := range c.turns {
		users = users || t.role == types.ConversationRoleUser
	}
	if !users || c.turns[0].role != types.ConversationRoleUser && !c.family.can(leading) {
		c.lead()
	}
	for _, t := range c.turns {
		if t.empty() {
			t.say(filler)
		}
	}
	last := c.turns[len(c.turns)-1]
	if last.role != types.ConversationRoleAssistant {
		return
	}
	if !mayEndWithAssistant {
		c.turn(types.ConversationRoleUser).say(goOn)
		return
	}
	if text, ok := last.blocks[len(last.blocks)-1].(*types.ContentBlockMemberText); ok {
		text.Value = strings.TrimRightFunc(text.Value, unicode.IsSpace)
	}
}

// messages are the turns. Where tool results have to stand alone, the assistant
// says something before the user goes on.
func (c *conversation) messages() []types.Message {
	var out []types.Message
	add := func(role types.ConversationRole, blocks ...types.ContentBlock) {
		out = append(out, types.Message{Role: role, Content: blocks})
	}
	for _, t := range c.turns {
		if len(t.results) > 0 && len(t.blocks) > 0 && !c.family.can(mixedResults) {
			add(t.role, t.results...)
			add(types.ConversationRoleAssistant, &types.ContentBlockMemberText{Value: filler})
			add(t.role, t.blocks...)
			continue
		}
		add(t.role, append(t.results, t.blocks...)...)
	}
	return out
}
