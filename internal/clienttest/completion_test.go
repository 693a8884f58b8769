package clienttest

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"image"
	"image/png"
	"net/http"
	"strings"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
)

// ask is a request of the model with one user message.
func (e *endpoint) ask(text string) openai.ChatCompletionNewParams {
	return openai.ChatCompletionNewParams{
		Model:    e.alias,
		Messages: []openai.ChatCompletionMessageParamUnion{openai.SystemMessage("You are Robin, 34."), openai.UserMessage(text)},
	}
}

// complete returns the answer to a request, which has one choice.
func (e *endpoint) complete(t *testing.T, params openai.ChatCompletionNewParams, options ...option.RequestOption) *openai.ChatCompletion {
	t.Helper()
	c, err := e.Chat.Completions.New(t.Context(), params, options...)
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Choices) != 1 {
		t.Fatalf("not one choice: %s", c.RawJSON())
	}
	return c
}

func TestText(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, e *endpoint) {
		const text = "I feel <calm> & ready. 静か"
		e.script(says(text))
		var response *http.Response
		c := e.complete(t, e.ask("How do you feel?"), option.WithResponseInto(&response))
		if c.Choices[0].FinishReason != "stop" || c.Choices[0].Message.Role != "assistant" {
			t.Fatal(c.RawJSON())
		}
		if got := c.Choices[0].Message.Content; got == "" || e.scripted() && got != text {
			t.Errorf("content %q", got)
		}
		if c.Object != "chat.completion" || c.ID == "" || c.Created == 0 || c.Model != e.id || !c.JSON.SystemFingerprint.Valid() {
			t.Errorf("incomplete: %s", c.RawJSON())
		}
		if u := c.Usage; u.PromptTokens == 0 || u.CompletionTokens == 0 || u.TotalTokens != u.PromptTokens+u.CompletionTokens {
			t.Errorf("usage %s", u.RawJSON())
		}
		if response.Header.Get("X-Request-Id") == "" || response.Header.Get("X-Endpoint-Attempts") != "1" {
			t.Errorf("header %v", response.Header)
		}
	})
}

// TestOneToken is the completion that HyperStudy tests a connection with.
func TestOneToken(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, e *endpoint) {
		e.script(says("I"))
		params := e.ask("ping")
		params.MaxTokens = openai.Int(1)
		c := e.complete(t, params)
		if c.Choices[0].Message.Content == "" {
			t.Error(c.RawJSON())
		}
	})
}

func TestDefaultModel(t *testing.T) {
	t.Parallel()
	for _, e := range []*endpoint{deploy(t, nova, 0), dev(t)} { // those of the first model
		for _, model := range []string{"", "default", e.alias} {
			params := e.ask("Hi")
			params.Model = model
			if c := e.complete(t, params); c.Model != e.id {
				t.Errorf("model %q is %q", model, c.Model)
			}
		}
	}
}

func TestStructuredOutput(t *testing.T) {
	t.Parallel()
	format := openai.ResponseFormatJSONSchemaJSONSchemaParam{
		Name:   "feeling",
		Strict: openai.Bool(true),
		Schema: map[string]any{
			"type":                 "object",
			"properties":           map[string]any{"calm": map[string]any{"type": "integer", "minimum": 0, "maximum": 100}},
			"required":             []string{"calm"},
			"additionalProperties": false,
		},
	}
	everywhere(t, func(t *testing.T, e *endpoint) {
		wrong, right := `{"calm": 200}`, `{"calm": 40}` // the first is asked for again
		if e.subject == nova {                          // has no structured outputs, and answers by a tool
			e.script(calls("feeling", wrong), calls("feeling", right))
		} else {
			e.script(says(wrong), says(right))
		}
		params := e.ask("How calm are you?")
		params.ResponseFormat = openai.ChatCompletionNewParamsResponseFormatUnion{
			OfJSONSchema: &openai.ResponseFormatJSONSchemaParam{JSONSchema: format},
		}
		c := e.complete(t, params)
		var answer struct{ Calm *int }
		if err := json.Unmarshal([]byte(c.Choices[0].Message.Content), &answer); err != nil {
			t.Fatalf("%v: %s", err, c.RawJSON())
		}
		if answer.Calm == nil || *answer.Calm < 0 || *answer.Calm > 100 || c.Choices[0].FinishReason != "stop" {
			t.Error(c.RawJSON())
		}
	})
}

func TestImage(t *testing.T) {
	t.Parallel()
	var encoded bytes.Buffer
	if err := png.Encode(&encoded, image.NewGray(image.Rect(0, 0, 8, 8))); err != nil {
		t.Fatal(err)
	}
	data := base64.StdEncoding.EncodeToString(encoded.Bytes())
	everywhere(t, func(t *testing.T, e *endpoint) {
		e.script(says("A black square."))
		params := e.ask("")
		params.Messages = []openai.ChatCompletionMessageParamUnion{openai.UserMessage([]openai.ChatCompletionContentPartUnionParam{
			openai.TextContentPart("What is on screen?"),
			openai.ImageContentPart(openai.ChatCompletionContentPartImageImageURLParam{URL: "data:image/png;base64," + data, Detail: "low"}),
		})}
		c := e.complete(t, params)
		if e.scripted() && (c.Choices[0].Message.Content != "A black square." || !strings.Contains(e.received(t), data)) {
			t.Errorf("%s to %.200s", c.RawJSON(), e.received(t))
		}
	})
}
