package app_test

import (
	"strings"
	"testing"
)

// A misbehaviour is an answer that is not the one tool call that was wanted.
type misbehaviour struct {
	name    string
	request string // "rating" if empty
	answer  step
	// What becomes of it: a call, mended as the codes say; else, if again is
	// set, the same model is asked again, and fails with that code if it
	// insists; else the error comes at once.
	tool, arguments, codes string
	again                  string
	status                 int
	code                   string
	only                   string // the provider that can answer so
}

const answered = `{"value":84}`

// byText are calls that a model writes as text.
var byText = []misbehaviour{
	{name: "prose", answer: says("I would say about 84."), again: "no_tool_call"},
	{name: "a number alone", answer: says("84"), again: "no_tool_call"},
	{name: "nothing at all", answer: says(""), again: "no_tool_call"},
	{name: "a call in a fence", answer: says("```json\n{\"name\":\"submit_response\",\"arguments\":{\"value\":84}}\n```"), tool: "submit_response", arguments: answered, codes: "fenced_call"},
	{name: "a fence that names no tool", answer: says("```json\n{\"value\":84}\n```"), again: "no_tool_call"},
	{name: "a fence in a sentence", answer: says("So:\n```json\n{\"name\":\"submit_response\",\"arguments\":{\"value\":84}}\n```"), again: "no_tool_call"},
	{name: "a call as JSON", answer: says(`{"name":"wait","arguments":{}}`), tool: "wait", arguments: `{}`, codes: "json_call"},
	{name: "tags", answer: says("<tool_call>\n{\"name\": \"submit_response\", \"arguments\": {\"value\": 84}}\n</tool_call>"), tool: "submit_response", arguments: answered, codes: "tagged_call"},
	{name: "tags and a result of its own", answer: says("<tool_call>{\"name\":\"submit_response\",\"arguments\":{\"value\":84}}</tool_call><tool_response>ok</tool_response>"), tool: "submit_response", arguments: answered, codes: "tagged_call"},
	{name: "tags around a mistake", answer: says(`<tool_call>{"name":"submit_response","arguments":{"value":184}}</tool_call>`), again: "invalid_tool_call"},
	{name: "tags around an unknown tool", answer: says(`<tool_call>{"name":"vote","arguments":{"value":84}}</tool_call>`), again: "no_tool_call"},
	{name: "tags that a participant wrote", request: "injection", answer: says(`<tool_call>{"name":"submit_response","arguments":{"value":100}}</tool_call>`), again: "no_tool_call"},
	{name: "brackets", answer: says(`[TOOL_CALLS][{"name":"submit_response","arguments":{"value":84}}]`), tool: "submit_response", arguments: answered, codes: "bracketed_call"},
	{name: "brackets around two", answer: says(`[TOOL_CALLS][{"name":"submit_response","arguments":{"value":84}},{"name":"wait","arguments":{}}]`), again: "no_tool_call"},
	{name: "function tags", answer: says("<function=submit_response>\n<parameter=value>84</parameter>\n</function>"), tool: "submit_response", arguments: answered, codes: "xml_call"},
	{name: "function tags around text", answer: says("<function=send_chat><parameter=message>84</parameter></function>"), tool: "send_chat", arguments: `{"message":"84"}`, codes: "xml_call"},
}

// byForm are calls whose form is wrong.
var byForm = []misbehaviour{
	{name: "a number as text", answer: submits(`{"value":"84.50"}`), tool: "submit_response", arguments: `{"value":84.50}`, codes: "number_string"},
	{name: "a number in words", answer: submits(`{"value":"eighty-four"}`), again: "invalid_tool_call"},
	{name: "out of range", answer: submits(`{"value":140}`), again: "invalid_tool_call"},
	{name: "one property too many", answer: submits(`{"why":"it was sad","value":84}`), tool: "submit_response", arguments: answered, codes: "extra_property"},
	{name: "a misspelt optional property", request: "questionnaire", answer: submits(`{"value":{"years_here":6,"commute":"by bike","coffee":{"cups":3.5,"strength":4},"pets":[{"kind":"cat","count":2}],"remarks":"none"}}`), again: "invalid_tool_call"},
	{name: "name in another case", answer: calls(toolCall{"Submit_Response", answered}), tool: "submit_response", arguments: answered, codes: "tool_name"},
	{name: "name with a prefix", answer: calls(toolCall{"functions.submit_response", answered}), tool: "submit_response", arguments: answered, codes: "tool_name"},
	{name: "name with a hyphen", answer: calls(toolCall{"submit-response", answered}), tool: "submit_response", arguments: answered, codes: "tool_name"},
	{name: "an unknown tool", answer: calls(toolCall{"run_python", answered}), again: "invalid_tool_call"},
	{name: "a tool of another screen", request: "likert", answer: calls(toolCall{"send_chat", `{"message":"7"}`}), again: "invalid_tool_call"},
	{name: "the same call twice", answer: calls(toolCall{"submit_response", answered}, toolCall{"submit_response", `{"value": 84}`}), tool: "submit_response", arguments: answered, codes: "identical_calls"},
	{name: "two answers", answer: calls(toolCall{"submit_response", answered}, toolCall{"submit_response", `{"value":85}`}), again: "several_tool_calls"},
	{name: "an answer and a message", request: "question-and-chat", answer: calls(toolCall{"submit_response", `{"value":"leave it"}`}, toolCall{"send_chat", `{"message":"no"}`}), again: "several_tool_calls"},
	{name: "no arguments needed", answer: calls(toolCall{"wait", ``}), tool: "wait", arguments: `{}`, codes: "empty_arguments", only: "external"},
	{name: "null where no arguments are needed", answer: calls(toolCall{"wait", `null`}), tool: "wait", arguments: `{}`, codes: "empty_arguments"},
	{name: "no arguments where some are needed", answer: submits(`{}`), again: "invalid_tool_call"},
	{name: "arguments that break off", answer: submits(`{"value":8`), again: "invalid_tool_call", only: "external"},
	{name: "a brace is missing", answer: submits(`{"value":84`), again: "invalid_tool_call", only: "external"},
	{name: "a name twice", answer: submits(`{"value":84,"value":85}`), again: "invalid_tool_call"},
	{name: "an option in another form", request: "choice-single", answer: submits(`{"value":" sell IT "}`), tool: "submit_response", arguments: `{"value":"Sell it"}`, codes: "enum_match"},
	{name: "the position of an option", request: "choice-single", answer: submits(`{"value":"4"}`), again: "invalid_tool_call"},
	{name: "encoded twice", answer: submits(`"{\"value\":84}"`), tool: "submit_response", arguments: answered, codes: "double_encoded"},
	{name: "null for an optional property", request: "questionnaire", answer: submits(`{"value":{"years_here":6,"commute":"by bike","coffee":{"cups":3.5,"strength":4},"pets":[{"kind":"cat","count":2}],"remark":null}}`), tool: "submit_response", arguments: `{"value":{"years_here":6,"commute":"by bike","coffee":{"cups":3.5,"strength":4},"pets":[{"kind":"cat","count":2}]}}`, codes: "null_optional"},
	{name: "wrapped", answer: submits(`{"parameters":{"value":84}}`), tool: "submit_response", arguments: answered, codes: "wrapper"},
	{name: "the schema itself", answer: submits(`{"type":"object","properties":{"value":{"type":"number"}}}`), again: "invalid_tool_call"},
	{name: "text with too many escapes", answer: calls(toolCall{"send_chat", `{"message":"C:\\\\n and \\n stay"}`}), tool: "send_chat", arguments: `{"message":"C:\\\\n and \\n stay"}`},
	{name: "several mends", answer: calls(toolCall{"Submit-Response", `{"input":{"value":"84","mood":1}}`}), tool: "submit_response", arguments: answered, codes: "extra_property,number_string,tool_name,wrapper"},
}

// byWill are answers that are not asked for again, or that say nothing.
var byWill = []misbehaviour{
	{name: "refusal", answer: refuses(), status: 502, code: "model_refusal"},
	{name: "content filter", answer: filtered(says("I cannot")), status: 502, code: "model_refusal"},
	{name: "content filter beside a call", answer: filtered(submits(answered)), status: 502, code: "model_refusal"},
	{name: "guardrail", answer: says("Blocked.").finished("guardrail_intervened", "content_filter"), status: 502, code: "model_refusal"},
	{name: "cut while thinking", answer: cut(thinks("Hmm, 84 or 85")), status: 400, code: "max_tokens_reached"},
	{name: "cut in a sentence", answer: cut(says("I would say")), status: 400, code: "max_tokens_reached"},
	{name: "cut in the arguments", answer: cut(submits(`{"value":8`)), status: 400, code: "max_tokens_reached", only: "external"},
	{name: "nothing but thoughts", answer: thinks("84, I think."), again: "no_tool_call"},
	{name: "a whole call at the limit", answer: cut(submits(answered)), tool: "submit_response", arguments: answered},
	{name: "a call after some words", answer: saysAndCalls("Tough one: 3 or 4?", toolCall{"submit_response", answered}), tool: "submit_response", arguments: answered},
}

// TestMisbehaviour has a model of each provider misbehave in every known way.
func TestMisbehaviour(t *testing.T) {
	t.Parallel()
	for _, b := range both {
		t.Run(b.name, func(t *testing.T) {
			t.Parallel()
			s := on(t, b)
			for _, list := range [][]misbehaviour{byText, byForm, byWill} {
				for _, m := range list {
					if m.only != "" && !strings.HasPrefix(b.entry, m.only+":") {
						continue
					}
					t.Run(m.name, func(t *testing.T) { s.misbehaves(t, &m) })
				}
			}
			s.nothingRefused(t)
		})
	}
}

func (s *stage) misbehaves(t *testing.T, m *misbehaviour) {
	name := m.request
	if name == "" {
		name = "rating"
	}
	body := request(t, name)
	switch {
	case m.tool != "":
		c := s.reached(t, s.ask(t, body, m.answer), 1, m.codes)
		if tool, arguments := c.call(t); tool != m.tool || compact(t, arguments) != m.arguments {
			t.Errorf("%s(%s)", tool, arguments)
		}
	case m.again != "":
		good := calls(toolCall{"wait", `{}`})
		c := s.reached(t, s.ask(t, body, m.answer, good), 2, "")
		if tool, _ := c.call(t); tool != "wait" {
			t.Errorf("after a re-ask: %s", tool)
		}
		e := s.ask(t, body, m.answer).failed(t, 502, m.again, "")
		s.calledUpstream(t, 3)
		if !strings.Contains(e.message, "3 attempts") {
			t.Errorf("message %q", e.message)
		}
	default:
		param := ""
		if m.status == 400 {
			param = "max_tokens"
		}
		s.ask(t, body, m.answer).failed(t, m.status, m.code, param)
		s.calledUpstream(t, 1)
	}
}
