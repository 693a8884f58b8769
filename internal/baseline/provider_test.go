package baseline

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"hyperstudy-endpoint/internal/openai"
)

// streamer is what the endpoint uses a provider as.
var _ interface {
	Complete(context.Context, *openai.ChatCompletionRequest) (*openai.ChatCompletion, error)
	Stream(context.Context, *openai.ChatCompletionRequest, func(openai.Delta) error) (*openai.ChatCompletion, error)
} = (*Provider)(nil)

const likert = `{"type":"function","function":{"name":"answer","parameters":{"type":"object","properties":{"value":{"type":"integer","minimum":1,"maximum":7}},"required":["value"],"additionalProperties":false}}}`

// request decodes a request whose members besides messages are given.
func request(t *testing.T, members string) *openai.ChatCompletionRequest {
	t.Helper()
	body := `{"messages":[{"role":"user","content":"How was it?"}]`
	if members != "" {
		body += "," + members
	}
	req, err := openai.DecodeRequest(strings.NewReader(body + "}"))
	if err != nil {
		t.Fatal(err)
	}
	return req
}

func complete(t *testing.T, members string) *openai.ChatCompletion {
	t.Helper()
	c, err := New().Complete(t.Context(), request(t, members))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// content returns the text of a completion that has to have one.
func content(t *testing.T, c *openai.ChatCompletion) string {
	t.Helper()
	m := c.Choices[0].Message
	if m.Content == nil || m.ToolCalls != nil {
		t.Fatalf("got no text: %+v", m)
	}
	return *m.Content
}

func TestCompleteWithTool(t *testing.T) {
	t.Parallel()
	c := complete(t, `"model":"x","seed":7,"tools":[`+likert+`]`)
	m := c.Choices[0].Message
	if c.Model != "baseline:random" || c.Object != "chat.completion" || c.Created == 0 || !strings.HasPrefix(c.ID, "chatcmpl-") {
		t.Errorf("got %+v", c)
	}
	if m.Role != "assistant" || m.Content != nil || len(m.ToolCalls) != 1 || c.Choices[0].FinishReason != openai.FinishToolCalls {
		t.Fatalf("got %+v", c.Choices)
	}
	call := m.ToolCalls[0]
	if call.Type != "function" || call.Function.Name != "answer" || !regexp.MustCompile(`^call_[0-9a-f]{24}$`).MatchString(call.ID) {
		t.Errorf("got %+v", call)
	}
	if !regexp.MustCompile(`^\{"value":[1-7]\}$`).MatchString(call.Function.Arguments) {
		t.Errorf("arguments are %s", call.Function.Arguments)
	}
	// "How was it?" has 11 bytes, the name 6 and the arguments 11.
	prompt := (11 + len(likert) + 2 + 3) / 4
	if want := (openai.Usage{PromptTokens: prompt, CompletionTokens: 5, TotalTokens: prompt + 5}); c.Usage != want {
		t.Errorf("usage is %+v, want %+v", c.Usage, want)
	}
}

func TestSeed(t *testing.T) {
	t.Parallel()
	tools := `"tools":[` + likert + `,{"type":"function","function":{"name":"wait"}},{"type":"function","function":{"name":"say","parameters":{"type":"object","properties":{"message":{"type":"string"}},"required":["message"]}}}]`
	answer := func(members string) string {
		c := complete(t, members)
		text, err := json.Marshal(c.Choices)
		if err != nil {
			t.Fatal(err)
		}
		return c.ID + string(text)
	}
	if a, b := answer(tools+`,"seed":1`), answer(tools+`,"seed":1`); a != b {
		t.Errorf("the same seed gave %s and %s", a, b)
	}
	if a, b := answer(tools+`,"seed":1`), answer(tools+`,"seed":1,"model":"other","temperature":2,"max_tokens":500`); a != b {
		t.Errorf("what has no effect on the answer changed %s to %s", a, b)
	}
	for _, other := range []string{
		tools + `,"seed":2`, tools + `,"seed":123456789012345678901234567890`, tools, tools,
		tools + `,"seed":1,"tool_choice":"required"`, `"seed":1,"tools":[` + likert + `]`,
	} {
		if a, b := answer(tools+`,"seed":1`), answer(other); a == b {
			t.Errorf("another request, %s, gave the same answer", other)
		}
	}
}

// TestToolsAreEquallyLikely checks the choice among the callable tools.
func TestToolsAreEquallyLikely(t *testing.T) {
	t.Parallel()
	tools := make([]string, 4)
	for i, name := range []string{"a", "b", "c", "d"} {
		tools[i] = `{"type":"function","function":{"name":"` + name + `"}}`
	}
	members := `"tools":[` + strings.Join(tools, ",") + `],"tool_choice":{"type":"allowed_tools","allowed_tools":{"mode":"auto","tools":[` +
		`{"type":"function","function":{"name":"a"}},{"type":"function","function":{"name":"c"}},{"type":"function","function":{"name":"d"}}]}}`
	req := request(t, members)
	random := seeded(5)
	checkUniform(t, 3, 13.82, func() string {
		a := answer{req: req, random: random}
		if err := a.write(); err != nil {
			t.Fatal(err)
		}
		if args := a.message.ToolCalls[0].Function.Arguments; args != "{}" {
			t.Fatalf("arguments are %s", args)
		}
		return a.message.ToolCalls[0].Function.Name
	})
}

func TestCompleteWithText(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name    string
		members string
		want    string // an expression
		finish  string
		tokens  int // -1 for any
	}{
		{"plain", ``, `^This is the random baseline, .*: ([a-z]+ ){2,5}[a-z]+\.$`, "stop", -1},
		{"tools that must not be called", `"tools":[` + likert + `],"tool_choice":"none"`, `baseline`, "stop", -1},
		{"text asked for", `"response_format":{"type":"text"}`, `baseline`, "stop", -1},
		{"one token", `"max_tokens":1`, `^This$`, "length", 1},
		{"three tokens of the newer kind", `"max_tokens":100,"max_completion_tokens":3`, `^This is the $`, "length", 3},
		{"more tokens than needed", `"max_tokens":1000`, `\.$`, "stop", -1},
		{"stop sequence", `"stop":[" random","which"]`, `^This is the$`, "stop", 3},
		{"stop sequence that does not come", `"stop":"zebra"`, `\.$`, "stop", -1},
		{"stop at once", `"stop":"This"`, `^$`, "stop", 0},
		{"any object", `"response_format":{"type":"json_object"}`, `^\{"baseline":"random"\}$`, "stop", 6},
		{"object cut short", `"response_format":{"type":"json_object"},"max_tokens":2`, `^\{"baseli$`, "length", 2},
		{"schema", `"response_format":{"type":"json_schema","json_schema":{"name":"n","schema":{"type":"integer","minimum":5,"maximum":6}}}`, `^[56]$`, "stop", 1},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			c := complete(t, tc.members)
			if got := content(t, c); !regexp.MustCompile(tc.want).MatchString(got) {
				t.Errorf("content is %q, want %s", got, tc.want)
			}
			if c.Choices[0].FinishReason != tc.finish {
				t.Errorf("finish reason is %s, want %s", c.Choices[0].FinishReason, tc.finish)
			}
			if got := c.Usage.CompletionTokens; tc.tokens >= 0 && got != tc.tokens {
				t.Errorf("%d tokens, want %d", got, tc.tokens)
			}
		})
	}
}

// TestToolCallCutShort checks that a limit cuts arguments as it would a model's.
func TestToolCallCutShort(t *testing.T) {
	t.Parallel()
	tool := `"tools":[{"type":"function","function":{"name":"say","parameters":{"type":"object","properties":{"m":{"const":"ääääää"}},"required":["m"]}}}]`
	for limit, want := range map[string]string{"1": "{", "2": `{"m":`, "3": `{"m":"ä`, "100": `{"m":"ääääää"}`} {
		c := complete(t, tool+`,"max_tokens":`+limit)
		finish := openai.FinishLength
		if limit == "100" {
			finish = openai.FinishToolCalls
		}
		if got := c.Choices[0].Message.ToolCalls[0].Function.Arguments; got != want || c.Choices[0].FinishReason != finish {
			t.Errorf("max_tokens %s: got %s, %s", limit, got, c.Choices[0].FinishReason)
		}
	}
	long := strings.Repeat("n", 60)
	c := complete(t, `"max_tokens":2,"tools":[{"type":"function","function":{"name":"`+long+`"}}]`)
	if got := c.Choices[0].Message.ToolCalls[0].Function; got.Name != long || got.Arguments != "" {
		t.Errorf("got %+v", got)
	}
}

func TestIgnored(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name    string
		members string
		want    []string
	}{
		{"nothing", `"model":"m","seed":1,"max_tokens":9,"stream":true,"stream_options":{"include_usage":true},"stop":"x","n":1,"logprobs":false,"parallel_tool_calls":false`, nil},
		{"null", `"temperature":null,"user":null`, nil},
		{"samplers", `"top_p":1,"temperature":1,"user":"u","min_p":0.1,"metadata":{}`, []string{"metadata", "min_p", "temperature", "top_p", "user"}},
		{"stop without plain text", `"stop":"x","response_format":{"type":"json_object"}`, []string{"stop"}},
		{"stop beside a tool call", `"stop":"x","tools":[` + likert + `]`, []string{"stop"}},
		{"the older of two limits", `"max_tokens":5,"max_completion_tokens":6`, []string{"max_tokens"}},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if got := complete(t, tc.members).Ignored; !slices.Equal(got, tc.want) {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func TestCannotDraw(t *testing.T) {
	t.Parallel()
	tool := func(name, parameters string) string {
		return `{"type":"function","function":{"name":"` + name + `","parameters":` + parameters + `}}`
	}
	choose := `,"tool_choice":{"type":"function","function":{"name":"bad"}}`
	cases := []struct{ name, members, param, message string }{
		{"contradiction", `"tools":[` + likert + `,` + tool("bad", `{"required":["a"],"properties":{"a":{"minimum":2,"maximum":1,"type":"number"}}}`) + `]` + choose,
			"tools[1].function.parameters", "The baseline cannot draw arguments for the tool 'bad': no value was found that is valid for its schema; look for contradictions, or simplify it."},
		{"not an object", `"tools":[` + tool("bad", `{"type":"string"}`) + `]`,
			"tools[0].function.parameters", "The baseline cannot draw arguments for the tool 'bad': no value was found that is valid for its schema; look for contradictions, or simplify it."},
		{"no schema", `"tools":[` + tool("a b", `7`) + `]`, "tools[0].function.parameters",
			"The baseline cannot draw arguments for the tool tools[0]: its schema has something other than an object, true or false where a schema belongs."},
		{"long name", `"tools":[` + tool(strings.Repeat("n", 65), `{"type":"secret"}`) + `]`, "tools[0].function.parameters",
			"The baseline cannot draw arguments for the tool tools[0]: its schema has a wrong value for type."},
		{"response format", `"response_format":{"type":"json_schema","json_schema":{"name":"n","schema":false}}`, "response_format.json_schema.schema",
			"The baseline cannot draw an answer: no value was found that is valid for its schema; look for contradictions, or simplify it."},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			_, err := New().Complete(t.Context(), request(t, tc.members))
			var e *openai.Error
			if !errors.As(err, &e) {
				t.Fatalf("got error %v", err)
			}
			if e.Status != http.StatusBadRequest || e.Param != tc.param || e.Code != openai.CodeInvalidValue || e.Message != tc.message {
				t.Errorf("got %d %s %s %q", e.Status, e.Param, e.Code, e.Message)
			}
		})
	}
}
