package external

import (
	"net/http"

	"hyperstudy-endpoint/internal/openai"
)

// A topic is what an upstream's refusal is about.
type topic int

const (
	aboutParameter topic = iota // or about nothing that can be told
	aboutContext                // the prompt is too long
	aboutModel                  // there is no such model
	aboutImage                  // the model takes no images
	aboutBadImage               // an image could not be used
	aboutTools                  // the model calls no tools
	aboutFilter                 // the prompt was filtered
	aboutKey                    // the upstream's key is wrong
	aboutCredit                 // the account has no credit
	aboutTokens                 // the token limit was reached before there was an answer
)

var (
	contextText = lazily(`(?i)context[ _-]?(length|size|window)|maximum context|too many (input |prompt )?tokens|` +
		`(prompt|input|messages?)[^.]{0,60}(is|are) too long|reduce the length|input token count|maximum number of tokens allowed|` +
		`(prompt|input)[^.]{0,60}exceeds?[^.]{0,60}(limit|tokens|length)`)
	limitText = lazily(`(?i)max(_completion|_output)?_tokens['"` + "`" + `]?( or '?\w+'?)? (is )?too (large|high)`)
	modelText = lazily(`(?i)\bmodel\b.{0,120}(not found|does ?n[o']t exist|not exist|is not available)|` +
		`(no such|unknown|invalid|unsupported) model|not a (valid|chat) model|unable to find model|no allowed providers|model_not_found`)
	imageText    = lazily(`(?i)image|multi-?modal|\bvision\b|mmproj`)
	noImagesText = lazily(`(?i)not support|unsupported content|support(s)? image|not a (multi-?modal|vision)|mmproj|does not (take|accept)|only (supports )?text|` +
		`no endpoints found|unknown variant|image_url.{0,40}(not|only|unknown|invalid)`)
	toolsText = lazily(`(?i)not support (tools|tool use|tool calling|function call)|support(s)? tool use|tool[- ]choice requires|enable-auto-tool-choice|` +
		`requires --jinja|tools param requires`)
	filterText   = lazily(`(?i)content management policy|content[ _]policy|content[ _]filter|flagged (as|by|for)|requires moderation|prohibited content|safety system`)
	keyText      = lazily(`(?i)api[ _-]?key (is )?(not valid|invalid|expired|missing)|(invalid|incorrect|expired) api[ _-]?key`)
	creditText   = lazily(`(?i)credit balance is too low|insufficient (balance|credits?|funds|quota)`)
	finishedText = lazily(`(?i)could not finish the message because max_tokens`)
)

// about classifies a fault by its codes first and by its words if they say nothing.
func (f *fault) about() topic {
	switch {
	case f.has("content_filter", "content_policy_violation", "responsibleaipolicyviolation", "data_inspection_failed", "moderation"):
		return aboutFilter
	case f.has("context_length_exceeded", "exceed_context_size_error", "request_too_large_for_model"):
		return aboutContext
	case f.has("model_not_found", "deploymentnotfound", "unknown_model"):
		return aboutModel
	case f.has("api_key_invalid", "invalid_api_key"): // Google's and OpenAI's
		return aboutKey
	case f.has("integer_below_min_value"):
		return aboutParameter
	case f.says(finishedText):
		return aboutTokens
	case f.says(keyText):
		return aboutKey
	case f.says(creditText):
		return aboutCredit
	case f.says(limitText):
		return aboutParameter
	case f.says(contextText):
		return aboutContext
	case f.says(filterText):
		return aboutFilter
	case f.says(toolsText):
		return aboutTools
	case f.says(modelText):
		return aboutModel
	case f.says(imageText) && f.says(noImagesText):
		return aboutImage
	case f.says(imageText):
		return aboutBadImage
	}
	return aboutParameter
}

// refused reports whether the status says that the request, rather than the
// upstream or its access, is at fault.
func (f *fault) refused() bool {
	switch f.status {
	case http.StatusBadRequest, http.StatusForbidden, http.StatusNotFound, http.StatusGone,
		http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity:
		return true
	}
	return false
}

// refusesKey reports whether the upstream does not take the endpoint's key.
// Google says so with a 400.
func (f *fault) refusesKey() bool {
	return !f.emitted && (f.status == http.StatusUnauthorized || f.refused() && f.topic == aboutKey)
}

// answer returns the model's answer if the upstream reports one as an error:
// nothing because of a limit, as OpenAI's reasoning models do, or of a filter, or
// the text that Groq could not make a tool call of
// (https://github.com/groq/groq-typescript/issues/103).
func (f *fault) answer(req *openai.ChatCompletionRequest) (*answer, bool) {
	about := f.topic
	a := &answer{usage: f.usage}
	switch deciding := len(req.CallableTools()) > 0; {
	case f.emitted || !f.refused():
		return nil, false
	case about == aboutTokens:
		a.finish = openai.FinishLength
	case about == aboutFilter && !deciding:
		a.finish = openai.FinishContentFilter
	case f.generation != "" && deciding:
		a.finish = openai.FinishStop
		a.say(f.generation)
	default:
		return nil, false
	}
	return a, true
}
