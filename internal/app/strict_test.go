package app_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
)

// parameters are those of the Chat Completions API. Any other is refused.
var parameters = []string{
	"messages", "model", "tools", "tool_choice", "parallel_tool_calls", "response_format", "max_tokens", "max_completion_tokens",
	"temperature", "top_p", "stop", "seed", "reasoning_effort", "service_tier", "stream", "stream_options", "n", "logprobs", "top_logprobs",
	"frequency_penalty", "presence_penalty", "logit_bias", "user", "metadata", "store", "modalities", "prediction", "verbosity",
	"prompt_cache_key", "safety_identifier",
}

// ownHeaders are those that an HTTP client sends by itself. Any other may be
// the caller's, which is nobody else's business.
var ownHeaders = []string{"Accept", "Accept-Encoding", "Authorization", "Content-Length", "Content-Type", "User-Agent"}

// check says why a request is not taken, in the words of the API; an empty
// message means that it is.
func check(r *http.Request, key string, s *sent) (status int, code, message string) {
	switch {
	case r.Method != http.MethodPost || r.URL.String() != "/api/v1/chat/completions":
		return http.StatusNotFound, "unknown_url", fmt.Sprintf("Unknown request URL: %s %s.", r.Method, r.URL)
	case r.Header.Get("Authorization") != bearer(key):
		return http.StatusUnauthorized, "invalid_api_key", "Incorrect API key provided."
	case r.Header.Get("Content-Type") != "application/json":
		return http.StatusBadRequest, "invalid_request", "The Content-Type has to be application/json."
	}
	for name := range r.Header {
		if !slices.Contains(ownHeaders, name) {
			return http.StatusBadRequest, "invalid_request", "Unexpected header: " + name
		}
	}
	var body struct {
		Model          string
		Messages       []upstreamMessage
		Tools          []upstreamTool
		ToolChoice     json.RawMessage `json:"tool_choice"`
		ResponseFormat struct {
			Type       string
			JSONSchema struct {
				Name   string
				Schema map[string]any
			} `json:"json_schema"`
		} `json:"response_format"`
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(s.body, &members) != nil || json.Unmarshal(s.body, &body) != nil {
		return http.StatusBadRequest, "invalid_json", "We could not parse the JSON body of your request."
	}
	s.model = body.Model
	for _, problem := range []string{unknownParameters(members), badMessages(body.Messages), badTools(body.Tools, body.ToolChoice)} {
		if problem != "" {
			return http.StatusBadRequest, "invalid_value", problem
		}
	}
	if f := body.ResponseFormat; f.Type == "json_schema" && (f.JSONSchema.Name == "" || f.JSONSchema.Schema == nil) {
		return http.StatusBadRequest, "invalid_value", "Missing required parameter: 'response_format.json_schema'."
	}
	return 0, "", ""
}

// bearer is the header with a key, and none for an upstream without keys.
func bearer(key string) string {
	if key == "" {
		return ""
	}
	return "Bearer " + key
}

type upstreamMessage struct {
	Role       string
	Content    json.RawMessage
	ToolCallID string `json:"tool_call_id"`
	ToolCalls  []struct {
		ID, Type string
		Function struct{ Name, Arguments string }
	} `json:"tool_calls"`
}

type upstreamTool struct {
	Type     string
	Function struct {
		Name, Description string
		Parameters        map[string]any
		Strict            *bool
	}
}

func unknownParameters(members map[string]json.RawMessage) string {
	var unknown []string
	for name := range members {
		if !slices.Contains(parameters, name) {
			unknown = append(unknown, name)
		}
	}
	if unknown == nil {
		return ""
	}
	slices.Sort(unknown)
	return "Unrecognized request arguments supplied: " + strings.Join(unknown, ", ")
}

var functionName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

func badTools(tools []upstreamTool, choice json.RawMessage) string {
	if len(tools) == 0 && choice != nil {
		return "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified."
	}
	for i, t := range tools {
		f := t.Function
		switch {
		case t.Type != "function" || !functionName.MatchString(f.Name):
			return fmt.Sprintf("Invalid 'tools[%d].function.name': string does not match pattern.", i)
		case f.Parameters != nil && f.Parameters["type"] != "object":
			return fmt.Sprintf("Invalid schema for function '%s': schema must be a JSON Schema of type 'object'.", f.Name)
		}
	}
	return ""
}

// badMessages holds the conversation to the rules of the API: known roles, and
// a result for every call in the messages right behind it.
func badMessages(messages []upstreamMessage) string {
	if len(messages) == 0 {
		return "Invalid 'messages': empty array."
	}
	var open []string
	for i, m := range messages {
		if m.Role != "tool" && len(open) > 0 {
			return fmt.Sprintf("An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. (messages[%d])", i)
		}
		content := string(m.Content)
		switch m.Role {
		case "system", "developer", "user":
			if content == "" || content == "null" {
				return fmt.Sprintf("Invalid value for 'content': expected a string, got null. (messages[%d])", i)
			}
			if strings.Contains(content, "data:image/svg") {
				return fmt.Sprintf("Invalid image: you uploaded an unsupported image. (messages[%d])", i)
			}
		case "assistant":
			if len(m.ToolCalls) == 0 && (content == "" || content == "null") {
				return fmt.Sprintf("Invalid value for 'content': expected a string, got null. (messages[%d])", i)
			}
			for _, c := range m.ToolCalls {
				if c.ID == "" || c.Type != "function" || !functionName.MatchString(c.Function.Name) || !isObject(c.Function.Arguments) {
					return fmt.Sprintf("Invalid tool call in messages[%d].", i)
				}
				open = append(open, c.ID)
			}
		case "tool":
			at := slices.Index(open, m.ToolCallID)
			if at < 0 {
				return fmt.Sprintf("messages with role 'tool' must be a response to a preceding message with 'tool_calls'. (messages[%d])", i)
			}
			open = slices.Delete(open, at, at+1)
		default:
			return fmt.Sprintf("Invalid value: '%s'. (messages[%d].role)", m.Role, i)
		}
	}
	if len(open) > 0 {
		return "The last tool calls have no results."
	}
	return ""
}

func isObject(text string) bool {
	var o map[string]json.RawMessage
	return json.Unmarshal([]byte(text), &o) == nil && o != nil
}
