package chat

import (
	"testing"
	"testing/synctest"
	"time"

	"hyperstudy-endpoint/internal/openai"
)

// optional is a decision request whose only tool needs no arguments.
func optional(t *testing.T) *openai.ChatCompletionRequest {
	t.Helper()
	return decode(t, `{"max_tokens":50,"messages":[{"role":"user","content":"Rate it."}],"tools":[{"type":"function","function":{"name":"submit_response",
		"parameters":{"type":"object","properties":{"value":{"type":"integer"}}}}}]}`)
}

// integer is a request for a bare number.
func integer(t *testing.T) *openai.ChatCompletionRequest {
	t.Helper()
	return decode(t, `{"max_tokens":50,"messages":[{"role":"user","content":"How important is it?"}],
		"response_format":{"type":"json_schema","json_schema":{"name":"n","schema":{"type":"integer"}}}}`)
}

// TestCutAnswersAreNotWhole has answers end at the limit on tokens in a place
// where what there is of them is valid, and is not all.
func TestCutAnswersAreNotWhole(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name       string
		request    func(*testing.T) *openai.ChatCompletionRequest
		completion *openai.ChatCompletion
		whole      bool
	}{
		{"a number", integer, answer("7"), false},
		{"a negative number with blanks", integer, answer(" -7\n"), false},
		{"a call before its arguments", optional, answer("", call("c", "submit_response", "")), false},
		{"a call as text before its arguments", optional, answer(`{"name":"submit_response"}`), false},
		{"a call as text, after which another begins", optional, answer("<tool_call>{\"name\":\"submit_response\",\"arguments\":{\"value\":7}}</tool_call>"), false},
		{"a whole call", optional, answer("", call("c", "submit_response", `{"value":7}`)), true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c := completer(&script{replies: []reply{{completion: finished(tc.completion, openai.FinishLength)}}}, Options{MaxReasks: 2})
				_, report, _, err := within(t, time.Minute, c, tc.request(t))
				if tc.whole {
					if err != nil {
						t.Errorf("a whole answer was refused: %v", err)
					}
					return
				}
				if e := asError(t, err); e.Code != openai.CodeMaxTokensReached || e.Status != 400 || report.Attempts != 1 {
					t.Errorf("%+v after %d attempts", e, report.Attempts)
				}
			})
		})
	}
}

// TestSpoiltAnswersAreReasks has the upstream throw answers away that the model
// had not written well: they are drawn again, are counted as answers put back,
// and are no more than a few.
func TestSpoiltAnswersAreReasks(t *testing.T) {
	t.Parallel()
	spoilt := &openai.Error{Status: 502, Type: openai.TypeServer, Code: openai.CodeModelError, Temporary: true, Patience: openai.AFewTimes}
	synctest.Test(t, func(t *testing.T) {
		p := &script{replies: []reply{{err: spoilt}, {err: spoilt}, {completion: submit(`{"value":1}`)}}}
		_, report, _, err := within(t, time.Minute, completer(p, Options{}), rating(t, ""))
		if err != nil || report.Reasks != 2 || report.Retries != 0 || report.Attempts != 3 {
			t.Errorf("%v, report %+v", err, report)
		}
		p = &script{replies: []reply{{err: spoilt}}}
		_, report, _, err = within(t, time.Minute, completer(p, Options{}), rating(t, ""))
		if e := asError(t, err); e.Code != openai.CodeModelError || report.Attempts != 1+maxUnusable {
			t.Errorf("%+v after %d attempts", e, report.Attempts)
		}
	})
}
