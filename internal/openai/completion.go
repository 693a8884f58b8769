package openai

import "encoding/json"

// Finish reasons of a choice.
const (
	FinishStop          = "stop"
	FinishLength        = "length"
	FinishToolCalls     = "tool_calls"
	FinishContentFilter = "content_filter"
)

// A ChatCompletion is the answer to a chat completion request. Every
// completion of this endpoint has exactly one choice.
type ChatCompletion struct {
	ID                string   `json:"id"`
	Object            string   `json:"object"`  // always "chat.completion"
	Created           int64    `json:"created"` // Unix time in seconds
	Model             string   `json:"model"`   // the upstream's own id of the model that answered
	Choices           []Choice `json:"choices"`
	Usage             Usage    `json:"usage"`
	ServiceTier       string   `json:"service_tier,omitempty"`
	SystemFingerprint string   `json:"system_fingerprint,omitempty"`

	// Ignored names the request's parameters that had no effect on this model.
	Ignored []string `json:"-"`
}

// A Choice is one of the answers in a completion.
type Choice struct {
	Index        int           `json:"index"`
	Message      AnswerMessage `json:"message"`
	Logprobs     *struct{}     `json:"logprobs"` // always null: log probabilities are refused in the request
	FinishReason string        `json:"finish_reason"`
}

// An AnswerMessage is what the model said and which tools it called.
type AnswerMessage struct {
	Role    string  `json:"role"` // always "assistant"
	Content *string `json:"content"`
	Refusal *string `json:"refusal"`
	// ReasoningContent is the model's reasoning, where it gives one. The field is
	// not OpenAI's but the one that DeepSeek, vLLM and others agreed on.
	ReasoningContent string     `json:"reasoning_content,omitempty"`
	ToolCalls        []ToolCall `json:"tool_calls,omitempty"`
}

// A ToolCall is one call of a function by the model.
type ToolCall struct {
	ID       string       `json:"id"`
	Type     string       `json:"type"` // always "function"
	Function FunctionCall `json:"function"`

	// Extra is what the upstream wants to see again beside the call when it is put
	// back to it. Google's is a signature without which Gemini 3 refuses the
	// conversation: https://ai.google.dev/gemini-api/docs/thought-signatures
	Extra json.RawMessage `json:"extra_content,omitempty"`
}

// A FunctionCall names a function and holds its arguments as JSON text. The
// text is the model's and need not be valid.
type FunctionCall struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// Usage counts tokens.
type Usage struct {
	PromptTokens            int                      `json:"prompt_tokens"`
	CompletionTokens        int                      `json:"completion_tokens"`
	TotalTokens             int                      `json:"total_tokens"`
	PromptTokensDetails     *PromptTokensDetails     `json:"prompt_tokens_details,omitempty"`
	CompletionTokensDetails *CompletionTokensDetails `json:"completion_tokens_details,omitempty"`
}

// PromptTokensDetails splits the prompt's tokens.
type PromptTokensDetails struct {
	CachedTokens int `json:"cached_tokens"`
}

// CompletionTokensDetails splits the completion's tokens.
type CompletionTokensDetails struct {
	ReasoningTokens int `json:"reasoning_tokens"`
}

// Add returns the sum of both counts.
func (u Usage) Add(v Usage) Usage {
	sum := Usage{
		PromptTokens:     u.PromptTokens + v.PromptTokens,
		CompletionTokens: u.CompletionTokens + v.CompletionTokens,
		TotalTokens:      u.TotalTokens + v.TotalTokens,
	}
	if u.PromptTokensDetails != nil || v.PromptTokensDetails != nil {
		sum.PromptTokensDetails = &PromptTokensDetails{CachedTokens: u.CachedTokens() + v.CachedTokens()}
	}
	if u.CompletionTokensDetails != nil || v.CompletionTokensDetails != nil {
		sum.CompletionTokensDetails = &CompletionTokensDetails{ReasoningTokens: u.ReasoningTokens() + v.ReasoningTokens()}
	}
	return sum
}

// CachedTokens is the part of the prompt that was read from a cache; 0 if unknown.
func (u Usage) CachedTokens() int {
	if u.PromptTokensDetails == nil {
		return 0
	}
	return u.PromptTokensDetails.CachedTokens
}

// ReasoningTokens is the part of the completion that was reasoning; 0 if unknown.
func (u Usage) ReasoningTokens() int {
	if u.CompletionTokensDetails == nil {
		return 0
	}
	return u.CompletionTokensDetails.ReasoningTokens
}

// A ChatCompletionChunk is one event of a streamed completion.
type ChatCompletionChunk struct {
	ID      string        `json:"id"`
	Object  string        `json:"object"` // always "chat.completion.chunk"
	Created int64         `json:"created"`
	Model   string        `json:"model"`
	Choices []ChunkChoice `json:"choices"` // empty in the usage chunk
	// Usage is absent, or null in every chunk but the usage chunk where
	// stream_options.include_usage asks for one.
	Usage             json.RawMessage `json:"usage,omitempty"`
	ServiceTier       string          `json:"service_tier,omitempty"`
	SystemFingerprint string          `json:"system_fingerprint,omitempty"`
}

// A ChunkChoice is the part of a choice that a chunk adds.
type ChunkChoice struct {
	Index        int       `json:"index"`
	Delta        Delta     `json:"delta"`
	Logprobs     *struct{} `json:"logprobs"`
	FinishReason *string   `json:"finish_reason"` // null in all chunks but the last with a choice
}

// A Delta is what a chunk adds to the message. The zero Delta adds nothing.
type Delta struct {
	Role             string          `json:"role,omitempty"`
	Content          *string         `json:"content,omitempty"`
	Refusal          *string         `json:"refusal,omitempty"`
	ReasoningContent string          `json:"reasoning_content,omitempty"`
	ToolCalls        []ToolCallDelta `json:"tool_calls,omitempty"`
}

// A ToolCallDelta opens a tool call (ID, Type and the name are set) or adds to
// the arguments of the one with the same index.
type ToolCallDelta struct {
	Index    int               `json:"index"`
	ID       string            `json:"id,omitempty"`
	Type     string            `json:"type,omitempty"`
	Function FunctionCallDelta `json:"function"`
	Extra    json.RawMessage   `json:"extra_content,omitempty"`
}

// A FunctionCallDelta is the part of a function call that a chunk adds.
type FunctionCallDelta struct {
	Name      string `json:"name,omitempty"`
	Arguments string `json:"arguments"`
}
