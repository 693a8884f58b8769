package conformance

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"hyperstudy-endpoint/internal/wording"
)

// What to do about faults that several checks find.
const (
	callAdvice = "Use a model and a server that support function calling; a server may need a chat template or a parser for the model's calls."
	formAdvice = "Answer in the form of OpenAI's Chat Completions API."
	// schemaAdvice is for arguments that break the offered schema.
	schemaAdvice = "Have the server hold calls against the schema and ask the model again, or use a model that keeps to schemas: HyperStudy rejects such an answer."
)

var decisionCost = Cost{Requests: 1, PromptTokens: 450, CompletionTokens: 150}

func answerChecks(o Options) []check {
	var list []check
	for _, k := range kinds {
		list = append(list, check{Check: Check{
			ID: "answer." + k.id, Group: "answers", Title: k.title, Quick: k.id == "rating", Cost: decisionCost.times(o.Repeat),
			Requirement: k.requirement,
		}, run: func(ctx context.Context, s *session) finding {
			// In turn alone, so that a value is seen, and beside wait.
			return s.askKind(ctx, body{Messages: screen(k.screen()), Tools: []Tool{k.tool()}},
				body{Messages: screen(k.screen()), Tools: []Tool{waitTool, k.tool()}})
		}})
	}
	return list
}

// studyGroup is that of the checks of one's own tools.
const studyGroup = "study"

func studyChecks(o Options) []check {
	var list []check
	for i, t := range o.Study {
		list = append(list, check{Check: Check{
			ID: fmt.Sprintf("study.%d", i+1), Group: studyGroup, Title: fmt.Sprintf("%s (tool %d of the study)", t.Name, i+1), Cost: decisionCost.times(o.Repeat),
			Requirement: "A decision with this tool of the study satisfies its schema.",
		}, run: func(ctx context.Context, s *session) finding { return s.askStudy(ctx, t) }})
	}
	return list
}

// askStudy asks for a decision with a tool of one's own study.
func (s *session) askStudy(ctx context.Context, t Tool) finding {
	what := t.Description
	if what == "" {
		what = "Use the tool " + t.Name + "."
	}
	f := s.askKind(ctx, body{Messages: screen("Screen: it is your turn, and this is what you can do now.\n" + what + "\n"), Tools: []Tool{t}})
	if words := notJudged(t.Parameters); len(words) > 0 {
		f.message += " Not judged: keyword " + strings.Join(words, ", ") + "."
		if f.verdict == Pass {
			f.verdict = Info
		}
	}
	return f
}

// askKind asks the same several times, in turn with each of the bodies, and
// judges the answers by the schema.
func (s *session) askKind(ctx context.Context, bodies ...body) finding {
	return s.count(ctx, bodies...).finding()
}

// count asks the same several times and counts what becomes of it.
func (s *session) count(ctx context.Context, bodies ...body) *tally {
	t := &tally{rate: Rate{Check: s.check.ID, Title: s.check.Title}, called: map[string]int{}}
	for i := range s.options.Repeat {
		if ctx.Err() != nil || s.stop != "" {
			break
		}
		d, x := s.decide(ctx, bodies[i%len(bodies)], request{})
		t.add(d, x)
	}
	if t.rate.Asked > 0 {
		s.report.Rates = append(s.report.Rates, t.rate)
	}
	return t
}

// A tally is what became of the answers to one question.
type tally struct {
	rate      Rate
	broken    []*Exchange // break the schema
	violation string      // the first one
	errors    []*Exchange
	refusals  []*Exchange // the model's own
	called    map[string]int
	values    []any // the arguments of valid calls
}

func (t *tally) add(d *decision, x *Exchange) {
	t.rate.Asked++
	switch {
	case d == nil && (x.err != nil || x.Status == 200):
		t.rate.Failed++ // time.limit, time.connection and form.completion tell why
	case d == nil:
		t.rate.Failed++
		t.errors = append(t.errors, x)
	case d.refusal:
		t.rate.Failed++
		t.refusals = append(t.refusals, x)
	case len(d.violations) > 0:
		t.rate.Failed++
		if t.broken = append(t.broken, x); t.violation == "" {
			t.violation = d.violations[0]
		}
	case !d.valid():
		t.rate.Failed++
	default:
		t.rate.count(x)
		t.called[d.tool]++
		t.values = append(t.values, d.args)
	}
}

func (t *tally) finding() finding {
	asked := t.rate.Asked
	switch {
	case len(t.broken) > 0:
		return failed(schemaAdvice, "%d of %s break the schema: %s.", len(t.broken), wording.Count(asked, "answer"), t.violation).showing(t.broken...)
	case len(t.errors) > 0 && len(t.errors) == asked:
		return failed("Do what the message says. If it is about the schema, the server or its model does not take such schemas: leave this kind of question out, or use another model.",
			"Every request was answered with an error: %s.", t.errors[0].outcome()).showing(t.errors...)
	case len(t.errors) > 0:
		return warned("Each error is a lost decision, and five in a row stop an agent.",
			"%s. The first error: %s.", t.rate.words(), t.errors[0].outcome()).showing(t.errors...)
	case len(t.refusals) > 0:
		return warned("A refusal is the model's own; in a study it is a decision that is missing.",
			"The model refused %d of %s.", len(t.refusals), wording.Count(asked, "request")).showing(t.refusals...)
	case t.rate.Failed == asked:
		return skipped("None of %s held a call that could be judged.", wording.Count(asked, "answer"))
	}
	var calls []string
	for _, name := range sortedKeys(t.called) {
		calls = append(calls, fmt.Sprintf("%s (%d)", name, t.called[name]))
	}
	return passed("%s. Called: %s.", t.rate.words(), strings.Join(calls, ", "))
}

// count counts a valid answer by what the endpoint says of it.
func (r *Rate) count(x *Exchange) {
	attempts, err := strconv.Atoi(x.Header.Get("X-Endpoint-Attempts"))
	switch {
	case err == nil && attempts > 1:
		r.Reasked++
	case x.Header.Get("X-Endpoint-Mended") != "":
		r.Mended++
	default:
		r.Valid++
	}
}

// words tells a rate, as in "3 answers: 2 valid at once, 1 mended".
func (r Rate) words() string {
	counts := []struct {
		n    int
		what string
	}{{r.Valid, "valid at once"}, {r.Mended, "mended"}, {r.Reasked, "valid after asking again"}, {r.Failed, "failed"}}
	var parts []string
	for _, c := range counts {
		if c.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", c.n, c.what))
		}
	}
	return wording.Count(r.Asked, "answer") + ": " + strings.Join(parts, ", ")
}
