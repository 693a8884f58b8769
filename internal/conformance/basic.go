package conformance

import (
	"context"
	"encoding/json"
	"fmt"
)

// basicCallers is how many requests hyperstudy-agent makes at once when it verifies
// an endpoint.
const basicCallers = 8

var basicCost = Cost{Requests: 1, PromptTokens: 120, CompletionTokens: 60}

// basicChecks are those of hyperstudy-agent, HyperStudy's own command-line tool,
// beside the ones of the list and of a wrong key: with the model "default", another
// name for the tool, a schema that allows more, and no tool_choice.
func basicChecks() []check {
	return []check{
		{Check: Check{ID: "basics.call", Group: "basics", Title: "tool calling", Quick: true, Cost: basicCost,
			Requirement: `The model "default" answers with a call of the offered tool whose value is a number.`}, run: checkToolCalling},
		{Check: Check{ID: "basics.parallel", Group: "basics", Title: fmt.Sprintf("concurrency (%d parallel)", basicCallers), Quick: true,
			Cost:        basicCost.times(basicCallers),
			Requirement: "Eight requests at once are all answered, 95 % of them within the time limit."}, run: checkConcurrency},
	}
}

func basicBody() body {
	return body{
		Model:    "default",
		Messages: []message{{"user", "Submit the number 2 with the respond tool."}},
		Tools: []Tool{{Name: "respond", Description: "Give your answer.",
			Parameters: json.RawMessage(`{"type":"object","properties":{"value":{"type":"number"}},"required":["value"]}`)}},
		Extra: map[string]any{"tool_choice": nil, "max_tokens": 512},
	}
}

func checkToolCalling(ctx context.Context, s *session) finding {
	d, x := s.decide(ctx, basicBody(), request{})
	switch {
	case x.err != nil:
		return skipped("There was no answer: %s.", x.Error)
	case x.Status != 200 && !x.declined():
		return failed(callAdvice, "A decision is answered with %s.", x.outcome())
	case x.Status != 200:
		return failed(`Have the name "default" mean the first model; until then HyperStudy needs the model's own name.`,
			`A decision asked of the model "default" is answered with %s.`, x.outcome())
	case d == nil:
		return skipped("The answer is no completion: see form.completion.")
	case d.refusal:
		return warned("Try another model.", "The model refused to submit a number.")
	case len(d.violations) > 0:
		return failed(schemaAdvice, "The arguments break the schema: %s.", d.violations[0])
	}
	for _, f := range []fault{noCall, severalCalls, wrongName, badArguments} {
		if problem := d.faults[f]; problem != "" {
			return failed(callAdvice, "The decision was answered with %s.", problem)
		}
	}
	return passed("The model called %s, and the value is a number.", d.tool)
}

func checkConcurrency(ctx context.Context, s *session) finding {
	return s.judgeLoad(s.together(ctx, basicCallers, func(int) body { return basicBody() }))
}
