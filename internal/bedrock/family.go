package bedrock

import (
	"fmt"
	"slices"
	"strings"
)

// A trait is something that not every family can do.
type trait uint

const (
	systemPrompt  trait = 1 << iota // takes a system prompt
	tools                           // takes tools
	streamedTools                   // takes tools in ConverseStream
	anyTool                         // can be forced to call some tool
	namedTool                       // can be forced to call a certain tool
	singleCall                      // can be limited to one tool call (disable_parallel_tool_use)
	images                          // takes images in user messages
	leading                         // the first message may be the assistant's
	prefill                         // the last message may be the assistant's
	mixedResults                    // tool results may stand beside text in one message
	structured                      // structured outputs: outputConfig.textFormat
	strictTools                     // structured outputs: strict tools
	tiers                           // service tiers other than the default one
	blankStops                      // stop sequences may be nothing but white space
	hyphens                         // tool names may have hyphens and a leading digit

	// choosing is a family without restrictions on the choice of a tool.
	choosing = tools | streamedTools | anyTool | namedTool
)

// A sampling says which of temperature and top_p a family takes.
type sampling int

const (
	bothSampling sampling = iota
	oneSampling           // one of the two
	noSampling            // neither
)

// A topK says where a family has its top_k.
type topK int

const (
	noTopK     topK = iota
	claudeTopK      // additionalModelRequestFields.top_k
	novaTopK        // additionalModelRequestFields.inferenceConfig.topK
)

// A dialect is the part of JSON Schema that a family takes in tools.
type dialect int

const (
	plain     dialect = iota // type, properties and required at the top, no references, no additionalProperties
	draft2020                // JSON Schema draft 2020-12, an object at the top
)

// An idForm is what a family takes as the id of a tool use.
type idForm int

const (
	wordIDs   idForm = iota // letters, digits, _ and -
	dottedIDs               // also . and :
	nineIDs                 // nine letters or digits
)

// A reasoningForm is how a family is told to reason.
type reasoningForm int

const (
	noReasoning       reasoningForm = iota
	alwaysReasoning                 // reasons unasked, and cannot be told not to
	budgetReasoning                 // thinking: enabled, with a budget of tokens
	adaptiveReasoning               // thinking: adaptive, with an effort
	novaReasoning                   // reasoningConfig with maxReasoningEffort
	effortReasoning                 // reasoning_effort: low, medium or high
	twoReasoning                    // reasoning_config: low or high
	threeReasoning                  // reasoning_config: low, medium or high
)

// A family is a group of models that Bedrock holds to the same restrictions.
// The zero value of a column is what most families have.
type family struct {
	name      string
	ids       []string // how the ids of its models begin
	lines     []string // the lines of models that stand for it where a setting names a line
	traits    trait
	dialect   dialect
	sampling  sampling
	topK      topK
	toolIDs   idForm
	reasoning reasoningForm
	tag       string // of the reasoning that it writes into its text, before tool calls above all
	sources   string // numbers of the list at families
}

// What most models of a provider have in common.
const (
	claude3 = systemPrompt | choosing | images | leading | prefill | mixedResults | hyphens
	claude4 = claude3 | singleCall | structured | strictTools
	claude5 = claude4 &^ (prefill | structured | strictTools)
	nova    = systemPrompt | choosing&^namedTool | prefill | mixedResults | blankStops
	open    = systemPrompt | tools | streamedTools | mixedResults | blankStops | hyphens
	basic   = open &^ (streamedTools | mixedResults)
)

// other are the models this table does not know: nothing but what all models
// refuse is kept from them, and what they refuse is reported.
var other = family{name: "other", traits: open | anyTool | namedTool | images}

// families is the table. The longest id that fits decides. Where a line
// of models has several rows, the name of the line stands for the one that suits
// most models that are served today: claude for Claude 4.5, llama for models of
// text alone, deepseek for V3. A row that is named like its line stands for itself.
// A Claude, Nova or Llama model that is newer than this table is taken for the
// newest in it.
//
// Sources, all public:
//
//	1  Amazon Bedrock User Guide, Supported models and model features
//	2  Amazon Bedrock User Guide, Structured outputs, Supported models
//	3  Amazon Bedrock API Reference, ToolChoice
//	4  Amazon Nova User Guide, Tool use troubleshooting, Complete request schema, Extended thinking
//	5  Anthropic documentation, Extended thinking, Adaptive thinking, Tool use, Migrating to newer models
//	6  github.com/langchain-ai/langchain-aws, ChatBedrockConverse
//	7  github.com/pydantic/pydantic-ai, profiles of Bedrock models
//	8  github.com/anthropics/anthropic-sdk-python/issues/739: disable_parallel_tool_use refused for Claude 3.5
//	9  Amazon Bedrock User Guide, Service tiers
//	10 github.com/SEMOSS/Semoss/pull/2892: hyphens in the tool names of Nova
//	11 github.com/vercel/ai/issues/18199, github.com/ax-llm/ax/issues/667: strict and textFormat refused from Claude Opus 4.7 on
//	12 github.com/vercel/ai/issues/19988: textFormat refused by Claude Haiku 4.5 in some accounts
//	13 github.com/vercel/ai/issues/17881: textFormat makes Claude Sonnet 4.6 fill its answer up to the limit
//	14 github.com/567-labs/instructor/issues/2681, github.com/vercel/ai/issues/21364: Claude Opus 5.5 cannot be forced to call a tool
//	15 github.com/vercel/ai, packages/amazon-bedrock: the choices of Meta models
//	16 github.com/JetBrains/koog/pull/1436: the answers of Kimi K2 Thinking begin with <think>
//	17 github.com/langchain-ai/langchain-aws/pull/1261: DeepSeek V3 that thinks does not call tools
var families = []family{
	{name: "claude-2", ids: []string{"anthropic.claude-v2", "anthropic.claude-instant"}, traits: systemPrompt | leading | prefill | hyphens, dialect: draft2020, topK: claudeTopK, sources: "1"},
	{name: "claude-3-5-haiku", ids: []string{"anthropic.claude-3-5-haiku"}, traits: claude3 &^ images, dialect: draft2020, topK: claudeTopK, sources: "1 8"},
	{name: "claude-4", ids: []string{"anthropic.claude-3-7", "anthropic.claude-sonnet-4-2", "anthropic.claude-opus-4-2"}, traits: claude3, dialect: draft2020, topK: claudeTopK, reasoning: budgetReasoning, sources: "1 5 8"},
	{name: "claude-3", ids: []string{"anthropic.claude-3"}, traits: claude3, dialect: draft2020, topK: claudeTopK, sources: "1 8"},
	{name: "claude-opus-4-1", ids: []string{"anthropic.claude-opus-4-1"}, traits: claude3, dialect: draft2020, sampling: oneSampling, topK: claudeTopK, reasoning: budgetReasoning, sources: "1 5 8"},
	{name: "claude-4-5", ids: []string{"anthropic.claude-sonnet-4-5", "anthropic.claude-opus-4-5"}, lines: []string{"claude"}, traits: claude4, dialect: draft2020, sampling: oneSampling, topK: claudeTopK, reasoning: budgetReasoning, sources: "1 2 5"},
	{name: "claude-haiku-4-5", ids: []string{"anthropic.claude-haiku-4-5"}, traits: claude4 &^ structured, dialect: draft2020, sampling: oneSampling, topK: claudeTopK, reasoning: budgetReasoning, sources: "1 2 5 12"},
	{name: "claude-4-6", ids: []string{"anthropic.claude-opus-4-6"}, traits: claude4 &^ prefill, dialect: draft2020, sampling: oneSampling, topK: claudeTopK, reasoning: adaptiveReasoning, sources: "1 2 5"},
	{name: "claude-sonnet-4-6", ids: []string{"anthropic.claude-sonnet-4-6"}, traits: claude4 &^ (prefill | structured), dialect: draft2020, sampling: oneSampling, topK: claudeTopK, reasoning: adaptiveReasoning, sources: "1 2 5 13"},
	{name: "claude-4-7", ids: []string{"anthropic.claude-opus-4-7", "anthropic.claude-opus-4-8", "anthropic.claude-opus-5", "anthropic.claude-sonnet-5", "anthropic.claude-fable-5"}, traits: claude5, dialect: draft2020, sampling: noSampling, reasoning: adaptiveReasoning, sources: "1 5 11"},
	{name: "claude-5-5", ids: []string{"anthropic.claude-opus-5-5", "anthropic.claude-sonnet-5-5", "anthropic.claude-fable-5-1", "anthropic.claude"}, traits: claude5 &^ (anyTool | namedTool), dialect: draft2020, sampling: noSampling, reasoning: adaptiveReasoning, sources: "1 5 11 14"},
	{name: "nova-micro", ids: []string{"amazon.nova-micro"}, traits: nova, topK: novaTopK, tag: "thinking", sources: "1 4 10"},
	{name: "nova-2", ids: []string{"amazon.nova-2"}, traits: nova | images | tiers, topK: novaTopK, reasoning: novaReasoning, tag: "thinking", sources: "1 4 9 10"},
	{name: "nova", ids: []string{"amazon.nova"}, traits: nova | images | tiers, topK: novaTopK, tag: "thinking", sources: "1 4 9 10"},
	{name: "titan", ids: []string{"amazon.titan"}, traits: blankStops, sources: "1"},
	{name: "llama-3-1", ids: []string{"meta.llama3-1", "meta.llama3-3"}, lines: []string{"llama"}, traits: basic, sources: "1 6 7 15"},
	{name: "llama-3-2", ids: []string{"meta.llama3-2-11b", "meta.llama3-2-90b"}, traits: basic | images, sources: "1 6 7 15"},
	{name: "llama-4", ids: []string{"meta.llama4", "meta.llama"}, traits: basic | images, sources: "1 6 7 15"},
	{name: "llama-3", ids: []string{"meta.llama2", "meta.llama3-8b", "meta.llama3-70b", "meta.llama3-2-1b", "meta.llama3-2-3b"}, traits: systemPrompt | blankStops, sources: "1"},
	{name: "mistral-7b", ids: []string{"mistral.mistral-7b", "mistral.mixtral"}, traits: blankStops, toolIDs: nineIDs, sources: "1"},
	{name: "mistral-large", ids: []string{"mistral.mistral-large"}, traits: basic | anyTool, toolIDs: nineIDs, sources: "1 3 6 7"},
	{name: "pixtral", ids: []string{"mistral.pixtral"}, traits: basic | anyTool | images, toolIDs: nineIDs, sources: "1 6 7"},
	{name: "mistral", ids: []string{"mistral.mistral-small"}, traits: basic, toolIDs: nineIDs, sources: "1 6 7"},
	{name: "command-r", ids: []string{"cohere.command-r"}, lines: []string{"cohere"}, traits: open, sources: "1"},
	{name: "jamba-instruct", ids: []string{"ai21.jamba-instruct"}, traits: systemPrompt | blankStops, sources: "1"},
	{name: "jamba-1-5", ids: []string{"ai21.jamba"}, lines: []string{"ai21", "jamba"}, traits: open, sources: "1"},
	{name: "deepseek-r1", ids: []string{"deepseek.r1"}, traits: systemPrompt | leading | blankStops, reasoning: alwaysReasoning, sources: "1 6"},
	{name: "deepseek-v3", ids: []string{"deepseek.v3"}, lines: []string{"deepseek"}, traits: open | anyTool | leading | structured | tiers, reasoning: threeReasoning, sources: "1 2 6 9 17"},
	{name: "qwen3-vl", ids: []string{"qwen.qwen3-vl"}, traits: open | images | leading | structured | tiers, reasoning: twoReasoning, sources: "1 2 7 9"},
	{name: "qwen3", ids: []string{"qwen.qwen3"}, lines: []string{"qwen"}, traits: open | leading | structured | tiers, reasoning: twoReasoning, sources: "1 2 7 9"},
	{name: "gpt-oss", ids: []string{"openai.gpt-oss"}, traits: open | structured | tiers, reasoning: effortReasoning, sources: "1 2 9"},
	{name: "kimi", ids: []string{"moonshot.kimi", "moonshotai.kimi"}, traits: open | anyTool | namedTool | images | leading | structured | tiers, toolIDs: dottedIDs, tag: "think", sources: "2 7 9 16"},
	{name: "glm", ids: []string{"zai.glm"}, traits: open | anyTool | namedTool | images | leading | structured | tiers, sources: "2 7 9"},
	{name: "palmyra", ids: []string{"writer.palmyra"}, lines: []string{"writer"}, traits: basic, sources: "1 7"},
}

// familyOf tells the family by a model id: a foundation model's, that of an
// inference profile, which has a geography before it, or an ARN with either.
func familyOf(model string) *family {
	found, longest := &other, ""
	for i := range families {
		for _, id := range families[i].ids {
			if len(id) > len(longest) && names(model, id) {
				found, longest = &families[i], id
			}
		}
	}
	return found
}

// names reports whether id begins model, or a part of it behind a dot or slash.
func names(model, id string) bool {
	for {
		if strings.HasPrefix(model, id) {
			return true
		}
		next := strings.IndexAny(model, "./")
		if next < 0 {
			return false
		}
		model = model[next+1:]
	}
}

// familyNamed finds the family that a setting names: by its row, by a line of
// models, or by a model id or the beginning of one.
func familyNamed(name string) (*family, error) {
	i := slices.IndexFunc(families, func(f family) bool { return f.name == name || slices.Contains(f.lines, name) })
	if i >= 0 {
		return &families[i], nil
	}
	if f := familyOf(name); f != &other || name == other.name {
		return f, nil
	}
	known := []string{other.name}
	for _, f := range families {
		known = append(append(known, f.name), f.lines...)
	}
	slices.Sort(known)
	return nil, fmt.Errorf("bedrock: unknown model family %q; accepted are %s, and model ids or how they begin, such as anthropic.claude-sonnet-4-5",
		name, strings.Join(known, ", "))
}

// can reports whether the family has all of the traits.
func (f *family) can(t trait) bool { return f.traits&t == t }
