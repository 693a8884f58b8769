package load

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// TestMain goes to the root of the module, where the functions are built.
func TestMain(m *testing.M) {
	if err := os.Chdir("../../../.."); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// TestRun plays a small batch fifty times faster than life, against the
// compiled function, with every fifth call of the model throttled.
func TestRun(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	if err := Run(t.Context(), []string{"-scenario", "G", "-rooms", "2", "-states", "8", "-speed", "50", "-throttle", "0.2", "-json"}, &out); err != nil {
		t.Fatal(err)
	}
	var r Report
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		t.Fatal(err)
	}
	if calls := 2 * 2 * 8 * 6; r.Calls != calls || r.Answered != calls || r.Failed+r.Unmade+r.Stopped != 0 {
		t.Errorf("%d calls, %d answered: %v", r.Calls, r.Answered, r.Failures)
	}
	if r.Throttled < 20 || r.Upstream != int64(r.Answered)+r.Throttled || r.Environments < 2 || r.GBSeconds == 0 || r.PeakRSS == 0 || r.ColdStart == 0 {
		t.Errorf("%+v", r)
	}
}

// TestRunWithPictures shows the report that is read, and requests of half a megabyte.
func TestRunWithPictures(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	if err := Run(t.Context(), []string{"-scenario", "J", "-rooms", "1", "-states", "10", "-speed", "50"}, &out); err != nil {
		t.Fatal(err)
	}
	for _, words := range []string{"scenario J: 20 calls", "20 answered, 0 failed", "environments", "GB-s"} {
		if !strings.Contains(out.String(), words) {
			t.Errorf("%q is not in %s", words, out.String())
		}
	}
}

func TestStopped(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Run(ctx, []string{"-scenario", "A"}, new(bytes.Buffer)); err == nil {
		t.Error("a batch that was stopped was reported")
	}
}

func TestArguments(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{"-scenario", "Z"}, {"-speed", "0"}, {"-speed", "NaN"}, {"-throttle", "2"}, {"-throttle", "NaN"}, {"-quota", "-1"}, {"-rooms", "-1"}, {"-states", "-1"},
		{"B"}, {"-no-such-flag"},
	} {
		if err := Run(t.Context(), args, new(bytes.Buffer)); err == nil {
			t.Errorf("%v were accepted", args)
		}
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	const good = `{"choices":[{"message":{"tool_calls":[{"function":{"name":"submit_response","arguments":"{\"value\":72}"}}]}}]}`
	for _, tc := range []struct {
		name      string
		status    int
		body      string
		cognition bool
		fault     string
	}{
		{"a decision", 200, good, false, ""},
		{"a thought", 200, `{"choices":[{"message":{"content":"72"}}]}`, true, ""},
		{"another value", 200, strings.Replace(good, "72", "73", 1), false, "wrong decision"},
		{"no call", 200, `{"choices":[{"message":{"content":"72"}}]}`, false, "wrong decision"},
		{"no choice", 200, `{}`, true, "0 choices"},
		{"an error", 429, `{"error":{"code":"rate_limit_exceeded"}}`, false, "429 rate_limit_exceeded"},
		{"not JSON", 502, `<html>`, false, "502, not JSON"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			err := check(tc.status, []byte(tc.body), tc.cognition)
			if (err == nil) != (tc.fault == "") || err != nil && !strings.Contains(err.Error(), tc.fault) {
				t.Errorf("%v, want %q", err, tc.fault)
			}
		})
	}
}
