package external

import (
	"bytes"
	"encoding/json"
	"slices"

	"hyperstudy-endpoint/internal/openai"
)

// A draft is a request as it goes upstream.
type draft struct {
	body    openai.Object
	ignored []string // the caller's parameters that it does not carry, sorted
}

// compose writes the request for a model that needs the adjustments.
func compose(req *openai.ChatCompletionRequest, stream bool, known []adjustment) draft {
	d := draft{body: req.Body.Clone()}
	setStream(&d.body, stream)
	if len(req.Tools) == 0 && d.body.Has("tools") {
		dropTools(&d.body)
	}
	for _, a := range known {
		if changed, lost := a.apply(&d.body); changed && lost != "" {
			d.ignored = append(d.ignored, callersName(req, lost)...)
		}
	}
	slices.Sort(d.ignored)
	d.ignored = slices.Compact(d.ignored)
	return d
}

// dropTools leaves an empty list of tools out, and what only means something
// beside tools. Servers refuse it, and without it the request asks for the same.
func dropTools(o *openai.Object) {
	for _, name := range []string{"tools", "tool_choice", "parallel_tool_calls"} {
		o.Delete(name)
	}
}

// callersName returns what the caller called a parameter: the limit of the
// completion has two names, and stream_options may have been added here.
func callersName(req *openai.ChatCompletionRequest, param string) []string {
	switch {
	case isLimit(param) && req.MaxTokensParam != "":
		return []string{req.MaxTokensParam}
	case param == "stream_options" && !req.StreamIncludesUsage:
		return nil
	default:
		return []string{param}
	}
}

func (d *draft) streams() bool { return isTrue(d.body.Get("stream")) }

// setStream makes the request fit to how the provider was called.
func setStream(o *openai.Object, stream bool) {
	if !stream {
		if isTrue(o.Get("stream")) {
			o.Delete("stream")
		}
		o.Delete("stream_options")
		return
	}
	o.Set("stream", json.RawMessage("true"))
	options, _ := member(o, "stream_options")
	options.Set("include_usage", json.RawMessage("true"))
	if encoded, err := options.MarshalJSON(); err == nil {
		o.Set("stream_options", encoded)
	}
}

func isTrue(raw json.RawMessage) bool { return string(bytes.TrimSpace(raw)) == "true" }

// limitParams are the names of the limit of the completion, the one that counts
// where a request has both first.
var limitParams = []string{"max_completion_tokens", "max_tokens"}

func isLimit(param string) bool { return slices.Contains(limitParams, param) }

// limitParam returns the name under which the request limits the completion.
func limitParam(o *openai.Object) string {
	for _, name := range limitParams {
		if o.Has(name) {
			return name
		}
	}
	return ""
}
