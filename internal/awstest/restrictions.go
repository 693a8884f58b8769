package awstest

import (
	"fmt"
	"regexp"
	"strings"
)

// A restriction is a reason for which the service answers ValidationException.
type restriction struct {
	id      string
	refuses string // in words
	// on says which families it holds for.
	on func(traits) bool
	// shape names the violations of the service model that are this restriction,
	// as "path constraint", with * for the place in a list.
	shape []string
	// check is the message of the refusal, or "".
	check func(*call) string
}

// Which families a restriction holds for.
var (
	all      = func(traits) bool { return true }
	onClaude = func(t traits) bool { return t.claude }
	onNova   = func(t traits) bool { return t.nova }
	onOthers = func(t traits) bool { return !t.claude && !t.unknown }
)

// restrictions are all that is known, in the order in which they are checked.
// The numbered ones (R) are those of the service, found in its documentation and
// in error reports; E are rules that go without a number in those; Q are quirks,
// where the service accepts the request and the model then fails on it.
var restrictions = []restriction{
	{id: "R42", refuses: "a model id that does not exist", on: all, check: modelExists},
	{id: "R41", refuses: "a model on demand that only has inference profiles", on: all, check: onDemand},

	{id: "R5", refuses: "no messages", on: all, check: anyMessages},
	{id: "E1", refuses: "messages of role system", on: all, check: inlineSystem},
	{id: "R2", refuses: "an empty content list", on: all, check: emptyContent},
	{id: "R1", refuses: "blank text", on: all, check: blankText},
	{id: "R3", refuses: "a conversation that starts with the assistant", on: func(t traits) bool { return !t.leadingReply }, check: leadingReply},
	{id: "R4", refuses: "two messages in a row with the same role", on: func(t traits) bool { return !t.repeatedRole }, check: repeatedRole},
	{id: "R6", refuses: "a conversation that ends with the assistant", on: onClaude, check: prefill},
	{id: "R7", refuses: "a last assistant text that ends in white space", on: onClaude, check: trailingSpace},
	{id: "R28", refuses: "a system prompt", on: func(t traits) bool { return !t.system }, check: systemPrompt},

	{id: "E2", refuses: "tool uses of the user, tool results or reasoning of the wrong role", on: all, check: blockRoles},
	{id: "R10", refuses: "two tool uses or results of one id", on: all, check: duplicateIDs},
	{id: "R8", refuses: "a tool use without its result in the next message", on: all, check: missingResults},
	{id: "R9", refuses: "more tool results than tool uses before", on: all, check: orphanResults},
	{id: "R11", refuses: "a tool result beside other content", on: func(t traits) bool { return !t.mixedResults }, check: mixedResults},
	{id: "R12", refuses: "a document or video after a tool result", on: onClaude, check: documentAfterResult},
	{id: "E9", refuses: "other content before a tool result", on: onClaude, check: resultsFirst},
	{id: "R13", refuses: "tool blocks without toolConfig", on: all, check: toolConfigMissing},

	{id: "R14", refuses: "an empty list of tools", on: all, shape: []string{"toolConfig.tools length"}},
	{id: "R15", refuses: "tools", on: func(t traits) bool { return !t.tools }, check: says("This model doesn't support tool use.", hasTools)},
	{id: "R16", refuses: "tools in a stream", on: func(t traits) bool { return !t.streamTools }, check: says("This model doesn't support tool use in streaming mode.", hasStreamTools)},
	{id: "R17", refuses: "a way to choose a tool", on: all, check: toolChoices},
	{id: "R18", refuses: "a forced tool while thinking", on: onClaude, check: forcedThinking},
	{id: "R19", refuses: "a tool name beyond [a-zA-Z0-9_-]{1,64}", on: all, shape: []string{
		"toolConfig.tools.*.member.toolSpec.name *", "messages.*.member.content.*.member.toolUse.name *", "toolConfig.toolChoice.tool.name *",
	}},
	{id: "R20", refuses: "an empty description", on: all, shape: []string{"toolConfig.tools.*.member.toolSpec.description length"}},
	{id: "R21", refuses: "a tool schema that is not of type object", on: all, check: schemaType},
	{id: "R22", refuses: "oneOf, allOf or anyOf at the top of a tool schema", on: onClaude, check: schemaTop},
	{id: "R23", refuses: "a tool schema beyond draft 2020-12 (Claude) or the plain keywords (Nova)", on: all, check: schemaDialect},
	{id: "R24", refuses: "a tool use id beyond [a-zA-Z0-9_.:-]{1,64}", on: all, shape: []string{
		"messages.*.member.content.*.member.toolUse.toolUseId *", "messages.*.member.content.*.member.toolResult.toolUseId *",
	}},
	{id: "R25", refuses: "tool input that is no object", on: all, check: inputObject, shape: []string{
		"messages.*.member.content.*.member.toolUse.input required",
	}},
	{id: "R26", refuses: "a tool result's json that is no object", on: all, check: resultObject},
	{id: "R27", refuses: "toolResult.status", on: func(t traits) bool { return t.noStatus }, check: resultStatus},
	{id: "E4", refuses: "two tools of one name", on: all, check: duplicateTools},
	{id: "E5", refuses: "the choice of a tool that is not offered", on: all, check: chosenTool},
	{id: "Q1", refuses: "hyphens and a leading digit in a tool name", on: onNova, check: novaToolName},
	{id: "Q2", refuses: "additionalProperties in a tool schema", on: onOthers, check: additionalProperties},

	{id: "E3", refuses: "media outside user messages", on: all, check: mediaRole},
	{id: "R29", refuses: "media the model cannot take", on: all, check: mediaSupport},
	{id: "R31", refuses: "images over 3.75 MB, 8000 pixels or 20 in number", on: all, check: imageLimits},
	{id: "R30", refuses: "image bytes that are not of the stated format", on: all, check: imageFormat, shape: []string{
		"messages.*.image.format *", "messages.*.image.source.bytes *",
	}},
	{id: "R32", refuses: "document names, numbers, sizes, and documents without a text", on: all, check: documents, shape: []string{
		"messages.*.document.name *",
	}},

	{id: "R33", refuses: "temperature or topP outside 0 to 1", on: all, shape: []string{
		"inferenceConfig.temperature range", "inferenceConfig.topP range",
	}},
	{id: "R34", refuses: "temperature together with topP", on: func(t traits) bool { return t.oneSampling }, check: bothSampling},
	{id: "R35", refuses: "temperature, topP and top_k", on: func(t traits) bool { return t.noSampling }, check: anySampling},
	{id: "R36", refuses: "maxTokens of 0 or above the model's limit", on: all, check: maxTokens, shape: []string{"inferenceConfig.maxTokens range"}},
	{id: "R38", refuses: "a kind of thinking the model does not know", on: onClaude, check: thinkingKind},
	{id: "R37", refuses: "a thinking budget below 1024 or not below maxTokens", on: onClaude, check: thinkingBudget},
	{id: "E6", refuses: "sampling parameters while thinking", on: onClaude, check: thinkingSampling},
	{id: "E7", refuses: "maxTokens and sampling with high reasoning effort", on: onNova, check: novaReasoning},
	{id: "R39", refuses: "stop sequences that are empty, blank or too many", on: all, check: stopSequences, shape: []string{"inferenceConfig.stopSequences.* length"}},
	{id: "R40", refuses: "replayed reasoning without its signature", on: onClaude, check: reasoningReplay},
	{id: "R43", refuses: "more input than the model's window", on: func(t traits) bool { return t.window > 0 }, check: inputLength},
	{id: "R44", refuses: "empty requestMetadata, or characters beyond its set", on: all, shape: []string{"requestMetadata *", "requestMetadata.* *"}},
	{id: "R45", refuses: "strict tools and outputConfig, or schemas beyond their subset", on: all, check: structured},
	{id: "Q3", refuses: "outputConfig.textFormat where the model pads its answer", on: func(t traits) bool { return t.padsFormat }, check: says(
		"The answer was cut off at the limit: the model padded it with white space.", hasTextFormat)},
	{id: "Q4", refuses: "a forced tool where the model, told to reason, does not call it", on: all, check: forcedReasoning},
	{id: "R46", refuses: "cache points", on: all, check: cachePoints},
	{id: "R47", refuses: "additional fields the model does not know", on: all, check: additionalFields},
	{id: "R48", refuses: "service tiers", on: func(t traits) bool { return !t.tiers }, check: serviceTier},
	{id: "E8", refuses: "a guardrail without identifier or version", on: all, check: guardrail},
}

// says is a check with a fixed message.
func says(message string, broken func(*call) bool) func(*call) string {
	return func(c *call) string {
		if broken(c) {
			return message
		}
		return ""
	}
}

// refuseShape is the refusal of a request with violations of the service model,
// or nil. It counts and lists them as the service does.
func refuseShape(found []violation) *refusal {
	if len(found) == 0 {
		return nil
	}
	messages := make([]string, len(found))
	for i, v := range found {
		messages[i] = v.message
	}
	plural := "s"
	if len(found) == 1 {
		plural = ""
	}
	return &refusal{
		rule:    shapeRule(found[0]),
		message: fmt.Sprintf("%d validation error%s detected: %s", len(found), plural, strings.Join(messages, "; ")),
	}
}

// shapeRule is the id of the restriction that a violation is.
func shapeRule(v violation) string {
	subject := v.path + " " + v.constraint
	for _, r := range restrictions {
		for _, pattern := range r.shape {
			if matches(pattern, subject) {
				return r.id
			}
		}
	}
	return "shape"
}

// matches says whether s has the form of pattern, in which * is anything.
func matches(pattern, s string) bool {
	expr := strings.ReplaceAll(regexp.QuoteMeta(pattern), `\*`, `.*`)
	ok, err := regexp.MatchString("^"+expr+"$", s)
	return err == nil && ok
}
