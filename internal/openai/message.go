package openai

import (
	"bytes"
	"encoding/json"
	"fmt"

	"hyperstudy-endpoint/internal/rawjson"
)

// A Role says whose words a message holds.
type Role string

// The roles of messages. A developer message is what newer models of OpenAI
// call a system message.
const (
	RoleSystem    Role = "system"
	RoleDeveloper Role = "developer"
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
	RoleTool      Role = "tool"
)

// A Message is one message of the conversation in a request.
type Message struct {
	Role       Role
	Name       string
	Content    []Part // a plain string is one text part; nil when null or absent
	Refusal    string
	ToolCalls  []ToolCall // of an assistant message
	ToolCallID string     // of a tool message: the call it answers
}

// Limits of what a request may hold, far above what any study needs: more would
// only fill the memory.
const (
	maxMembers  = 1000
	maxMessages = 4096
	maxParts    = 1024 // of one message
	maxCalls    = 1024 // of one message
)

// Types of content parts.
const (
	PartText     = "text"
	PartImageURL = "image_url"
	PartRefusal  = "refusal"
	PartAudio    = "input_audio"
	PartFile     = "file"
)

// A Part is one part of a message's content.
type Part struct {
	Type     string
	Text     string // of a text or refusal part
	ImageURL string // of an image_url part: an https or data URL
}

// Text returns the message's text parts one behind the other.
func (m *Message) Text() string {
	var buf bytes.Buffer
	for _, p := range m.Content {
		buf.WriteString(p.Text)
	}
	return buf.String()
}

// TextMessage is a message that is one piece of text.
func TextMessage(role Role, text string) Message {
	return Message{Role: role, Content: []Part{{Type: PartText, Text: text}}}
}

// decodeMessage reads one message; at is its place, such as "messages[3]".
func decodeMessage(raw json.RawMessage, at string) (Message, error) {
	o, err := parseMember(raw, at)
	if err != nil {
		return Message{}, err
	}
	var m Message
	d := decoder{object: &o, at: at + "."}
	d.value("role", &m.Role)
	d.value("name", &m.Name)
	d.value("refusal", &m.Refusal)
	d.value("tool_call_id", &m.ToolCallID)
	d.raw("content", func(v json.RawMessage) (err error) {
		m.Content, err = decodeContent(v, m.Role, at+".content")
		return err
	})
	d.raw("tool_calls", func(v json.RawMessage) (err error) {
		m.ToolCalls, err = decodeToolCalls(v, at+".tool_calls")
		return err
	})
	if d.err != nil {
		return Message{}, d.err
	}
	return m, m.check(&o, at)
}

// check refuses a message that no upstream could make sense of.
func (m *Message) check(o *Object, at string) error {
	switch m.Role {
	case RoleSystem, RoleDeveloper, RoleUser:
		if m.Content == nil && !o.Has("content") {
			return Missing(at + ".content")
		}
	case RoleAssistant:
		if o.Has("function_call") {
			return Unsupported(at+".function_call", "'function_call' is not supported here. Send the call as 'tool_calls'.")
		}
		if m.Content == nil && len(m.ToolCalls) == 0 && m.Refusal == "" && !o.Has("content") {
			return InvalidValue(at+".content", "An assistant message needs 'content' unless it has 'tool_calls'.")
		}
	case RoleTool:
		if m.ToolCallID == "" {
			return Missing(at + ".tool_call_id")
		}
	case "":
		return Missing(at + ".role")
	default:
		return InvalidValue(at+".role", "Invalid value for '%s.role'. Supported values are: 'system', 'developer', 'user', 'assistant' and 'tool'.", at)
	}
	if m.Role != RoleAssistant && len(m.ToolCalls) > 0 {
		return InvalidValue(at+".tool_calls", "Only an assistant message can have 'tool_calls'.")
	}
	return nil
}

// decodeContent reads a message's content: a string or an array of parts.
func decodeContent(raw json.RawMessage, role Role, at string) ([]Part, error) {
	if rawjson.IsString(raw) {
		return []Part{{Type: PartText, Text: rawjson.Unquote(raw)}}, nil
	}
	items, ok := SplitArray(raw, maxParts)
	if !ok {
		return nil, InvalidValue(at, "Invalid type for '%s': expected a string or an array of content parts.", at)
	}
	if len(items) > maxParts {
		return nil, tooMany(at, maxParts)
	}
	parts := make([]Part, len(items))
	for i, item := range items {
		p, err := decodePart(item, role, fmt.Sprintf("%s[%d]", at, i))
		if err != nil {
			return nil, err
		}
		parts[i] = p
	}
	return parts, nil
}

func decodePart(raw json.RawMessage, role Role, at string) (Part, error) {
	o, err := parseMember(raw, at)
	if err != nil {
		return Part{}, err
	}
	var p Part
	d := decoder{object: &o, at: at + "."}
	d.value("type", &p.Type)
	switch p.Type {
	case PartText:
		d.need("text")
		d.value("text", &p.Text)
	case PartRefusal:
		d.need("refusal")
		d.value("refusal", &p.Text)
	case PartImageURL:
		d.need("image_url")
		d.raw("image_url", func(v json.RawMessage) (err error) {
			p.ImageURL, err = decodeImageURL(v, at+".image_url")
			return err
		})
		if d.err == nil && role != RoleUser {
			return Part{}, InvalidValue(at, "An image can only stand in a user message.")
		}
	case PartAudio, PartFile:
	default:
		if d.err == nil {
			return Part{}, InvalidValue(at+".type", "Invalid value for '%s.type'. Supported values are: 'text' and 'image_url'.", at)
		}
	}
	return p, d.err
}

// decodeImageURL reads {"url": "..."} or, as some clients send it, the URL alone.
func decodeImageURL(raw json.RawMessage, at string) (string, error) {
	value := raw
	if image, err := SplitObject(raw); err == nil {
		value = image.Get("url")
	}
	if !rawjson.IsString(value) {
		return "", InvalidValue(at, "Invalid type for '%s': expected an object with a 'url'.", at)
	}
	url := rawjson.Unquote(value)
	if url == "" {
		return "", InvalidValue(at+".url", "'%s.url' is empty.", at)
	}
	return url, nil
}

// decodeToolCalls reads the tool calls of an assistant message.
func decodeToolCalls(raw json.RawMessage, at string) ([]ToolCall, error) {
	items, ok := SplitArray(raw, maxCalls)
	if !ok {
		return nil, InvalidValue(at, "Invalid type for '%s': expected an array.", at)
	}
	if len(items) > maxCalls {
		return nil, tooMany(at, maxCalls)
	}
	calls := make([]ToolCall, len(items))
	for i, item := range items {
		call, err := decodeToolCall(item, fmt.Sprintf("%s[%d]", at, i))
		if err != nil {
			return nil, err
		}
		calls[i] = call
	}
	return calls, nil
}

func decodeToolCall(raw json.RawMessage, at string) (ToolCall, error) {
	o, err := parseMember(raw, at)
	if err != nil {
		return ToolCall{}, err
	}
	call := ToolCall{Type: toolTypeFunction}
	d := decoder{object: &o, at: at + "."}
	d.need("function")
	d.value("id", &call.ID)
	d.value("type", &call.Type)
	d.raw("function", func(v json.RawMessage) error {
		f, err := parseMember(v, at+".function")
		if err != nil {
			return err
		}
		fd := decoder{object: &f, at: at + ".function."}
		fd.value("name", &call.Function.Name)
		fd.raw("arguments", func(v json.RawMessage) error {
			// Some clients send the arguments as an object instead of as text.
			if json.Unmarshal(v, &call.Function.Arguments) != nil {
				call.Function.Arguments = string(v)
			}
			return nil
		})
		if fd.err == nil && call.Function.Name == "" {
			return Missing(at + ".function.name")
		}
		return fd.err
	})
	if d.err == nil && call.Type != toolTypeFunction {
		return ToolCall{}, Unsupported(at+".type", "Only tool calls of type 'function' are supported.")
	}
	return call, d.err
}

// MarshalJSON writes the message as a request holds it.
func (m Message) MarshalJSON() ([]byte, error) {
	wire := struct {
		Role       Role       `json:"role"`
		Content    any        `json:"content"`
		Name       string     `json:"name,omitempty"`
		Refusal    string     `json:"refusal,omitempty"`
		ToolCalls  []ToolCall `json:"tool_calls,omitempty"`
		ToolCallID string     `json:"tool_call_id,omitempty"`
	}{Role: m.Role, Name: m.Name, Refusal: m.Refusal, ToolCalls: m.ToolCalls, ToolCallID: m.ToolCallID}
	switch {
	case len(m.Content) == 1 && m.Content[0].Type == PartText:
		wire.Content = m.Content[0].Text
	case len(m.Content) > 0:
		wire.Content = m.Content
	}
	return Marshal(wire)
}

// MarshalJSON writes the part as a message's content holds it.
func (p Part) MarshalJSON() ([]byte, error) {
	switch p.Type {
	case PartImageURL:
		return Marshal(map[string]any{"type": p.Type, "image_url": map[string]string{"url": p.ImageURL}})
	case PartRefusal:
		return Marshal(map[string]string{"type": p.Type, "refusal": p.Text})
	default:
		return Marshal(map[string]string{"type": p.Type, "text": p.Text})
	}
}

// Marshal encodes v as JSON on one line, without escaping <, > and &, which
// would make answers harder to read for people and no safer.
func Marshal(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n")), nil
}
