package bedrock

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/types"

	"hyperstudy-endpoint/internal/openai"
)

// A translation is one request on its way to Bedrock, and what has to be
// remembered of it until the answer is here.
type translation struct {
	req     *openai.ChatCompletionRequest
	family  *family
	options *Options
	schemas *schemaMemo

	input     bedrockruntime.ConverseInput
	fields    openai.Object // additionalModelRequestFields
	system    []string
	names     *toolNames
	members   *propertyNames
	grammar   grammar
	thinks    bool   // reasoning is asked for, which excludes forced tools
	exclusive bool   // it excludes sampling parameters and a prefill too
	jsonTool  string // the hidden tool whose input is the answer; empty if there is none

	honoured map[string]bool // parameters of the request that have an effect
}

// build translates the request. The order matters: reasoning excludes forced
// tools, and both decide what the messages may look like.
func (t *translation) build(ctx context.Context, f *fetcher) error {
	if t.req.Model == "" {
		return openai.Missing("model")
	}
	t.input.ModelId = aws.String(t.req.Model)
	t.names, t.members = newToolNames(t.family), newPropertyNames(t.family, t.req)
	t.honour("model", "messages", "stream", "stream_options", "tools")
	for _, step := range []func() error{t.addReasoning, t.addFormat, t.addTools, func() error { return t.addMessages(ctx, f) }, t.addInference} {
		if err := step(); err != nil {
			return err
		}
	}
	t.addGuardrail()
	t.addServiceTier()
	if len(t.fields.Members()) == 0 {
		return nil
	}
	fields, err := objectDocument(t.fields)
	t.input.AdditionalModelRequestFields = fields
	return err
}

// honour notes that parameters have an effect, or ask for what happens anyway.
func (t *translation) honour(params ...string) {
	for _, p := range params {
		t.honoured[p] = true
	}
}

// neutral are values of parameters that ask for nothing.
var neutral = map[string][]string{
	"n":                 {"1"},
	"logprobs":          {"false"},
	"top_logprobs":      {"0"},
	"frequency_penalty": {"0", "0.0"},
	"presence_penalty":  {"0", "0.0"},
	"logit_bias":        {"{}"},
	"metadata":          {"{}"},
	"store":             {"false"},
	"modalities":        {`["text"]`},
	"service_tier":      {`"auto"`, `"default"`},
}

// ignored returns the sorted names of the parameters without an effect. Who of
// several speakers said something is one of them: Converse has no place for it.
func (t *translation) ignored() []string {
	var names []string
	for _, m := range t.req.Body.Members() {
		if t.honoured[m.Name] {
			continue
		}
		if value := string(compact(m.Value)); value != "null" && !slices.Contains(neutral[m.Name], value) {
			names = append(names, m.Name)
		}
	}
	if slices.ContainsFunc(t.req.Messages, func(m openai.Message) bool { return m.Name != "" && m.Role != openai.RoleTool }) {
		names = append(names, "messages.name")
	}
	slices.Sort(names)
	return names
}

// maxTemperature is the most that any model on Bedrock takes.
const maxTemperature = 1

// addInference sends the limits and the sampling parameters.
func (t *translation) addInference() error {
	req, c := t.req, types.InferenceConfiguration{}
	if req.Temperature != nil && *req.Temperature > maxTemperature && t.family.sampling != noSampling {
		return openai.InvalidValue("temperature", "Invalid value for 'temperature': this model takes temperatures between 0 and %d.", maxTemperature)
	}
	if req.MaxTokens != nil {
		c.MaxTokens = aws.Int32(int32(min(*req.MaxTokens, 1<<31-1))) //nolint:gosec // limited to what fits
		t.honour(req.MaxTokensParam)
	} else if t.thinks && t.family.reasoning == budgetReasoning {
		c.MaxTokens = aws.Int32(thinkingTokens)
	}
	if t.samples() {
		if req.Temperature != nil {
			c.Temperature = aws.Float32(float32(*req.Temperature))
			t.honour("temperature")
		}
		if req.TopP != nil && (req.Temperature == nil || t.family.sampling == bothSampling) {
			c.TopP = aws.Float32(float32(*req.TopP))
			t.honour("top_p")
		}
		t.addTopK()
	}
	for _, s := range req.Stop {
		if s != "" && (!isBlank(s) || t.family.can(blankStops)) {
			c.StopSequences = append(c.StopSequences, s)
		}
	}
	if len(c.StopSequences) == len(req.Stop) {
		t.honour("stop")
	}
	if c.MaxTokens != nil || c.Temperature != nil || c.TopP != nil || len(c.StopSequences) > 0 {
		t.input.InferenceConfig = &c
	}
	return nil
}

// addTopK sends top_k, which is not a parameter of OpenAI's but of many servers.
func (t *translation) addTopK() {
	const maxNovaTopK = 128
	var k int
	if t.family.topK == noTopK || !t.req.Body.Has("top_k") || json.Unmarshal(t.req.Body.Get("top_k"), &k) != nil || k < 1 {
		return
	}
	value := t.req.Body.Get("top_k")
	switch {
	case t.family.topK == claudeTopK:
		t.fields.Set("top_k", value)
	case k <= maxNovaTopK:
		t.fields.Set("inferenceConfig", json.RawMessage(`{"topK":`+string(value)+`}`))
	default:
		return
	}
	t.honour("top_k")
}

func (t *translation) addGuardrail() {
	if t.options.GuardrailID == "" {
		return
	}
	t.input.GuardrailConfig = &types.GuardrailConfiguration{
		GuardrailIdentifier: aws.String(t.options.GuardrailID),
		GuardrailVersion:    aws.String(t.options.GuardrailVersion),
	}
}

// addServiceTier sends a tier other than the default one where there are some.
func (t *translation) addServiceTier() {
	tier := types.ServiceTierType(t.req.ServiceTier)
	if (tier == types.ServiceTierTypeFlex || tier == types.ServiceTierTypePriority) && t.family.can(tiers) {
		t.input.ServiceTier = &types.ServiceTier{Type: tier}
		t.honour("service_tier")
	}
}

// streamInput is the same request for ConverseStream.
func (t *translation) streamInput() *bedrockruntime.ConverseStreamInput {
	in := &bedrockruntime.ConverseStreamInput{
		ModelId:                      t.input.ModelId,
		Messages:                     t.input.Messages,
		System:                       t.input.System,
		InferenceConfig:              t.input.InferenceConfig,
		ToolConfig:                   t.input.ToolConfig,
		AdditionalModelRequestFields: t.input.AdditionalModelRequestFields,
		OutputConfig:                 t.input.OutputConfig,
		ServiceTier:                  t.input.ServiceTier,
	}
	if g := t.input.GuardrailConfig; g != nil {
		in.GuardrailConfig = &types.GuardrailStreamConfiguration{
			GuardrailIdentifier: g.GuardrailIdentifier,
			GuardrailVersion:    g.GuardrailVersion,
		}
	}
	return in
}

// addSystem sends the system prompt; a family without one gets it with the
// first user message (see [conversation.foldSystem]).
func (t *translation) addSystem(texts []string) {
	for _, text := range slices.Concat(texts, t.system) {
		if !isBlank(text) {
			t.input.System = append(t.input.System, &types.SystemContentBlockMemberText{Value: text})
		}
	}
}

// join puts texts into one, each a paragraph.
func join(texts []string) string { return strings.Join(texts, "\n\n") }
