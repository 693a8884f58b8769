package app_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"hyperstudy-endpoint/internal/awstest"
)

// TestStreamsOfFamilies checks for every family of Bedrock how a stream is asked
// for: text with ConverseStream, and all that has to be judged with Converse,
// which also those families take that cannot stream tool calls.
func TestStreamsOfFamilies(t *testing.T) {
	t.Parallel()
	var entries []string
	models := slices.DeleteFunc(slices.Concat(backends, others), func(b backend) bool { return b.isExternal() })
	for _, b := range models {
		entries = append(entries, strings.ReplaceAll(b.name, " ", "-")+"="+b.entry)
	}
	s := &stage{deployment: deploy(t, strings.Join(entries, ","))}
	s.serve(s.deployment)
	text, decision := with(t, request(t, "stage-text"), `"stream":true,"stream_options":{"include_usage":true}`), request(t, "stream")
	for _, b := range models {
		t.Run(b.name, func(t *testing.T) {
			alias := `"model":` + compactJSON(strings.ReplaceAll(b.name, " ", "-"))
			s.backend = b
			s.aws.Forget()
			if c := s.reached(t, s.ask(t, with(t, text, alias), says("One word after the other.")).headless(), 1, ""); c.text(t) != "One word after the other." {
				t.Errorf("%+v", c)
			}
			c := s.reached(t, s.ask(t, with(t, decision, alias), submits(answered)), 1, "")
			if _, arguments := c.call(t); arguments != answered {
				t.Errorf("%+v", c)
			}
			if calls := s.aws.Requests(); len(calls) != 2 || !calls[0].Stream || calls[1].Stream {
				t.Errorf("%d calls: %+v", len(calls), calls)
			}
		})
	}
	s.nothingRefused(t)
}

// headless is the answer with the header that a stream of live text is sent
// without, because it leaves before the number of attempts is known.
func (a answer) headless() answer {
	if a.header.Get("X-Endpoint-Attempts") == "" {
		a.header.Set("X-Endpoint-Attempts", "1")
	}
	return a
}

// TestStreamForm checks the form of streams with a model of each provider.
func TestStreamForm(t *testing.T) {
	t.Parallel()
	for _, b := range both {
		t.Run(b.name, func(t *testing.T) {
			t.Parallel()
			s := on(t, b)
			t.Run("everything", s.streamsEverything)
			t.Run("usage", s.streamsUsage)
		})
	}
}

// streamsEverything checks a stream member by member, on a completion with
// reasoning, text, two calls and the usage.
func (s *stage) streamsEverything(t *testing.T) {
	list := []toolCall{{"wait", `{}`}, {"submit_response", answered}}
	reply := saysAndCalls("Both.", list...)
	reply.bedrock = always(awstest.Reasoning("Hm.").And(awstest.Text("Both.")).And(awstest.ToolUse(list[0].name, list[0].arguments)).And(awstest.ToolUse(list[1].name, list[1].arguments)))
	reply.external.message = strings.Replace(reply.external.message, `{`, `{"reasoning_content":"Hm.",`, 1)
	a := s.ask(t, with(t, request(t, "stream"), `"parallel_tool_calls":true`), reply)
	c := s.reached(t, a, 1, "")
	m := c.Choices[0].Message
	if m.Content == nil || *m.Content != "Both." || m.ReasoningContent != "Hm." || len(m.ToolCalls) != 2 || m.ToolCalls[1].Function.Arguments != answered {
		t.Errorf("%+v", m)
	}
	events := a.events(t)
	var got []string
	for _, data := range events[:len(events)-1] {
		got = append(got, shape(t, data))
	}
	want := []string{
		"delta{content role}", "delta{reasoning_content}", "delta{content}",
		"delta{tool_calls{function{arguments name} id index type}} 0", "delta{tool_calls{function{arguments} index}} 0",
		"delta{tool_calls{function{arguments name} id index type}} 1", "delta{tool_calls{function{arguments} index}} 1",
		"delta{} tool_calls", "usage",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", lines(got), lines(want))
	}
}

// streamsUsage checks that a stream of text tells its usage when asked, in one
// chunk that has no choice, and never else.
func (s *stage) streamsUsage(t *testing.T) {
	body := with(t, request(t, "stage-text"), `"stream":true`)
	for options, want := range map[string]int{`"stream_options":null`: 0, `"stream_options":{"include_usage":false}`: 0, `"stream_options":{"include_usage":true}`: 1} {
		a := s.ask(t, with(t, body, options), says("One word after the other."))
		counts := 0
		for _, data := range a.events(t) {
			if strings.Contains(data, `"usage":{`) {
				counts++
			}
		}
		if counts != want || (strings.Contains(string(a.body), `"usage"`) != (want > 0)) {
			t.Errorf("%s: %s", options, a.body)
		}
	}
}

// shape sums a chunk up: the members of its delta, the index of its call, its
// finish reason. It fails the test unless the chunk has all that every chunk has.
func shape(t *testing.T, data string) string {
	t.Helper()
	var c struct {
		Choices []map[string]json.RawMessage
		Usage   json.RawMessage
	}
	if err := json.Unmarshal([]byte(data), &c); err != nil || c.Usage == nil {
		t.Fatalf("%v, usage %s in %s", err, c.Usage, data)
	}
	if len(c.Choices) == 0 {
		return "usage"
	}
	choice := c.Choices[0]
	if string(choice["index"]) != "0" || choice["finish_reason"] == nil || string(c.Usage) != "null" {
		t.Errorf("chunk %s", data)
	}
	var delta map[string]any
	strictly(t, choice["delta"], &delta)
	s := "delta" + names(delta)
	if list, ok := delta["tool_calls"].([]any); ok {
		call, _ := list[0].(map[string]any)
		s += " " + compactJSON(call["index"])
	}
	if finish := string(choice["finish_reason"]); finish != "null" {
		s += " " + strings.Trim(finish, `"`)
	}
	return s
}

// names lists the members of an object, and of those within it.
func names(o map[string]any) string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(o)) {
		value := o[name]
		if items, ok := value.([]any); ok && len(items) == 1 {
			value = items[0]
		}
		if inner, ok := value.(map[string]any); ok {
			name += names(inner)
		}
		list = append(list, name)
	}
	return "{" + strings.Join(list, " ") + "}"
}
