package telemetry

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"
)

// full is a record in which everything applies.
func full() *Record {
	return &Record{
		RequestID: "id", Kind: "decision", Key: "lab", Status: 200, Code: "invalid_tool_call", Cause: "network",
		Duration: 1500 * time.Millisecond, Upstream: 1200 * time.Millisecond,
		Model: "fast", ModelID: "upstream", Fallback: "spare", FinishReason: "tool_calls", Stream: true, Tool: "wait",
		Attempts: 4, Retries: 1, Reasks: 2, Violations: 3, Mended: []string{"tool_name"}, Ignored: []string{"seed"},
		BodyBytes: 2000, Messages: 2, Images: 1, Tools: 3,
		PromptTokens: 100, CompletionTokens: 10, ReasoningTokens: 5, CachedTokens: 50,
	}
}

// line logs one record and returns the line's members.
func line(t *testing.T, level slog.Level, r *Record) map[string]any {
	t.Helper()
	var out bytes.Buffer
	New(&out, level, "").Request(t.Context(), r)
	if out.Len() == 0 {
		return nil
	}
	if strings.Count(out.String(), "\n") != 1 {
		t.Errorf("not one line: %q", out.String())
	}
	var members map[string]any
	if err := json.Unmarshal(out.Bytes(), &members); err != nil {
		t.Fatalf("%q: %v", out.String(), err)
	}
	delete(members, "time")
	return members
}

func TestRequest(t *testing.T) {
	t.Parallel()
	want := map[string]any{
		"level": "INFO", "msg": "request", "request_id": "id", "kind": "decision", "status": 200.0, "latency_ms": 1500.0,
		"failed": 0.0, "throttled": 0.0, "code": "invalid_tool_call", "cause": "network", "key": "lab", "model": "fast", "model_id": "upstream", "fallback": "spare",
		"finish_reason": "tool_calls", "tool": "wait", "mended": []any{"tool_name"}, "ignored": []any{"seed"},
		"attempts": 4.0, "retries": 1.0, "reasks": 2.0, "violations": 3.0, "upstream_ms": 1200.0,
		"prompt_tokens": 100.0, "completion_tokens": 10.0, "reasoning_tokens": 5.0, "cached_tokens": 50.0,
		"body_bytes": 2000.0, "messages": 2.0, "images": 1.0, "tools": 3.0, "stream": true,
	}
	if got := line(t, slog.LevelInfo, full()); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
	short := map[string]any{"level": "WARN", "msg": "request", "request_id": "id", "kind": "other", "status": 401.0, "latency_ms": 0.0, "refused_keys": 1.0, "code": "invalid_api_key"}
	if got := line(t, slog.LevelInfo, &Record{RequestID: "id", Kind: "other", RefusedKey: true, Status: 401, Code: "invalid_api_key"}); !reflect.DeepEqual(got, short) {
		t.Errorf("got  %v\nwant %v", got, short)
	}
}

func TestEveryFieldIsDocumented(t *testing.T) {
	t.Parallel()
	doc, err := os.ReadFile("../../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	fields := line(t, slog.LevelInfo, full())
	maps.Copy(fields, line(t, slog.LevelInfo, &Record{RefusedKey: true}))
	for name := range fields {
		if name != "msg" && !strings.Contains(string(doc), "`"+name+"`") {
			t.Errorf("docs/operations.md does not explain the log's field %s", name)
		}
	}
}

func TestLevels(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		status int
		level  slog.Level
		want   any // level of the line, nil for no line
	}{
		{200, slog.LevelInfo, "INFO"},
		{200, slog.LevelWarn, nil},
		{404, slog.LevelWarn, "WARN"},
		{404, slog.LevelError, nil},
		{502, slog.LevelError, "ERROR"},
		{499, slog.LevelDebug, "WARN"},
	} {
		got := line(t, tc.level, &Record{Status: tc.status})
		if got["level"] != tc.want {
			t.Errorf("status %d at level %v: %v, want %v", tc.status, tc.level, got["level"], tc.want)
		}
	}
}

func TestOtherLines(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	l := New(&out, slog.LevelInfo, "")
	l.Warmup(context.Background(), "API_KEY_SECRET", "network")
	l.Panic(context.Background(), "id", []byte("goroutine 1\n\tmain.go:1"))
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 2 || !strings.Contains(lines[0], `"what":"API_KEY_SECRET","cause":"network"`) || !strings.Contains(lines[1], `"request_id":"id","stack":"goroutine 1\n\tmain.go:1"`) {
		t.Errorf("%q", lines)
	}
}
