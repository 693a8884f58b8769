// Package upstreamtest knows the manners of OpenAI-compatible servers as their users
// have reported them: what they refuse and how, what their replies look like, how
// they fail. Each is a line of a table with its public source.
package upstreamtest

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"hyperstudy-endpoint/internal/openai"
)

// The servers whose manners are known. Other stands for those that were reported
// beside them.
const (
	OpenAI      = "OpenAI"
	Azure       = "Azure OpenAI"
	Anthropic   = "Anthropic"
	Google      = "Google"
	Mistral     = "Mistral"
	OpenRouter  = "OpenRouter"
	Groq        = "Groq"
	Together    = "Together"
	VLLM        = "vLLM"
	LlamaServer = "llama-server"
	Ollama      = "Ollama"
	LMStudio    = "LM Studio"
	Other       = "another"
)

// Servers are those that the endpoint is documented to work with.
var Servers = []string{OpenAI, Azure, Anthropic, Google, Mistral, OpenRouter, Groq, Together, VLLM, LlamaServer, Ollama, LMStudio}

// A Quirk is something that a server refuses, what it then accepts, and what the
// caller has to be told.
type Quirk struct {
	Server, Name, Source string

	Members string // of the request, beside model and messages, as JSON
	Rules   []Rule
	Calls   int      // until the request is accepted
	Want    string   // what the accepted request has beside model and messages
	Ignored []string // what the caller is told has no effect, sorted
}

// Quirks returns the table.
func Quirks() []Quirk { return slices.Concat(quirks, listQuirks) }

// A Rule is one thing a server refuses: while When holds for a request's body it
// answers with the status and the reply.
type Rule struct {
	When   Condition
	Status int
	Reply  string
}

// NewRule returns a Rule.
func NewRule(when Condition, status int, reply string) Rule { return Rule{when, status, reply} }

// Refusal returns what a server with the rules answers to a body that one of them
// holds for, and a status of 0 for any other.
func Refusal(rules []Rule, body *openai.Object) (status int, reply string) {
	for _, r := range rules {
		if r.When(body) {
			return r.Status, r.Reply
		}
	}
	return 0, ""
}

// A Condition is one on the body of a request.
type Condition func(body *openai.Object) bool

// Has holds if there is a member of that name, null included.
func Has(name string) Condition {
	return func(b *openai.Object) bool { return b.Get(name) != nil }
}

// Is holds if the member is this JSON text.
func Is(name, value string) Condition {
	return func(b *openai.Object) bool { return string(b.Get(name)) == value }
}

// Contains holds if the member's JSON text has the part.
func Contains(name, part string) Condition {
	return func(b *openai.Object) bool { return strings.Contains(string(b.Get(name)), part) }
}

// Below holds if the member is a number below least.
func Below(name string, least int) Condition {
	return func(b *openai.Object) bool {
		n, err := strconv.Atoi(string(b.Get(name)))
		return err == nil && n < least
	}
}

// And holds if both do.
func And(a, b Condition) Condition {
	return func(o *openai.Object) bool { return a(o) && b(o) }
}

// Not holds if the other does not.
func Not(a Condition) Condition {
	return func(o *openai.Object) bool { return !a(o) }
}

// OpenAIError is an error in the shape of OpenAI and most others. An empty param
// or code is null.
func OpenAIError(message, param, code string) string {
	e := map[string]any{"message": message, "type": "invalid_request_error", "param": nil, "code": nil}
	if param != "" {
		e["param"] = param
	}
	if code != "" {
		e["code"] = code
	}
	encoded, err := json.Marshal(map[string]any{"error": e})
	if err != nil {
		panic(err)
	}
	return string(encoded)
}

// Tools for requests, as members.
const (
	OneTool       = `"tools":[{"type":"function","function":{"name":"answer","parameters":{"type":"object"}}}]`
	OneStrictTool = `"tools":[{"type":"function","function":{"name":"answer","parameters":{"type":"object"},"strict":true}}]`
)
