package conformance

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"hyperstudy-endpoint/internal/wording"
)

const (
	unknownModel = "conformance-no-such-model"
	// writtenInPrivate is a participant's text that no error may repeat.
	writtenInPrivate = "my sister Quillanthe does not know"
)

func errorChecks() []check {
	return []check{
		{Check: Check{ID: "error.model", Group: "errors", Title: "unknown model", Cost: decisionCost,
			Requirement: "A model that is not served is refused, and not replaced by another in silence."}, run: checkUnknownModel},
		{Check: Check{ID: "error.json", Group: "errors", Title: "body that is no JSON", Cost: Cost{Requests: 1},
			Requirement: "A body that cannot be read is refused as the caller's fault, and not with a server error."}, run: checkNoJSON},
		{Check: Check{ID: "error.request", Group: "errors", Title: "request without messages", Cost: Cost{Requests: 1},
			Requirement: "A request that cannot be answered is refused as the caller's fault, and not with a server error."}, run: checkNoMessages},
		{Check: Check{ID: "error.private", Group: "errors", Title: "errors quote nobody", Cost: decisionCost,
			Requirement: "An error does not repeat what participants wrote: errors are shown and logged."}, run: checkQuotesNobody},
		{Check: Check{ID: "error.props", Group: "errors", Title: "paths it does not serve", Cost: Cost{Requests: 1},
			Requirement: "GET /props, which HyperStudy may ask for, is answered soon and not with a server error, whether it is there or not."}, run: checkProps},
	}
}

// ask sends a body that is not to be answered.
func (s *session) ask(ctx context.Context, body string) *Exchange {
	return s.send(ctx, request{method: http.MethodPost, path: "/chat/completions", body: []byte(body)})
}

func checkUnknownModel(ctx context.Context, s *session) finding {
	a, x := s.complete(ctx, body{Model: unknownModel, Messages: []message{{"user", "Say hello."}}, Extra: map[string]any{"max_tokens": 8}}, request{})
	if a != nil {
		name, _ := text(a.completion.Model)
		return warned("Type model names with care, and compare the model in the data.", "A model that does not exist is answered by %q: a typing error would go unnoticed.", name)
	}
	return blamesCaller(x, "A model that is not served")
}

// blamesCaller judges the answer to a request that is wrong in itself.
func blamesCaller(x *Exchange, what string) finding {
	switch {
	case x.err != nil:
		return skipped("There was no answer: %s.", x.Error)
	case blamesKey(x):
		return failed("Answer 400 or 404; HyperStudy reads 401 and 403 as a wrong key.", "%s is answered with %s, which blames the key.", what, x.outcome())
	case x.Status >= 500:
		return failed("Answer 400; a server error looks like an outage.", "%s is answered with a server error, %s.", what, x.outcome())
	case x.Status < 300:
		return failed("Answer 400 and say what is wrong.", "%s is answered with %d, as if all were well.", what, x.Status)
	}
	return passed("Refused with %s.", x.outcome())
}

func checkNoJSON(ctx context.Context, s *session) finding {
	return blamesCaller(s.ask(ctx, `{"model": "x", "messages": [{"role": "user"`), "A body that is cut off")
}

func checkNoMessages(ctx context.Context, s *session) finding {
	return blamesCaller(s.ask(ctx, fmt.Sprintf(`{"model": %q}`, s.model(ctx))), "A request without messages")
}

func checkQuotesNobody(ctx context.Context, s *session) finding {
	x := s.send(ctx, request{method: http.MethodPost, path: "/chat/completions", body: body{
		Model:    s.model(ctx),
		Messages: []message{{"system", persona}, {"narrator", "[Participant B] <participant_text>" + writtenInPrivate + "</participant_text>"}},
	}.encode()})
	switch {
	case x.err != nil:
		return skipped("There was no answer: %s.", x.Error)
	case x.Status < 400:
		return told("A message of an unknown role is answered with %d, so no error was seen.", x.Status)
	case strings.Contains(string(x.body), "Quillanthe"):
		return warned("Leave what was sent out of errors: they are shown to others than the data, and are logged.", "An error (%d) repeats what a participant wrote.", x.Status)
	}
	return passed("The error (%d) does not repeat what was sent.", x.Status)
}

func checkProps(ctx context.Context, s *session) finding {
	x := s.send(ctx, request{method: http.MethodGet, path: "/props", limit: modelsLimit, apart: true})
	switch {
	case x.late:
		return failed("Answer 404 to paths that are not there.", "GET /props did not answer within %s.", wording.Seconds(modelsLimit))
	case x.err != nil:
		return skipped("There was no answer: %s.", x.Error)
	case x.Status >= 500:
		return failed("Answer 404 to paths that are not there.", "GET /props is answered with a server error, %d.", x.Status)
	}
	return passed("Answered with %d.", x.Status)
}
