package awstest

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Converse is a completion given as the body of an answer of Converse, which is
// sent byte for byte. For a stream its content is cut into events; a body that is
// no completion is sent there as it is.
func Converse(body string) Reply {
	r := Raw(http.StatusOK, body)
	r.events = recordedEvents(body)
	return r
}

// ParseReply reads a reply as test cases keep it in a file: the body of an answer
// of Converse; or status, code, message and retryAfter of an error; or the events
// of a stream, each an object with its type and payload, or exception and message.
func ParseReply(file []byte) Reply {
	var script struct {
		Status     int
		Code       string
		Message    string
		RetryAfter string
		Events     []map[string]json.RawMessage
	}
	switch err := json.Unmarshal(file, &script); {
	case err == nil && script.Events != nil:
		return Stream(parseEvents(script.Events)...)
	case err != nil || script.Status == 0:
		return Converse(string(file))
	}
	r := Error(script.Status, script.Code, script.Message)
	if script.RetryAfter != "" {
		r = r.WithHeader("Retry-After", script.RetryAfter)
	}
	return r
}

func parseEvents(list []map[string]json.RawMessage) []Event {
	events := []Event{}
	for _, members := range list {
		var exception, message string
		if json.Unmarshal(members["exception"], &exception) == nil && json.Unmarshal(members["message"], &message) == nil {
			events = append(events, Exception(exception, message))
			continue
		}
		for kind, payload := range members {
			events = append(events, NewEvent(kind, string(payload)))
		}
	}
	return events
}

// recordedEvents are the events of a stream that says what a completion says;
// nil if body is none.
func recordedEvents(body string) []Event {
	var answer struct {
		Output struct {
			Message *struct{ Content []json.RawMessage }
		}
		StopReason  string
		Usage       json.RawMessage
		ServiceTier json.RawMessage
	}
	if json.Unmarshal([]byte(body), &answer) != nil || answer.Output.Message == nil {
		return nil
	}
	events := []Event{MessageStart()}
	for i, block := range answer.Output.Message.Content {
		events = append(append(events, recordedBlock(i, block)...), BlockStop(i))
	}
	metadata := map[string]any{"metrics": map[string]any{"latencyMs": latency}}
	for name, value := range map[string]json.RawMessage{"usage": answer.Usage, "serviceTier": answer.ServiceTier} {
		if value != nil {
			metadata[name] = value
		}
	}
	payload, err := json.Marshal(metadata)
	if err != nil {
		return nil // does not happen: these are parts of valid JSON
	}
	return append(events, MessageStop(answer.StopReason), NewEvent("metadata", string(payload)))
}

// A recordedUse is the tool use of a completion.
type recordedUse struct {
	ToolUseID, Name, Type string
	Input                 json.RawMessage
}

// recordedBlock are the events of one content block. A kind that is not here
// makes a delta of a kind that nobody knows.
func recordedBlock(index int, raw json.RawMessage) []Event {
	var b struct {
		Text             *string
		ToolUse          *recordedUse
		ReasoningContent *struct {
			ReasoningText *struct{ Text, Signature string }
		}
		CitationsContent *struct {
			Content []struct{ Text string }
		}
	}
	switch err := json.Unmarshal(raw, &b); {
	case err != nil:
	case b.Text != nil && !strings.ContainsRune(*b.Text, utf8.RuneError): // decoding would mend text that is not Unicode
		return block{kind: textBlock, text: *b.Text}.events(index)
	case b.ToolUse != nil:
		return b.ToolUse.events(index)
	case b.ReasoningContent != nil && b.ReasoningContent.ReasoningText != nil:
		thought := b.ReasoningContent.ReasoningText
		events := cut(thought.Text, textPiece, func(piece string) Event { return ReasoningDelta(index, piece) })
		return append(events, SignatureDelta(index, thought.Signature))
	case b.CitationsContent != nil:
		var events []Event
		for _, c := range b.CitationsContent.Content {
			events = append(events, TextDelta(index, c.Text))
		}
		return events
	}
	return []Event{delta(index, string(raw))}
}

func (u *recordedUse) events(index int) []Event {
	start := ToolUseStart(index, u.ToolUseID, u.Name)
	if u.Type != "" {
		start = NewEvent("contentBlockStart", `{"contentBlockIndex":`+strconv.Itoa(index)+`,"start":{"toolUse":`+
			string(object("toolUseId", u.ToolUseID, "name", u.Name, "type", u.Type))+`}}`)
	}
	input := string(u.Input)
	if input == "null" {
		input = ""
	}
	return append([]Event{start}, cut(input, inputPiece, func(piece string) Event { return ToolUseDelta(index, piece) })...)
}

// cut makes an event of every n bytes of s, about.
func cut(s string, n int, event func(piece string) Event) []Event {
	var events []Event
	for _, p := range pieces(s, n) {
		events = append(events, event(p))
	}
	return events
}
