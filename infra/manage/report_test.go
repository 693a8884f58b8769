package main

import (
	"bytes"
	"encoding/csv"
	"flag"
	"log/slog"
	"os"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"hyperstudy-endpoint/internal/telemetry"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestReport reports a recorded day: testdata/day.log, with Lambda's own lines,
// a rotation, failures, and a line of the day after.
func TestReport(t *testing.T) {
	for _, tc := range []struct{ golden, flag string }{{"testdata/day.txt", "--csv=false"}, {"testdata/day.csv", "--csv"}} {
		r := manage(t, "report", "--file", "testdata/day.log", "--since", "2026-11-24", "--until", "2026-11-25", tc.flag).want(t, exitOK)
		if *update {
			if err := os.WriteFile(tc.golden, []byte(r.stdout), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(tc.golden)
		if err != nil {
			t.Fatal(err)
		}
		if r.stdout != string(want) {
			t.Errorf("%s:\n%s", tc.golden, r.stdout)
		}
	}
}

// TestReportAddsUp checks that the outcomes of each row are all its requests.
func TestReportAddsUp(t *testing.T) {
	t.Parallel()
	r := manage(t, "report", "--file", "testdata/day.log", "--since", "2026-11-24", "--until", "2026-11-25", "--csv").want(t, exitOK)
	rows, err := csv.NewReader(strings.NewReader(r.stdout)).ReadAll()
	if err != nil || len(rows) < 2 {
		t.Fatalf("%v, %d rows", err, len(rows))
	}
	column := func(row []string, name string) int {
		for i, head := range rows[0] {
			if head == name {
				n, err := strconv.Atoi(row[i])
				if err != nil {
					t.Errorf("%s: %v", name, err)
				}
				return n
			}
		}
		t.Fatalf("no column %s", name)
		return 0
	}
	total := 0
	for _, row := range rows[1:] {
		sum := column(row, "valid_at_once") + column(row, "mended") + column(row, "reasked") + column(row, "failed")
		if sum != column(row, "requests") {
			t.Errorf("outcomes add up to %d: %v", sum, row)
		}
		total += sum
	}
	if total != 30 {
		t.Errorf("%d requests, not 30", total)
	}
}

// TestLine reads what the functions write, field by field.
func TestLine(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	telemetry.New(&out, slog.LevelInfo, "").Request(t.Context(), &telemetry.Record{
		RequestID: "r", Kind: "decision", Key: "pilot", Status: 502, Code: "timeout", Duration: 1500 * time.Millisecond, Upstream: time.Second,
		Model: "fast", ModelID: "id", Fallback: "slow", Attempts: 4, Retries: 2, Reasks: 1, Mended: []string{"wrapper"}, Ignored: []string{"seed"},
		PromptTokens: 10, CompletionTokens: 20, ReasoningTokens: 30, CachedTokens: 40,
	})
	got, ok := parseLine(out.String())
	got.Time = time.Time{}
	want := line{
		Msg: "request", RequestID: "r", Kind: "decision", Key: "pilot", Status: 502, Code: "timeout", LatencyMS: 1500, UpstreamMS: 1000,
		Model: "fast", ModelID: "id", Fallback: "slow", Attempts: 4, Retries: 2, Reasks: 1, Mended: []string{"wrapper"}, Ignored: []string{"seed"},
		Prompt: 10, Completion: 20, Reasoning: 30, CachedTokens: 40,
	}
	if !ok || !reflect.DeepEqual(got, want) {
		t.Errorf("read %+v, wrote %+v from %s", got, want, out.String())
	}
}

// TestImplausibleLines reads lines that no function has written.
func TestImplausibleLines(t *testing.T) {
	t.Parallel()
	const good = `{"msg":"request","kind":"decision","status":200,"model_id":"m","key":"k","attempts":1,"prompt_tokens":5}`
	if _, ok := parseLine(good); !ok {
		t.Fatal("a good line was left out")
	}
	for _, bad := range []string{
		strings.Replace(good, "200", "0", 1), strings.Replace(good, "200", "-1", 1), strings.Replace(good, `"m"`, `"m\u001b[2J"`, 1),
		strings.Replace(good, ":5", ":-5", 1), strings.Replace(good, ":5", ":9223372036854775807", 1),
	} {
		if l, ok := parseLine(bad); ok {
			t.Errorf("taken: %+v", l)
		}
	}
}

func TestCell(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"": "", "main": "main", "=HYPERLINK()": "'=HYPERLINK()", "@a": "'@a", "-1": "'-1"} {
		if got := cell(name); got != want {
			t.Errorf("%q is written %q", name, got)
		}
	}
}

// TestReportOfDeployment reports and prints the log of a deployed endpoint.
func TestReportOfDeployment(t *testing.T) {
	d := deploy(t, baseline, "first-key-0123456789")
	for range 3 {
		d.decide(t, "first-key-0123456789")
	}
	d.decide(t, "wrong-key")
	manage(t, "report", "--stack", d.name).want(t, exitFault, "no request in the log")
	d.ship(t)
	manage(t, "report", "--stack", d.name, "--since", "1h").want(t, exitOK, "baseline", "decision", "3 (100.0 %)", "Reached no model: invalid_api_key=1")
	all := manage(t, "logs", "--stack", d.name).want(t, exitOK).stdout
	failures := manage(t, "logs", "--stack", d.name, "--failures").want(t, exitOK).stdout
	if strings.Count(all, "\n") != 4 || strings.Count(failures, "\n") != 1 || !strings.Contains(failures, "invalid_api_key") {
		t.Errorf("logs: %s\nfailures: %s", all, failures)
	}
}

func TestReportRefuses(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		args []string
		code int
		word string
	}{
		{"no time", []string{"--since", "yesterday"}, exitUsage, "2026-11-24"},
		{"backwards", []string{"--since", "2026-11-24", "--until", "2026-11-23"}, exitUsage, "not before"},
		{"no file", []string{"--file", "testdata/nothing.log"}, exitFault, "nothing.log"},
		{"nothing in it", []string{"--file", "testdata/day.txt"}, exitFault, "log of the chat function"},
		{"an argument", []string{"7d"}, exitUsage, "unexpected argument"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			manage(t, append([]string{"report"}, tc.args...)...).want(t, tc.code, tc.word)
		})
	}
}

func TestParseSince(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)
	for text, want := range map[string]time.Time{
		"7d": now.AddDate(0, 0, -7), "90m": now.Add(-90 * time.Minute), "2026-11-24": time.Date(2026, 11, 24, 0, 0, 0, 0, time.UTC),
		"2026-11-24T10:00:00Z": time.Date(2026, 11, 24, 10, 0, 0, 0, time.UTC),
	} {
		if got, err := parseSince(text, now); err != nil || !got.Equal(want) {
			t.Errorf("%s is %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "-1h", "0s", "7", "7w", "24.11.2026"} {
		if got, err := parseSince(text, now); err == nil {
			t.Errorf("%q is %v", text, got)
		}
	}
}
