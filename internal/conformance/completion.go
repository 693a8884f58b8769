package conformance

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
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
		return c, "the body has not the form of a completion: " + misfit(err)
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

// misfit says which member of a JSON text has another type than it should.
func misfit(err error) string {
	e := (*json.UnmarshalTypeError)(nil)
	if !errors.As(err, &e) {
		return err.Error()
	}
	article := "a"
	if strings.IndexAny(e.Value, "aeiou") == 0 {
		article = "an"
	}
	return fmt.Sprintf("%s is %s %s", cmp.Or(e.Field, "it"), article, e.Value)
}

// FormProblem says what is wrong with the form of a body that is to be a chat
// completion, and of the calls in it; "" says that nothing is. Texts and arguments
// are not judged.
func FormProblem(body []byte) string {
	c, problem := readCompletion(body)
	if problem == "" {
		problem = c.formProblem()
	}
	if problem == "" && len(c.Choices[0].Message.ToolCalls) > 0 {
		problem = c.Choices[0].callProblem()
	}
	return problem
}

// formProblem says what keeps a completion from having the form of OpenAI's.
func (c *completion) formProblem() string {
	object, _ := text(c.Object)
	role, _ := text(c.Choices[0].Message.Role)
	id, _ := text(c.ID)
	switch {
	case !absent(c.Error):
		return "an error stands beside the choices, so that nobody knows which of them counts"
	case len(c.Choices) > 1:
		return fmt.Sprintf("there are %d choices where one was asked for", len(c.Choices))
	case object != "chat.completion":
		return `object is not "chat.completion"`
	case id == "":
		return "there is no id"
	case strings.Trim(string(c.Created), "0123456789") != "" || len(c.Created) == 0:
		return "created is not a time in seconds"
	case string(c.Choices[0].Index) != "0":
		return "choices[0].index is not 0"
	case role != "assistant":
		return `the message's role is not "assistant"`
	case absent(c.Choices[0].FinishReason):
		return "there is no finish_reason"
	}
	return ""
}

// callProblem says what is wrong with what surrounds the calls of a choice.
func (c *choice) callProblem() string {
	ids := map[string]bool{}
	for _, call := range c.Message.ToolCalls {
		id, isText := text(call.ID)
		kind, _ := text(call.Type)
		switch {
		case !isText || id == "":
			return "a call without an id"
		case ids[id]:
			return "two calls of one id"
		case kind != "function":
			return `a call whose type is not "function"`
		}
		ids[id] = true
	}
	refusal, _ := text(c.Message.Refusal)
	_, isText := text(c.Message.Content)
	finish, _ := text(c.FinishReason)
	switch {
	case !isText && !absent(c.Message.Content):
		return "content that is neither null nor a string"
	case refusal != "":
		return "a refusal beside a tool call, so that nobody knows which of them counts"
	case finish != "tool_calls":
		return fmt.Sprintf("finish_reason %q where it should be \"tool_calls\"", finish)
	}
	return ""
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
		if said, ok := m.Content.(string); ok {
			a.prompt += utf8.RuneCountInString(said)
		}
	}
	s.mu.Lock()
	s.answers = append(s.answers, a)
	s.mu.Unlock()
	return a, x
}
