package external

import (
	"encoding/json"
	"strings"

	"hyperstudy-endpoint/internal/openai"
)

// finishReason maps what upstreams call the end of an answer to the four values
// of the API.
func finishReason(said string, called bool) string {
	switch strings.ToLower(said) {
	case "length", "max_tokens", "max_output_tokens", "model_length", "model_context_window_exceeded":
		return openai.FinishLength
	case "content_filter", "content_filtered", "safety", "recitation", "blocklist", "prohibited_content", "spii",
		"guardrail_intervened", "sensitive", "refusal":
		return openai.FinishContentFilter
	}
	if called {
		return openai.FinishToolCalls
	}
	return openai.FinishStop
}

// usage reads the token counts. Anthropic's and older names stand in for the
// API's where those are missing.
func usage(u *openai.Object) openai.Usage {
	count := func(o *openai.Object, names ...string) int {
		for _, name := range names {
			if n := number(o.Get(name)); n > 0 {
				return n
			}
		}
		return 0
	}
	counts := openai.Usage{
		PromptTokens:     count(u, "prompt_tokens", "input_tokens"),
		CompletionTokens: count(u, "completion_tokens", "output_tokens"),
		TotalTokens:      count(u, "total_tokens"),
	}
	if counts.TotalTokens == 0 {
		counts.TotalTokens = counts.PromptTokens + counts.CompletionTokens
	}
	if d, ok := member(u, "prompt_tokens_details"); ok {
		counts.PromptTokensDetails = &openai.PromptTokensDetails{CachedTokens: count(&d, "cached_tokens")}
	} else if hit := count(u, "prompt_cache_hit_tokens"); hit > 0 { // DeepSeek
		counts.PromptTokensDetails = &openai.PromptTokensDetails{CachedTokens: hit}
	}
	if d, ok := member(u, "completion_tokens_details"); ok {
		counts.CompletionTokensDetails = &openai.CompletionTokensDetails{ReasoningTokens: count(&d, "reasoning_tokens")}
	}
	return counts
}

// contentText returns the text of a content, which may be a list of parts, and
// the reasoning among its parts, as Mistral's models send it.
func contentText(raw json.RawMessage) (content, thought string) {
	items := list(raw)
	if items == nil {
		return jsonText(raw), ""
	}
	var said, thoughts strings.Builder
	for _, item := range items {
		part, ok := object(item)
		if !ok {
			said.WriteString(jsonText(item))
			continue
		}
		switch text(part.Get("type")) {
		case "thinking", "reasoning":
			for _, name := range []string{"thinking", "reasoning", "text"} {
				thoughts.WriteString(flatText(part.Get(name)))
			}
		default:
			said.WriteString(text(part.Get("text")))
		}
	}
	return said.String(), thoughts.String()
}

// reasoningText returns the reasoning that stands beside the content. Servers
// that fill several of its fields fill them with the same text.
func reasoningText(m *openai.Object) string {
	for _, name := range []string{"reasoning_content", "reasoning", "thinking"} {
		raw := m.Get(name)
		if o, ok := object(raw); ok {
			raw = o.Get("content")
		}
		if said := flatText(raw); said != "" {
			return said
		}
	}
	var said strings.Builder
	for _, item := range list(m.Get("reasoning_details")) { // OpenRouter
		if d, ok := object(item); ok {
			said.WriteString(text(d.Get("text")))
		}
	}
	return said.String()
}

// flatText returns a string, or the texts of a list of parts.
func flatText(raw json.RawMessage) string {
	var said strings.Builder
	said.WriteString(text(raw))
	for _, item := range list(raw) {
		said.WriteString(text(item))
		if part, ok := object(item); ok {
			said.WriteString(text(part.Get("text")))
		}
	}
	return said.String()
}
