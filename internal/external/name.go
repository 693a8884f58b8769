package external

import (
	"slices"
	"strings"

	"hyperstudy-endpoint/internal/openai"
)

// maxMembers is how many members of a request are looked for in a complaint.
const maxMembers = 64

// parametersOfAPI are the members that the API has, those that servers refuse first.
// See https://platform.openai.com/docs/api-reference/chat/create.
var parametersOfAPI = []string{
	"temperature", "top_p", "max_tokens", "max_completion_tokens", "seed", "stop", "n", "presence_penalty", "frequency_penalty", "logit_bias",
	"logprobs", "top_logprobs", "response_format", "tools", "tool_choice", "parallel_tool_calls", "functions", "function_call", "stream",
	"stream_options", "reasoning_effort", "verbosity", "user", "store", "metadata", "service_tier", "safety_identifier", "prompt_cache_key",
	"modalities", "audio", "prediction", "web_search_options", "messages", "model",
}

// candidates returns the members of the request that a complaint may name: the
// API's, and as many others as there is room for.
func candidates(sent *openai.Object) []string {
	var names []string
	for _, name := range parametersOfAPI {
		if sent.Get(name) != nil {
			names = append(names, name)
		}
	}
	for _, m := range sent.Members() {
		if len(names) >= maxMembers {
			break
		}
		if !slices.Contains(parametersOfAPI, m.Name) {
			names = append(names, m.Name)
		}
	}
	return names
}

// Words beside which a word is the name of a parameter.
var (
	nounsBefore = []string{"param", "params", "parameter", "parameters", "argument", "arguments", "field", "fields", "property", "properties", "supplied", "input", "inputs"}
	verbsAfter  = []string{"is", "are", "does", "must", "may", "should", "can", "cannot", "not", "parameter", "and"}
)

// position returns where name stands in the text as the name of a parameter, or
// -1. Names that are also words of prose have to be in quotes or beside a word
// that makes names of them.
func position(said, name string) int {
	if name == "" {
		return -1
	}
	prose := slices.Contains(everyday, name) || !strings.ContainsAny(name, "_.")
	for from := 0; ; {
		i := strings.Index(said[from:], name)
		if i < 0 {
			return -1
		}
		start := from + i
		before, after := said[:start], said[start+len(name):]
		if prose && asName(before, after) || !prose && alone(before, after) {
			return start
		}
		from = start + 1
	}
}

// alone reports whether what stands between the two texts is a word of its own.
func alone(before, after string) bool {
	return (before == "" || !isWordByte(before[len(before)-1]) && before[len(before)-1] != '.' && before[len(before)-1] != '-') &&
		(after == "" || !isWordByte(after[0]) && after[0] != '-')
}

// asName reports whether what stands between the two texts is meant as a name.
func asName(before, after string) bool {
	last, next := byte(' '), byte(' ')
	if before != "" {
		last = before[len(before)-1]
	}
	if after != "" {
		next = after[0]
	}
	const quotes = "\"'`"
	if strings.IndexByte(quotes, last) >= 0 && after != "" && strings.IndexByte(quotes+".[", next) >= 0 {
		return true
	}
	if !isWordByte(next) && (last == ' ' || last == ':') {
		if word := lastWord(strings.TrimRight(before, ": ")); slices.Contains(nounsBefore, strings.ToLower(word)) {
			return true
		}
	}
	if strings.IndexByte(" \t\r\n("+quotes, last) < 0 || after == "" {
		return false
	}
	if next == ':' {
		return true
	}
	return next == ' ' && slices.Contains(verbsAfter, firstWord(after[1:]))
}

func firstWord(s string) string {
	for i := range len(s) {
		if !isWordByte(s[i]) {
			return s[:i]
		}
	}
	return s
}

func lastWord(s string) string {
	for i := len(s) - 1; i >= 0; i-- {
		if !isWordByte(s[i]) {
			return s[i+1:]
		}
	}
	return s
}

func isWordByte(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}
