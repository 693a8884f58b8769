package awstest

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

func bothSampling(c *call) string {
	if c.body.InferenceConfig.Temperature != nil && c.body.InferenceConfig.TopP != nil {
		return "`temperature` and `top_p` cannot both be specified for this model. Please use only one."
	}
	return ""
}

func anySampling(c *call) string {
	_, topK := c.fields.all["top_k"]
	for _, p := range []struct {
		name string
		set  bool
	}{
		{"temperature", c.body.InferenceConfig.Temperature != nil},
		{"top_p", c.body.InferenceConfig.TopP != nil},
		{"top_k", topK},
	} {
		if p.set {
			return "`" + p.name + "` is deprecated for this model."
		}
	}
	return ""
}

func maxTokens(c *call) string {
	n, limit := c.body.InferenceConfig.MaxTokens, c.traits.maxTokens
	if n == nil || limit == 0 || *n <= limit {
		return ""
	}
	return fmt.Sprintf("The maximum tokens you requested exceeds the model limit of %d. Try again with a maximum tokens value that is lower than %d.", limit, limit)
}

func thinkingKind(c *call) string {
	switch kind := c.fields.thinking.Type; {
	case c.fields.all["thinking"] == nil, kind == "disabled",
		kind == "enabled" && c.traits.thinking&budgetThinking != 0,
		kind == "adaptive" && c.traits.thinking&adaptiveThinking != 0:
		return ""
	case kind == "enabled" && c.traits.thinking&adaptiveThinking != 0:
		return "\"thinking.type.enabled\" is not supported for this model. Use \"thinking.type.adaptive\" and \"output_config.effort\" to control thinking behavior."
	case kind == "enabled" || kind == "adaptive":
		return kind + " thinking is not supported on this model"
	default:
		return fmt.Sprintf("thinking: Input tag '%s' found using 'type' does not match any of the expected tags: 'disabled', 'enabled', 'adaptive'", kind)
	}
}

func thinkingBudget(c *call) string {
	const (
		least = 1024
		unset = 4096 // what may be written without maxTokens, as some reports have it
	)
	if c.fields.thinking.Type != "enabled" {
		return ""
	}
	switch budget, limit := c.fields.thinking.BudgetTokens, c.body.InferenceConfig.MaxTokens; {
	case budget == nil:
		return "thinking.enabled.budget_tokens: Field required"
	case *budget < least:
		return fmt.Sprintf("thinking.enabled.budget_tokens: Input should be greater than or equal to %d", least)
	case limit != nil && *limit <= *budget, limit == nil && unset <= *budget:
		return "`max_tokens` must be greater than `thinking.budget_tokens`."
	}
	return ""
}

func thinkingSampling(c *call) string {
	const leastTopP = 0.95
	if !c.thinks() {
		return ""
	}
	sampling := c.body.InferenceConfig
	_, topK := c.fields.all["top_k"]
	switch {
	case sampling.Temperature != nil && *sampling.Temperature != 1:
		return "`temperature` may only be set to 1 when thinking is enabled."
	case sampling.TopP != nil && *sampling.TopP < leastTopP:
		return "`top_p` must be greater than or equal to 0.95 or unset when thinking is enabled."
	case topK:
		return "`top_k` must be unset when thinking is enabled."
	}
	return ""
}

func novaReasoning(c *call) string {
	var config struct{ Type, MaxReasoningEffort string }
	if err := json.Unmarshal(c.fields.all["reasoningConfig"], &config); err != nil || config.Type != "enabled" || config.MaxReasoningEffort != "high" {
		return ""
	}
	if i := c.body.InferenceConfig; i.MaxTokens != nil || i.Temperature != nil || i.TopP != nil {
		return "maxTokens, temperature and topP must be unset when maxReasoningEffort is high"
	}
	return ""
}

func stopSequences(c *call) string {
	stops := c.body.InferenceConfig.StopSequences
	if limit := c.traits.maxStops; limit > 0 && len(stops) > limit {
		return fmt.Sprintf("The number of stop sequences exceeds the model limit of %d.", limit)
	}
	for _, s := range stops {
		if c.traits.claude && strings.TrimSpace(s) == "" {
			return "stop_sequences: each stop sequence must contain non-whitespace"
		}
	}
	return ""
}

// fieldKeys are the additional fields a family knows, by family. Families that
// are missing have none that are known here, and are not judged.
func (c *call) fieldKeys() []string {
	switch {
	case c.traits.claude:
		return []string{"anthropic_beta", "context_management", "metadata", "output_config", "thinking", "tool_choice", "top_k"}
	case c.family == Nova2:
		return []string{"inferenceConfig", "reasoningConfig"}
	case c.traits.nova:
		return []string{"inferenceConfig"}
	}
	return nil
}

// reasoningValues are the values of the field that sets a family's reasoning.
var reasoningValues = map[Family]struct {
	key    string
	values []string
}{
	GPTOSS:     {"reasoning_effort", []string{"low", "medium", "high"}},
	Qwen3:      {"reasoning_config", []string{"low", "high"}},
	Qwen3VL:    {"reasoning_config", []string{"low", "high"}},
	DeepSeekV3: {"reasoning_config", []string{"low", "medium", "high"}},
}

func additionalFields(c *call) string {
	if keys := c.fieldKeys(); keys != nil {
		for _, key := range slices.Sorted(maps.Keys(c.fields.all)) {
			switch {
			case slices.Contains(keys, key):
			case c.traits.claude:
				return key + ": Extra inputs are not permitted"
			default:
				return "Malformed input request: #: extraneous key [" + key + "] is not permitted, please reformat your input and try again."
			}
		}
	}
	if r, ok := reasoningValues[c.family]; ok && c.fields.all[r.key] != nil {
		var value string
		if err := json.Unmarshal(c.fields.all[r.key], &value); err != nil || !slices.Contains(r.values, value) {
			return fmt.Sprintf("The value of %s must be one of: %s", r.key, strings.Join(r.values, ", "))
		}
	}
	switch {
	case c.traits.claude:
		return claudeToolChoice(c)
	case c.traits.nova:
		return novaInference(c)
	}
	return ""
}

// claudeToolChoice judges Claude's own tool_choice, which can also say that
// only one tool may be used at a time.
func claudeToolChoice(c *call) string {
	raw, ok := c.fields.all["tool_choice"]
	if !ok {
		return ""
	}
	var own struct{ Type, Name string }
	err := json.Unmarshal(raw, &own)
	way, _ := c.choice()
	switch {
	case err != nil, !slices.Contains([]string{"auto", "any", "tool", "none"}, own.Type):
		return "tool_choice: Unable to extract tag using discriminator 'type'"
	case own.Type == "tool" && own.Name == "":
		return "tool_choice.tool.name: Field required"
	case !hasTools(c):
		return "tool_choice may only be specified while providing tools."
	case way != 0:
		return "The additional field tool_choice conflicts with an existing field."
	case own.Type == "any" && c.traits.choices&choiceAny == 0, own.Type == "tool" && c.traits.choices&choiceTool == 0:
		return "tool_choice: type \"tool\" and \"any\" are not supported for this model."
	case own.Type != "auto" && own.Type != "none" && c.thinks():
		return "Thinking may not be enabled when tool_choice forces tool use."
	}
	return ""
}

func novaInference(c *call) string {
	var config map[string]json.RawMessage
	if raw, ok := c.fields.all["inferenceConfig"]; ok {
		if err := json.Unmarshal(raw, &config); err != nil {
			return "Malformed input request: #/inferenceConfig: expected type: JSONObject, please reformat your input and try again."
		}
	}
	for _, key := range slices.Sorted(maps.Keys(config)) {
		if key != "topK" {
			return "Malformed input request: #/inferenceConfig: extraneous key [" + key + "] is not permitted, please reformat your input and try again."
		}
	}
	return ""
}

func serviceTier(c *call) string {
	if t := c.body.ServiceTier; t != nil && t.Type != "default" {
		return "The service tier " + t.Type + " is not supported for this model."
	}
	return ""
}

func guardrail(c *call) string {
	g := c.body.GuardrailConfig
	if g == nil || (g.GuardrailIdentifier == "") == (g.GuardrailVersion == "") {
		return ""
	}
	return "The guardrailIdentifier and guardrailVersion fields must be given together."
}
