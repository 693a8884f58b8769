package bedrock

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/types"

	"hyperstudy-endpoint/internal/awstest"
	"hyperstudy-endpoint/internal/openai"
)

// A judge stands where the connection to Bedrock does: it has the fake judge what
// the SDK is about to send, and answers without a network. So the thousands of
// requests that every family must take are judged in seconds.
type judge struct {
	srv  *awstest.Server
	sent []judged
}

// A judged is a request that would have been sent.
type judged struct {
	model, rule, refusal string
	body                 []byte
}

// newJudge returns a judge and a provider that calls it. Images that are given by
// URL are all the same picture.
func newJudge(t testing.TB) (*judge, *Provider) {
	t.Helper()
	j := &judge{srv: awstest.NewServer(t)}
	cfg := j.srv.Config()
	cfg.HTTPClient = j
	p, err := New(bedrockruntime.NewFromConfig(cfg), Options{Images: &http.Client{Transport: gallery(picture(t, types.ImageFormatPng, 2, 1))}})
	if err != nil {
		t.Fatal(err)
	}
	return j, p
}

// Do judges a request.
func (j *judge) Do(req *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	id, _, _ := strings.Cut(strings.TrimPrefix(req.URL.EscapedPath(), "/model/"), "/")
	model, err := url.PathUnescape(id)
	if err != nil {
		return nil, err
	}
	rule, refusal := j.srv.Judge(model, false, body)
	j.sent = append(j.sent, judged{model, rule, refusal, body})
	if rule != "" {
		return answered(http.StatusBadRequest, `{"message":"refused"}`, "X-Amzn-Errortype", "ValidationException"), nil
	}
	return answered(http.StatusOK, converseBody(`{"text":"Fine."}`), "Content-Type", "application/json"), nil
}

func answered(status int, body, header, value string) *http.Response {
	return &http.Response{StatusCode: status, Header: http.Header{header: {value}}, Body: io.NopCloser(strings.NewReader(body))}
}

// A gallery is a server on which every URL is of one picture.
type gallery []byte

func (g gallery) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(bytes.NewReader(g))}, nil
}

// accepts completes a request of a model and fails if Bedrock refuses what it is
// sent. It reports whether anything was sent.
func (j *judge) accepts(t *testing.T, p *Provider, req *openai.ChatCompletionRequest) bool {
	t.Helper()
	j.sent = nil
	_, err := p.Complete(t.Context(), req)
	var e *openai.Error
	if err != nil && !errors.As(err, &e) {
		t.Fatalf("the error is a %T, not an *openai.Error: %v", err, err)
	}
	if len(j.sent) == 0 && (e == nil || e.Status != http.StatusBadRequest) {
		t.Errorf("Bedrock was not called, but the error is %v", err)
	}
	for _, call := range j.sent {
		if call.refusal != "" && !unpredictable[call.rule] {
			t.Errorf("%s was refused by %s: %s\n%s", call.model, call.rule, call.refusal, call.body)
		}
		if reasons.Match(call.body) && forces.Match(call.body) {
			t.Errorf("%s is told to reason and forced to call a tool:\n%s", call.model, call.body)
		}
	}
	return len(j.sent) > 0
}

// What is sent to a model that is to reason, and to one that must call a tool. No
// family gets both, even if it is not known to refuse them.
var (
	reasons = regexp.MustCompile(`"(thinking|reasoningConfig)":\{"type":"(enabled|adaptive)"|"reasoning_(config|effort)":"`)
	forces  = regexp.MustCompile(`"toolChoice":\{"(any|tool)":|"tool_choice":\{[^}]*"type":"(any|tool)"`)
)

// unpredictable are refusals that cannot be foreseen: limits of single models
// that AWS changes at will, which the caller is told about.
var unpredictable = map[string]bool{
	"R36": true, // more max_tokens than the model has
	"R43": true, // more input than the model has
}

// everyFamily are the rows of the table, and the models that it does not know.
func everyFamily() []*family {
	all := []*family{&other}
	for i := range families {
		all = append(all, &families[i])
	}
	return all
}

// modelOf is a model id for a family, with a geography since some can only be
// called so. The fake is told the family, as it knows existing models only.
func modelOf(srv *awstest.Server, f *family) string {
	if f == &other {
		return "us.acme.model-1"
	}
	id := "us." + f.ids[0] + "-0000-v1:0"
	srv.Family(id, awstest.Family(f.name))
	return id
}
