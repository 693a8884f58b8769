package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/arn"
	"github.com/aws/aws-sdk-go-v2/service/bedrock"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/types"
	"github.com/aws/smithy-go"

	"hyperstudy-endpoint/internal/config"
)

// callTimeout bounds one call of a model; HyperStudy's own test waits 30 s.
const callTimeout = 30 * time.Second

// bedrockModels makes a call of one token to each Bedrock model, with the
// rights of the person at the keyboard.
func (d *doctor) bedrockModels(ctx context.Context) {
	for _, m := range d.models {
		if m.Provider == config.ProviderBedrock {
			d.bedrockModel(ctx, m)
		}
	}
}

func (d *doctor) bedrockModel(ctx context.Context, m config.Model) {
	what := "model " + m.Alias
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	_, err := bedrockruntime.NewFromConfig(d.account.cfg).Converse(ctx, &bedrockruntime.ConverseInput{
		ModelId:         &m.ID,
		Messages:        []types.Message{{Role: types.ConversationRoleUser, Content: []types.ContentBlock{&types.ContentBlockMemberText{Value: "Say yes."}}}},
		InferenceConfig: &types.InferenceConfiguration{MaxTokens: aws.Int32(1)},
	})
	if err != nil {
		found, next := modelFault(err, m.ID, d.account.cfg.Region)
		d.report(finding{fault, what, found, next})
		return
	}
	found := m.ID + " answers in " + d.account.cfg.Region
	if regions := d.regions(ctx, m.ID); len(regions) > 0 {
		found += ", and is run in " + strings.Join(regions, ", ")
	}
	d.report(finding{fine, what, found, ""})
}

// modelFault says what a refusal of Bedrock means.
func modelFault(err error, id, region string) (found, next string) {
	var api smithy.APIError
	if !errors.As(err, &api) {
		return err.Error(), "check the network and try again"
	}
	text := strings.ToLower(api.ErrorMessage())
	switch code := api.ErrorCode(); {
	case code == "AccessDeniedException" && strings.Contains(text, "not authorized to perform"):
		return "your own user or role may not call " + id, "the endpoint's role may; to check it from here you need bedrock:InvokeModel"
	case code == "AccessDeniedException":
		return "this account has no access to " + id + " in " + region, "open the Bedrock console in " + region + ", choose the model in the catalog and request access; some providers ask for a form"
	case code == "ValidationException" && strings.Contains(text, "on-demand throughput"):
		return id + " can be called by an inference profile only", "write the profile's id in Models, for example us." + id + " or eu." + id
	case code == "ValidationException" && strings.Contains(text, "identifier is invalid"), code == "ResourceNotFoundException":
		return id + " does not exist in " + region + ", or was retired", "look up the model ids of " + region + " in the Bedrock console"
	case code == "ThrottlingException":
		return id + " is throttled", "the account's quota is used up or very low: see the quotas below"
	default:
		return id + ": " + code, "look the error up in the Bedrock documentation"
	}
}

// regions are where an inference profile runs its model; empty for a model
// that is called in its own region.
func (d *doctor) regions(ctx context.Context, id string) []string {
	profile, err := bedrock.NewFromConfig(d.account.cfg).GetInferenceProfile(ctx, &bedrock.GetInferenceProfileInput{InferenceProfileIdentifier: &id})
	if err != nil {
		return nil // no profile, or no right to ask
	}
	var list []string
	for _, m := range profile.Models {
		if a, err := arn.Parse(aws.ToString(m.ModelArn)); err == nil {
			list = append(list, a.Region)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// endpoint makes HyperStudy's connection test of each model through the
// deployed endpoint, and a streamed one, which shows that the region streams.
func (d *doctor) endpoint(ctx context.Context) {
	if d.stack == nil {
		return
	}
	ring, err := d.keyring(ctx)
	if err != nil {
		d.report(finding{fault, "key", explain(err).Error(), "check the secret of the output ApiKeySecretArn"})
		return
	}
	var key string
	for _, label := range ring.keys.labels() {
		key = ring.keys[label]
	}
	baseURL := d.stack.outputs["BaseUrl"]
	if err := accepted(ctx, baseURL, key); err != nil {
		d.report(finding{fault, "endpoint", err.Error(), "look at the log: `make logs`"})
		return
	}
	d.report(finding{fine, "endpoint", "both functions answer and accept the key", ""})
	for i, m := range d.models {
		d.connectionTest(ctx, baseURL, key, m.Alias, false)
		if i == 0 {
			d.connectionTest(ctx, baseURL, key, m.Alias, true)
		}
	}
}

func (d *doctor) connectionTest(ctx context.Context, baseURL, key, alias string, stream bool) {
	what, answers := "through the endpoint", "answers"
	if stream {
		what, answers = "streaming", "streams"
	}
	body := fmt.Sprintf(`{"model":%q,"max_tokens":1,"stream":%t,"messages":[{"role":"user","content":"Say yes."}]}`, alias, stream)
	start := d.now()
	status, err := probe(ctx, http.MethodPost, baseURL+"/chat/completions", key, body)
	switch took := d.now().Sub(start).Round(100 * time.Millisecond); {
	case err != nil:
		d.report(finding{fault, what, alias + ": " + err.Error(), "look at the log: `make logs`"})
	case status != http.StatusOK:
		d.report(finding{fault, what, fmt.Sprintf("%s: status %d", alias, status), "the reason is in the log: `make logs ARGS=--failures`"})
	default:
		d.report(finding{fine, what, fmt.Sprintf("%s %s, %v", alias, answers, took), ""})
	}
}

// invocationLogging looks for the account-wide switch that makes Bedrock store
// every prompt and answer.
func (d *doctor) invocationLogging(ctx context.Context) {
	const what = "invocation logging"
	out, err := bedrock.NewFromConfig(d.account.cfg).GetModelInvocationLoggingConfiguration(ctx, &bedrock.GetModelInvocationLoggingConfigurationInput{})
	switch {
	case err != nil:
		d.report(finding{warning, what, "cannot be looked up: " + err.Error(), "look in the Bedrock console under Settings whether model invocation logging is on: it would store what participants write"})
	case out.LoggingConfig == nil || !aws.ToBool(out.LoggingConfig.TextDataDeliveryEnabled) && !aws.ToBool(out.LoggingConfig.ImageDataDeliveryEnabled):
		d.report(finding{fine, what, "off: Bedrock stores no prompts in this account and region", ""})
	default:
		d.report(finding{warning, what, "ON: Bedrock writes every prompt and answer of this account and region to " + destination(out),
			"turn it off in the Bedrock console under Settings, or name that storage in your data protection plan"})
	}
}

func destination(out *bedrock.GetModelInvocationLoggingConfigurationOutput) string {
	var places []string
	if c := out.LoggingConfig.CloudWatchConfig; c != nil {
		places = append(places, "the log group "+aws.ToString(c.LogGroupName))
	}
	if c := out.LoggingConfig.S3Config; c != nil {
		places = append(places, "the bucket "+aws.ToString(c.BucketName))
	}
	return strings.Join(places, " and ")
}
