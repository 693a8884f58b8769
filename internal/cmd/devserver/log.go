package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"hyperstudy-endpoint/internal/openai"
)

// A shortLog is written the endpoint's log, a JSON object in each write, and passes
// on a line for people of each.
type shortLog struct{ out io.Writer }

// A logged is what is used of a line of the endpoint's log.
type logged struct {
	Time      time.Time `json:"time"`
	Message   string    `json:"msg"`
	RequestID string    `json:"request_id"`

	// Of a request that was answered.
	Kind     string   `json:"kind"`
	Status   int      `json:"status"`
	Latency  int64    `json:"latency_ms"`
	Code     string   `json:"code"`
	Cause    string   `json:"cause"`
	Model    string   `json:"model"`
	Fallback string   `json:"fallback"`
	Tool     string   `json:"tool"`
	Attempts int      `json:"attempts"`
	Mended   []string `json:"mended"`

	What  string `json:"what"`  // is not ready, and why is the cause
	Stack string `json:"stack"` // of a panic
}

func (l shortLog) Write(line []byte) (int, error) {
	text := line
	var r logged
	if json.Unmarshal(line, &r) == nil {
		text = []byte(r.Time.Format(time.TimeOnly) + "  " + r.String() + "\n")
	}
	if _, err := l.out.Write(text); err != nil {
		return 0, err
	}
	return len(line), nil
}

func (r *logged) String() string {
	switch {
	case r.Message == "request":
		model := r.Model
		if model == "" {
			model = "-" // none was asked
		}
		return fmt.Sprintf("%-12s  %s, %d ms", model, r.outcome(), r.Latency)
	case r.Stack != "":
		return fmt.Sprintf("%s in request %s\n%s", r.Message, r.RequestID, strings.TrimSpace(r.Stack))
	default:
		return fmt.Sprintf("%s: %s (%s)", r.Message, r.What, r.Cause)
	}
}

// outcome is what became of a request.
func (r *logged) outcome() string {
	said := r.answer()
	if r.Status >= 400 {
		said = fmt.Sprintf("%d %s", r.Status, r.Code)
		if r.Cause != "" {
			said += fmt.Sprintf(" (%s)", r.Cause)
		}
	}
	if r.Attempts > 1 {
		said += fmt.Sprintf(", %d attempts", r.Attempts)
	}
	if len(r.Mended) > 0 {
		said += ", mended " + strings.Join(r.Mended, " and ")
	}
	if r.Fallback != "" {
		said += ", by the fallback " + r.Fallback
	}
	return said
}

func (r *logged) answer() string {
	switch {
	case openai.IsName(r.Tool, 64, "_-."):
		return "called " + r.Tool
	case r.Tool != "": // which may hold what a terminal takes for a command
		return fmt.Sprintf("called %.64q", r.Tool)
	case r.Kind == "models":
		return "list of models"
	case r.Kind == "json":
		return "JSON"
	}
	return "text"
}
