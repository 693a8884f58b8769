package main

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/bedrock"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/servicequotas"

	"hyperstudy-endpoint/internal/config"
)

// quotas compares the account's quotas with the plan.
func (d *doctor) quotas(ctx context.Context) {
	d.concurrency(ctx)
	var bedrockModels []config.Model
	for _, m := range d.models {
		if m.Provider == config.ProviderBedrock {
			bedrockModels = append(bedrockModels, m)
		}
	}
	if len(bedrockModels) == 0 {
		return
	}
	quotas, err := d.modelQuotas(ctx)
	if err != nil {
		d.report(finding{warning, "model quotas", "cannot be looked up: " + err.Error(), "look in the Service Quotas console under Amazon Bedrock"})
		return
	}
	for _, m := range bedrockModels {
		d.modelQuota(ctx, m, quotas)
	}
}

// concurrency checks how many requests Lambda runs at once. A request that
// waits for a model occupies one, and all agents may wait at the same time.
func (d *doctor) concurrency(ctx context.Context) {
	out, err := lambda.NewFromConfig(d.account.cfg).GetAccountSettings(ctx, &lambda.GetAccountSettingsInput{})
	if err != nil || out.AccountLimit == nil {
		d.report(finding{warning, "Lambda concurrency", fmt.Sprintf("cannot be looked up: %v", err), "look in the Service Quotas console under AWS Lambda"})
		return
	}
	free := int(aws.ToInt32(out.AccountLimit.UnreservedConcurrentExecutions))
	rooms := free / d.plan.agents
	f := finding{fine, "Lambda concurrency", fmt.Sprintf("%d at once, enough for %d rooms of %d agents that all wait at the same time", free, rooms, d.plan.agents), ""}
	if rooms < fullBatch {
		f.severity = warning
		f.next = fmt.Sprintf("a batch of %d rooms needs up to %d: ask for more in the Service Quotas console (AWS Lambda, Concurrent executions)", fullBatch, fullBatch*d.plan.agents)
	}
	d.report(f)
}

// fullBatch is the most rooms that HyperStudy starts in one batch.
const fullBatch = 100

// A modelQuota is a quota of one model: how it is called, what is counted and
// how much of it is allowed in a minute.
type modelQuota struct {
	profile bool // called by an inference profile across regions
	global  bool
	tokens  bool // tokens, or else requests
	model   string
	limit   float64
}

var quotaName = regexp.MustCompile(`(?i)^(on-demand|cross-region|global cross-region) .*\b(tokens|requests) per minute for (.+)$`)

// modelQuotas are the account's quotas of Bedrock's models, read by their names,
// since their codes follow no rule.
func (d *doctor) modelQuotas(ctx context.Context) ([]modelQuota, error) {
	var list []modelQuota
	pages := servicequotas.NewListServiceQuotasPaginator(servicequotas.NewFromConfig(d.account.cfg), &servicequotas.ListServiceQuotasInput{
		ServiceCode: aws.String("bedrock"), MaxResults: aws.Int32(100),
	})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, err
		}
		for _, q := range page.Quotas {
			if m := quotaName.FindStringSubmatch(aws.ToString(q.QuotaName)); m != nil && q.Value != nil {
				kind := strings.ToLower(m[1])
				list = append(list, modelQuota{
					profile: kind != "on-demand", global: strings.HasPrefix(kind, "global"),
					tokens: strings.EqualFold(m[2], "tokens"), model: plain(m[3]), limit: *q.Value,
				})
			}
		}
	}
	return list, nil
}

func (d *doctor) modelQuota(ctx context.Context, m config.Model, quotas []modelQuota) {
	id, profile := d.foundationModel(ctx, m.ID)
	perMinute := float64(d.plan.agents) * d.plan.decisions // of a room
	found := false
	for _, q := range quotas {
		if q.model != plain(id) || q.profile != (profile != "") || q.global != (profile == "global") {
			continue
		}
		found = true
		unit, each := "requests", perMinute
		if q.tokens {
			unit, each = "tokens", perMinute*float64(d.plan.tokens)
		}
		rooms := int(q.limit / each)
		f := finding{fine, "quota of " + m.Alias, fmt.Sprintf("%.0f %s a minute, enough for %d rooms at once (%d agents, %g decisions a minute each)", q.limit, unit, rooms, d.plan.agents, d.plan.decisions), ""}
		if rooms < fullBatch {
			f.severity = warning
			f.next = fmt.Sprintf("start at most %d rooms at once, or ask for more in the Service Quotas console (Amazon Bedrock)", rooms)
		}
		if rooms < 1 {
			f.severity = fault
		}
		d.report(f)
	}
	if !found {
		d.report(finding{warning, "quota of " + m.Alias, "no quota with the model's name is listed", "look in the Service Quotas console under Amazon Bedrock"})
	}
}

// geographies are the prefixes of the system's inference profiles.
var geographies = []string{"us", "eu", "apac", "au", "jp", "ca", "us-gov", "global"}

// foundationModel returns the id of the model behind a model id or inference
// profile, and the profile's geography: "application" for a profile of one's own.
func (d *doctor) foundationModel(ctx context.Context, id string) (model, profile string) {
	for _, g := range geographies {
		if rest, ok := strings.CutPrefix(id, g+"."); ok {
			return rest, g
		}
	}
	if _, rest, ok := strings.Cut(id, ":foundation-model/"); ok {
		return rest, ""
	}
	if !strings.HasPrefix(id, "arn:") {
		return id, ""
	}
	out, err := bedrock.NewFromConfig(d.account.cfg).GetInferenceProfile(ctx, &bedrock.GetInferenceProfileInput{InferenceProfileIdentifier: &id})
	if err != nil || len(out.Models) == 0 {
		return id, "application"
	}
	_, model, _ = strings.Cut(aws.ToString(out.Models[0].ModelArn), ":foundation-model/")
	return model, "application"
}

var (
	version   = regexp.MustCompile(`(?i)([-.\s]v[0-9]+(:[0-9]+)*(:[0-9a-z]+)?)$`)
	dateStamp = regexp.MustCompile(`-20[0-9]{6}`)
	separator = regexp.MustCompile(`[^a-z0-9]+`)
)

// plain reduces a model's id and its name in a quota to the same letters:
// "anthropic.claude-sonnet-4-5-20250929-v1:0" and "Anthropic Claude Sonnet 4.5 V1"
// are both "anthropicclaudesonnet45".
func plain(name string) string {
	name = version.ReplaceAllString(strings.TrimSpace(name), "")
	name = dateStamp.ReplaceAllString(name, "")
	return separator.ReplaceAllString(strings.ToLower(name), "")
}
