package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/cloudformation"
	cfn "github.com/aws/aws-sdk-go-v2/service/cloudformation/types"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatchlogs"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatchlogs/types"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"

	"hyperstudy-endpoint/internal/awstest"
	"hyperstudy-endpoint/internal/lambdatest"
)

// template is as much of a deployed stack as the commands read: the log group,
// the parameter LogLevel and the outputs of template.yaml.
const template = `{
  "Parameters": {"LogLevel": {"Type": "String"}, "Group": {"Type": "String"}, "Secret": {"Type": "String"}, "BaseUrl": {"Type": "String"}, "Models": {"Type": "String"}},
  "Resources": {"ChatCompletionsLogGroup": {"Type": "AWS::Logs::LogGroup", "Properties": {"LogGroupName": {"Ref": "Group"}}}},
  "Outputs": {
    "BaseUrl": {"Value": {"Ref": "BaseUrl"}}, "ApiKeySecretArn": {"Value": {"Ref": "Secret"}},
    "ServedModels": {"Value": {"Ref": "Models"}}, "RequestTimeout": {"Value": "60"}
  }
}`

// A deployment is a stack in moto whose functions are the compiled ones.
type deployment struct {
	name    string
	bedrock *awstest.Server
	chat    *lambdatest.Function
	gateway *lambdatest.Gateway
	logs    *cloudwatchlogs.Client
	shipped int // lines of the function that are in CloudWatch
}

// deploy makes a stack that serves models and has the value key in its secret.
func deploy(t *testing.T, models, key string, parameters ...string) *deployment {
	t.Helper()
	d := &deployment{name: "s" + strings.ReplaceAll(fmt.Sprint(time.Now().UnixNano()), ".", ""), bedrock: awstest.NewServer(t)}
	for _, v := range d.bedrock.Env() {
		name, value, _ := strings.Cut(v, "=")
		t.Setenv(name, value)
	}
	t.Setenv("AWS_ENDPOINT_URL", moto)
	t.Setenv("AWS_ENDPOINT_URL_BEDROCK_RUNTIME", d.bedrock.URL)
	t.Setenv("AWS_CONFIG_FILE", "/dev/null")
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", "/dev/null")
	d.serve(t, models)
	d.create(t, models, key, parameters)
	return d
}

// serve starts the functions, whose Secrets Manager is moto.
func (d *deployment) serve(t *testing.T, models string) {
	env := append(d.bedrock.Env(), "AWS_ENDPOINT_URL_SECRETS_MANAGER="+moto, "MODELS="+models, "API_KEY_SECRET="+d.name+"-key")
	d.chat = &lambdatest.Function{Path: chatBinary, Name: chatFunction, Env: env, Timeout: 300 * time.Second}
	list := &lambdatest.Function{Path: modelsBinary, Name: modelsFunction, Env: env, Timeout: 10 * time.Second}
	d.gateway = lambdatest.NewGateway(t,
		lambdatest.Route{Method: http.MethodGet, Path: "/models", Function: list, Mode: lambdatest.Buffered},
		lambdatest.Route{Method: http.MethodPost, Path: "/chat/completions", Function: d.chat, Mode: lambdatest.Stream, Timeout: 300 * time.Second},
	)
}

// create makes the secret and the stack with the function's log group.
func (d *deployment) create(t *testing.T, models, key string, parameters []string) {
	t.Helper()
	cfg, err := config.LoadDefaultConfig(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	secret, err := secretsmanager.NewFromConfig(cfg).CreateSecret(t.Context(), &secretsmanager.CreateSecretInput{Name: aws.String(d.name + "-key"), SecretString: &key})
	if err != nil {
		t.Fatal(err)
	}
	group := (&stack{name: d.name}).logGroup(chatFunction)
	values := append([]string{"LogLevel=info", "Group=" + group, "Secret=" + *secret.ARN, "BaseUrl=" + d.gateway.URL, "Models=" + models}, parameters...)
	byName := map[string]cfn.Parameter{}
	for _, v := range values {
		name, value, _ := strings.Cut(v, "=")
		byName[name] = cfn.Parameter{ParameterKey: &name, ParameterValue: &value}
	}
	in := &cloudformation.CreateStackInput{StackName: &d.name, TemplateBody: aws.String(template)}
	for _, p := range byName {
		in.Parameters = append(in.Parameters, p)
	}
	if _, err := cloudformation.NewFromConfig(cfg).CreateStack(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	d.logs = cloudwatchlogs.NewFromConfig(cfg)
	if _, err := d.logs.CreateLogStream(t.Context(), &cloudwatchlogs.CreateLogStreamInput{LogGroupName: &group, LogStreamName: aws.String("s")}); err != nil {
		t.Fatal(err)
	}
}

// ship puts what the chat function has logged since the last time into CloudWatch.
func (d *deployment) ship(t *testing.T) {
	t.Helper()
	lines := d.chat.Logs()
	d.log(t, lines[d.shipped:]...)
	d.shipped = len(lines)
}

// log puts lines into CloudWatch as they come, at this moment.
func (d *deployment) log(t *testing.T, lines ...string) {
	t.Helper()
	for chunk := range slices.Chunk(lines, 1000) {
		var events []types.InputLogEvent
		for _, text := range chunk {
			events = append(events, types.InputLogEvent{Timestamp: aws.Int64(time.Now().UnixMilli()), Message: aws.String(text + "\n")})
		}
		group := (&stack{name: d.name}).logGroup(chatFunction)
		if _, err := d.logs.PutLogEvents(t.Context(), &cloudwatchlogs.PutLogEventsInput{LogGroupName: &group, LogStreamName: aws.String("s"), LogEvents: events}); err != nil {
			t.Fatal(err)
		}
	}
}

// decide asks for a decision and returns the status.
func (d *deployment) decide(t *testing.T, key string) int {
	t.Helper()
	const body = `{"messages":[{"role":"user","content":"How do you feel, from 0 to 100?"}],
		"tools":[{"type":"function","function":{"name":"submit_response","parameters":{"type":"object","required":["value"],"properties":{"value":{"type":"integer","minimum":0,"maximum":100}}}}}]}`
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, d.gateway.URL+"/chat/completions", bytes.NewReader([]byte(body)))
	if err != nil {
		t.Error(err)
		return 0
	}
	req.Header.Set("Authorization", "Bearer "+key)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Error(err)
		return 0
	}
	defer func() { _ = res.Body.Close() }()
	if _, err := io.Copy(io.Discard, res.Body); err != nil {
		t.Error(err)
	}
	return res.StatusCode
}
