package app_test

import (
	"strings"
	"testing"
)

// A chunk is one event of a streamed completion.
type chunk struct {
	ID                string         `json:"id"`
	Object            string         `json:"object"`
	Created           int64          `json:"created"`
	Model             string         `json:"model"`
	SystemFingerprint string         `json:"system_fingerprint"`
	Choices           []streamChoice `json:"choices"`
	Usage             *usage         `json:"usage"`
}

type streamChoice struct {
	Index        *int    `json:"index"`
	Delta        delta   `json:"delta"`
	Logprobs     any     `json:"logprobs"`
	FinishReason *string `json:"finish_reason"`
}

type delta struct {
	Role             string      `json:"role"`
	Content          *string     `json:"content"`
	Refusal          *string     `json:"refusal"`
	ReasoningContent string      `json:"reasoning_content"`
	ToolCalls        []callDelta `json:"tool_calls"`
}

type callDelta struct {
	Index    int    `json:"index"`
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

// events are the data of a stream's server-sent events.
func (a answer) events(t *testing.T) []string {
	t.Helper()
	if ct := a.header.Get("Content-Type"); !strings.HasPrefix(ct, "text/event-stream") {
		t.Fatalf("Content-Type %q: %s", ct, a.body)
	}
	text, whole := strings.CutSuffix(string(a.body), "\n\n")
	if !whole {
		t.Fatalf("the stream ends in the middle of an event: %q", a.body)
	}
	var list []string
	for event := range strings.SplitSeq(text, "\n\n") {
		data, ok := strings.CutPrefix(event, "data: ")
		if !ok || strings.Contains(data, "\n") {
			t.Fatalf("event %q", event)
		}
		list = append(list, data)
	}
	return list
}

// assemble puts a stream that was asked for with its usage together.
func (a answer) assemble(t *testing.T) completion {
	t.Helper()
	events := a.events(t)
	if events[len(events)-1] != "[DONE]" {
		t.Fatalf("the stream ends without its mark: %s", a.body)
	}
	c := completion{Object: "chat.completion"}
	var content string
	out := choice{Index: new(int)}
	for i, data := range events[:len(events)-1] {
		var ch chunk
		strictly(t, []byte(data), &ch)
		// Which version of a model answered is known once it has.
		sameModel := ch.Model == c.Model || strings.HasPrefix(ch.Model, c.Model) && (len(ch.Choices) == 0 || ch.Choices[0].FinishReason != nil)
		if ch.Object != "chat.completion.chunk" || i > 0 && (ch.ID != c.ID || !sameModel || ch.Created != c.Created) {
			t.Errorf("chunk %s", data)
		}
		c.ID, c.Model, c.Created = ch.ID, ch.Model, ch.Created
		if ch.SystemFingerprint != "" {
			c.SystemFingerprint = ch.SystemFingerprint
		}
		if ch.Usage != nil {
			if len(ch.Choices) != 0 || i != len(events)-2 {
				t.Errorf("usage in chunk %d of %d: %s", i, len(events), data)
			}
			c.Usage = *ch.Usage
			continue
		}
		content += out.add(t, &ch)
	}
	if len(out.Message.ToolCalls) == 0 || content != "" {
		out.Message.Content = &content
	}
	c.Choices = []choice{out}
	return c
}

// add takes in the choice of a chunk and returns what is new in its content.
func (c *choice) add(t *testing.T, ch *chunk) string {
	t.Helper()
	if len(ch.Choices) != 1 || ch.Choices[0].Index == nil || *ch.Choices[0].Index != 0 || c.FinishReason != "" {
		t.Fatalf("choices of chunk %+v", ch)
	}
	d := ch.Choices[0].Delta
	if d.Role != "" {
		c.Message.Role = d.Role
	}
	if d.Refusal != nil {
		c.Message.Refusal = d.Refusal
	}
	c.Message.ReasoningContent += d.ReasoningContent
	for _, part := range d.ToolCalls {
		if part.Index == len(c.Message.ToolCalls) {
			c.Message.ToolCalls = append(c.Message.ToolCalls, answeredCall{ID: part.ID, Type: part.Type})
			c.Message.ToolCalls[part.Index].Function.Name = part.Function.Name
		}
		c.Message.ToolCalls[part.Index].Function.Arguments += part.Function.Arguments
	}
	if f := ch.Choices[0].FinishReason; f != nil {
		c.FinishReason = *f
	}
	if d.Content == nil {
		return ""
	}
	return *d.Content
}
