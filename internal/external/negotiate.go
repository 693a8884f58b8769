package external

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"hyperstudy-endpoint/internal/openai"
)

// What upstreams say about parameters. The forms were collected from public
// reports; the tests name them.
var (
	unsupported = lazily(`(?i)unsupported|not support|unknown|unrecogni[sz]ed|not recogni[sz]ed|not permitted|` +
		`not (currently )?allowed|only allowed|not accept|cannot find field|unexpected|extra_forbidden|extra (inputs?|fields?)|additional propert|` +
		`not available|not (yet )?implemented|not enabled|deprecated|cannot be (set|used|specified)|not compatible|incompatible|` +
		`must not be|no longer|only be set to|only the default`)
	onlyDefault = lazily(`(?i)only the default(?: value)?(?: \(([-\d.]+)\))?|only be set to ([-\d.]+)|must be set to ([-\d.]+)`)
	inRange     = lazily(`(?i)less than|greater than|between|\brange\b|at most|at least|maximum|minimum|[<>]=?|≤|≥|` +
		`too (large|high|big|small|low)|below|above|exceed|supported values|(must|should|can) be one of|expected one of`)
	foreign    = lazily(`unsupported_parameter|unknown_parameter|extra_forbidden`)
	conflict   = lazily(`(?i)\bboth\b|together|same time|mutually exclusive|simultaneously|be combined|in combination|\bwhen\b`)
	roleFault  = lazily(`(?i)\brole\b|developer`)
	thinking   = lazily(`(?i)\bthink\b|thinking|reasoning`)
	streamOnly = lazily(`(?i)only supports? stream|stream(ing)? (mode )?(is )?required|must be streamed`)
	unknownAt  = lazily(`Unknown name \\?"([\w.]+)\\?" at '([^']*)'`)
	plainName  = lazily(`^[\w.-]{1,64}$`)
	minimum    = lazily(`(?i)(?:>=|≥|at least|greater than or equal to|minimum(?: value)?(?: is| of|:)?|no less than)\s*(\d{1,6})\b`)
	above      = lazily(`(?i)(?:greater than|more than|larger than|>)\s*(\d{1,6})\b`)
)

// maxRaise is the highest minimum for which a caller's limit is raised: beyond
// it the answer would no longer be the short one that was asked for.
const maxRaise = 4096

// limitNames are what servers call the limit of the completion in their errors.
var limitNames = []string{"max_tokens", "max_completion_tokens", "max_output_tokens", "max_new_tokens", "maxOutputTokens"}

// lasting are the parameters without which a request asks for something else.
var lasting = []string{"messages", "model", "tools", "tool_choice", "stream"}

// everyday are parameters whose names are words that also occur in prose.
var everyday = []string{"temperature", "seed", "stop", "user", "store", "metadata", "n", "stream", "tools", "messages", "model", "thinking", "reasoning"}

// negotiate returns the adjustments that answer a refusal: none if it is not
// about a parameter, or if nothing is left to try.
func negotiate(f *fault, sent *openai.Object, known []adjustment) []adjustment {
	if f.emitted {
		return nil
	}
	if a := (adjustment{action: plainChoice}); f.unreadable() && a.fits(sent) {
		return []adjustment{a}
	}
	if f.status != http.StatusBadRequest && f.status != http.StatusUnprocessableEntity {
		return nil
	}
	if about := f.topic; about == aboutContext || about == aboutFilter || about == aboutTokens {
		return nil
	}
	var found []adjustment
	for _, c := range f.each(sent) {
		a, ok := c.answer(sent)
		if !ok || slices.Contains(known, a) || slices.Contains(found, a) || slices.ContainsFunc(known, a.undoes) {
			continue
		}
		if a.fits(sent) {
			found = append(found, a)
		}
	}
	return found
}

// answer returns the adjustment that meets one complaint.
func (c complaint) answer(sent *openai.Object) (adjustment, bool) {
	if streamOnly.MatchString(c.text) {
		return adjustment{action: streamOn}, true
	}
	param := c.param(sent)
	if param == "" && c.refuses() {
		param = c.thinking(sent) // Ollama says "think", whatever the member is called
	}
	if (param == "" || param == "messages") && roleFault.MatchString(c.place+" "+c.text) {
		return adjustment{action: systemRole}, true
	}
	switch {
	case param == "":
		return adjustment{}, false
	case isLimit(param):
		return c.answerLimit(param, sent)
	case param == "tool_choice":
		return c.answerToolChoice(sent)
	case param == "stream":
		return adjustment{action: streamOff}, c.refuses()
	case param == "tools":
		return adjustment{action: looseTools}, c.refuses() && c.names("strict")
	case param == "response_format" && c.names("strict"):
		return adjustment{action: looseSchema}, c.refuses()
	case param == "response_format":
		return adjustment{action: drop, param: param}, c.refuses() || c.names("response_format.type")
	case slices.Contains(lasting, param):
		return adjustment{}, false
	default:
		return c.answerDrop(param, sent)
	}
}

// answerLimit renames the limit of the completion or raises it to the minimum
// that the server names.
func (c complaint) answerLimit(param string, sent *openai.Object) (adjustment, bool) {
	if least := c.minimum(); least > number(sent.Get(param)) && least <= maxRaise {
		return adjustment{action: raise, least: least}, true
	}
	other := "max_completion_tokens"
	if param == other {
		other = "max_tokens"
	}
	return adjustment{action: rename, param: param, value: other}, c.refuses()
}

// minimum returns the least value that the complaint says a parameter may have, or 0.
func (c complaint) minimum() int {
	if m := minimum.FindStringSubmatch(c.text); m != nil {
		n, _ := strconv.Atoi(m[1])
		return n
	}
	if m := above.FindStringSubmatch(c.text); m != nil {
		n, _ := strconv.Atoi(m[1])
		return n + 1
	}
	return 0
}

// answerToolChoice weakens a choice that the server cannot keep.
func (c complaint) answerToolChoice(sent *openai.Object) (adjustment, bool) {
	if !sent.Has("tools") {
		return adjustment{action: drop, param: "tool_choice", without: "tools"}, true
	}
	a := adjustment{action: autoChoice}
	if _, ok := member(sent, "tool_choice"); ok {
		a.action = plainChoice
	}
	if conflict.MatchString(c.text) || thinking.MatchString(c.text) {
		a.with = c.partner("tool_choice", sent)
	}
	if a.with == "" && thinking.MatchString(c.text) {
		a.without = "thinking" // the model thinks unless it is told not to
	}
	return a, true
}

// answerDrop leaves a parameter out that the model does not take. One that it
// takes with other values is the caller's to change.
func (c complaint) answerDrop(param string, sent *openai.Object) (adjustment, bool) {
	a := adjustment{action: drop, param: param}
	if !plainName.MatchString(param) {
		return a, false
	}
	if m := onlyDefault.FindStringSubmatch(c.text); m != nil {
		a.value = m[1] + m[2] + m[3]
		if conflict.MatchString(c.text) {
			a.with = c.partner(param, sent)
		}
		return a, true
	}
	if conflict.MatchString(c.text) {
		if partner := c.partner(param, sent); partner != "" {
			if param == "temperature" && partner == "top_p" {
				param, partner = partner, param
			}
			return adjustment{action: drop, param: param, with: partner}, true
		}
	}
	if c.mentions("tools") && !sent.Has("tools") {
		a.without = "tools"
		return a, true
	}
	return a, foreign.MatchString(c.kind) || c.refuses() && !inRange.MatchString(c.text)
}

// refuses reports whether the server does not take the parameter at all, as far
// as it can be told.
func (c complaint) refuses() bool {
	return unsupported.MatchString(c.text) || unsupported.MatchString(c.kind)
}

// names reports whether the complaint is about the member with that name or path.
func (c complaint) names(name string) bool {
	return strings.HasSuffix(c.place, name) || c.mentions(name)
}

// mentions reports whether name stands in the text as a name.
func (c complaint) mentions(name string) bool { return position(c.text, name) >= 0 }

// param returns the parameter of the request that the complaint is about, or "".
func (c complaint) param(sent *openai.Object) string {
	place := c.place
	if m := unknownAt.FindStringSubmatch(c.text); m != nil {
		place = m[2] + "." + m[1]
	}
	place = strings.TrimPrefix(place, "request.") // as Google has it
	root, _, _ := strings.Cut(strings.ReplaceAll(place, "[", "."), ".")
	if sent.Get(root) != nil {
		return root
	}
	if slices.Contains(limitNames, root) {
		return limitParam(sent)
	}
	found := named(c.text, sent)
	if len(found) == 0 {
		return ""
	}
	return found[0]
}

// partner returns the first other parameter that the complaint names. Thinking
// goes by many names, of which reasoning_effort is the API's own.
func (c complaint) partner(param string, sent *openai.Object) string {
	for _, name := range named(c.text, sent) {
		if name != param {
			return name
		}
	}
	if name := c.thinking(sent); name != param {
		return name
	}
	return ""
}

// thinking returns the member of the request that is about the thinking that the
// complaint speaks of.
func (c complaint) thinking(sent *openai.Object) string {
	for _, name := range []string{"thinking", "enable_thinking", "reasoning", "reasoning_effort"} {
		if sent.Has(name) && thinking.MatchString(c.text) {
			return name
		}
	}
	return ""
}

// named returns the parameters of the request that stand in the text, in the
// order in which they stand there.
func named(said string, sent *openai.Object) []string {
	at := map[string]int{}
	note := func(name, param string) {
		if i := position(said, name); i >= 0 && param != "" {
			if before, ok := at[param]; !ok || i < before {
				at[param] = i
			}
		}
	}
	for _, name := range candidates(sent) {
		note(name, name)
	}
	for _, name := range limitNames {
		if sent.Get(name) == nil {
			note(name, limitParam(sent))
		}
	}
	var found []string
	for name := range at {
		found = append(found, name)
	}
	slices.SortFunc(found, func(a, b string) int {
		if at[a] != at[b] {
			return at[a] - at[b]
		}
		return strings.Compare(a, b)
	})
	return found
}
