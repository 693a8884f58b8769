package conformance

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
)

// A planted fault is one thing that an endpoint does wrong, and what has to be
// found: for each check that fails or warns, a part of what it says. All other
// checks must find nothing.
type planted struct {
	name string
	set  func(f *fake, target *Target)
	// fails and warns are by the id of the check.
	fails, warns map[string]string
	// blinds is set for a fault that leaves other checks nothing to look at.
	blinds bool
	quick  bool
}

// plantedFaults are all, in the files of the areas that they are about.
func plantedFaults() []planted {
	return slices.Concat(addressFaults, connectionFaults, keyFaults, callFaults, schemaFaults, valueFaults(), answerFaults, textFaults,
		parameterFaults, errorFaults, streamFaults, timeFaults, droppedFaults(), peers)
}

// TestFaults plants one fault after the other.
func TestFaults(t *testing.T) {
	t.Parallel()
	if n := len(plantedFaults()); n < 200 {
		t.Errorf("only %d faults", n)
	}
	names := map[string]bool{}
	for _, p := range plantedFaults() {
		if names[p.name] {
			t.Errorf("two faults are called %q", p.name)
		}
		names[p.name] = true
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { p.find(t) })
		})
	}
}

func (p planted) find(t *testing.T) {
	f := newFake()
	target := targetOf(f)
	p.set(f, &target)
	options := runOptions
	options.Quick = p.quick
	report := Run(t.Context(), target, options)
	made := map[string]bool{}
	for _, r := range report.Results {
		id := r.Check.ID
		made[id] = true
		want, phrase := Pass, ""
		if said, has := p.fails[id]; has {
			want, phrase = Fail, said
		} else if said, has := p.warns[id]; has {
			want, phrase = Warn, said
		}
		ok := r.Verdict == want || want == Pass && (r.Verdict == Info || r.Verdict == Skip && p.blinds)
		if !ok || !strings.Contains(r.Message+" "+r.Advice, phrase) {
			t.Errorf("%s: %s: %s %s\nwant %s with %q", id, r.Verdict, r.Message, r.Advice, want, phrase)
		}
		if want != Pass && (r.Advice == "" || len(r.Exchanges) == 0 && report.Requests > 0 && r.Check.Group != "address") {
			t.Errorf("%s: %q has no advice, or shows no exchange", id, r.Message)
		}
	}
	for _, found := range []map[string]string{p.fails, p.warns} {
		for id := range found {
			if !made[id] {
				t.Errorf("there is no check %s", id)
			}
		}
	}
}

// TestEveryCheckCanFail makes sure that each check finds some fault, but for
// those that only report.
func TestEveryCheckCanFail(t *testing.T) {
	t.Parallel()
	only := []string{"key.models", "parameter.seed", "decision.rate"}
	finds := map[string]bool{}
	for _, p := range plantedFaults() {
		for _, found := range []map[string]string{p.fails, p.warns} {
			for id := range found {
				finds[id] = true
			}
		}
	}
	for _, c := range Checks(Options{}) {
		if finds[c.ID] == slices.Contains(only, c.ID) {
			t.Errorf("%s: a fault that it finds: %v", c.ID, finds[c.ID])
		}
	}
}

// found is one check that finds the fault, or several that say the same.
func found(phrase string, ids ...string) map[string]string {
	m := map[string]string{}
	for _, id := range ids {
		m[id] = phrase
	}
	return m
}

// and adds checks that say something else.
func and(m map[string]string, phrase string, ids ...string) map[string]string {
	for _, id := range ids {
		m[id] = phrase
	}
	return m
}
