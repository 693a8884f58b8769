package app_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"hyperstudy-endpoint/internal/awstest"
	"hyperstudy-endpoint/internal/lambdatest"
)

// What a deployment of these tests is set up with.
const (
	apiKey         = "sk-test-51d0c9b1e7a84f6f9f30"
	upstreamKey    = "sk-upstream-0f8e2b6d4c1a"
	keySecret      = "endpoint/api-key"
	upstreamSecret = "endpoint/upstream-key"
	namespace      = "HyperStudyEndpoint/test"
)

// initTimeout is longer than Lambda's 10 s, as a hundred functions start at once
// on the processors of one machine.
const initTimeout = time.Minute

// A deployment is the endpoint as it runs on AWS: both compiled functions
// behind the API of template.yaml, with fakes of all that they call.
type deployment struct {
	gateway      *lambdatest.Gateway
	chat, models *lambdatest.Function
	aws          *awstest.Server
	upstream     *upstream
}

// deploy sets an endpoint up that serves models. settings are further
// environment variables, each as NAME=value; they win over the usual ones.
// Nothing is started before the first request.
func deploy(t *testing.T, models string, settings ...string) *deployment {
	t.Helper()
	return deployOn(t, awstest.NewServer(t), newUpstream(t), models, settings...)
}

// deployOn is deploy with fakes that are there already.
func deployOn(t *testing.T, aws *awstest.Server, up *upstream, models string, settings ...string) *deployment {
	t.Helper()
	aws.SetSecret(keySecret, apiKey)
	aws.SetSecret(upstreamSecret, upstreamKey)
	env := slices.Concat(lambdatest.GoSettings, aws.Env(), []string{
		"MODELS=" + models,
		"API_KEY_SECRET=" + keySecret,
		"EXTERNAL_BASE_URL=" + up.URL,
		"EXTERNAL_API_KEY_SECRET=" + upstreamSecret,
		"METRICS_NAMESPACE=" + namespace,
	}, settings)
	d := &deployment{aws: aws, upstream: up}
	d.chat = &lambdatest.Function{
		Path: lambdatest.Build(t, "hyperstudy-endpoint/functions/chat-completions"),
		Name: "chat-completions", Env: env, MemoryMB: 256, Timeout: 300 * time.Second, InitTimeout: initTimeout,
	}
	d.models = &lambdatest.Function{
		Path: lambdatest.Build(t, "hyperstudy-endpoint/functions/models"),
		Name: "models", Env: env, Timeout: 10 * time.Second, InitTimeout: initTimeout,
	}
	template := readTemplate(t)
	d.gateway = lambdatest.NewGateway(t, template.routes(d)...)
	d.gateway.Responses = template.responses
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		d.gateway.ServeHTTP(unsized{w}, r)
	}))
	t.Cleanup(front.Close)
	d.gateway.URL = front.URL + "/v1"
	return d
}

// unsized takes the length out of a response, so that its reader sees the end
// when the function has ended it and not before: by then the log is written
// and the environment ready for the next request.
type unsized struct{ http.ResponseWriter }

func (u unsized) WriteHeader(status int) {
	u.Header().Del("Content-Length")
	u.ResponseWriter.WriteHeader(status)
}

func (u unsized) Unwrap() http.ResponseWriter { return u.ResponseWriter }

// logs are all lines that the functions have written.
func (d *deployment) logs() []string { return append(d.chat.Logs(), d.models.Logs()...) }

// An answer is a response of the endpoint, read to its end.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// httpClient keeps a connection for every caller of the load test.
var httpClient = &http.Client{
	Transport:     &http.Transport{MaxIdleConnsPerHost: 128},
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	Timeout:       2 * time.Minute,
}

// post sends a chat completion request as HyperStudy does.
func (d *deployment) post(t *testing.T, body []byte) answer {
	t.Helper()
	return d.do(t, http.MethodPost, "/chat/completions", body)
}

// do sends a request with the right key. path is what follows the base URL;
// headers are names and values in turn and win over the usual ones.
func (d *deployment) do(t *testing.T, method, path string, body []byte, headers ...string) answer {
	t.Helper()
	a, err := d.send(t.Context(), method, path, body, headers...)
	if err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
	if a.header.Get("Location") != "" || a.status >= 300 && a.status < 400 {
		t.Fatalf("%s %s is redirected: %d to %q", method, path, a.status, a.header.Get("Location"))
	}
	return a
}

// send is do for callers that are not the test's own goroutine.
func (d *deployment) send(ctx context.Context, method, path string, body []byte, headers ...string) (answer, error) {
	req, err := http.NewRequestWithContext(ctx, method, d.gateway.URL+path, bytes.NewReader(body))
	if err != nil {
		return answer{}, err
	}
	req.Header.Set("Authorization", "Bearer "+apiKey)
	if len(body) > 0 {
		req.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := httpClient.Do(req)
	if err != nil {
		return answer{}, err
	}
	defer func() { _ = resp.Body.Close() }()
	data, err := io.ReadAll(resp.Body)
	return answer{resp.StatusCode, resp.Header, data}, err
}

// refusals are the reasons for which the fakes refused a request of the
// endpoint's: whatever stands here is a fault of the endpoint.
func (d *deployment) refusals() []string {
	list := d.upstream.refusals()
	for _, r := range d.aws.Requests() {
		if r.Refusal != "" {
			list = append(list, r.ModelID+": "+r.Rule+": "+r.Refusal)
		}
	}
	return list
}

// nothingRefused fails the test if a fake refused anything.
func (d *deployment) nothingRefused(t *testing.T) {
	t.Helper()
	if list := d.refusals(); len(list) > 0 {
		t.Errorf("the endpoint sent what its upstream does not take:\n%s", strings.Join(list, "\n"))
	}
}

// noLine fails the test if a log line of the functions holds one of the texts.
func (d *deployment) noLine(t *testing.T, texts ...string) {
	t.Helper()
	for _, line := range d.logs() {
		for _, text := range texts {
			if strings.Contains(line, text) {
				t.Errorf("%q stands in the log line %s", text, line)
			}
		}
	}
}
