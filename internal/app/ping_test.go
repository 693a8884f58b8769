package app_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"hyperstudy-endpoint/internal/api"
	"hyperstudy-endpoint/internal/auth"
	"hyperstudy-endpoint/internal/chat"
	"hyperstudy-endpoint/internal/lambdahttp"
	"hyperstudy-endpoint/internal/openai"
)

// silent is a provider that says nothing until it is called off.
type silent struct{ ended *time.Time }

func (s silent) Complete(ctx context.Context, _ *openai.ChatCompletionRequest) (*openai.ChatCompletion, error) {
	<-ctx.Done()
	*s.ended = time.Now()
	return nil, &openai.Error{Status: http.StatusBadGateway, Type: openai.TypeServer, Code: openai.CodeUpstream, Message: "lost", Err: ctx.Err()}
}

// stream puts a streamed request to a handler that may take budget, in the way
// that the Lambda runtime does.
func stream(t *testing.T, s silent, budget time.Duration) *events.APIGatewayProxyStreamingResponse {
	t.Helper()
	models := []chat.Model{{Alias: "agent", ID: "silent", Provider: s}}
	handler := lambdahttp.Handler{Budget: budget, Handler: api.New(api.Options{Keys: auth.FixedKey(apiKey), Completer: chat.New(models, chat.Options{})})}
	event := lambdahttp.Event{Body: lambdahttp.Text(request(t, "stream")), APIGatewayProxyRequest: events.APIGatewayProxyRequest{
		HTTPMethod: http.MethodPost, Path: "/chat/completions", Headers: map[string]string{"Authorization": "Bearer " + apiKey},
	}}
	event.RequestContext.RequestTimeEpoch = time.Now().UnixMilli()
	response, err := handler.Stream(t.Context(), event)
	if err != nil {
		t.Fatal(err)
	}
	return response
}

// TestPingsOfAFunction checks what leaves a function while a decision takes all
// of the longest time limit, and of the usual one.
func TestPingsOfAFunction(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var ended time.Time
		start := time.Now()
		response := stream(t, silent{&ended}, 297*time.Second)
		if took := time.Since(start); response.StatusCode != http.StatusOK || took != 45*time.Second {
			t.Errorf("status %d after %v", response.StatusCode, took)
		}
		body, err := io.ReadAll(response.Body)
		pings, failure, _ := strings.Cut(string(body), "data: ")
		if err != nil || pings != strings.Repeat(": ping\n\n", 1+(297-15-45)/15) || !strings.Contains(failure, `"code":"timeout"`) || strings.Contains(failure, "data:") {
			t.Errorf("%q, %v", body, err)
		}
		if took := time.Since(start); took != 297*time.Second {
			t.Errorf("took %v", took)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		var ended time.Time
		start := time.Now()
		response := stream(t, silent{&ended}, 57*time.Second)
		body, err := io.ReadAll(response.Body)
		if took := time.Since(start); response.StatusCode != http.StatusGatewayTimeout || took != 57*time.Second || err != nil || !strings.HasPrefix(string(body), `{"error":`) {
			t.Errorf("status %d after %v: %s", response.StatusCode, took, body)
		}
	})
}

// TestRuntimeStopsReading checks that the work ends when the Lambda runtime takes
// no more of a response, which is all that a function can see of a caller who left.
func TestRuntimeStopsReading(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var ended time.Time
		start := time.Now()
		response := stream(t, silent{&ended}, 297*time.Second)
		if err := response.Close(); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if took := ended.Sub(start); took != 45*time.Second {
			t.Errorf("the model was asked for %v", took)
		}
	})
}
