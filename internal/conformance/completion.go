package conformance

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"unicode/utf8"
)

// An answer is a response of status 200 to a chat completion request.
type answer struct {
	*Exchange
	completion completion
	problem    string // why it is no completion, if it is none
	loaded     bool   // one of many at once
	prompt     int    // characters of the request
}

// A completion as far as it is looked at. Members whose type may be wrong are
// kept as they came.
type completion struct {
	ID      json.RawMessage `json:"id"`
	Object  json.RawMessage `json:"object"`
	Created json.RawMessage `json:"created"`
	Model   json.RawMessage `json:"model"`
	Choices []choice        `json:"choices"`
	Usage   json.RawMessage `json:"usage"`
	Error   json.RawMessage `json:"error"`
}

type choice struct {
	Index        json.RawMessage `json:"index"`
	Message      *answerMessage  `json:"message"`
	FinishReason json.RawMessage `json:"finish_reason"`
}

type answerMessage struct {
	Role      json.RawMessage `json:"role"`
	Content   json.RawMessage `json:"content"`
	Refusal   json.RawMessage `json:"refusal"`
	ToolCalls []toolCall      `json:"tool_calls"`
}

type toolCall struct {
	ID       json.RawMessage `json:"id"`
	Type     json.RawMessage `json:"type"`
	Function struct {
		Name      json.RawMessage `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"function"`
}

// readCompletion reads a completion, or says why it is none.
func readCompletion(data []byte) (c completion, problem string) {
	switch err := json.Unmarshal(data, &c); {
	case len(bytes.TrimSpace(data)) == 0:
		return c, "the body is empty"
	case !json.Valid(data):
		return c, "the body is not JSON"
	case !utf8.Valid(data):
		return c, "the body is not UTF-8"
	case err != nil:
		return c, "the body has not the form of a completion: " + reason(err)
	case c.Choices == nil:
		return c, "there is no choices array"
	case len(c.Choices) == 0:
		return c, "choices is empty"
	case c.Choices[0].Message == nil:
		return c, "choices[0] has no message"
	}
	if what := ambiguity(data); what != "" {
		return c, "the body has " + what
	}
	return c, ""
}

// text is the string that a JSON value is.
func text(raw json.RawMessage) (string, bool) {
	if raw = bytes.TrimSpace(raw); len(raw) == 0 || raw[0] != '"' {
		return "", false
	}
	var s string
	return s, json.Unmarshal(raw, &s) == nil
}

// absent reports whether a member is missing or null.
func absent(raw json.RawMessage) bool {
	return len(raw) == 0 || string(raw) == "null"
}

// A usage is what an answer says it used, or why that cannot be read.
type usage struct {
	prompt, completion int
	problem            string
}

func (a *answer) usage() usage {
	var u struct {
		Prompt     *int `json:"prompt_tokens"`
		Completion *int `json:"completion_tokens"`
		Total      *int `json:"total_tokens"`
	}
	switch err := json.Unmarshal(a.completion.Usage, &u); {
	case absent(a.completion.Usage):
		return usage{problem: "there is no usage"}
	case err != nil:
		return usage{problem: "usage does not hold integers"}
	case u.Prompt == nil || u.Completion == nil || u.Total == nil:
		return usage{problem: "usage lacks prompt_tokens, completion_tokens or total_tokens"}
	case *u.Prompt <= 0 || *u.Completion < 0:
		return usage{problem: "usage counts no tokens of the prompt, or less than none"}
	case *u.Total != *u.Prompt+*u.Completion:
		return usage{problem: "total_tokens is not the sum of the other two"}
	default:
		return usage{prompt: *u.Prompt, completion: *u.Completion}
	}
}

// add adds what can be read of an answer's usage.
func (u *Usage) add(more usage) {
	if more.problem == "" {
		u.PromptTokens += more.prompt
		u.CompletionTokens += more.completion
	}
}

// complete sends a chat completion request and keeps the answer.
func (s *session) complete(ctx context.Context, b body, r request) (*answer, *Exchange) {
	r.method, r.path = http.MethodPost, "/chat/completions"
	r.body = b.encode()
	x := s.send(ctx, r)
	if x.err != nil || x.Status != 200 {
		return nil, x
	}
	a := &answer{Exchange: x, loaded: r.loaded}
	a.completion, a.problem = readCompletion(x.body)
	for _, m := range b.Messages {
		if s, ok := m.Content.(string); ok {
			a.prompt += utf8.RuneCountInString(s)
		}
	}
	s.mu.Lock()
	s.answers = append(s.answers, a)
	s.mu.Unlock()
	return a, x
}
