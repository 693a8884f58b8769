package awstest

import (
	"slices"
	"strings"
	"testing"
)

func TestShape(t *testing.T) {
	t.Parallel()
	srv := NewServer(t)
	for _, tc := range []struct {
		name, body string
		want       string // in the refusal's message
	}{
		{"not JSON", `{`, "not valid JSON"},
		{"nothing", ``, "not valid JSON"},
		{"trailing data", `{} {}`, "trailing data"},
		{"no object", `[]`, "must be of type structure"},
		{"unknown member", with(`"stream":true`), "extraneous key [stream] is not permitted"},
		{"unknown inner member", ask(`{"role":"user","content":[{"text":"hi","type":"text"}]}`), "extraneous key [type] is not permitted"},
		{"string for a list", `{"messages":"hi"}`, "messages must be of type list"},
		{"string for content", ask(`{"role":"user","content":"hi"}`), "content must be of type list"},
		{"null in a list", ask(`null`), "must be of type structure"},
		{"number for a string", ask(user(`{"text":1}`)), "must be of type string"},
		{"string for a number", inference(`"temperature":"1"`), "must be of type float"},
		{"fraction for an integer", inference(`"maxTokens":1.5`), "must be of type integer"},
		{"huge integer", inference(`"maxTokens":3000000000`), "must be of type integer"},
		{"huge number", inference(`"temperature":1e999999999`), "less than or equal to 1"},
		{"string for stop sequences", inference(`"stopSequences":"x"`), "must be of type list"},
		{"string for strict", with(`"toolConfig":{"tools":[{"toolSpec":{"name":"f","strict":"yes","inputSchema":{"json":{"type":"object"}}}}]}`), "must be of type boolean"},
		{"unknown role", ask(`{"role":"tool","content":[{"text":"hi"}]}`), "enum value set: [user, assistant, system]"},
		{"no role", ask(`{"content":[{"text":"hi"}]}`), "'messages.1.member.role' failed to satisfy constraint: Member must not be null"},
		{"null content", ask(`{"role":"user","content":null}`), "content' failed to satisfy constraint: Member must not be null"},
		{"empty union", ask(user(`{}`)), "exactly one member"},
		{"full union", ask(user(`{"text":"a","image":{"format":"png","source":{"bytes":"YQ=="}}}`)), "exactly one member"},
		{"null member of a union", ask(user(`{"text":null}`)), "exactly one member"},
		{"both choices", choose(`{"auto":{},"any":{}}`), "exactly one member"},
		{"choice as a string", choose(`"auto"`), "must be of type structure"},
		{"no schema", with(`"toolConfig":{"tools":[{"toolSpec":{"name":"f"}}]}`), "inputSchema' failed to satisfy constraint: Member must not be null"},
		{"bad base64", ask(user(`{"image":{"format":"png","source":{"bytes":"a"}}}`)), "must be of type blob"},
		{"image by URL", ask(user(`{"image":{"format":"png","source":{"url":"https://example.com/a.png"}}}`)), "extraneous key [url]"},
		{"metadata of numbers", with(`"requestMetadata":{"a":1}`), "must be of type string"},
		{"unknown tier", with(`"serviceTier":{"type":"auto"}`), "enum value set"},
		{"guardrail id", with(`"guardrailConfig":{"guardrailIdentifier":"A b","guardrailVersion":"1"}`), "regular expression pattern"},
		{"guardrail mode of the stream", with(`"guardrailConfig":{"guardrailIdentifier":"a","guardrailVersion":"1","streamProcessingMode":"sync"}`), "extraneous key"},
		{"schema as an object", with(`"outputConfig":{"textFormat":{"type":"json_schema","structure":{"jsonSchema":{"schema":{}}}}}`), "must be of type string"},
		{"field paths", with(`"additionalModelResponseFieldPaths":[""]`), "length greater than or equal to 1"},
		{"fields as a list", with(`"additionalModelRequestFields":[1]`), "additionalModelRequestFields must be an object"},
		{"thinking as a string", additional(`"thinking":"on"`), "thinking must be an object"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got := srv.check(unknownID, false, []byte(tc.body))
			if got == nil || !strings.Contains(got.message, tc.want) {
				t.Errorf("refusal is %+v, want %q", got, tc.want)
			}
		})
	}
}

// All violations are listed, in a fixed order and in the service's words.
func TestShapeListsAll(t *testing.T) {
	t.Parallel()
	srv := NewServer(t)
	body := with(`"toolConfig":{"tools":[{"toolSpec":{"name":"","description":"","inputSchema":{"json":{}}}}]}`)
	const want = "3 validation errors detected: " +
		"Value '' at 'toolConfig.tools.1.member.toolSpec.description' failed to satisfy constraint: Member must have length greater than or equal to 1; " +
		"Value '' at 'toolConfig.tools.1.member.toolSpec.name' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_-]+; " +
		"Value '' at 'toolConfig.tools.1.member.toolSpec.name' failed to satisfy constraint: Member must have length greater than or equal to 1"
	if got := srv.check(novaID, false, []byte(body)); got == nil || got.message != want {
		t.Errorf("refusal is %+v, want %s", got, want)
	}
}

func TestShapeAccepts(t *testing.T) {
	t.Parallel()
	srv := NewServer(t)
	for _, tc := range []struct {
		name, body string
		stream     bool
	}{
		{"null members", with(`"system":null,"toolConfig":null,"inferenceConfig":{"temperature":null}`), false},
		{"empty lists", with(`"system":[],"additionalModelResponseFieldPaths":[]`), false},
		{"all of inference", inference(`"maxTokens":1,"temperature":0.7,"topP":0.1,"stopSequences":[]`), false},
		{"guardrail", with(`"guardrailConfig":{"guardrailIdentifier":"a1","guardrailVersion":"DRAFT","trace":"enabled"}`), false},
		{"guardrail in a stream", with(`"guardrailConfig":{"guardrailIdentifier":"a1","guardrailVersion":"1","streamProcessingMode":"async"}`), true},
		{"performance", with(`"performanceConfig":{"latency":"optimized"},"promptVariables":{"a":{"text":"b"}}`), false},
		{"field paths", with(`"additionalModelResponseFieldPaths":["/stop_sequence"]`), false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if got := srv.check(unknownID, tc.stream, []byte(tc.body)); got != nil {
				t.Errorf("refusal is %+v", got)
			}
		})
	}
}

// The shapes file is complete: every name in it is a shape of a known type.
func TestShapesFile(t *testing.T) {
	t.Parallel()
	types := []string{"structure", "list", "map", "string", "blob", "integer", "float", "boolean", "document"}
	for name, s := range shapes() {
		if !slices.Contains(types, s.Type) {
			t.Errorf("%s is of type %q", name, s.Type)
		}
		for _, r := range s.Required {
			if s.Members[r] == "" {
				t.Errorf("%s requires %s, which it does not have", name, r)
			}
		}
		refs := []string{s.Member, s.Key, s.Value}
		for _, member := range s.Members {
			refs = append(refs, member)
		}
		for _, ref := range refs {
			if ref != "" && shapes()[ref] == nil {
				t.Errorf("%s refers to %s, which is not there", name, ref)
			}
		}
	}
}
