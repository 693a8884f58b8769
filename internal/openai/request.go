package openai

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"unicode/utf8"
)

// A ChatCompletionRequest is a decoded and checked request for a chat
// completion. Parameters that were absent or null are nil or empty.
type ChatCompletionRequest struct {
	Model               string
	Messages            []Message
	Tools               []Tool
	ToolChoice          ToolChoice
	ParallelToolCalls   *bool
	ResponseFormat      ResponseFormat
	MaxTokens           *int        // max_completion_tokens, else max_tokens; at least 1
	MaxTokensParam      string      // which of the two the caller used
	Temperature         *float64    // 0 to 2
	TopP                *float64    // 0 to 1
	Stop                []string    // at most 4
	Seed                json.Number // an integer of any size; empty if there is none
	ReasoningEffort     string
	ServiceTier         string
	Stream              bool
	StreamIncludesUsage bool

	// Body is the request as it came, member by member. What the methods of
	// this type change, they change in both places.
	Body Object
}

// A ResponseFormat is what the text of the answer has to look like.
type ResponseFormat struct {
	Type        string // "", "text", "json_object" or "json_schema"
	Name        string
	Description string
	Schema      json.RawMessage // of json_schema
	Strict      *bool
}

// Types of response formats.
const (
	FormatText       = "text"
	FormatJSONObject = "json_object"
	FormatJSONSchema = "json_schema"
)

// WantsJSON reports whether the answer's text has to be JSON.
func (f ResponseFormat) WantsJSON() bool {
	return f.Type == FormatJSONObject || f.Type == FormatJSONSchema
}

// DecodeRequest reads one request. Every failure is an *[Error]: 413 if the
// reader ends with an *[http.MaxBytesError], otherwise 400. If the reader has a
// method Len, as a [bytes.Reader] has, no more memory is taken than that.
func DecodeRequest(r io.Reader) (*ChatCompletionRequest, error) {
	body, err := readAll(r)
	if err != nil {
		return nil, readFault(err)
	}
	body = bytes.TrimPrefix(body, []byte("\ufeff"))
	if !utf8.Valid(body) {
		return nil, badRequest("", CodeInvalidJSON, "The request body is not valid UTF-8.")
	}
	o, err := ParseObject(body)
	if err != nil {
		return nil, syntaxFault(body, err)
	}
	if len(o.Members()) > maxMembers {
		return nil, InvalidValue("", "The request has more than %d members.", maxMembers)
	}
	req := &ChatCompletionRequest{Body: o}
	for _, decode := range []func(*ChatCompletionRequest) error{decodeUnsupported, decodeParameters, decodeMessages, decodeTools, decodeResponseFormat} {
		if err := decode(req); err != nil {
			return nil, err
		}
	}
	return req, checkConversation(req.Messages)
}

// readAll is [io.ReadAll], which copies what it has read time and again, for a
// reader whose length is known.
func readAll(r io.Reader) ([]byte, error) {
	sized, ok := r.(interface{ Len() int })
	if !ok {
		return io.ReadAll(r)
	}
	buf := bytes.NewBuffer(make([]byte, 0, sized.Len()+bytes.MinRead))
	_, err := buf.ReadFrom(r)
	return buf.Bytes(), err
}

func readFault(err error) *Error {
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return &Error{
			Status: http.StatusRequestEntityTooLarge, Type: TypeInvalidRequest, Code: CodeRequestTooLarge, Err: err,
			Message: fmt.Sprintf("The request body is larger than %d bytes. Send fewer or smaller images.", tooLarge.Limit),
		}
	}
	return &Error{Status: http.StatusBadRequest, Type: TypeInvalidRequest, Code: CodeInvalidJSON, Err: err, Message: "The request body could not be read."}
}

// syntaxFault words why the body is not a JSON object, without quoting it.
func syntaxFault(body []byte, err error) *Error {
	var syntax *json.SyntaxError
	switch {
	case len(bytes.TrimSpace(body)) == 0:
		return badRequest("", CodeInvalidJSON, "The request body is empty. Send a JSON object with 'model' and 'messages'.")
	case errors.As(err, &syntax):
		return badRequest("", CodeInvalidJSON, "The request body is not valid JSON (at byte %d of %d).", syntax.Offset, len(body))
	default:
		return badRequest("", CodeInvalidJSON, "The request body must be one JSON object.")
	}
}

// decodeUnsupported refuses what this endpoint cannot do rather than answering
// as if it had not been asked.
func decodeUnsupported(r *ChatCompletionRequest) error {
	var (
		n        *int
		logprobs *bool
	)
	d := decoder{object: &r.Body}
	d.value("n", &n)
	d.value("logprobs", &logprobs)
	if d.err != nil {
		return d.err
	}
	switch {
	case n != nil && *n != 1:
		return Unsupported("n", "This endpoint returns one choice per request. Leave 'n' out or set it to 1.")
	case logprobs != nil && *logprobs:
		return Unsupported("logprobs", "Log probabilities are not available. Leave 'logprobs' out or set it to false.")
	case r.Body.Has("audio"):
		return Unsupported("audio", "Audio output is not available. Leave 'audio' out.")
	case r.Body.Has("functions"):
		return Unsupported("functions", "'functions' is not supported. Send the functions as 'tools'.")
	case r.Body.Has("function_call"):
		return Unsupported("function_call", "'function_call' is not supported. Use 'tool_choice'.")
	}
	return nil
}

func decodeParameters(r *ChatCompletionRequest) error {
	d := decoder{object: &r.Body}
	d.value("model", &r.Model)
	d.value("temperature", &r.Temperature)
	d.value("top_p", &r.TopP)
	d.raw("seed", r.decodeSeed)
	d.value("parallel_tool_calls", &r.ParallelToolCalls)
	d.value("reasoning_effort", &r.ReasoningEffort)
	d.value("service_tier", &r.ServiceTier)
	d.value("stream", &r.Stream)
	d.raw("stop", r.decodeStop)
	d.raw("max_tokens", r.decodeMaxTokens("max_tokens"))
	d.raw("max_completion_tokens", r.decodeMaxTokens("max_completion_tokens"))
	d.raw("stream_options", r.decodeStreamOptions)
	if d.err != nil {
		return d.err
	}
	if t := r.Temperature; t != nil && (*t < 0 || *t > 2) {
		return InvalidValue("temperature", "Invalid value for 'temperature': it must be between 0 and 2.")
	}
	if p := r.TopP; p != nil && (*p < 0 || *p > 1) {
		return InvalidValue("top_p", "Invalid value for 'top_p': it must be between 0 and 1.")
	}
	return nil
}

// decodeSeed reads an integer of any size. A json.Number would take one in
// quotes too.
func (r *ChatCompletionRequest) decodeSeed(raw json.RawMessage) error {
	if json.Unmarshal(raw, &r.Seed) != nil || raw[0] == '"' || strings.ContainsAny(r.Seed.String(), ".eE") {
		return InvalidValue("seed", "Invalid value for 'seed': expected an integer.")
	}
	return nil
}

// decodeMaxTokens reads a limit. The later of two calls wins, so that
// max_completion_tokens, which replaced max_tokens, is read last.
func (r *ChatCompletionRequest) decodeMaxTokens(param string) func(json.RawMessage) error {
	return func(raw json.RawMessage) error {
		var limit float64
		if err := json.Unmarshal(raw, &limit); err != nil {
			return wrongType(param, &r.MaxTokens, err)
		}
		n := int(limit)
		if float64(n) != limit || n < 1 {
			return InvalidValue(param, "Invalid value for '%s': it must be an integer of at least 1.", param)
		}
		r.MaxTokens, r.MaxTokensParam = &n, param
		return nil
	}
}

func (r *ChatCompletionRequest) decodeStop(raw json.RawMessage) error {
	const maxStops = 4
	var one string
	if json.Unmarshal(raw, &one) == nil {
		r.Stop = []string{one}
		return nil
	}
	if json.Unmarshal(raw, &r.Stop) != nil {
		return InvalidValue("stop", "Invalid type for 'stop': expected a string or an array of strings.")
	}
	if len(r.Stop) > maxStops {
		return InvalidValue("stop", "Invalid value for 'stop': at most %d sequences are allowed.", maxStops)
	}
	return nil
}

func (r *ChatCompletionRequest) decodeStreamOptions(raw json.RawMessage) error {
	o, err := parseMember(raw, "stream_options")
	if err != nil {
		return err
	}
	if !r.Stream {
		return InvalidValue("stream_options", "The 'stream_options' parameter is only allowed when 'stream' is enabled.")
	}
	d := decoder{object: &o, at: "stream_options."}
	d.value("include_usage", &r.StreamIncludesUsage)
	return d.err
}

func decodeMessages(r *ChatCompletionRequest) error {
	if !r.Body.Has("messages") {
		return Missing("messages")
	}
	items, ok := SplitArray(r.Body.Get("messages"), maxMessages)
	if !ok {
		return InvalidValue("messages", "Invalid type for 'messages': expected an array of messages.")
	}
	if len(items) > maxMessages {
		return tooMany("messages", maxMessages)
	}
	if len(items) == 0 {
		return InvalidValue("messages", "'messages' is empty: at least one message is needed.")
	}
	r.Messages = make([]Message, len(items))
	for i, item := range items {
		m, err := decodeMessage(item, fmt.Sprintf("messages[%d]", i))
		if err != nil {
			return err
		}
		r.Messages[i] = m
	}
	return nil
}

func decodeResponseFormat(r *ChatCompletionRequest) error {
	const at = "response_format"
	if !r.Body.Has(at) {
		return nil
	}
	o, err := parseMember(r.Body.Get(at), at)
	if err != nil {
		return err
	}
	f := &r.ResponseFormat
	d := decoder{object: &o, at: at + "."}
	d.value("type", &f.Type)
	switch {
	case d.err != nil:
		return d.err
	case f.Type == FormatText, f.Type == FormatJSONObject:
		return nil
	case f.Type != FormatJSONSchema:
		return InvalidValue(at+".type", "Invalid value for '%s.type'. Supported values are: 'text', 'json_object' and 'json_schema'.", at)
	}
	d.need("json_schema")
	d.raw("json_schema", func(v json.RawMessage) error {
		s, err := parseMember(v, at+".json_schema")
		if err != nil {
			return err
		}
		sd := decoder{object: &s, at: at + ".json_schema."}
		sd.need("name")
		sd.need("schema")
		sd.value("name", &f.Name)
		sd.value("description", &f.Description)
		sd.value("strict", &f.Strict)
		f.Schema = s.Get("schema")
		return sd.err
	})
	return d.err
}
