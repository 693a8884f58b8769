package conformance

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"slices"
	"strings"

	"hyperstudy-endpoint/internal/wording"
)

func streamChecks() []check {
	return []check{
		{Check: Check{ID: "stream.text", Group: "streams", Title: "stream of text", Cost: cognitionCost,
			Requirement: "With stream: true a text comes as server-sent events, or the request is refused. HyperStudy is not known to stream."}, run: checkTextStream},
		{Check: Check{ID: "stream.decision", Group: "streams", Title: "stream of a decision", Cost: decisionCost,
			Requirement: "A decision that is streamed is the same once it is put together: one call, valid by the schema."}, run: checkDecisionStream},
	}
}

// A chunk is one event of a stream.
type chunk struct {
	Object  string          `json:"object"`
	Error   json.RawMessage `json:"error"`
	Usage   json.RawMessage `json:"usage"`
	Choices []chunkChoice   `json:"choices"`
}

type chunkChoice struct {
	Index json.RawMessage `json:"index"`
	Delta struct {
		Content   json.RawMessage `json:"content"`
		Refusal   json.RawMessage `json:"refusal"`
		ToolCalls []callPart      `json:"tool_calls"`
	} `json:"delta"`
	FinishReason json.RawMessage `json:"finish_reason"`
}

// A callPart is what a chunk adds to a tool call.
type callPart struct {
	Index    *int            `json:"index"`
	ID       json.RawMessage `json:"id"`
	Type     json.RawMessage `json:"type"`
	Function struct {
		Name      *string `json:"name"`
		Arguments *string `json:"arguments"`
	} `json:"function"`
}

// A streamed answer is what the chunks of a stream add up to.
type streamed struct {
	text    strings.Builder
	refusal strings.Builder
	calls   []toolCall
	args    [][]byte // of the calls
	finish  json.RawMessage
	usage   json.RawMessage
	after   bool // something followed the finish reason
}

// stream asks for a stream and puts it together; ok is false if finding already
// tells the end.
func (s *session) stream(ctx context.Context, b body) (st *streamed, x *Exchange, f finding, ok bool) {
	b.Model = s.model(ctx)
	if b.Extra == nil {
		b.Extra = map[string]any{}
	}
	b.Extra["stream"], b.Extra["stream_options"] = true, map[string]bool{"include_usage": true}
	x = s.send(ctx, request{method: http.MethodPost, path: "/chat/completions", body: b.encode()})
	switch {
	case x.err != nil:
		return nil, x, skipped("There was no whole answer: %s.", x.Error), false
	case x.declined():
		return nil, x, told("Streams are refused: %s. HyperStudy is not known to ask for them.", x.outcome()), false
	case x.Status != http.StatusOK:
		return nil, x, failed("Refuse with 400 what is not supported; a server error looks like an outage.", "A request with stream: true is answered with %s.", x.outcome()), false
	}
	st, problem := readStream(x)
	if problem != "" {
		return nil, x, failed("Send chunks as OpenAI does: data: {…}, a finish_reason at the end, then data: [DONE].", "The stream is not in OpenAI's form: %s.", problem), false
	}
	s.report.Usage.add((&answer{completion: completion{Usage: st.usage}}).usage())
	return st, x, f, true
}

// readStream puts a stream together or says what is wrong with its form.
func readStream(x *Exchange) (*streamed, string) {
	if kind, _, _ := mime.ParseMediaType(x.Header.Get("Content-Type")); kind != "text/event-stream" {
		return nil, fmt.Sprintf("the Content-Type is %q", kind)
	}
	st := &streamed{}
	done := false
	body := bytes.ReplaceAll(x.body, []byte("\r\n"), []byte("\n"))
	for event := range bytes.SplitSeq(body, []byte("\n\n")) {
		data := eventData(event)
		switch {
		case data == "":
			continue // a comment, which keeps the connection open
		case done:
			return nil, "there are events after [DONE]"
		case data == "[DONE]":
			done = true
			continue
		}
		var c chunk
		if err := json.Unmarshal([]byte(data), &c); err != nil {
			return nil, "an event is not a chunk in JSON"
		}
		if what := ambiguity([]byte(data)); what != "" {
			return nil, "an event has " + what
		}
		if problem := st.add(&c); problem != "" {
			return nil, problem
		}
	}
	switch {
	case !done:
		return nil, "[DONE] is missing at its end"
	case absent(st.finish):
		return nil, "no chunk has a finish_reason"
	case st.after:
		return nil, "there is content after the finish_reason"
	}
	if u := (&answer{completion: completion{Usage: st.usage}}).usage(); u.problem != "" {
		return nil, "include_usage was set, and " + u.problem
	}
	return st, ""
}

// eventData joins the data lines of an event.
func eventData(event []byte) string {
	var data []string
	for line := range strings.SplitSeq(string(event), "\n") {
		if rest, has := strings.CutPrefix(line, "data:"); has {
			data = append(data, strings.TrimPrefix(rest, " "))
		}
	}
	return strings.Join(data, "\n")
}

// add adds one chunk, or says what is wrong with it.
func (st *streamed) add(c *chunk) string {
	switch {
	case !absent(c.Error):
		return "an event is an error"
	case c.Object != "chat.completion.chunk":
		return `a chunk's object is not "chat.completion.chunk"`
	}
	if !absent(c.Usage) {
		st.usage = c.Usage
	}
	for i := range c.Choices {
		if problem := st.addChoice(&c.Choices[i]); problem != "" {
			return problem
		}
	}
	return ""
}

func (st *streamed) addChoice(c *chunkChoice) string {
	if string(c.Index) != "0" {
		return "there is a choice beside the first, or one without an index"
	}
	said, _ := text(c.Delta.Content)
	declined, _ := text(c.Delta.Refusal)
	st.after = st.after || !absent(st.finish) && (said != "" || declined != "" || len(c.Delta.ToolCalls) > 0)
	st.text.WriteString(said)
	st.refusal.WriteString(declined)
	for i := range c.Delta.ToolCalls {
		if problem := st.addPart(&c.Delta.ToolCalls[i]); problem != "" {
			return problem
		}
	}
	if !absent(c.FinishReason) {
		st.finish = c.FinishReason
	}
	return ""
}

func (st *streamed) addPart(p *callPart) string {
	switch {
	case p.Index == nil:
		return "a part of a tool call has no index"
	case *p.Index < 0 || *p.Index > len(st.calls):
		return "the indexes of the tool calls have gaps"
	case *p.Index == len(st.calls):
		if p.Function.Name == nil {
			return "the first part of a tool call has no name"
		}
		call := toolCall{ID: p.ID, Type: p.Type}
		call.Function.Name = quoted(*p.Function.Name)
		st.calls, st.args = append(st.calls, call), append(st.args, nil)
	}
	if p.Function.Arguments != nil {
		st.args[*p.Index] = append(st.args[*p.Index], *p.Function.Arguments...)
	}
	return ""
}

// completion is the stream as one answer.
func (st *streamed) completion() completion {
	m := answerMessage{Role: quoted("assistant"), ToolCalls: slices.Clone(st.calls)}
	for i := range m.ToolCalls {
		m.ToolCalls[i].Function.Arguments = quoted(string(st.args[i]))
	}
	if st.text.Len() > 0 {
		m.Content = quoted(st.text.String())
	}
	if st.refusal.Len() > 0 {
		m.Refusal = quoted(st.refusal.String())
	}
	return completion{Choices: []choice{{Message: &m, FinishReason: st.finish}}, Usage: st.usage}
}

// quoted is a string as JSON.
func quoted(s string) json.RawMessage {
	encoded, err := json.Marshal(s)
	if err != nil {
		return nil // no string fails
	}
	return encoded
}

func checkTextStream(ctx context.Context, s *session) finding {
	st, _, f, ok := s.stream(ctx, body{Messages: []message{{"system", surmise}, {"user", "What does Participant B want? Seen so far: took the map, and asked twice for the time."}}})
	switch {
	case !ok:
		return f
	case len(st.calls) > 0:
		return failed("Send no tool calls where no tools were offered.", "The stream holds a tool call, although no tool was offered.")
	case st.text.Len() == 0:
		return failed("Send the model's text as delta.content.", "The stream holds no text.")
	}
	return passed("Streamed %s of text.", wording.Count(len([]rune(st.text.String())), "character"))
}

func checkDecisionStream(ctx context.Context, s *session) finding {
	tools := []Tool{chatTool, waitTool, kindOf("rating").tool()}
	st, x, f, ok := s.stream(ctx, body{Messages: screen(kindOf("rating").screen()), Tools: tools})
	if !ok {
		return f
	}
	d := judge(&answer{Exchange: x, completion: st.completion()}, tools)
	if len(d.violations) > 0 {
		return failed(schemaAdvice, "The streamed call breaks the schema: %s.", d.violations[0])
	}
	for _, fault := range []fault{noCall, severalCalls, wrongName, badArguments, badForm} {
		if problem := d.faults[fault]; problem != "" {
			return failed(formAdvice, "The decision was streamed as %s.", problem)
		}
	}
	if d.refusal {
		return told("The model refused.")
	}
	return passed("One call of %s.", d.tool)
}
