package conformance

import (
	"context"
	"fmt"
	"mime"
	"strings"

	"hyperstudy-endpoint/internal/wording"
)

// runChecks look at all that was exchanged in the run, and ask nothing more.
func runChecks() []check {
	list := []check{
		{Check: Check{ID: string(noCall), Group: "decisions", Title: "a call and not text",
			Requirement: "A decision is answered by calling a tool."}, run: checkFault(noCall, callAdvice, ", so HyperStudy has nothing to carry out")},
		{Check: Check{ID: string(severalCalls), Group: "decisions", Title: "one call a turn",
			Requirement: "A decision is one call: an agent takes one action a turn."}, run: checkFault(severalCalls,
			"Have the server ask for one call at a time (parallel_tool_calls), or ask again.", "")},
		{Check: Check{ID: string(wrongName), Group: "decisions", Title: "an offered tool",
			Requirement: "The tool called is one of those the request offers, to the letter."}, run: checkFault(wrongName,
			"Hand names on as they were offered; refuse a call of a tool that was not.", "")},
		{Check: Check{ID: string(badArguments), Group: "decisions", Title: "arguments of a call",
			Requirement: "The arguments of a call are a string that holds one JSON object."}, run: checkFault(badArguments,
			"Encode the arguments once, as a string; refuse what is not JSON instead of passing it on.", "")},
		{Check: Check{ID: string(badForm), Group: "decisions", Title: "form of a call",
			Requirement: "A call has an id and the type function, no refusal beside it, and the finish reason says tool_calls."}, run: checkFault(badForm, formAdvice, "")},
		{Check: Check{ID: "decision.rate", Group: "decisions", Title: "share of valid answers",
			Requirement: "How many decisions were valid at once, mended, asked for again and failed is reported."}, run: checkRates},
		{Check: Check{ID: "form.completion", Group: "form", Title: "form of an answer",
			Requirement: "An answer has the form of an OpenAI chat completion: one choice, no error beside it, and nothing that parsers read differently."}, run: checkForm},
		{Check: Check{ID: "form.usage", Group: "form", Title: "token counts",
			Requirement: "Every answer counts its tokens: HyperStudy keeps them with the data and stops an agent by them."}, run: checkUsage},
		{Check: Check{ID: "form.model", Group: "form", Title: "model that answered",
			Requirement: "Every answer names the model that gave it, which becomes part of the data."}, run: checkModel},
		{Check: Check{ID: "form.reasoning", Group: "form", Title: "reasoning kept apart",
			Requirement: "What a model thinks before it answers does not stand in its answer."}, run: checkReasoning},
		{Check: Check{ID: "error.form", Group: "errors", Title: "form of errors",
			Requirement: "An error is JSON with error.message, the text that an experimenter sees."}, run: checkErrorForm},
		{Check: Check{ID: "time.connection", Group: "time", Title: "no lost connections",
			Requirement: "Every request has an answer, if only an error."}, run: checkLost},
		{Check: Check{ID: "time.limit", Group: "time", Title: "time limit",
			Requirement: "Every request is answered within the limit set by the experimenter; after it, HyperStudy has hung up."}, run: checkLimit},
	}
	for i := range list {
		list[i].Quick, list[i].always = true, true
	}
	return list
}

// checkFault tells how many decisions have a fault, and what comes of it.
func checkFault(f fault, advice, consequence string) func(context.Context, *session) finding {
	return func(_ context.Context, s *session) finding {
		var shown []*Exchange
		problem, n := "", 0
		for _, d := range s.decisions {
			if d.faults[f] == "" {
				continue
			}
			if n++; problem == "" {
				problem = d.faults[f]
			}
			shown = append(shown, d.Exchange)
		}
		switch {
		case len(s.decisions) == 0:
			return skipped("No decision was answered.")
		case n == 0:
			return passed("Holds for all %s.", wording.Count(len(s.decisions), "decision"))
		}
		return failed(advice, "%d of %s were answered with %s%s.", n, wording.Count(len(s.decisions), "decision"), problem, consequence).showing(shown...)
	}
}

// tolerable is the share of decisions, in per cent, that may be asked for again
// or fail: asking again draws until an answer is valid, which shifts the answers.
const tolerable = 5

func checkRates(_ context.Context, s *session) finding {
	var sum Rate
	for _, r := range s.report.Rates {
		sum.Asked += r.Asked
		sum.Valid += r.Valid
		sum.Mended += r.Mended
		sum.Reasked += r.Reasked
		sum.Failed += r.Failed
	}
	if sum.Asked == 0 {
		return skipped("No decision was asked for several times.")
	}
	f := told("%s.", sum.words())
	if (sum.Reasked+sum.Failed)*100 > sum.Asked*tolerable {
		f.advice = fmt.Sprintf("More than %d %% had to be asked for again or failed: use another model, or leave out the questions it fails at.", tolerable)
	}
	return f
}

// checkAnswers applies one rule to all answers that are completions.
func (s *session) checkAnswers(advice string, problemOf func(a *answer) string) finding {
	var shown []*Exchange
	first, n := "", 0
	for _, a := range s.answers {
		if a.problem != "" {
			continue
		}
		n++
		if problem := problemOf(a); problem != "" {
			if shown = append(shown, a.Exchange); first == "" {
				first = problem
			}
		}
	}
	switch {
	case n == 0:
		return skipped("No request was answered with a completion.")
	case len(shown) > 0:
		return failed(advice, "%d of %s: %s.", len(shown), wording.Count(n, "answer"), first).showing(shown...)
	}
	return passed("Holds for all %s.", wording.Count(n, "answer"))
}

func checkForm(_ context.Context, s *session) finding {
	for _, a := range s.answers {
		if a.problem != "" {
			return failed(formAdvice, "An answer with status 200 is no completion: %s.", a.problem).showing(a.Exchange)
		}
	}
	return s.checkAnswers(formAdvice, func(a *answer) string {
		if kind, _, _ := mime.ParseMediaType(a.Header.Get("Content-Type")); kind != "application/json" {
			return fmt.Sprintf("the Content-Type is %q, which clients do not read as JSON", kind)
		}
		return a.completion.formProblem()
	})
}

func checkUsage(_ context.Context, s *session) finding {
	return s.checkAnswers("Pass the model's token counts on: prompt_tokens, completion_tokens and total_tokens.", func(a *answer) string { return a.usage().problem })
}

func checkModel(_ context.Context, s *session) finding {
	f := s.checkAnswers("Name the model that answered.", func(a *answer) string {
		if name, _ := text(a.completion.Model); name == "" {
			return "there is no model"
		}
		return ""
	})
	if f.verdict != Pass {
		return f
	}
	for _, a := range s.answers {
		if name, _ := text(a.completion.Model); name == "default" {
			return warned("Name the model that answered, with its version.", `Answers name "default" as their model, so the data will not say which it was.`).showing(a.Exchange)
		}
	}
	return f
}

func checkReasoning(_ context.Context, s *session) finding {
	return s.checkAnswers("Have the server take the reasoning out of the answer, into reasoning_content; llama.cpp and vLLM have a parser for it.", func(a *answer) string {
		said, _ := text(a.completion.Choices[0].Message.Content)
		for _, tag := range []string{"<think>", "</think>", "<thinking>", "</thinking>", "<|channel|>"} {
			if strings.Contains(said, tag) {
				return "the model's reasoning stands in the text, as " + tag
			}
		}
		return ""
	})
}

func checkErrorForm(_ context.Context, s *session) finding {
	var shown []*Exchange
	for _, x := range s.errors {
		if strings.TrimSpace(x.complaint()) == "" || !x.isJSON() {
			shown = append(shown, x)
		}
	}
	switch {
	case len(s.errors) == 0:
		return skipped("No request was answered with an error.")
	case len(shown) > 0:
		return failed(`Answer errors as {"error": {"message": "…", "type": "…", "param": null, "code": "…"}} with Content-Type application/json.`,
			"%d of %s are not in OpenAI's form, so the experimenter sees no reason: the first is %d with Content-Type %q.",
			len(shown), wording.Count(len(s.errors), "error"), shown[0].Status, shown[0].Header.Get("Content-Type")).showing(shown...)
	}
	return passed("Holds for all %s.", wording.Count(len(s.errors), "error"))
}

func checkLost(_ context.Context, s *session) finding {
	var shown []*Exchange
	for _, x := range s.lost {
		if !x.late {
			shown = append(shown, x)
		}
	}
	switch {
	case len(s.answers)+len(s.errors)+len(shown) == 0:
		return skipped("No request was answered.")
	case len(shown) > 0:
		return failed("Look for a crash or for a limit in front of the server; each of these would be a lost decision.",
			"%d of %s had no whole answer: %s.", len(shown), wording.Count(s.report.Requests, "request"), shown[0].Error).showing(shown...)
	}
	return passed("Holds for all %s.", wording.Count(s.report.Requests, "request"))
}

func checkLimit(_ context.Context, s *session) finding {
	const advice = "Set a longer request timeout in HyperStudy (10 to 300 s), or use a faster model; have the server end a request with an error before the limit."
	var slowest *Exchange
	for _, a := range s.answers {
		if slowest == nil || a.Latency > slowest.Latency {
			slowest = a.Exchange
		}
	}
	var late []*Exchange
	for _, x := range s.lost {
		if x.late {
			late = append(late, x)
		}
	}
	switch {
	case len(late) > 0:
		return failed(advice, "%d of %s had no answer in time: %s.", len(late), wording.Count(s.report.Requests, "request"), late[0].Error).showing(late...)
	case slowest == nil:
		return skipped("No request was answered.")
	}
	message := fmt.Sprintf("The slowest answer took %s; the limit is %s.", wording.Seconds(slowest.Latency), wording.Seconds(s.target.Limit))
	if slowest.Latency > s.target.Limit*4/5 {
		return warned(advice, "%s", message).showing(slowest)
	}
	return passed("%s", message)
}
