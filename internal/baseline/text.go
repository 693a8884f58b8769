package baseline

import (
	"strings"
	"unicode/utf8"

	"hyperstudy-endpoint/internal/openai"
)

// bytesPerToken is the estimate that tokens are counted by. There is no
// tokenizer, and four bytes are what one token of English holds on average.
const bytesPerToken = 4

// estimate returns the tokens that a text of so many bytes counts as.
func estimate(bytes int) int { return (bytes + bytesPerToken - 1) / bytesPerToken }

// promptTokens estimates a request: the text of its messages, the tool calls in
// them, and the tools. Images count nothing, for the baseline does not look.
func promptTokens(req *openai.ChatCompletionRequest) int {
	bytes := 0
	for i := range req.Messages {
		m := &req.Messages[i]
		bytes += len(m.Text()) + len(m.Refusal)
		for _, call := range m.ToolCalls {
			bytes += len(call.Function.Name) + len(call.Function.Arguments)
		}
	}
	if len(req.Tools) > 0 {
		bytes += len(req.Body.Get("tools"))
	}
	return estimate(bytes)
}

// vocabulary is all that the baseline ever says. The words mean nothing in
// particular, so that nobody takes them for an answer.
var vocabulary = []string{
	"amber", "basket", "candle", "distant", "evening", "feather", "garden", "harbor",
	"island", "jacket", "kettle", "lantern", "meadow", "narrow", "orchard", "pebble",
	"quiet", "river", "silver", "timber", "umbrella", "valley", "window", "yellow",
}

// words returns so many words, one space between them.
func (s *source) words(count int) string {
	list := make([]string, count)
	for i := range list {
		list[i] = pick(s, vocabulary...)
	}
	return strings.Join(list, " ")
}

// sentence returns what the baseline says where it is not asked for JSON.
func sentence(s *source) string {
	return "This is the random baseline, which has no model behind it: " + s.words(s.between(3, 6)) + "."
}

// beforeStop returns the text up to the first of the stop sequences.
func beforeStop(text string, stops []string) string {
	for _, stop := range stops {
		if i := strings.Index(text, stop); i >= 0 && stop != "" {
			text = text[:i]
		}
	}
	return text
}

// cut returns as much of the text as fits into so many bytes without splitting
// a character.
func cut(text string, bytes int) string {
	if bytes >= len(text) {
		return text
	}
	for bytes > 0 && !utf8.RuneStart(text[bytes]) {
		bytes--
	}
	return text[:bytes]
}

// splitWords splits a text into its words, each with the space before it.
func splitWords(text string) []string {
	var pieces []string
	for text != "" {
		end := len(text)
		if i := strings.IndexByte(text[1:], ' '); i >= 0 {
			end = i + 1
		}
		pieces = append(pieces, text[:end])
		text = text[end:]
	}
	return pieces
}

// textOf returns words that are cut to exactly so many characters. The last one
// is a letter, so that nothing that trims the text changes it.
func (s *source) textOf(length int) string {
	var b strings.Builder
	for b.Len() < length {
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(pick(s, vocabulary...))
	}
	text := b.String()[:length]
	if strings.HasSuffix(text, " ") {
		text = text[:length-1] + "s"
	}
	return text
}
