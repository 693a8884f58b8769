package conformance

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// TestChecks looks at what the checks say of themselves.
func TestChecks(t *testing.T) {
	t.Parallel()
	full, quick := Checks(Options{}), Checks(Options{Quick: true})
	seen := map[string]bool{}
	for _, c := range full {
		if seen[c.ID] || c.Group == "" || c.Title == "" || !strings.HasSuffix(c.Requirement, ".") {
			t.Errorf("%+v", c)
		}
		seen[c.ID] = true
		if (c.Cost.Requests == 0) != (c.Cost == Cost{}) {
			t.Errorf("%s: %+v", c.ID, c.Cost)
		}
	}
	for _, title := range []string{"reachable (/models)", "auth enforced", "tool calling", "concurrency (8 parallel)"} {
		if !slices.ContainsFunc(quick, func(c Check) bool { return c.Title == title }) {
			t.Errorf("no quick check is called %q as in hyperstudy-agent's verify", title)
		}
	}
	if len(full) < 60 || len(quick) < 20 || len(quick) >= len(full) {
		t.Errorf("%d checks, %d of them quick", len(full), len(quick))
	}
	if more := Checks(Options{Study: make([]Tool, 3)}); len(more) != len(full)+3 {
		t.Errorf("%d checks with three tools of a study", len(more))
	}
	if more := Checks(Options{Quick: true, Study: make([]Tool, 2)}); len(more) != len(quick)+2 {
		t.Errorf("%d checks of a quick run with two tools of a study", len(more))
	}
	if cost := Total(quick); cost.PromptTokens > 5000 || cost.Requests > 30 {
		t.Errorf("a quick run costs %+v", cost)
	}
	if got := UnknownNames(Options{Only: []string{"answers", "answer.rating", "answer.mood", "keys"}}); !slices.Equal(got, []string{"answer.mood", "keys"}) {
		t.Errorf("unknown names: %q", got)
	}
}

// TestCost holds the estimate against what a run takes.
func TestCost(t *testing.T) {
	t.Parallel()
	for _, options := range []Options{{}, {Quick: true}, {Repeat: 5, Callers: 20}, {Only: []string{"images"}}} {
		synctest.Test(t, func(t *testing.T) {
			report, cost := Run(t.Context(), targetOf(newFake()), options), Total(Checks(options))
			extra := 1 // the list of models, for checks that do not ask for it themselves
			if report.Requests > cost.Requests+extra || report.Requests*2 < cost.Requests {
				t.Errorf("%+v: %d requests, estimate %d", options, report.Requests, cost.Requests)
			}
			if report.Usage.PromptTokens > cost.PromptTokens*2 || report.Usage.PromptTokens == 0 {
				t.Errorf("%+v: %d tokens, estimate %d", options, report.Usage.PromptTokens, cost.PromptTokens)
			}
		})
	}
}

// TestReport looks at all that a report holds beside the results.
func TestReport(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		var asked atomic.Int32
		f.seal = func(r *http.Request, w *httptest.ResponseRecorder) {
			w.Header().Set("X-Debug", "you sent "+r.Header.Get("Authorization"))
			if body := w.Body.String(); strings.Contains(body, "tool_calls") {
				switch asked.Add(1) % 3 {
				case 0:
					w.Header().Set("X-Endpoint-Mended", "number_string")
				case 1:
					w.Header().Set("X-Endpoint-Attempts", "3")
				}
			}
		}
		var events []string
		target := targetOf(f)
		target.APIKey = "  " + fakeKey + "\n" // as it is pasted
		target.Client.Timeout = time.Nanosecond
		report := Run(t.Context(), target, Options{Only: []string{"answer.likert", "load", "decision.rate"}, Repeat: 9, Callers: 20, Observe: func(e Event) {
			state := "begins"
			if e.Result != nil {
				state = string(e.Result.Verdict)
			}
			events = append(events, e.Check.ID+" "+state)
		}})
		if want := (Rate{Check: "answer.likert", Title: "Likert scale", Asked: 9, Valid: 3, Mended: 3, Reasked: 3}); len(report.Rates) != 1 || report.Rates[0] != want {
			t.Errorf("rates: %+v", report.Rates)
		}
		if got := strings.Join(events, ", "); got != "answer.likert begins, answer.likert pass, load.parallel begins, load.parallel pass, decision.rate begins, decision.rate info" {
			t.Errorf("events: %s", got)
		}
		if r := report.Results[2]; !strings.Contains(r.Message, "9 answers: 3 valid at once, 3 mended, 3 valid after asking again") || !strings.Contains(r.Advice, "More than 5 %") {
			t.Errorf("%s %s", r.Message, r.Advice)
		}
		if report.Model != "study-model" || !slices.Equal(report.Answered, []string{"fake-model-2026"}) || report.Limit != time.Minute || report.Requests != 30 ||
			report.Latency != (Latency{9, f.delay, f.delay, f.delay}) || report.Loaded.Count != 20 || report.Duration != 10*f.delay || report.Usage.CompletionTokens != 29*12 {
			report.Results = nil
			t.Errorf("%+v", report)
		}
		encoded, err := json.Marshal(report)
		if err != nil || strings.Contains(string(encoded), fakeKey) || !strings.Contains(string(encoded), "you sent Bearer [API key]") {
			t.Errorf("the key is in the report, or no header: %v", err)
		}
	})
}

func TestLatency(t *testing.T) {
	t.Parallel()
	var times []time.Duration
	for i := range 100 {
		times = append(times, time.Duration(100-i))
	}
	for _, tc := range []struct {
		times []time.Duration
		want  Latency
	}{{nil, Latency{}}, {times[:1], Latency{1, 100, 100, 100}}, {times[98:], Latency{2, 1, 2, 2}}, {times, Latency{100, 50, 95, 100}}} {
		if got := latencyOf(tc.times); got != tc.want {
			t.Errorf("%d times: %+v, want %+v", len(tc.times), got, tc.want)
		}
	}
}

// TestEnded ends the run in the middle of a check.
func TestEnded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 900*time.Millisecond)
		defer cancel()
		report := Run(ctx, targetOf(newFake()), Options{Only: []string{"answer.rating", "answer.steps", "answer.likert"}})
		for i, want := range []string{"3 valid at once", "ended during this check", "ended before this check"} {
			if r := report.Results[i]; !strings.Contains(r.Message, want) || (r.Verdict == Pass) != (i == 0) {
				t.Errorf("%s: %s: %s", r.Check.ID, r.Verdict, r.Message)
			}
		}
	})
}

// TestEndless reads no more of an answer than anybody needs.
func TestEndless(t *testing.T) {
	t.Parallel()
	f := newFake()
	long := strings.Repeat(" ", mostRead+1)
	only(chatPath, ofKind("rating"), with(200, "application/json", long))(f, nil)
	f.delay = 0
	report := Run(t.Context(), targetOf(f), Options{Repeat: 1, Only: []string{"answer.rating", "time.connection"}})
	if r := report.Results[1]; r.Verdict != Fail || !strings.Contains(r.Message, "longer than 16 MB") {
		t.Errorf("%s: %s", r.Verdict, r.Message)
	}
}
