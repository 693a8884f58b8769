package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"hyperstudy-endpoint/internal/awstest"
)

const (
	nova   = "us.amazon.nova-2-lite-v1:0"
	claude = "us.anthropic.claude-haiku-4-5-20251001-v1:0"
)

// An otherAWS fakes what moto does not have: quotas, Lambda's account settings
// and Bedrock's control plane.
type otherAWS struct {
	concurrency int
	quotas      string // JSON objects, separated by commas
	logging     string // the member loggingConfig
	denied      bool
}

func (o *otherAWS) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case o.denied:
		w.Header().Set("X-Amzn-Errortype", "AccessDeniedException")
		w.WriteHeader(http.StatusForbidden)
		_, _ = io.WriteString(w, `{"message":"User is not authorized"}`)
	case strings.HasSuffix(r.URL.Path, "/account-settings"):
		_, _ = fmt.Fprintf(w, `{"AccountLimit":{"ConcurrentExecutions":%d,"UnreservedConcurrentExecutions":%d}}`, o.concurrency, o.concurrency)
	case r.Header.Get("X-Amz-Target") == "ServiceQuotasV20190624.ListServiceQuotas":
		w.Header().Set("Content-Type", "application/x-amz-json-1.1")
		_, _ = io.WriteString(w, `{"Quotas":[`+o.quotas+`]}`)
	case r.URL.Path == "/logging/modelinvocations":
		_, _ = io.WriteString(w, `{`+o.logging+`}`)
	case strings.HasPrefix(r.URL.Path, "/inference-profiles/"):
		_, _ = io.WriteString(w, `{"models":[{"modelArn":"arn:aws:bedrock:us-west-2::foundation-model/amazon.nova-2-lite-v1:0"},{"modelArn":"arn:aws:bedrock:us-east-1::foundation-model/amazon.nova-2-lite-v1:0"}]}`)
	default:
		w.WriteHeader(http.StatusNotFound)
	}
}

// serve makes the SDK call the fake for its services.
func (o *otherAWS) serve(t *testing.T) {
	t.Helper()
	server := httptest.NewServer(o)
	t.Cleanup(server.Close)
	for _, service := range []string{"LAMBDA", "SERVICE_QUOTAS", "BEDROCK"} {
		t.Setenv("AWS_ENDPOINT_URL_"+service, server.URL)
	}
}

func quota(name string, value float64) string {
	return fmt.Sprintf(`{"QuotaName":%q,"Value":%g}`, name, value)
}

const rich = 1e9

func ready() *otherAWS {
	return &otherAWS{concurrency: 1000, quotas: strings.Join([]string{
		quota("Cross-region model inference tokens per minute for Amazon Nova 2 Lite", rich),
		quota("On-demand model inference tokens per minute for Amazon Nova 2 Lite", 1),
		quota("Cross-region model inference requests per minute for Anthropic Claude Haiku 4.5", rich),
		quota("Imported models per account", 3),
	}, ",")}
}

func TestDoctorReady(t *testing.T) {
	d := deploy(t, "nova=bedrock:"+nova+",claude=bedrock:"+claude, "first-key-0123456789")
	ready().serve(t)
	r := manage(t, "doctor", "--stack", d.name).want(t, exitOK,
		"account 123456789012", "region: us-east-1", nova+" answers in us-east-1, and is run in us-east-1, us-west-2",
		"both functions answer", "nova streams", "claude answers", "1000 at once, enough for 500 rooms", "enough for 40650 rooms at once", "Bedrock stores no prompts", "Ready.")
	if strings.Contains(r.stdout, "->") {
		t.Errorf("something to do though all is fine: %s", r.stdout)
	}
}

func TestDoctorFaults(t *testing.T) {
	for _, tc := range []struct {
		name  string
		reply awstest.Reply
		other func(*otherAWS)
		code  int
		words []string
	}{
		{"no model access", awstest.Error(403, "AccessDeniedException", "You don't have access to the model with the specified model ID."), nil, exitFault,
			[]string{"FAIL  model nova: this account has no access to " + nova, "request access"}},
		{"no right of one's own", awstest.Error(403, "AccessDeniedException", "User: x is not authorized to perform: bedrock:InvokeModel"), nil, exitFault,
			[]string{"your own user or role"}},
		{"profile needed", awstest.Error(400, "ValidationException", "Invocation of model ID x with on-demand throughput isn’t supported."), nil, exitFault,
			[]string{"by an inference profile only", "us."}},
		{"retired", awstest.Error(404, "ResourceNotFoundException", "This model version has reached the end of its life."), nil, exitFault, []string{"was retired"}},
		{"unknown id", awstest.Error(400, "ValidationException", "The provided model identifier is invalid."), nil, exitFault, []string{"does not exist in us-east-1"}},
		{"throttled", awstest.Throttled(), nil, exitFault, []string{"is throttled"}},
		{"new account", awstest.Text("Yes"), func(o *otherAWS) { o.concurrency = 10 }, exitOK, []string{"warn  Lambda concurrency: 10 at once, enough for 5 rooms", "needs up to 200"}},
		{"small quota", awstest.Text("Yes"), func(o *otherAWS) {
			o.quotas = quota("Cross-region model inference tokens per minute for Amazon Nova 2 Lite", 200000)
		}, exitOK, []string{"enough for 8 rooms", "start at most 8 rooms"}},
		{"no room fits", awstest.Text("Yes"), func(o *otherAWS) {
			o.quotas = quota("Cross-region model inference requests per minute for Amazon Nova 2 Lite V1", 4)
		}, exitFault, []string{"FAIL  quota of nova: 4 requests"}},
		{"quota not listed", awstest.Text("Yes"), func(o *otherAWS) { o.quotas = "" }, exitOK, []string{"no quota with the model's name"}},
		{"prompts are stored", awstest.Text("Yes"), func(o *otherAWS) {
			o.logging = `"loggingConfig":{"textDataDeliveryEnabled":true,"cloudWatchConfig":{"logGroupName":"prompts","roleArn":"r"},"s3Config":{"bucketName":"archive"}}`
		}, exitOK, []string{"ON: Bedrock writes every prompt", "the log group prompts and the bucket archive"}},
		{"no right to look", awstest.Text("Yes"), func(o *otherAWS) { o.denied = true }, exitOK, []string{"warn  invocation logging: cannot be looked up", "warn  model quotas"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			d := deploy(t, "nova=bedrock:"+nova, "first-key-0123456789")
			other := ready()
			if tc.other != nil {
				tc.other(other)
			}
			other.serve(t)
			d.bedrock.ReplyFor(nova, tc.reply)
			manage(t, "doctor", "--stack", d.name).want(t, tc.code, tc.words...)
		})
	}
}

func TestDoctorBeforeDeployment(t *testing.T) {
	deploy(t, baseline, "first-key-0123456789") // for its environment
	ready().serve(t)
	manage(t, "doctor", "--stack", "nothing").want(t, exitFault, `there is no stack "nothing"`, "--models")
	manage(t, "doctor", "--stack", "nothing", "--models", "nova=bedrock:"+nova).want(t, exitOK, "model nova: "+nova+" answers", "cannot be checked yet")
	manage(t, "doctor", "--stack", "nothing", "--models", "nova=cloud:x").want(t, exitFault, "FAIL  models")
}

func TestPlain(t *testing.T) {
	t.Parallel()
	for _, tc := range [][2]string{
		{"anthropic.claude-sonnet-4-5-20250929-v1:0", "Anthropic Claude Sonnet 4.5 V1"},
		{"anthropic.claude-haiku-4-5-20251001-v1:0", "Anthropic Claude Haiku 4.5"},
		{"amazon.nova-2-lite-v1:0", "Amazon Nova 2 Lite"},
		{"amazon.nova-pro-v1:0", "Amazon Nova Pro V1"},
		{"meta.llama3-3-70b-instruct-v1:0", "Meta Llama 3.3 70B Instruct"},
	} {
		if a, b := plain(tc[0]), plain(tc[1]); a != b {
			t.Errorf("%s is %s, %s is %s", tc[0], a, tc[1], b)
		}
	}
	if plain("amazon.nova-lite-v1:0") == plain("Amazon Nova 2 Lite") {
		t.Error("two models are taken for one")
	}
}
