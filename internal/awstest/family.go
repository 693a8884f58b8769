package awstest

import (
	"slices"
	"strings"
)

// A Family is a group of models that the service holds to the same restrictions.
type Family string

// The families. Claude and Llama change their rules between generations, which
// is why they have several.
const (
	Unknown         Family = ""
	ClaudeLegacy    Family = "claude-2"         // Claude 2 and Instant
	Claude3         Family = "claude-3"         // 3 and 3.5, all but 3.5 Haiku
	Claude35Haiku   Family = "claude-3-5-haiku" // text only
	Claude4         Family = "claude-4"         // 3.7, Sonnet 4, Opus 4: extended thinking
	ClaudeOpus41    Family = "claude-opus-4-1"
	Claude45        Family = "claude-4-5"        // Sonnet and Opus 4.5
	ClaudeHaiku45   Family = "claude-haiku-4-5"  // no outputConfig.textFormat in some accounts
	Claude46        Family = "claude-4-6"        // Opus 4.6: no prefill
	ClaudeSonnet46  Family = "claude-sonnet-4-6" // fills JSON of outputConfig.textFormat up to its limit
	Claude47        Family = "claude-4-7"        // Opus 4.7, 4.8 and those of 5: adaptive thinking, no sampling, no structured outputs
	Claude55        Family = "claude-5-5"        // Opus and Sonnet 5.5, Fable 5.1: cannot be forced to call a tool
	NovaMicro       Family = "nova-micro"        // text only
	Nova            Family = "nova"              // Lite, Pro, Premier
	Nova2           Family = "nova-2"
	LlamaLegacy     Family = "llama-3"    // 2, 3 and 3.2 1B/3B: no tools
	LlamaText       Family = "llama-3-1"  // 3.1, 3.3
	LlamaVision     Family = "llama-3-2"  // 3.2 11B/90B
	Llama4          Family = "llama-4"    // images, in tool results too
	MistralInstruct Family = "mistral-7b" // 7B, Mixtral: neither tools nor system prompts
	MistralSmall    Family = "mistral"    // Small
	MistralLarge    Family = "mistral-large"
	Pixtral         Family = "pixtral"
	CommandR        Family = "command-r"
	Jamba           Family = "jamba-1-5"
	JambaInstruct   Family = "jamba-instruct"
	DeepSeekR1      Family = "deepseek-r1"
	DeepSeekV3      Family = "deepseek-v3"
	Qwen3           Family = "qwen3"
	Qwen3VL         Family = "qwen3-vl"
	GPTOSS          Family = "gpt-oss"
	Kimi            Family = "kimi"
	GLM             Family = "glm"
	Palmyra         Family = "palmyra"
	Titan           Family = "titan"
)

// familyPrefixes tell the family by how a model id begins. The first that fits
// decides, so that the narrower ones come first.
var familyPrefixes = []struct {
	prefix string
	family Family
}{
	{"anthropic.claude-v2", ClaudeLegacy}, {"anthropic.claude-instant", ClaudeLegacy},
	{"anthropic.claude-3-5-haiku", Claude35Haiku}, {"anthropic.claude-3-7", Claude4}, {"anthropic.claude-3", Claude3},
	{"anthropic.claude-sonnet-4-2", Claude4}, {"anthropic.claude-opus-4-2", Claude4}, // the date follows
	{"anthropic.claude-opus-4-1", ClaudeOpus41},
	{"anthropic.claude-haiku-4-5", ClaudeHaiku45}, {"anthropic.claude-sonnet-4-5", Claude45}, {"anthropic.claude-opus-4-5", Claude45},
	{"anthropic.claude-sonnet-4-6", ClaudeSonnet46}, {"anthropic.claude-opus-4-6", Claude46},
	{"anthropic.claude-opus-4-7", Claude47}, {"anthropic.claude-opus-4-8", Claude47},
	{"anthropic.claude-opus-5-5", Claude55}, {"anthropic.claude-sonnet-5-5", Claude55}, {"anthropic.claude-fable-5-1", Claude55},
	{"anthropic.claude-opus-5", Claude47}, {"anthropic.claude-sonnet-5", Claude47}, {"anthropic.claude-fable-5", Claude47},
	{"amazon.nova-micro", NovaMicro}, {"amazon.nova-2", Nova2},
	{"amazon.nova-lite", Nova}, {"amazon.nova-pro", Nova}, {"amazon.nova-premier", Nova},
	{"amazon.titan-text", Titan}, {"amazon.titan-tg1", Titan},
	{"meta.llama2", LlamaLegacy}, {"meta.llama3-1", LlamaText}, {"meta.llama3-3", LlamaText},
	{"meta.llama3-2-11b", LlamaVision}, {"meta.llama3-2-90b", LlamaVision},
	{"meta.llama3", LlamaLegacy}, {"meta.llama4", Llama4},
	{"mistral.mistral-7b", MistralInstruct}, {"mistral.mixtral", MistralInstruct}, {"mistral.mistral-small", MistralSmall},
	{"mistral.mistral-large", MistralLarge}, {"mistral.pixtral", Pixtral},
	{"cohere.command-r", CommandR}, {"ai21.jamba-instruct", JambaInstruct}, {"ai21.jamba", Jamba},
	{"deepseek.r1", DeepSeekR1}, {"deepseek.v3", DeepSeekV3},
	{"qwen.qwen3-vl", Qwen3VL}, {"qwen.qwen3", Qwen3}, {"openai.gpt-oss", GPTOSS},
	{"moonshot.kimi", Kimi}, {"moonshotai.kimi", Kimi}, {"zai.glm", GLM}, {"writer.palmyra", Palmyra},
}

// profileRegions begin the id of a cross-region inference profile.
var profileRegions = []string{"us.", "eu.", "apac.", "jp.", "au.", "ca.", "us-gov.", "global."}

// profileOnly begin the ids of models that cannot be invoked on demand, that is
// by their own id or foundation-model ARN, in any region.
var profileOnly = []string{
	"anthropic.claude-fable-5", "anthropic.claude-haiku-4-5", "anthropic.claude-sonnet-5", "anthropic.claude-opus-5",
	"anthropic.claude-opus-4-1", "anthropic.claude-opus-4-5", "anthropic.claude-opus-4-6", "anthropic.claude-opus-4-7",
	"anthropic.claude-opus-4-8", "anthropic.claude-sonnet-4-5", "anthropic.claude-sonnet-4-6",
	"amazon.nova-2-lite", "deepseek.r1", "mistral.pixtral-large-2502",
}

// Family tells the family behind a model id, such as the ARN of an application
// inference profile, which names no model. It holds before what the id says.
func (s *Server) Family(modelID string, family Family) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.families[modelID] = family
}

// Models limits the model ids that exist in the account; any other is refused.
// Before the first call every well-formed id exists.
func (s *Server) Models(ids ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.models == nil {
		s.models = map[string]bool{}
	}
	for _, id := range ids {
		s.models[id] = true
	}
}

// FamilyOf is the family of a foundation model, inference profile or ARN of
// either, or Unknown.
func FamilyOf(modelID string) Family {
	base, _ := baseModel(modelID)
	for _, p := range familyPrefixes {
		if strings.HasPrefix(base, p.prefix) {
			return p.family
		}
	}
	return Unknown
}

// baseModel is the foundation model in an id, and whether the id is that of an
// inference profile or of provisioned throughput rather than the model's own.
func baseModel(modelID string) (base string, profile bool) {
	base = modelID
	if strings.HasPrefix(base, "arn:") {
		kind, name, _ := strings.Cut(base, "/")
		base, profile = name, !strings.HasSuffix(kind, ":foundation-model")
	}
	i := slices.IndexFunc(profileRegions, func(p string) bool { return strings.HasPrefix(base, p) })
	if i < 0 {
		return base, profile
	}
	return base[len(profileRegions[i]):], true
}
