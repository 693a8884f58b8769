package api

import (
	"crypto/rand"
	"net/http"
	"time"

	"hyperstudy-endpoint/internal/openai"
	"hyperstudy-endpoint/internal/report"
)

// Kinds of exchanges.
const (
	KindModels   = "models"
	KindDecision = "decision" // tools were offered
	KindJSON     = "json"     // a JSON answer was asked for
	KindText     = "text"
	KindOther    = "other" // refused before it was read
)

// An Exchange is one request and how it was answered. Request and Completion
// hold what people and models wrote: an observer takes counts from them and
// nothing else.
type Exchange struct {
	RequestID  string
	Kind       string
	Key        string        // label of the caller's key; empty if none was accepted
	Status     int           // of the response; where a stream failed after it had begun, of the error
	Error      *openai.Error // nil if the request was answered
	Stack      []byte        // of a panic
	BodyBytes  int64
	Request    *openai.ChatCompletionRequest // nil if it could not be read
	Completion *openai.ChatCompletion        // nil if there is none
	Report     *report.Report                // nil if no model was looked for
	Duration   time.Duration

	started time.Time
}

// kindOf names what a chat completion request asks for.
func kindOf(req *openai.ChatCompletionRequest) string {
	switch {
	case len(req.CallableTools()) > 0:
		return KindDecision
	case req.ResponseFormat.WantsJSON():
		return KindJSON
	default:
		return KindText
	}
}

// requestID returns the id that the front end gave the request, or a new one.
func requestID(r *http.Request) string {
	if id := r.Header.Get("X-Request-Id"); openai.IsName(id, 64, "_-") {
		return id
	}
	return rand.Text()
}
