package openai

import (
	"encoding/json"
	"fmt"
	"slices"
)

const (
	toolTypeFunction = "function"
	maxTools         = 128 // as the API reference has it
)

// A Tool is a function that the caller offers to the model.
type Tool struct {
	Name        string
	Description string
	// Parameters is the JSON Schema of the arguments as it came; nil if there
	// is none, which means an object without properties.
	Parameters json.RawMessage
	Strict     *bool
}

// Modes of a tool choice.
const (
	ChoiceNone     = "none"
	ChoiceAuto     = "auto"
	ChoiceRequired = "required"
)

// A ToolChoice says which tools the model may or must call.
type ToolChoice struct {
	// Mode is empty where the caller gave no choice, which means auto.
	Mode string
	// Names limits the choice to these tools if it is not empty. A caller that
	// names one function has Mode required and one name.
	Names []string
}

// Forced reports whether the caller insists on a tool call.
func (c ToolChoice) Forced() bool { return c.Mode == ChoiceRequired }

// CallableTools returns the tools that the model may call under the request's
// tool choice, in the order of the request.
func (r *ChatCompletionRequest) CallableTools() []Tool {
	switch {
	case r.ToolChoice.Mode == ChoiceNone:
		return nil
	case len(r.ToolChoice.Names) == 0:
		return r.Tools
	}
	var tools []Tool
	for _, t := range r.Tools {
		if slices.Contains(r.ToolChoice.Names, t.Name) {
			tools = append(tools, t)
		}
	}
	return tools
}

func decodeTools(r *ChatCompletionRequest) error {
	items, ok := SplitArray(r.Body.Get("tools"), maxTools)
	if r.Body.Has("tools") && !ok {
		return InvalidValue("tools", "Invalid type for 'tools': expected an array of tools.")
	}
	if len(items) > maxTools {
		return InvalidValue("tools", "Invalid value for 'tools': at most %d tools are allowed.", maxTools)
	}
	seen := map[string]bool{}
	for i, item := range items {
		at := fmt.Sprintf("tools[%d]", i)
		t, err := decodeTool(item, at)
		if err != nil {
			return err
		}
		if seen[t.Name] {
			return InvalidValue(at+".function.name", "Two tools have the same name. Names must be unique.")
		}
		seen[t.Name] = true
		r.Tools = append(r.Tools, t)
	}
	return decodeToolChoice(r, seen)
}

func decodeTool(raw json.RawMessage, at string) (Tool, error) {
	o, err := parseMember(raw, at)
	if err != nil {
		return Tool{}, err
	}
	kind := toolTypeFunction
	d := decoder{object: &o, at: at + "."}
	d.value("type", &kind)
	if d.err == nil && kind != toolTypeFunction {
		return Tool{}, Unsupported(at+".type", "Only tools of type 'function' are supported.")
	}
	d.need("function")
	if d.err != nil {
		return Tool{}, d.err
	}
	f, err := parseMember(o.Get("function"), at+".function")
	if err != nil {
		return Tool{}, err
	}
	var t Tool
	d = decoder{object: &f, at: at + ".function."}
	d.need("name")
	d.value("name", &t.Name)
	d.value("description", &t.Description)
	d.value("strict", &t.Strict)
	d.raw("parameters", func(v json.RawMessage) error {
		t.Parameters = v
		return nil
	})
	if d.err == nil && t.Name == "" {
		return Tool{}, InvalidValue(at+".function.name", "A tool's name must not be empty.")
	}
	return t, d.err
}

// decodeToolChoice reads a mode, a named function or a list of allowed tools.
func decodeToolChoice(r *ChatCompletionRequest, offered map[string]bool) error {
	const at = "tool_choice"
	if !r.Body.Has(at) {
		return nil
	}
	choice := &r.ToolChoice
	if json.Unmarshal(r.Body.Get(at), &choice.Mode) != nil {
		if err := decodeNamedChoice(r.Body.Get(at), choice); err != nil {
			return err
		}
	}
	switch choice.Mode {
	case ChoiceNone, ChoiceAuto, ChoiceRequired:
	default:
		return invalidToolChoice()
	}
	if len(r.Tools) == 0 && (choice.Forced() || len(choice.Names) > 0) {
		return InvalidValue(at, "'tool_choice' is only allowed when 'tools' are specified.")
	}
	for _, name := range choice.Names {
		if !offered[name] {
			return InvalidValue(at, "'tool_choice' names a tool that is not in 'tools'.")
		}
	}
	return nil
}

func invalidToolChoice() *Error {
	return InvalidValue("tool_choice", "Invalid value for 'tool_choice'. Supported values are: 'none', 'auto', 'required', a named function, and allowed tools.")
}

// decodeNamedChoice reads the two object forms of a tool choice.
func decodeNamedChoice(raw json.RawMessage, choice *ToolChoice) error {
	o, err := SplitObject(raw)
	if err != nil {
		return invalidToolChoice()
	}
	var kind string
	d := decoder{object: &o}
	d.value("type", &kind)
	switch {
	case d.err != nil:
	case kind == toolTypeFunction:
		name, ok := functionName(&o)
		choice.Mode, choice.Names = ChoiceRequired, []string{name}
		if ok {
			return nil
		}
	case kind == "allowed_tools":
		if decodeAllowedTools(&o, choice) {
			return nil
		}
	}
	return invalidToolChoice()
}

// decodeAllowedTools reads {"allowed_tools": {"mode": ..., "tools": [...]}}.
func decodeAllowedTools(o *Object, choice *ToolChoice) bool {
	allowed, err := SplitObject(o.Get("allowed_tools"))
	if err != nil {
		return false
	}
	d := decoder{object: &allowed}
	d.value("mode", &choice.Mode)
	tools, ok := SplitArray(allowed.Get("tools"), maxTools)
	for _, raw := range tools {
		tool, err := SplitObject(raw)
		name, named := functionName(&tool)
		ok = ok && err == nil && named
		choice.Names = append(choice.Names, name)
	}
	return ok && d.err == nil && len(choice.Names) > 0 && choice.Mode != ChoiceNone
}

// functionName reads {"function": {"name": ...}}.
func functionName(o *Object) (name string, ok bool) {
	function, err := SplitObject(o.Get("function"))
	if err != nil {
		return "", false
	}
	d := decoder{object: &function}
	d.need("name")
	d.value("name", &name)
	return name, d.err == nil
}
