package conformance

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
)

// DecodeStudy reads the tools of a study as they were exported: a JSON array of
// tools in OpenAI's format, an object with a tools member (a whole request body
// is one), or such bodies as JSON Lines. A tool that comes several times, the
// same each time, is taken once. Errors say where and what is wrong.
func DecodeStudy(r io.Reader) ([]Tool, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	var (
		tools  []Tool
		d      = json.NewDecoder(bytes.NewReader(data))
		values = 0
	)
	for {
		var value json.RawMessage
		if err := d.Decode(&value); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("line %d: not JSON: %w", lineAt(data, errorOffset(err, data)), err)
		}
		values++
		where := fmt.Sprintf("line %d", lineAt(data, d.InputOffset()-int64(len(value))))
		more, err := toolsOf(value)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", where, err)
		}
		for i, t := range more {
			if err := t.check(); err != nil {
				return nil, fmt.Errorf("%s, tool %d: %w", where, i, err)
			}
			tools = addTool(tools, t)
		}
	}
	switch {
	case values == 0:
		return nil, errors.New("the study is empty: it needs a JSON array of tools, or request bodies with tools")
	case len(tools) == 0:
		return nil, errors.New("the study has no tools")
	}
	return tools, nil
}

// toolsOf are the tools in one JSON value.
func toolsOf(value json.RawMessage) ([]Tool, error) {
	list := value
	if value[0] == '{' {
		var b struct {
			Tools    json.RawMessage `json:"tools"`
			Function json.RawMessage `json:"function"`
		}
		if err := json.Unmarshal(value, &b); err != nil {
			return nil, err
		}
		switch {
		case !absent(b.Tools):
			list = b.Tools
		case !absent(b.Function):
			list = slices.Concat([]byte("["), value, []byte("]"))
		default:
			return nil, nil // a request of a cognition stage has no tools
		}
	}
	var raw []json.RawMessage
	if err := json.Unmarshal(list, &raw); err != nil {
		return nil, errors.New("tools must be an array")
	}
	var tools []Tool
	for i, one := range raw {
		var t struct {
			Type     string
			Function *struct {
				Name, Description string
				Parameters        json.RawMessage
			}
		}
		if err := json.Unmarshal(one, &t); err != nil || t.Function == nil || t.Type != "function" {
			return nil, fmt.Errorf(`tool %d: it must be an object with "type": "function" and a function object`, i)
		}
		f := t.Function
		if absent(f.Parameters) {
			f.Parameters = nil
		}
		tools = append(tools, Tool{Name: f.Name, Description: f.Description, Parameters: f.Parameters, raw: compact(one)})
	}
	return tools, nil
}

// check says what would keep a tool from being offered.
func (t Tool) check() error {
	var schema map[string]any
	switch {
	case t.Name == "":
		return errors.New("the function has no name")
	case t.Parameters != nil && json.Unmarshal(t.Parameters, &schema) != nil:
		return fmt.Errorf("the parameters of %q must be a JSON Schema object", t.Name)
	}
	return nil
}

// addTool appends a tool unless it is there. Tools of one name with other
// schemas are other questions, so both are kept.
func addTool(tools []Tool, t Tool) []Tool {
	if slices.ContainsFunc(tools, func(o Tool) bool { return bytes.Equal(o.raw, t.raw) }) {
		return tools
	}
	return append(tools, t)
}

func compact(raw json.RawMessage) json.RawMessage {
	var b bytes.Buffer
	_ = json.Compact(&b, raw) // it was decoded before
	return b.Bytes()
}

// errorOffset is where JSON is wrong; what is cut off is wrong at its end.
func errorOffset(err error, data []byte) int64 {
	if e := (*json.SyntaxError)(nil); errors.As(err, &e) {
		return e.Offset
	}
	return int64(len(bytes.TrimRight(data, " \t\r\n")))
}

// lineAt is the line, from 1, of a place in the data.
func lineAt(data []byte, offset int64) int {
	offset = max(0, min(offset, int64(len(data))))
	return 1 + bytes.Count(data[:offset], []byte("\n"))
}
