package clienttest

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
)

// tools are the three that HyperStudy offers while a rating scale is on screen
// in a study with text chat.
func tools() []openai.ChatCompletionToolUnionParam {
	object := func(properties map[string]any, required ...string) openai.FunctionParameters {
		schema := openai.FunctionParameters{"type": "object", "properties": properties, "additionalProperties": false}
		if len(required) > 0 {
			schema["required"] = required
		}
		return schema
	}
	tool := func(name, description string, parameters openai.FunctionParameters) openai.ChatCompletionToolUnionParam {
		return openai.ChatCompletionFunctionTool(openai.FunctionDefinitionParam{
			Name: name, Description: openai.String(description), Parameters: parameters,
		})
	}
	return []openai.ChatCompletionToolUnionParam{
		tool("send_chat", "Send a chat message to the other participant(s) in the experiment.",
			object(map[string]any{"message": map[string]any{"type": "string", "description": "The message text to send."}}, "message")),
		tool("wait", "Take no action this turn. Use when nothing is required of you right now.", object(map[string]any{})),
		tool("submit_response", `Submit your response to the current "vasrating" component.`,
			object(map[string]any{"value": map[string]any{"type": "number", "minimum": 0, "maximum": 100, "description": "Rating between 0 and 100."}}, "value")),
	}
}

// decide is a request for a decision.
func (e *endpoint) decide() openai.ChatCompletionNewParams {
	params := e.ask("A rating scale is on screen: How calm do you feel? 0 = not at all, 100 = completely.")
	params.Tools = tools()
	params.ToolChoice = openai.ChatCompletionToolChoiceOptionUnionParam{OfAuto: openai.String("auto")}
	return params
}

// decision checks that a completion is one valid call of one of the tools and
// returns it.
func decision(t *testing.T, c *openai.ChatCompletion) openai.ChatCompletionMessageToolCallUnion {
	t.Helper()
	if len(c.Choices) != 1 || c.Choices[0].FinishReason != "tool_calls" || len(c.Choices[0].Message.ToolCalls) != 1 {
		t.Fatalf("not one tool call: %s", c.RawJSON())
	}
	call := c.Choices[0].Message.ToolCalls[0]
	if call.ID == "" || call.Type != "function" {
		t.Errorf("incomplete call: %s", call.RawJSON())
	}
	var args any
	switch call.Function.Name {
	case "send_chat":
		args = &struct {
			Message *string `json:"message"`
		}{}
	case "wait":
		args = &struct{}{}
	case "submit_response":
		args = &rating{}
	default:
		t.Fatalf("tool %q was not offered", call.Function.Name)
	}
	decoder := json.NewDecoder(strings.NewReader(call.Function.Arguments))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(args); err != nil {
		t.Fatalf("arguments %q: %v", call.Function.Arguments, err)
	}
	if r, ok := args.(*rating); ok && (r.Value == nil || *r.Value < 0 || *r.Value > 100) {
		t.Errorf("rating %q", call.Function.Arguments)
	}
	return call
}

// A rating is the arguments of submit_response.
type rating struct {
	Value *float64 `json:"value"`
}

func TestDecision(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name    string
		answers []answer
		want    answer
	}{
		{"rating", []answer{calls("submit_response", `{"value": 72.5}`)}, calls("submit_response", `{"value":72.5}`)},
		{"chat", []answer{calls("send_chat", `{"message": "Hi \"you\" <3"}`)}, calls("send_chat", `{"message":"Hi \"you\" <3"}`)},
		{"wait", []answer{calls("wait", `{}`)}, calls("wait", `{}`)},
		{"number as a string", []answer{calls("submit_response", `{"value": "72"}`)}, calls("submit_response", `{"value":72}`)},
		{"asked again", []answer{calls("submit_response", `{"value": 720}`), says("Calm."), calls("submit_response", `{"value": 72}`)}, calls("submit_response", `{"value":72}`)},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			everywhere(t, func(t *testing.T, e *endpoint) {
				e.script(tc.answers...)
				c := e.complete(t, e.decide())
				call := decision(t, c)
				if e.scripted() && (call.Function.Name != tc.want.tool || compact(t, call.Function.Arguments) != tc.want.arguments) {
					t.Errorf("%s, want %+v", call.RawJSON(), tc.want)
				}
				if content := c.Choices[0].Message.JSON.Content.Raw(); content != "null" {
					t.Errorf("content %s beside a tool call", content)
				}
			})
		})
	}
}

// compact is JSON without white space between its tokens.
func compact(t *testing.T, s string) string {
	t.Helper()
	var out bytes.Buffer
	if err := json.Compact(&out, []byte(s)); err != nil {
		t.Fatalf("%q: %v", s, err)
	}
	return out.String()
}

func TestNamedTool(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, e *endpoint) {
		e.script(calls("wait", `{}`))
		params := e.decide()
		params.ToolChoice = openai.ToolChoiceOptionFunctionToolChoice(openai.ChatCompletionNamedToolChoiceFunctionParam{Name: "wait"})
		c := e.complete(t, params)
		if call := decision(t, c); call.Function.Name != "wait" {
			t.Errorf("called %s", call.Function.Name)
		}
	})
}

// TestToolHistory sends a decision back with its result, as the client's own
// types carry it.
func TestToolHistory(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, e *endpoint) {
		e.script(calls("submit_response", `{"value": 72}`), calls("send_chat", `{"message":"Done."}`))
		params := e.decide()
		for range 3 {
			c := e.complete(t, params)
			call := decision(t, c)
			params.Messages = append(params.Messages, c.Choices[0].Message.ToParam(), openai.ToolMessage("shown to the others", call.ID))
		}
		if e.scripted() && strings.Count(e.received(t), "shown to the others") != 2 {
			t.Errorf("the model got %s", e.received(t))
		}
	})
}

// TestParametersWithoutEffect checks what every model takes without complaint
// and what the endpoint says about it.
func TestParametersWithoutEffect(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, e *endpoint) {
		e.script(calls("wait", `{}`))
		params := e.decide()
		params.FrequencyPenalty = openai.Float(0.5)
		params.User = openai.String("room-7")
		var response *http.Response
		c := e.complete(t, params, option.WithJSONSet("top_a", 0.1), option.WithResponseInto(&response))
		decision(t, c)
		ignored := response.Header.Get("X-Endpoint-Ignored")
		if e.subject != gpt && ignored != "frequency_penalty,top_a,user" || e.subject == gpt && ignored != "" {
			t.Errorf("ignored: %q", ignored)
		}
	})
}
