package conformance

import (
	"context"
	"fmt"
	"slices"
)

// A Check proves one requirement.
type Check struct {
	ID    string `json:"id"`    // such as "answer.rating"
	Group string `json:"group"` // such as "answers"
	// Title names it in a few words; those of the checks that hyperstudy-agent,
	// HyperStudy's command-line tool, makes too are its names.
	Title string `json:"title"`
	// Requirement is the sentence that holds if the check passes.
	Requirement string `json:"requirement"`
	// Quick says that the check belongs to a quick run.
	Quick bool `json:"quick"`
	// Cost is what it is expected to take at the most.
	Cost Cost `json:"cost"`
}

// A Cost is a rough estimate, from above for the usual models.
type Cost struct {
	Requests         int `json:"requests"`
	PromptTokens     int `json:"prompt_tokens"`
	CompletionTokens int `json:"completion_tokens"`
}

// plus is the sum of both.
func (c Cost) plus(d Cost) Cost {
	return Cost{c.Requests + d.Requests, c.PromptTokens + d.PromptTokens, c.CompletionTokens + d.CompletionTokens}
}

// times is the cost of n requests of this cost.
func (c Cost) times(n int) Cost {
	return Cost{c.Requests * n, c.PromptTokens * n, c.CompletionTokens * n}
}

// A check is a Check and how it is made.
type check struct {
	Check
	run func(context.Context, *session) finding
	// always is for checks that need no further request.
	always bool
}

// A finding is what a check found out.
type finding struct {
	verdict         Verdict
	message, advice string
	exchanges       []*Exchange // in place of those the check made
}

func passed(format string, args ...any) finding {
	return finding{verdict: Pass, message: fmt.Sprintf(format, args...)}
}

func told(format string, args ...any) finding {
	return finding{verdict: Info, message: fmt.Sprintf(format, args...)}
}

func skipped(format string, args ...any) finding {
	return finding{verdict: Skip, message: fmt.Sprintf(format, args...)}
}

func warned(advice, format string, args ...any) finding {
	return finding{verdict: Warn, message: fmt.Sprintf(format, args...), advice: advice}
}

func failed(advice, format string, args ...any) finding {
	return finding{verdict: Fail, message: fmt.Sprintf(format, args...), advice: advice}
}

// showing says which exchanges prove a finding.
func (f finding) showing(x ...*Exchange) finding {
	f.exchanges = x[:min(len(x), 3)]
	return f
}

// Checks lists the checks a run with these options makes, in order.
func Checks(o Options) []Check {
	var list []Check
	for _, c := range o.withDefaults().choose() {
		list = append(list, c.Check)
	}
	return list
}

// Total sums the cost of checks.
func Total(checks []Check) Cost {
	var sum Cost
	for _, c := range checks {
		sum = sum.plus(c.Cost)
	}
	return sum
}

// all lists every check for the options, in the order in which they are made:
// those that look at the whole run come last.
func (o Options) all() []check {
	return slices.Concat(
		addressChecks(), connectionChecks(), keyChecks(), basicChecks(),
		answerChecks(o), studyChecks(o), chatChecks(o), imageChecks(), cognitionChecks(o), textChecks(o),
		parameterChecks(), errorChecks(), streamChecks(), loadChecks(o), runChecks(),
	)
}

func (o Options) choose() []check {
	return slices.DeleteFunc(o.all(), func(c check) bool {
		if len(o.Only) > 0 {
			return !slices.Contains(o.Only, c.ID) && !slices.Contains(o.Only, c.Group)
		}
		return o.Quick && !c.Quick && c.Group != studyGroup // what is given is always checked
	})
}

// UnknownNames returns those of o.Only that name neither a check nor a group.
func UnknownNames(o Options) []string {
	known := map[string]bool{}
	for _, c := range o.withDefaults().all() {
		known[c.ID], known[c.Group] = true, true
	}
	var unknown []string
	for _, name := range o.Only {
		if !known[name] {
			unknown = append(unknown, name)
		}
	}
	return unknown
}
