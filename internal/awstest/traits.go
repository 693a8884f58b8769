package awstest

// A toolChoice is a set of the ways to choose a tool.
type toolChoice int

const (
	choiceAuto toolChoice = 1 << iota
	choiceAny
	choiceTool

	choiceAll = choiceAuto | choiceAny | choiceTool
)

// A thinking is a set of the ways in which a Claude model can be told to think.
type thinking int

const (
	budgetThinking thinking = 1 << iota
	adaptiveThinking
)

// traits say what a family can do. They restate the table "Supported models and
// model features" of the Amazon Bedrock User Guide, and what error reports add.
type traits struct {
	unknown bool // only the universal restrictions hold
	claude  bool
	nova    bool

	system       bool // takes a system prompt
	tools        bool
	streamTools  bool // takes tools in ConverseStream
	choices      toolChoice
	images       bool // in user messages
	resultImages bool // in tool results
	video        bool
	leadingReply bool // the first message may be the assistant's
	repeatedRole bool // two messages in a row may have the same role
	mixedResults bool // tool results may stand beside other content
	prefill      bool // the last message may be the assistant's
	strict       bool // structured outputs: strict tools
	textFormat   bool // structured outputs: outputConfig.textFormat
	padsFormat   bool // but pads the answer with white space
	tiers        bool // service tiers beside the default one
	noStatus     bool // refuses toolResult.status

	oneSampling bool     // temperature or top_p, not both
	noSampling  bool     // neither
	thinking    thinking // how it can be told to think

	maxTokens int // the most output tokens, 0: not known
	window    int // input tokens, 0: not known
	maxStops  int // stop sequences, 0: what the service model says
}

// claude is what every Claude model from 3 on has in common.
func claude(change func(*traits)) traits {
	t := traits{
		claude: true, system: true, tools: true, streamTools: true, choices: choiceAll, images: true, resultImages: true,
		leadingReply: true, repeatedRole: true, mixedResults: true, prefill: true, window: 200_000,
	}
	change(&t)
	return t
}

// familyTraits are the known families. What is not known to be refused is
// allowed: a family of models whose limit is unclear has none here.
var familyTraits = map[Family]traits{
	ClaudeLegacy: {claude: true, system: true, leadingReply: true, mixedResults: true, prefill: true, maxTokens: 4096, window: 200_000},
	Claude3:      claude(func(t *traits) { t.repeatedRole, t.maxTokens = false, 8192 }),
	Claude35Haiku: claude(func(t *traits) {
		t.images, t.resultImages, t.maxTokens = false, false, 8192
	}),
	Claude4:      claude(func(t *traits) { t.thinking, t.maxTokens, t.window = budgetThinking, 128_000, 1_000_000 }),
	ClaudeOpus41: claude(func(t *traits) { t.thinking, t.oneSampling, t.maxTokens = budgetThinking, true, 32_000 }),
	Claude45: claude(func(t *traits) {
		t.thinking, t.oneSampling, t.strict, t.textFormat, t.maxTokens, t.window = budgetThinking, true, true, true, 64_000, 1_000_000
	}),
	ClaudeHaiku45: claude(func(t *traits) {
		t.thinking, t.oneSampling, t.strict, t.maxTokens = budgetThinking, true, true, 64_000
	}),
	Claude46: claude(func(t *traits) {
		t.thinking, t.oneSampling, t.strict, t.textFormat, t.maxTokens, t.window = budgetThinking|adaptiveThinking, true, true, true, 128_000, 1_000_000
		t.prefill = false
	}),
	ClaudeSonnet46: claude(func(t *traits) {
		t.thinking, t.oneSampling, t.strict, t.textFormat, t.maxTokens, t.window = budgetThinking|adaptiveThinking, true, true, true, 128_000, 1_000_000
		t.prefill, t.padsFormat = false, true
	}),
	Claude47: claude(func(t *traits) {
		t.thinking, t.noSampling, t.maxTokens, t.window = adaptiveThinking, true, 128_000, 1_000_000
		t.prefill = false
	}),
	Claude55: claude(func(t *traits) {
		t.thinking, t.noSampling, t.choices, t.maxTokens, t.window = adaptiveThinking, true, choiceAuto, 128_000, 1_000_000
		t.prefill = false
	}),

	NovaMicro: {
		nova: true, system: true, tools: true, streamTools: true, choices: choiceAll, repeatedRole: true, mixedResults: true,
		prefill: true, maxTokens: 10_000, window: 128_000, maxStops: 4,
	},
	Nova: {
		nova: true, system: true, tools: true, streamTools: true, choices: choiceAll, images: true, resultImages: true, video: true,
		repeatedRole: true, mixedResults: true, prefill: true, tiers: true, maxTokens: 32_000, window: 1_000_000, maxStops: 4,
	},
	Nova2: {
		nova: true, system: true, tools: true, streamTools: true, choices: choiceAll, images: true, resultImages: true, video: true,
		repeatedRole: true, mixedResults: true, prefill: true, tiers: true, maxTokens: 65_535, window: 1_000_000, maxStops: 4,
	},

	LlamaLegacy: {system: true, prefill: true, maxTokens: 2048, window: 128_000},
	LlamaText:   {system: true, tools: true, choices: choiceAuto, prefill: true, maxTokens: 8192, window: 128_000},
	LlamaVision: {system: true, tools: true, choices: choiceAuto, images: true, prefill: true, maxTokens: 8192, window: 128_000},
	Llama4: {
		system: true, tools: true, choices: choiceAuto, images: true, resultImages: true, prefill: true, maxTokens: 8192,
	},

	MistralInstruct: {prefill: true, maxTokens: 8192, window: 32_000, maxStops: 10},
	MistralSmall:    {system: true, tools: true, choices: choiceAuto, prefill: true, maxTokens: 8192, window: 32_000, maxStops: 10},
	MistralLarge: {
		system: true, tools: true, choices: choiceAuto | choiceAny, prefill: true, maxTokens: 8192, window: 128_000, maxStops: 10,
	},
	Pixtral: {
		system: true, tools: true, choices: choiceAuto | choiceAny, images: true, prefill: true, maxTokens: 8192, window: 128_000, maxStops: 10,
	},

	CommandR: {system: true, tools: true, streamTools: true, mixedResults: true, prefill: true, maxTokens: 4096, window: 128_000, maxStops: 4},
	Jamba: {
		system: true, tools: true, streamTools: true, repeatedRole: true, mixedResults: true, prefill: true, maxTokens: 4096, window: 256_000,
	},
	JambaInstruct: {system: true, repeatedRole: true, prefill: true, maxTokens: 4096, window: 256_000},

	DeepSeekR1: {system: true, leadingReply: true, repeatedRole: true, prefill: true, maxTokens: 32_768, window: 128_000},
	DeepSeekV3: {
		system: true, tools: true, streamTools: true, choices: choiceAny | choiceTool, leadingReply: true, repeatedRole: true,
		mixedResults: true, prefill: true, strict: true, textFormat: true, tiers: true,
	},
	Qwen3: {
		system: true, tools: true, streamTools: true, leadingReply: true, repeatedRole: true, mixedResults: true, prefill: true,
		strict: true, textFormat: true, tiers: true,
	},
	Qwen3VL: {
		system: true, tools: true, streamTools: true, images: true, leadingReply: true, repeatedRole: true, mixedResults: true,
		prefill: true, strict: true, textFormat: true, tiers: true,
	},
	GPTOSS: {
		system: true, tools: true, streamTools: true, leadingReply: true, repeatedRole: true, mixedResults: true, prefill: true,
		strict: true, textFormat: true, tiers: true, window: 128_000,
	},
	Kimi: {
		system: true, tools: true, streamTools: true, choices: choiceAll, images: true, leadingReply: true, repeatedRole: true,
		mixedResults: true, prefill: true, strict: true, textFormat: true, tiers: true,
	},
	GLM: {
		system: true, tools: true, streamTools: true, choices: choiceAll, images: true, leadingReply: true, repeatedRole: true,
		mixedResults: true, prefill: true, strict: true, textFormat: true, tiers: true,
	},
	Palmyra: {noStatus: true, system: true, tools: true, repeatedRole: true, prefill: true, maxTokens: 8192, window: 1_000_000},
	Titan:   {prefill: true, repeatedRole: true, maxTokens: 8192, window: 32_000},
}

// anything are the traits of an unknown model: no restriction but the universal.
var anything = traits{
	unknown: true, system: true, tools: true, streamTools: true, choices: choiceAll, images: true, resultImages: true, video: true, leadingReply: true,
	repeatedRole: true, mixedResults: true, prefill: true, strict: true, textFormat: true, tiers: true, thinking: budgetThinking | adaptiveThinking,
}
