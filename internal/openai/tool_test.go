package openai

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// offer is the member tools with a tool of each name.
func offer(names ...string) string {
	list := make([]string, len(names))
	for i, name := range names {
		list[i] = fmt.Sprintf(`{"type":"function","function":{"name":%q}}`, name)
	}
	return `"tools":[` + strings.Join(list, ",") + `]`
}

func manyNames(count int) []string {
	names := make([]string, count)
	for i := range names {
		names[i] = fmt.Sprint("t", i)
	}
	return names
}

func TestAcceptsTools(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name    string
		members string
		want    []Tool
	}{
		{"none", `"tools":[]`, nil},
		{"everything", `"tools":[{"type":"function","function":{"name":"f","description":"d","parameters":{"minimum": 1.0},"strict":true}}]`,
			[]Tool{{Name: "f", Description: "d", Parameters: json.RawMessage(`{"minimum": 1.0}`), Strict: ptr(true)}}},
		{"no type", `"tools":[{"function":{"name":"f"}}]`, []Tool{{Name: "f"}}},
		{"parameters of any kind are left to the judge", `"tools":[{"function":{"name":"f","parameters":[]}}]`, []Tool{{Name: "f", Parameters: json.RawMessage(`[]`)}}},
		{"names that differ in case", offer("f", "F"), []Tool{{Name: "f"}, {Name: "F"}}},
		{"any name", `"tools":[{"function":{"name":"é \"x\""}}]`, []Tool{{Name: `é "x"`}}},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if got := decode(t, tc.members).Tools; !reflect.DeepEqual(got, tc.want) {
				t.Errorf("got %+v, want %+v", got, tc.want)
			}
		})
	}
	if got := len(decode(t, offer(manyNames(128)...)).Tools); got != 128 {
		t.Errorf("got %d tools", got)
	}
}

func TestRefusesTools(t *testing.T) {
	t.Parallel()
	const value, missing, unsupported = CodeInvalidValue, CodeMissingParameter, CodeUnsupportedParameter
	checkRefusals(t, []refusal{
		{"object for tools", `"tools":{}`, "tools", value},
		{"too many tools", offer(manyNames(129)...), "tools", value},
		{"text for a tool", `"tools":["f"]`, "tools[0]", value},
		{"another type", `"tools":[{"type":"web_search"}]`, "tools[0].type", unsupported},
		{"number for a type", `"tools":[{"type":1,"function":{"name":"f"}}]`, "tools[0].type", value},
		{"no function", `"tools":[{"type":"function"}]`, "tools[0].function", missing},
		{"text for a function", `"tools":[{"type":"function","function":"f"}]`, "tools[0].function", value},
		{"no name", `"tools":[{"function":{}}]`, "tools[0].function.name", missing},
		{"empty name", offer("f", ""), "tools[1].function.name", value},
		{"number for a name", `"tools":[{"function":{"name":1}}]`, "tools[0].function.name", value},
		{"number for a description", `"tools":[{"function":{"name":"f","description":1}}]`, "tools[0].function.description", value},
		{"text for strict", `"tools":[{"function":{"name":"f","strict":"yes"}}]`, "tools[0].function.strict", value},
		{"two of one name", offer("f", "g", "f"), "tools[2].function.name", value},
		{"unknown mode", offer("f") + `,"tool_choice":"any"`, "tool_choice", value},
		{"empty mode", offer("f") + `,"tool_choice":""`, "tool_choice", value},
		{"number for a choice", offer("f") + `,"tool_choice":1`, "tool_choice", value},
		{"unknown kind of choice", offer("f") + `,"tool_choice":{"type":"hosted"}`, "tool_choice", value},
		{"choice of a function without a name", offer("f") + `,"tool_choice":{"type":"function"}`, "tool_choice", value},
		{"number for a chosen name", offer("f") + `,"tool_choice":{"type":"function","function":{"name":1}}`, "tool_choice", value},
		{"chosen function not offered", offer("f") + `,"tool_choice":{"type":"function","function":{"name":"F"}}`, "tool_choice", value},
		{"required without tools", `"tool_choice":"required"`, "tool_choice", value},
		{"required with no tools", `"tools":[],"tool_choice":"required"`, "tool_choice", value},
		{"function without tools", `"tool_choice":{"type":"function","function":{"name":"f"}}`, "tool_choice", value},
		{"no allowed tools", offer("f") + `,"tool_choice":{"type":"allowed_tools","allowed_tools":{"mode":"auto","tools":[]}}`, "tool_choice", value},
		{"allowed tools without a mode", offer("f") + `,"tool_choice":{"type":"allowed_tools","allowed_tools":{"tools":[{"type":"function","function":{"name":"f"}}]}}`, "tool_choice", value},
		{"allowed tools, but none", offer("f") + `,"tool_choice":{"type":"allowed_tools","allowed_tools":{"mode":"none","tools":[{"function":{"name":"f"}}]}}`, "tool_choice", value},
		{"allowed tool not offered", offer("f") + `,"tool_choice":{"type":"allowed_tools","allowed_tools":{"mode":"auto","tools":[{"function":{"name":"f"}},{"function":{"name":"g"}}]}}`, "tool_choice", value},
	})
}

func TestToolChoice(t *testing.T) {
	t.Parallel()
	allowed := func(mode string) string {
		return `,"tool_choice":{"type":"allowed_tools","allowed_tools":{"mode":"` + mode + `","tools":[{"type":"function","function":{"name":"h"}},{"type":"function","function":{"name":"f"}}]}}`
	}
	cases := []struct {
		name     string
		members  string
		want     ToolChoice
		forced   bool
		callable string
	}{
		{"no tools", `"tool_choice":"auto"`, ToolChoice{Mode: ChoiceAuto}, false, ""},
		{"none without tools", `"tool_choice":"none"`, ToolChoice{Mode: ChoiceNone}, false, ""},
		{"absent", offer("f", "g"), ToolChoice{}, false, "f g"},
		{"auto", offer("f", "g") + `,"tool_choice":"auto"`, ToolChoice{Mode: ChoiceAuto}, false, "f g"},
		{"none", offer("f", "g") + `,"tool_choice":"none"`, ToolChoice{Mode: ChoiceNone}, false, ""},
		{"required", offer("f", "g") + `,"tool_choice":"required"`, ToolChoice{Mode: ChoiceRequired}, true, "f g"},
		{"function", offer("f", "g") + `,"tool_choice":{"type":"function","function":{"name":"g"}}`, ToolChoice{ChoiceRequired, []string{"g"}}, true, "g"},
		{"allowed tools, in the order of the offer", offer("f", "g", "h") + allowed("auto"), ToolChoice{ChoiceAuto, []string{"h", "f"}}, false, "f h"},
		{"allowed tools, one required", offer("f", "g", "h") + allowed("required"), ToolChoice{ChoiceRequired, []string{"h", "f"}}, true, "f h"},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			req := decode(t, tc.members)
			if !reflect.DeepEqual(req.ToolChoice, tc.want) || req.ToolChoice.Forced() != tc.forced {
				t.Errorf("got %+v, want %+v", req.ToolChoice, tc.want)
			}
			var names []string
			for _, tool := range req.CallableTools() {
				names = append(names, tool.Name)
			}
			if got := strings.Join(names, " "); got != tc.callable {
				t.Errorf("callable are %q, want %q", got, tc.callable)
			}
		})
	}
}
