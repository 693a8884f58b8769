package external

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"hyperstudy-endpoint/internal/openai"
)

// This package's messages speak of the external LLM and of the settings that
// hold for all external models. Where several services stand side by side these
// words are replaced by the model's own.
const (
	capitalLLM     = "The external LLM"
	smallLLM       = "the external LLM"
	baseURLSetting = "EXTERNAL_BASE_URL"
	keySetting     = "EXTERNAL_API_KEY_SECRET"
)

// wordsFor returns what puts a model's own words into messages.
func wordsFor(o Options) *strings.Replacer {
	if o.Alias == "" {
		return nil
	}
	behind := " behind " + o.Alias
	return strings.NewReplacer(capitalLLM, capitalLLM+behind, smallLLM, smallLLM+behind,
		baseURLSetting, o.BaseURLSetting, keySetting, o.KeySetting)
}

// named puts the model's own words into the message of an error of this package.
func (p *Provider) named(err error) error {
	var e *openai.Error
	if p.words == nil || !errors.As(err, &e) {
		return err
	}
	message := p.words.Replace(e.Message)
	if message == e.Message {
		return err
	}
	own := *e
	own.Message = message
	return &own
}

// asError words the fault for the caller.
func (f *fault) asError(req *openai.ChatCompletionRequest, sent *openai.Object) *openai.Error {
	e := f.classify(req, sent)
	e.RetryAfter, e.Usage, e.Err = f.retryAfter, f.usage, f
	if f.emitted {
		e.Temporary = false
	}
	if f.vague {
		e.Patience = openai.AFewTimes
	}
	return e
}

func (f *fault) classify(req *openai.ChatCompletionRequest, sent *openai.Object) *openai.Error {
	about := f.topic
	if f.has("exceed_context_size_error") || f.refused() && about == aboutContext { // llama-server says so with a 500
		return refusal(http.StatusBadRequest, openai.CodeContextLength, "messages",
			"The request is longer than the context of this model. Send fewer or shorter messages, or choose a model with a larger context.")
	}
	if f.refused() && about == aboutFilter {
		return upstream(http.StatusBadGateway, openai.CodeModelRefusal, false,
			"The content filter of the external LLM refused this request. It was not sent again. Change what the agent is shown, or the filter's settings.")
	}
	if f.refused() && about == aboutCredit { // Anthropic says so with a 400
		return noQuota()
	}
	if f.refused() && about == aboutKey { // and Google this
		return noAccess()
	}
	if f.unreadable() {
		return unreadableModel()
	}
	if hasImages(req) && about == aboutImage && f.status == http.StatusInternalServerError { // llama-server's status for it
		return f.badRequest(req, sent, about)
	}
	switch f.status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusProxyAuthRequired:
		return noAccess()
	case http.StatusPaymentRequired:
		return noQuota()
	case http.StatusTooManyRequests:
		if f.has("insufficient_quota", "billing_not_active", "billing_hard_limit_reached") {
			return noQuota()
		}
		return &openai.Error{
			Status: http.StatusTooManyRequests, Type: openai.TypeRateLimit, Code: openai.CodeRateLimit, Temporary: true,
			Message: "The external LLM is receiving more requests than it allows. Run fewer agents at once, or ask its operator for a higher limit.",
		}
	case http.StatusBadRequest, http.StatusUnprocessableEntity:
		return f.badRequest(req, sent, about)
	case http.StatusRequestEntityTooLarge:
		return refusal(http.StatusRequestEntityTooLarge, openai.CodeRequestTooLarge, "messages",
			"The request is larger than the external LLM takes. Send fewer or smaller images, or shorter messages.")
	case http.StatusNotFound, http.StatusGone, http.StatusMethodNotAllowed:
		return f.notFound(req, sent, about)
	}
	return f.byStatus()
}

// byStatus words the faults whose status says all there is to say.
func (f *fault) byStatus() *openai.Error {
	switch {
	case f.status == http.StatusServiceUnavailable || f.status == 529: // 529 is Anthropic's and Cloudflare's "overloaded"
		return upstream(http.StatusServiceUnavailable, openai.CodeUnavailable, true,
			"The external LLM is overloaded or starting up. Try again in a moment.")
	case f.status >= 500, f.status == http.StatusRequestTimeout, f.status == http.StatusConflict,
		f.status == http.StatusFailedDependency, f.status == http.StatusTooEarly:
		return upstream(http.StatusBadGateway, openai.CodeUpstream, true, "The external LLM failed with status %d. Try again.", f.status)
	default:
		return upstream(http.StatusBadGateway, openai.CodeUpstream, false,
			"The external LLM refused the request with status %d. Check EXTERNAL_BASE_URL.", f.status)
	}
}

// notFound tells an unknown model from an address where there is no such API.
func (f *fault) notFound(req *openai.ChatCompletionRequest, sent *openai.Object, about topic) *openai.Error {
	switch about {
	case aboutModel:
		return noModel()
	case aboutImage, aboutTools:
		return f.badRequest(req, sent, about)
	default:
		return upstream(http.StatusBadGateway, openai.CodeUpstream, false,
			"There is no chat completions API at the address of the external LLM. Set EXTERNAL_BASE_URL to its API root, such as https://api.openai.com/v1.")
	}
}

func (f *fault) badRequest(req *openai.ChatCompletionRequest, sent *openai.Object, about topic) *openai.Error {
	switch {
	case about == aboutModel:
		return noModel()
	case about == aboutTools:
		return openai.Unsupported("tools", "This model cannot call tools the way its server is set up. Choose another model, or have tool calling enabled on the server.")
	case hasImages(req) && about == aboutImage:
		return openai.Unsupported("messages", "This model does not take images. Choose a model that does, or leave the images out.")
	case hasImages(req) && about == aboutBadImage:
		return openai.InvalidValue("messages", "The external LLM could not use an image of this request. Send PNG, JPEG, GIF or WebP of a common size, at an address it can reach.")
	}
	for _, c := range f.complaints {
		if param := c.param(sent); param != "" {
			return c.asError(param, req)
		}
	}
	return refusal(http.StatusBadRequest, openai.CodeInvalidValue, "",
		"The external LLM refused this request without naming a parameter of it. Check the messages, the tools' schemas and the model's settings.")
}

var (
	upTo     = lazily(`(?i)(?:<=|≤|at most|less than or equal to|maximum(?: value)?(?: is| of|:)?|no more than)\s*(\d{1,9}(?:\.\d{1,6})?)`)
	inside   = lazily(`(?i)(?:between|range(?: of [\w.]+)?(?: is| should be|:)?)[\s\[(]*(-?\d{1,9}(?:\.\d{1,6})?)\s*(?:,|and|to|-)\s*(\d{1,9}(?:\.\d{1,6})?)`)
	fromUp   = lazily(`(?i)(?:>=|≥|at least|greater than or equal to|minimum(?: value)?(?: is| of|:)?|no less than)\s*(-?\d{1,9}(?:\.\d{1,6})?)`)
	tooLarge = lazily(`(?i)too (large|high)`)
)

// asError is the 400 for a parameter that could not be negotiated. Of what the
// upstream said only the bounds it names are repeated, which are numbers.
func (c complaint) asError(param string, req *openai.ChatCompletionRequest) *openai.Error {
	if isLimit(param) && req.MaxTokensParam != "" {
		param = req.MaxTokensParam
	}
	if req.Body.Get(param) == nil {
		param = ""
	}
	switch {
	case param == "" || !plainName.MatchString(param):
		return refusal(http.StatusBadRequest, openai.CodeInvalidValue, "", "The external LLM refused a parameter of this request. Check its parameters against what the model takes.")
	case inside.MatchString(c.text):
		m := inside.FindStringSubmatch(c.text)
		return openai.InvalidValue(param, "Invalid value for '%s': this model takes values from %s to %s.", param, m[1], m[2])
	case upTo.MatchString(c.text):
		return openai.InvalidValue(param, "Invalid value for '%s': this model takes at most %s.", param, upTo.FindStringSubmatch(c.text)[1])
	case fromUp.MatchString(c.text):
		return openai.InvalidValue(param, "Invalid value for '%s': this model takes at least %s.", param, fromUp.FindStringSubmatch(c.text)[1])
	case tooLarge.MatchString(c.text):
		return openai.InvalidValue(param, "Invalid value for '%s': it is too large for this model.", param)
	case c.refuses() && !inRange.MatchString(c.text):
		return openai.Unsupported(param, "The external LLM does not support '%s' as it is used in this request.", param)
	}
	return openai.InvalidValue(param, "The external LLM refused the value of '%s'.", param)
}

func hasImages(req *openai.ChatCompletionRequest) bool {
	for _, m := range req.Messages {
		for _, part := range m.Content {
			if part.Type == openai.PartImageURL {
				return true
			}
		}
	}
	return false
}

func refusal(status int, code, param, message string) *openai.Error {
	return &openai.Error{Status: status, Type: openai.TypeInvalidRequest, Code: code, Param: param, Message: message}
}

// upstream is a fault that is not the caller's.
func upstream(status int, code string, temporary bool, format string, args ...any) *openai.Error {
	return &openai.Error{Status: status, Type: openai.TypeServer, Code: code, Temporary: temporary, Message: fmt.Sprintf(format, args...)}
}

// noAccess is never a 401 or 403: the caller's own key is fine.
func noAccess() *openai.Error {
	return upstream(http.StatusBadGateway, openai.CodeModelAccessDenied, false,
		"The external LLM refused the endpoint's own key or its access to this model. Check the secret that EXTERNAL_API_KEY_SECRET names, and what its account may use.")
}

func noQuota() *openai.Error {
	return &openai.Error{
		Status: http.StatusTooManyRequests, Type: openai.TypeRateLimit, Code: openai.CodeInsufficientQuota,
		Message: "The account with the external LLM has no credit left. Add credit or raise its spending limit.",
	}
}

func noModel() *openai.Error {
	return refusal(http.StatusNotFound, openai.CodeModelNotFound, "model",
		"The external LLM does not know the model that this alias stands for. Check the model id in MODELS.")
}

// unreadableModel is an answer that the model was asked for and has spoilt.
func unreadableModel() *openai.Error {
	e := upstream(http.StatusBadGateway, openai.CodeModelError, true,
		"The external LLM could not read what its model had written. Try again; if it stays, simplify the tools or choose another model, and leave 'seed' out, with which it may write the same again.")
	e.Patience = openai.AFewTimes
	return e
}

func redirected() *openai.Error {
	return upstream(http.StatusBadGateway, openai.CodeUpstream, false,
		"The external LLM answers with a redirect, which is not followed so that its key stays where it belongs. Set EXTERNAL_BASE_URL to the address that serves the API itself.")
}

func oversized() *openai.Error {
	return upstream(http.StatusBadGateway, openai.CodeUpstream, false, "The reply of the external LLM is too large to be read. Set 'max_tokens' or choose another model.")
}
