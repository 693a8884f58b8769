package awstest

import (
	"fmt"
	"strings"
	"testing"
)

// Model ids of the families that the cases need.
const (
	legacyID  = "anthropic.claude-v2:1"
	claude3ID = "anthropic.claude-3-haiku-20240307-v1:0"
	claude4ID = "us.anthropic.claude-sonnet-4-20250514-v1:0"
	claude45  = "us.anthropic.claude-sonnet-4-5-20250929-v1:0"
	claude46  = "us.anthropic.claude-opus-4-6-v1"
	sonnet46  = "us.anthropic.claude-sonnet-4-6"
	claude47  = "global.anthropic.claude-opus-4-7"
	claude48  = "us.anthropic.claude-opus-4-8"
	claude55  = "global.anthropic.claude-fable-5-1"
	haiku45   = "us.anthropic.claude-haiku-4-5-20251001-v1:0"
	novaID    = "amazon.nova-lite-v1:0"
	microID   = "amazon.nova-micro-v1:0"
	nova2ID   = "us.amazon.nova-2-lite-v1:0"
	llamaID   = "us.meta.llama3-3-70b-instruct-v1:0"
	mistralID = "mistral.mistral-large-2407-v1:0"
	mixtralID = "mistral.mixtral-8x7b-instruct-v0:1"
	commandID = "cohere.command-r-v1:0"
	jambaID   = "ai21.jamba-1-5-large-v1:0"
	deepseek1 = "us.deepseek.r1-v1:0"
	deepseek3 = "deepseek.v3-v1:0"
	qwenID    = "qwen.qwen3-32b-v1:0"
	gptOSSID  = "openai.gpt-oss-20b-1:0"
	kimiID    = "moonshot.kimi-k2-thinking"
	palmyraID = "us.writer.palmyra-x5-v1:0"
	titanID   = "amazon.titan-text-express-v1"
	unknownID = "acme.model-1"
)

// Pieces of requests.
const (
	hi         = `{"role":"user","content":[{"text":"hi"}]}`
	hello      = `{"role":"assistant","content":[{"text":"hello"}]}`
	useF       = `{"role":"assistant","content":[{"toolUse":{"toolUseId":"a","name":"f","input":{}}}]}`
	resultA    = `{"toolResult":{"toolUseId":"a","content":[{"text":"ok"}]}}`
	specF      = `{"toolSpec":{"name":"f","inputSchema":{"json":{"type":"object"}}}}`
	toolF      = `"toolConfig":{"tools":[` + specF + `]}`
	thinkHard  = `"additionalModelRequestFields":{"thinking":{"type":"enabled","budget_tokens":2000}}`
	reasonHard = `"additionalModelRequestFields":{"reasoning_config":"high"}`
	adaptive   = `"additionalModelRequestFields":{"thinking":{"type":"adaptive"}}`
)

// ask is a request of messages; with is one of a single message and more members.
func ask(messages ...string) string { return `{"messages":[` + strings.Join(messages, ",") + `]}` }
func with(members ...string) string {
	return `{"messages":[` + hi + `],` + strings.Join(members, ",") + `}`
}
func user(blocks ...string) string {
	return `{"role":"user","content":[` + strings.Join(blocks, ",") + `]}`
}
func assistant(blocks ...string) string {
	return `{"role":"assistant","content":[` + strings.Join(blocks, ",") + `]}`
}
func tools(messages ...string) string {
	return `{"messages":[` + strings.Join(messages, ",") + `],` + toolF + `}`
}
func schema(s string) string {
	return with(`"toolConfig":{"tools":[{"toolSpec":{"name":"f","inputSchema":{"json":` + s + `}}}]}`)
}
func strict(s string) string {
	return with(`"toolConfig":{"tools":[{"toolSpec":{"name":"f","strict":true,"inputSchema":{"json":` + s + `}}}]}`)
}
func choose(choice string) string {
	return with(`"toolConfig":{"tools":[` + specF + `],"toolChoice":` + choice + `}`)
}
func inference(members string) string { return with(`"inferenceConfig":{` + members + `}`) }
func additional(members string) string {
	return with(`"additionalModelRequestFields":{` + members + `}`)
}

// A restrictionCase is a body that a rule refuses, or that it must let pass.
type restrictionCase struct {
	rule  string
	ok    bool // accepted
	model string
	body  string
}

func TestRestrictions(t *testing.T) {
	t.Parallel()
	srv := NewServer(t)
	judge := func(t *testing.T, c restrictionCase, stream bool) {
		t.Helper()
		switch got := srv.check(c.model, stream, []byte(c.body)); {
		case c.ok && got != nil:
			t.Errorf("refused by %s: %s\n%.300s", got.rule, got.message, c.body)
		case !c.ok && got == nil:
			t.Errorf("accepted, want a refusal by %s\n%.300s", c.rule, c.body)
		case !c.ok && got.rule != c.rule:
			t.Errorf("refused by %s: %s\nwant %s\n%.300s", got.rule, got.message, c.rule, c.body)
		}
	}
	refused, accepted := map[string]bool{}, map[string]bool{}
	for _, list := range [][]restrictionCase{messageCases, toolCases, mediaCases(), parameterCases} {
		for i, c := range list {
			if c.ok {
				accepted[c.rule] = true
			} else {
				refused[c.rule] = true
			}
			t.Run(fmt.Sprintf("%s/%d/%s", c.rule, i, c.model), func(t *testing.T) {
				t.Parallel()
				judge(t, c, c.rule == "R16")
			})
		}
	}
	for _, r := range restrictions {
		if !refused[r.id] || !accepted[r.id] {
			t.Errorf("%s lacks a case: refused %v, accepted %v", r.id, refused[r.id], accepted[r.id])
		}
	}
	for n := 1; n <= 48; n++ {
		if id := fmt.Sprintf("R%d", n); !refused[id] {
			t.Errorf("%s has no case", id)
		}
	}
}

// Judge is what the Server does with a request that is sent.
func TestJudge(t *testing.T) {
	t.Parallel()
	srv := NewServer(t)
	if rule, refusal := srv.Judge(claude45, false, []byte(ask(hi))); rule != "" || refusal != "" {
		t.Errorf("refused by %s: %s", rule, refusal)
	}
	if rule, refusal := srv.Judge(llamaID, true, []byte(with(toolF))); rule != "R16" || refusal == "" {
		t.Errorf("refused by %q: %q", rule, refusal)
	}
	if n := len(srv.Requests()); n != 0 {
		t.Errorf("%d requests are recorded", n)
	}
}

// Every restriction has an id of its own, says what it refuses, and refuses
// something.
func TestRestrictionTable(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, r := range restrictions {
		if seen[r.id] {
			t.Errorf("%s is there twice", r.id)
		}
		seen[r.id] = true
		if r.refuses == "" || r.on == nil || r.check == nil && r.shape == nil {
			t.Errorf("%s is not complete", r.id)
		}
	}
}

// What a plain conversation with each family needs must pass every rule.
func TestEveryFamilyAcceptsText(t *testing.T) {
	t.Parallel()
	srv := NewServer(t)
	for family := range familyTraits {
		srv.Family("profile-"+string(family), family)
		if r := srv.check("profile-"+string(family), false, []byte(ask(hi, hello, hi))); r != nil {
			t.Errorf("%s: %s: %s", family, r.rule, r.message)
		}
	}
}

func TestFamilyOf(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		id   string
		want Family
	}{
		{legacyID, ClaudeLegacy},
		{claude3ID, Claude3},
		{"anthropic.claude-3-5-haiku-20241022-v1:0", Claude35Haiku},
		{"us.anthropic.claude-3-7-sonnet-20250219-v1:0", Claude4},
		{claude4ID, Claude4},
		{"eu.anthropic.claude-opus-4-1-20250805-v1:0", ClaudeOpus41},
		{"us.anthropic.claude-opus-4-20250514-v1:0", Claude4},
		{claude45, Claude45},
		{claude46, Claude46},
		{sonnet46, ClaudeSonnet46},
		{claude47, Claude47},
		{"global.anthropic.claude-fable-5", Claude47},
		{claude55, Claude55},
		{"us.anthropic.claude-haiku-4-5-20251001-v1:0", ClaudeHaiku45},
		{"arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.anthropic.claude-sonnet-4-5-20250929-v1:0", Claude45},
		{"arn:aws:bedrock:us-east-1::foundation-model/amazon.nova-pro-v1:0", Nova},
		{"arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/abcdefghijkl", Unknown},
		{microID, NovaMicro}, {nova2ID, Nova2},
		{"meta.llama3-8b-instruct-v1:0", LlamaLegacy}, {"us.meta.llama3-2-1b-instruct-v1:0", LlamaLegacy},
		{"us.meta.llama3-2-90b-instruct-v1:0", LlamaVision}, {llamaID, LlamaText},
		{"us.meta.llama4-scout-17b-instruct-v1:0", Llama4},
		{mixtralID, MistralInstruct}, {mistralID, MistralLarge}, {"us.mistral.pixtral-large-2502-v1:0", Pixtral},
		{commandID, CommandR}, {"ai21.jamba-instruct-v1:0", JambaInstruct}, {jambaID, Jamba},
		{deepseek1, DeepSeekR1}, {deepseek3, DeepSeekV3}, {qwenID, Qwen3}, {"qwen.qwen3-vl-235b-a22b", Qwen3VL},
		{gptOSSID, GPTOSS}, {kimiID, Kimi}, {"zai.glm-4.6", GLM}, {palmyraID, Palmyra}, {titanID, Titan},
		{unknownID, Unknown}, {"anthropic.claude-x-v1", Unknown}, {"", Unknown},
	} {
		if got := FamilyOf(tc.id); got != tc.want {
			t.Errorf("FamilyOf(%q) = %q, want %q", tc.id, got, tc.want)
		}
	}
}
