package conformance

import (
	"context"
	"encoding/json"
	"net/http"

	"hyperstudy-endpoint/internal/wording"
)

// testCost is that of a completion of one token.
var testCost = Cost{Requests: 1, PromptTokens: 20, CompletionTokens: 1}

func connectionChecks() []check {
	return []check{
		{Check: Check{ID: "connection.models", Group: "connection", Title: "reachable (/models)", Quick: true, Cost: Cost{Requests: 1},
			Requirement: "GET /models answers within 10 s, and not with a server error."}, run: checkModels},
		{Check: Check{ID: "connection.list", Group: "connection", Title: "model list", Quick: true, Cost: Cost{Requests: 1},
			Requirement: "GET /models lists models by id; HyperStudy's connection test asks for the first one."}, run: checkList},
		{Check: Check{ID: "connection.cold", Group: "connection", Title: "one token, first request", Quick: true, Cost: testCost,
			Requirement: "A completion of one token answers within 30 s with status 200 and choices, also from a cold start."}, run: checkCold},
		{Check: Check{ID: "connection.warm", Group: "connection", Title: "one token, second request", Quick: true, Cost: testCost,
			Requirement: "The same completion answers again, as it does before every deployment of a study."}, run: checkWarm},
	}
}

func checkModels(ctx context.Context, s *session) finding {
	x := s.list(ctx)
	switch {
	case x.late:
		return failed("List the models from configuration, so that the list waits for nobody.", "GET /models did not answer within 10 s.")
	case x.err != nil:
		if s.test(ctx).err != nil {
			s.stop = "the endpoint cannot be reached"
		}
		return failed("Check that the server runs and that its address is right.", "GET /models could not be made: %s.", x.Error)
	case x.Status >= 500:
		return failed("Look into the server's log; HyperStudy's connection test stops here.", "GET /models is answered with a server error, %s.", x.outcome())
	case x.Status != http.StatusOK && x.Status != http.StatusUnauthorized && x.Status != http.StatusForbidden:
		return failed("Serve GET /models with at least one model. HyperStudy itself goes on after this status; its command-line tool hyperstudy-agent does not.",
			"GET /models is answered with %s.", x.outcome())
	}
	return passed("Answered with status %d after %s.", x.Status, wording.Seconds(x.Latency))
}

// modelIDs reads the ids out of a list of models, or says why there is none.
func modelIDs(x *Exchange) (ids []string, problem string) {
	var list struct {
		Data []struct {
			ID json.RawMessage `json:"id"`
		} `json:"data"`
	}
	switch {
	case x.err != nil:
		return nil, "there was no answer"
	case x.Status != http.StatusOK:
		return nil, "the answer is an error"
	case !json.Valid(x.body):
		return nil, "the answer is not JSON"
	case json.Unmarshal(x.body, &list) != nil || list.Data == nil:
		return nil, "the answer has no data array"
	}
	for _, m := range list.Data {
		id, ok := text(m.ID)
		if !ok || id == "" {
			return nil, "a model has no id"
		}
		ids = append(ids, id)
	}
	return ids, ""
}

func checkList(ctx context.Context, s *session) finding {
	x := s.list(ctx)
	if x.err != nil || x.Status != http.StatusOK {
		return skipped("There is no list: %s.", x.outcome())
	}
	ids, problem := modelIDs(x)
	switch {
	case problem != "":
		return failed(`Answer {"object":"list","data":[{"id":"…","object":"model"}]}.`, "GET /models is no list of models: %s.", problem)
	case len(ids) == 0:
		return warned("List at least one model.", "The list is empty: HyperStudy does not learn which model to ask for.")
	case s.target.Model == "" || s.target.Model == ids[0]:
		return passed("%s, first %q.", wording.Count(len(ids), "model"), ids[0])
	}
	return passed("%s; the connection test asks for %q, this run for %q.", wording.Count(len(ids), "model"), ids[0], s.target.Model)
}

// connectionProblem says why HyperStudy's connection test fails on an answer.
func (s *session) connectionProblem(x *Exchange) (problem, advice string) {
	switch {
	case x.late:
		return "did not answer within 30 s", "Have the model loaded, or the function warm, before the test; a cold start counts."
	case x.err != nil:
		return "could not be made: " + x.Error, "Check that the server runs and that its address is right."
	case blamesKey(x):
		return "was refused with " + x.outcome(), "Enter the endpoint's current key."
	case x.Status != http.StatusOK:
		return "was answered with " + x.outcome(), "Ask for a model that the endpoint serves, and let a limit of one token be enough for it."
	}
	var c struct{ Choices []json.RawMessage }
	if json.Unmarshal(x.body, &c) != nil || c.Choices == nil {
		return "was answered with 200 but without a choices array", "Answer in the form of OpenAI's Chat Completions API."
	}
	return "", ""
}

func checkCold(ctx context.Context, s *session) finding { return s.checkTest(s.test(ctx)) }

func checkWarm(ctx context.Context, s *session) finding {
	if problem, _ := s.connectionProblem(s.test(ctx)); problem != "" {
		return skipped("The first one %s.", problem)
	}
	_, x := s.complete(ctx, s.oneToken(ctx), request{limit: connectionLimit})
	return s.checkTest(x)
}

func (s *session) checkTest(x *Exchange) finding {
	if blamesKey(x) {
		return skipped("The key was refused: see key.accepted.")
	}
	if problem, advice := s.connectionProblem(x); problem != "" {
		return failed(advice, "The completion of one token with model %q %s.", s.report.Model, problem)
	}
	return passed("Answered after %s.", wording.Seconds(x.Latency))
}

// blamesKey reports whether an answer says that the key is wrong.
func blamesKey(x *Exchange) bool {
	return x.err == nil && (x.Status == http.StatusUnauthorized || x.Status == http.StatusForbidden)
}
