package main

import (
	"bytes"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"hyperstudy-endpoint/internal/telemetry"
)

// TestShortLog checks the lines that the endpoint's own log is turned into.
func TestShortLog(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		record telemetry.Record
		want   string
	}{
		{"decision", telemetry.Record{Kind: "decision", Status: 200, Model: "baseline", Tool: "submit_response", Attempts: 1, Duration: 12 * time.Millisecond}, "baseline      called submit_response, 12 ms"},
		{"decision that took more", telemetry.Record{Kind: "decision", Status: 200, Model: "a-very-long-alias", Fallback: "spare", Tool: "rate_face", Attempts: 3, Mended: []string{"number_string", "fenced_json"}, Duration: time.Minute},
			"a-very-long-alias  called rate_face, 3 attempts, mended number_string and fenced_json, by the fallback spare, 60000 ms"},
		{"tool of an odd name", telemetry.Record{Kind: "decision", Status: 200, Model: "baseline", Tool: "a\x1b[2J\n", Attempts: 1}, `baseline      called "a\x1b[2J\n", 0 ms`},
		{"tool of a long name", telemetry.Record{Kind: "decision", Status: 200, Model: "baseline", Tool: strings.Repeat("é", 65), Attempts: 1}, `baseline      called "` + strings.Repeat("é", 64) + `", 0 ms`},
		{"refusal", telemetry.Record{Kind: "decision", Status: 200, Model: "baseline", Attempts: 1}, "baseline      text, 0 ms"},
		{"stage in text", telemetry.Record{Kind: "text", Status: 200, Model: "baseline", Attempts: 1}, "baseline      text, 0 ms"},
		{"stage in JSON", telemetry.Record{Kind: "json", Status: 200, Model: "baseline", Attempts: 1}, "baseline      JSON, 0 ms"},
		{"list", telemetry.Record{Kind: telemetry.KindModels, Status: 200}, "-             list of models, 0 ms"},
		{"wrong key", telemetry.Record{Kind: "other", Status: 401, Code: "invalid_api_key"}, "-             401 invalid_api_key, 0 ms"},
		{"lost", telemetry.Record{Kind: "decision", Status: 502, Code: "upstream_error", Cause: "network", Model: "m", Attempts: 4}, "m             502 upstream_error (network), 4 attempts, 0 ms"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			telemetry.New(shortLog{&out}, slog.LevelInfo, "").Request(t.Context(), &tc.record)
			checkLine(t, out.String(), regexp.QuoteMeta(tc.want))
		})
	}
	t.Run("not ready", func(t *testing.T) {
		t.Parallel()
		var out bytes.Buffer
		telemetry.New(shortLog{&out}, slog.LevelInfo, "").Warmup(t.Context(), "the key", "network")
		checkLine(t, out.String(), "not ready .*: the key \\(network\\)")
	})
	t.Run("panic", func(t *testing.T) {
		t.Parallel()
		var out bytes.Buffer
		telemetry.New(shortLog{&out}, slog.LevelInfo, "").Panic(t.Context(), "id-1", []byte("goroutine 1\nmain.go:1\n"))
		checkLine(t, out.String(), "panic in request id-1\ngoroutine 1\nmain.go:1")
	})
	t.Run("what is no JSON", func(t *testing.T) {
		t.Parallel()
		var out bytes.Buffer
		if n, err := (shortLog{&out}).Write([]byte("hello\n")); n != 6 || err != nil || out.String() != "hello\n" {
			t.Errorf("%d, %v, %q", n, err, out.String())
		}
	})
	t.Run("nobody listens", func(t *testing.T) {
		t.Parallel()
		reader, writer := io.Pipe()
		_ = reader.CloseWithError(errors.New("gone"))
		if n, err := (shortLog{writer}).Write([]byte("{}")); n != 0 || err == nil {
			t.Errorf("%d, %v", n, err)
		}
	})
}

// TestOwnTool checks that a tool of the caller's own is named, by the server and not only
// by the form of the line.
func TestOwnTool(t *testing.T) {
	t.Parallel()
	r := start(t, env{})
	body := `{"messages":[{"role":"user","content":"Rate"}],"tools":[{"type":"function","function":{"name":"rate_face"}}],"tool_choice":"required"}`
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, r.baseURL+"/chat/completions", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+r.key)
	response, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	r.stop()
	if err := r.wait(); err != nil {
		t.Fatal(err)
	}
	checkLine(t, r.log.String(), `baseline      called rate_face, \d+ ms`)
}

// checkLine checks a line with a time before it.
func checkLine(t *testing.T, line, form string) {
	t.Helper()
	if !regexp.MustCompile(`^\d\d:\d\d:\d\d  ` + form + `\n$`).MatchString(line) {
		t.Errorf("got %q, want %s", line, form)
	}
}
