package app_test

import "testing"

// others are models of the remaining families of Bedrock that can call tools.
var others = []backend{
	{"claude 3", "bedrock:anthropic.claude-3-haiku-20240307-v1:0", true},
	{"claude 3.5 haiku", "bedrock:us.anthropic.claude-3-5-haiku-20241022-v1:0", false},
	{"claude 3.7", "bedrock:us.anthropic.claude-3-7-sonnet-20250219-v1:0", true},
	{"claude opus 4.1", "bedrock:us.anthropic.claude-opus-4-1-20250805-v1:0", true},
	{"claude 4.6", "bedrock:us.anthropic.claude-sonnet-4-6", true},
	{"nova micro", "bedrock:us.amazon.nova-micro-v1:0", false},
	{"llama 3.2", "bedrock:us.meta.llama3-2-90b-instruct-v1:0", true},
	{"command r", "bedrock:cohere.command-r-plus-v1:0", false},
	{"jamba", "bedrock:ai21.jamba-1-5-large-v1:0", false},
	{"deepseek", "bedrock:deepseek.v3-v1:0", false},
	{"qwen", "bedrock:qwen.qwen3-32b-v1:0", false},
	{"qwen vl", "bedrock:qwen.qwen3-vl-235b-a22b", true},
	{"gpt oss", "bedrock:openai.gpt-oss-120b-1:0", false},
	{"kimi", "bedrock:moonshotai.kimi-k2.5", true},
	{"glm", "bedrock:zai.glm-4.6", true},
	{"palmyra", "bedrock:us.writer.palmyra-x5-v1:0", false},
	{"unheard of", "bedrock:new.model-of-tomorrow-v1:0", true},
}

// TestRequestsOfOtherFamilies puts every request to a model of each remaining
// family, with one sample of each kind.
func TestRequestsOfOtherFamilies(t *testing.T) {
	t.Parallel()
	list := fixtures(t)
	for i := range list {
		e := &list[i].expectation
		e.Valid, e.Mended, e.Reasked = e.Valid[:min(1, len(e.Valid))], e.Mended[:min(1, len(e.Mended))], e.Reasked[:min(1, len(e.Reasked))]
	}
	for _, b := range others {
		t.Run(b.name, func(t *testing.T) {
			t.Parallel()
			s := on(t, b)
			for _, f := range list {
				t.Run(f.name, func(t *testing.T) { s.check(t, &f) })
			}
			s.nothingRefused(t)
		})
	}
}

// TestModelsWithoutTools checks that a model that cannot call tools says so.
func TestModelsWithoutTools(t *testing.T) {
	t.Parallel()
	for _, id := range []string{"us.deepseek.r1-v1:0", "mistral.mixtral-8x7b-instruct-v0:1", "meta.llama3-70b-instruct-v1:0", "amazon.titan-text-premier-v1:0"} {
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			s := on(t, backend{id, "bedrock:" + id, false})
			s.ask(t, request(t, "rating"), submits(answered)).failed(t, 400, "unsupported_parameter", "tools")
			s.calledUpstream(t, 0)
			for _, name := range []string{"connection-test", "stage-text"} {
				s.reached(t, s.ask(t, request(t, name), says("fine")), 1, "")
			}
			s.nothingRefused(t)
		})
	}
}
