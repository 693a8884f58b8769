package clienttest

import (
	"cmp"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"hyperstudy-endpoint/internal/awstest"
)

// A failure is what the client shows of an error. words has to be part of the
// message.
type failure struct {
	status                   int
	kind, code, param, words string
}

// failed checks an error and returns the header it came with.
func failed(t *testing.T, err error, want failure) http.Header {
	t.Helper()
	var e *openai.Error
	if !errors.As(err, &e) {
		t.Fatalf("%v is no error of the API", err)
	}
	got := failure{e.StatusCode, e.Type, e.Code, e.Param, want.words}
	if got != want || !strings.Contains(e.Message, want.words) || e.Message == "" {
		t.Errorf("status %d: %s\nwant %+v", e.StatusCode, e.RawJSON(), want)
	}
	if param := e.JSON.Param.Raw(); want.param == "" && param != "null" {
		t.Errorf("param %s, want null", param)
	}
	return e.Response.Header
}

const (
	invalid = "invalid_request_error"
	limited = "rate_limit_error"
	server  = "server_error"
)

// TestBadRequests are faults of the caller's, which every endpoint finds.
func TestBadRequests(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		change func(*openai.ChatCompletionNewParams)
		option option.RequestOption
		want   failure
	}{
		{"wrong key", nil, option.WithAPIKey("sk-wrong"), failure{401, invalid, "invalid_api_key", "", "Incorrect API key"}},
		{"no key", nil, option.WithHeaderDel("Authorization"), failure{401, invalid, "invalid_api_key", "", "Incorrect API key"}},
		{"unknown model", func(p *openai.ChatCompletionNewParams) { p.Model = "gpt-9" }, nil, failure{404, invalid, "model_not_found", "model", "Its models are"}},
		{"no messages", func(p *openai.ChatCompletionNewParams) { p.Messages = nil }, nil, failure{400, invalid, "missing_required_parameter", "messages", "messages"}},
		{"two choices", func(p *openai.ChatCompletionNewParams) { p.N = openai.Int(2) }, nil, failure{400, invalid, "unsupported_parameter", "n", "n"}},
		{"type of a member", nil, option.WithJSONSet("temperature", "hot"), failure{400, invalid, "invalid_value", "temperature", "temperature"}},
		{"result without a call", func(p *openai.ChatCompletionNewParams) {
			p.Messages = append(p.Messages, openai.ToolMessage("done", "call_9"))
		}, nil, failure{400, invalid, "invalid_value", "messages[2].role", "messages[2]"}},
		{"not JSON", nil, option.WithRequestBody("application/json", []byte(`{"model"`)), failure{400, invalid, "invalid_json", "", "JSON"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			everywhere(t, func(t *testing.T, e *endpoint) {
				params := e.ask("Hi")
				if tc.change != nil {
					tc.change(&params)
				}
				var options []option.RequestOption
				if tc.option != nil {
					options = append(options, tc.option)
				}
				_, err := e.Chat.Completions.New(t.Context(), params, options...)
				header := failed(t, err, tc.want)
				// API Gateway gives this header of a function another name.
				challenge := cmp.Or(header.Get("WWW-Authenticate"), header.Get("X-Amzn-Remapped-Www-Authenticate"))
				if (tc.want.status == http.StatusUnauthorized) != (challenge == "Bearer") {
					t.Errorf("WWW-Authenticate %q", challenge)
				}
			})
		})
	}
}

// TestUnknownURL asks for something that this endpoint does not do.
func TestUnknownURL(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, e *endpoint) {
		_, err := e.Embeddings.New(t.Context(), openai.EmbeddingNewParams{
			Model: e.alias, Input: openai.EmbeddingNewParamsInputUnion{OfString: openai.String("Hi")},
		})
		failed(t, err, failure{404, invalid, "unknown_url", "", "POST /chat/completions"})
	})
}

// TestFailures are faults of the models and of what is behind them.
func TestFailures(t *testing.T) {
	t.Parallel()
	bedrock := func(replies ...awstest.Reply) func(*endpoint) {
		return func(e *endpoint) { e.bedrock.ReplyFor(e.id, replies...) }
	}
	external := func(handler http.HandlerFunc) func(*endpoint) { return func(e *endpoint) { e.llm.handle(handler) } }
	answers := func(list ...answer) func(*endpoint) { return func(e *endpoint) { e.script(list...) } }
	throttle := func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Retry-After", "60")
		refuse(http.StatusTooManyRequests, "rate_limit_exceeded")(w, r)
	}
	hang := func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	for _, tc := range []struct {
		name    string
		subject subject
		arrange func(*endpoint)
		want    failure
	}{
		{"temperature out of range", nova, func(*endpoint) {}, failure{400, invalid, "invalid_value", "temperature", "between 0 and 1"}},
		{"cut at the limit", claude, bedrock(awstest.Text("Well").WithStop("max_tokens")), failure{400, invalid, "max_tokens_reached", "max_completion_tokens", "7 completion tokens"}},
		{"throttled", claude, bedrock(awstest.Throttled().WithHeader("Retry-After", "60")), failure{429, limited, "rate_limit_exceeded", "", "no more requests"}},
		{"throttled", gpt, external(throttle), failure{429, limited, "rate_limit_exceeded", "", "more requests than it allows"}},
		{"no credit", gpt, external(refuse(429, "insufficient_quota")), failure{429, limited, "insufficient_quota", "", "credit"}},
		{"no access", nova, bedrock(awstest.Error(403, "AccessDeniedException", "You don't have access to the model with the specified model ID.")), failure{502, server, "model_access_denied", "", "no access to the model"}},
		{"no access", gpt, external(refuse(401, "invalid_api_key")), failure{502, server, "model_access_denied", "", "endpoint's own key"}},
		{"no tool call", nova, answers(says("Calm.")), failure{502, server, "no_tool_call", "", "3 attempts"}},
		{"invalid tool call", gpt, answers(calls("submit_response", `{"value": 720}`)), failure{502, server, "invalid_tool_call", "", "3 attempts"}},
		{"refusal", claude, bedrock(awstest.Stop("content_filtered")), failure{502, server, "model_refusal", "", "1 attempt"}},
		{"no answer in time", nova, func(e *endpoint) { e.bedrock.ReplyFor(e.id, awstest.Text("late").WithDelay(time.Minute)) }, failure{504, server, "timeout", "", "time limit"}},
		{"no answer in time", gpt, external(hang), failure{504, server, "timeout", "", "time limit"}},
	} {
		t.Run(tc.name+" by "+tc.subject.alias, func(t *testing.T) {
			t.Parallel()
			var age time.Duration
			if tc.want.status == http.StatusGatewayTimeout {
				age = 7500 * time.Millisecond
			}
			e := deploy(t, tc.subject, age)
			tc.arrange(e)
			params := e.decide()
			params.MaxCompletionTokens = openai.Int(7)
			if tc.want.param == "temperature" {
				params.Temperature = openai.Float(1.5)
			}
			_, err := e.Chat.Completions.New(t.Context(), params)
			header := failed(t, err, tc.want)
			if tc.want.code == "rate_limit_exceeded" && header.Get("Retry-After") != "60" {
				t.Errorf("Retry-After %q", header.Get("Retry-After"))
			}
		})
	}
}

// TestKeyUnreadable checks that trouble with the endpoint's own key is not
// blamed on the caller's.
func TestKeyUnreadable(t *testing.T) {
	t.Parallel()
	e := deploy(t, nova, 0)
	e.bedrock.SecretsDown(true)
	_, err := e.Models.List(t.Context())
	failed(t, err, failure{503, server, "service_unavailable", "", "Secrets Manager"})
}
