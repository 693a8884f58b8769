package conformance

import (
	"testing"
	"testing/synctest"
)

// TestGuessing lets a model that sees nothing give every third answer that the
// schema allows, the right one among them: at most one in a hundred may pass. The
// checks of several pictures and of their formats ask in the same way.
func TestGuessing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		guesses, passes := 0, 0
		for number := 100; number <= 999; number += 3 {
			guesses++
			f := newFake()
			guessing(number)(f, nil)
			switch r := Run(t.Context(), targetOf(f), Options{Only: []string{"image.inline"}}).Results[0]; r.Verdict {
			case Pass:
				passes++
			case Warn:
			default:
				t.Fatalf("%d: %s: %s", number, r.Verdict, r.Message)
			}
		}
		if passes == 0 || passes*100 > guesses {
			t.Errorf("%d of %d guesses pass", passes, guesses)
		}
	})
}
