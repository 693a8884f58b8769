package conformance

import (
	"context"
	"net/http"
	"slices"
	"strings"
)

// tinyLimit is too few tokens for the text that is asked for with it.
const tinyLimit = 16

func parameterChecks() []check {
	return []check{
		{Check: Check{ID: "parameter.persona", Group: "parameters", Title: "parameters of a persona", Cost: decisionCost.times(2),
			Requirement: "What an experimenter can set in a persona is taken: temperature with top_p, a seed, a limit of tokens by either name."}, run: checkPersona},
		{Check: Check{ID: "parameter.extra", Group: "parameters", Title: "extra parameters", Cost: decisionCost,
			Requirement: "Parameters that the model does not know do not make a decision fail."}, run: checkExtra},
		{Check: Check{ID: "parameter.seed", Group: "parameters", Title: "seed", Cost: decisionCost.times(2),
			Requirement: "Whether the same request with the same seed is answered alike is reported."}, run: checkSeed},
		{Check: Check{ID: "parameter.limit", Group: "parameters", Title: "limit of tokens too small", Cost: decisionCost,
			Requirement: "An answer that does not fit into the limit of tokens is never passed off as a whole one."}, run: checkTokenLimit},
	}
}

func (s *session) rate(ctx context.Context, extra map[string]any) (*decision, *Exchange) {
	return s.decide(ctx, body{Messages: screen(kindOf("rating").screen()), Tools: []Tool{waitTool, kindOf("rating").tool()}, Extra: extra}, request{})
}

// checkTaken makes requests with parameters and sees whether they are refused.
func (s *session) checkTaken(ctx context.Context, extras ...map[string]any) finding {
	ignored := map[string]bool{}
	for _, extra := range extras {
		_, x := s.rate(ctx, extra)
		names := strings.Join(sortedKeys(extra), ", ")
		switch {
		case x.err != nil:
			return skipped("There was no answer: %s.", x.Error)
		case x.declined():
			return warned("Leave these parameters blank in the persona, or have the server take them.", "A request with %s is refused with %s.", names, x.outcome())
		case x.Status != http.StatusOK:
			return failed("Look into the server's log; leave these parameters blank in the persona.", "A request with %s is answered with %s.", names, x.outcome())
		}
		for name := range strings.SplitSeq(x.Header.Get("X-Endpoint-Ignored"), ",") {
			if name = strings.TrimSpace(name); name != "" {
				ignored[name] = true
			}
		}
	}
	if len(ignored) > 0 {
		return passed("Taken. Without effect on this model, as the endpoint says: %s.", strings.Join(sortedKeys(ignored), ", "))
	}
	return passed("Taken.")
}

func checkPersona(ctx context.Context, s *session) finding {
	return s.checkTaken(ctx,
		map[string]any{"temperature": 0.7, "top_p": 0.9, "seed": 7},
		map[string]any{"max_tokens": nil, "max_completion_tokens": decisionTokens})
}

func checkExtra(ctx context.Context, s *session) finding {
	return s.checkTaken(ctx, map[string]any{"top_k": 40, "min_p": 0.05, "repeat_penalty": 1.1, "chat_template_kwargs": map[string]any{"enable_thinking": false}})
}

func checkSeed(ctx context.Context, s *session) finding {
	var said []string
	var ignored bool
	for range 2 {
		d, x := s.rate(ctx, map[string]any{"seed": 2011, "temperature": 0})
		if d == nil || !d.valid() {
			return skipped("There was no call to compare: %s.", x.outcome())
		}
		arguments, _ := text(d.completion.Choices[0].Message.ToolCalls[0].Function.Arguments)
		said = append(said, d.tool+arguments)
		ignored = ignored || slices.Contains(strings.FieldsFunc(x.Header.Get("X-Endpoint-Ignored"), func(r rune) bool { return r == ',' || r == ' ' }), "seed")
	}
	switch {
	case ignored:
		return told("The endpoint says that this model has no seed: a run cannot be repeated.")
	case said[0] == said[1]:
		return told("The same request was answered alike twice, at temperature 0.")
	}
	return told("The same request was answered differently at temperature 0: a run cannot be repeated.")
}

func checkTokenLimit(ctx context.Context, s *session) finding {
	k := kind{component: "textinput", question: "Describe your way to work in detail, in at least 400 characters.", schema: `{"type":"string","minLength":400}`}
	// Not with the other decisions: to be cut off is right here.
	a, x := s.complete(ctx, body{
		Model: s.model(ctx), Messages: screen(k.screen()), Tools: []Tool{waitTool, k.tool()}, Extra: map[string]any{"max_tokens": tinyLimit},
	}, request{})
	switch {
	case x.err != nil:
		return skipped("There was no answer: %s.", x.Error)
	case a == nil:
		return passed("Answered with an error: %s.", x.outcome())
	case a.problem != "":
		return skipped("The answer is no completion: see form.completion.")
	}
	d := judge(a, []Tool{waitTool, k.tool()})
	finish, _ := text(a.completion.Choices[0].FinishReason)
	switch {
	case d.valid():
		return passed("Answered with a whole call of %s.", d.tool)
	case d.faults[badArguments] == "" && len(d.violations) == 0:
		return passed("No call is made up of what was cut off.")
	case finish == "length":
		return warned("Leave max tokens in the persona blank, or set it high.",
			"A call that is cut off comes with status 200; only finish_reason says so.")
	default:
		return failed("Have the server answer with an error that names max_tokens.", "Half a call is passed off as a whole one: finish_reason is %q.", finish)
	}
}
