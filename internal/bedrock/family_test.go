package bedrock

import (
	"strconv"
	"strings"
	"testing"

	"hyperstudy-endpoint/internal/awstest"
)

func TestFamilyOf(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]string{
		"anthropic.claude-v2:1":                                                        "claude-2",
		"anthropic.claude-3-haiku-20240307-v1:0":                                       "claude-3",
		"us.anthropic.claude-3-5-haiku-20241022-v1:0":                                  "claude-3-5-haiku",
		"eu.anthropic.claude-3-7-sonnet-20250219-v1:0":                                 "claude-4",
		"us.anthropic.claude-opus-4-20250514-v1:0":                                     "claude-4",
		"us.anthropic.claude-opus-4-1-20250805-v1:0":                                   "claude-opus-4-1",
		"global.anthropic.claude-haiku-4-5-20251001":                                   "claude-haiku-4-5",
		"us-gov.anthropic.claude-sonnet-4-6":                                           "claude-sonnet-4-6",
		"us.anthropic.claude-opus-4-6-v1":                                              "claude-4-6",
		"us.anthropic.claude-opus-5":                                                   "claude-4-7",
		"us.anthropic.claude-opus-5-20260724-v1:0":                                     "claude-4-7",
		"us.anthropic.claude-opus-5-5":                                                 "claude-5-5",
		"global.anthropic.claude-fable-5-1":                                            "claude-5-5",
		"jp.anthropic.claude-opus-4-8":                                                 "claude-4-7",
		"us.anthropic.claude-sonnet-9-20290101-v1:0":                                   "claude-5-5",
		"amazon.nova-pro-v1:0":                                                         "nova",
		"amazon.nova-micro-v1:0:128k":                                                  "nova-micro",
		"us.amazon.nova-2-lite-v1:0":                                                   "nova-2",
		"meta.llama3-8b-instruct-v1:0":                                                 "llama-3",
		"us.meta.llama3-2-1b-instruct-v1:0":                                            "llama-3",
		"us.meta.llama3-2-90b-instruct-v1:0":                                           "llama-3-2",
		"us.meta.llama4-scout-17b-instruct-v1:0":                                       "llama-4",
		"meta.llama2-70b-chat-v1":                                                      "llama-3",
		"us.meta.llama5-scout-v1:0":                                                    "llama-4",
		"mistral.mixtral-8x7b-instruct-v0:1":                                           "mistral-7b",
		"mistral.mistral-small-2402-v1:0":                                              "mistral",
		"us.mistral.pixtral-large-2502-v1:0":                                           "pixtral",
		"qwen.qwen3-vl-235b-a22b":                                                      "qwen3-vl",
		"moonshot.kimi-k2-thinking":                                                    "kimi",
		"arn:aws:bedrock:us-east-1::foundation-model/amazon.titan-text-lite-v1":        "titan",
		"arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.deepseek.r1-v1:0": "deepseek-r1",
		"arn:aws:bedrock:us-east-1:123456789012:custom-model/amazon.nova-lite-v1:0/abcdefghijkl": "nova",
		"arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/abc":               "other",
		"acme.anthropics": "other",
		"":                "other",
	} {
		if got := familyOf(id).name; got != want {
			t.Errorf("%q is of family %s, want %s", id, got, want)
		}
	}
}

// TestFamilies checks that the table is complete, that every row can be reached,
// and that it agrees with the fake, whose table was made apart from it.
func TestFamilies(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for i := range families {
		f := &families[i]
		if f.name == "" || seen[f.name] || len(f.ids) == 0 || f.sources == "" {
			t.Errorf("row %d: %+v", i, f)
		}
		seen[f.name] = true
		for _, id := range f.ids {
			if got := familyOf(id); got != f {
				t.Errorf("%s: %s comes first", id, got.name)
			}
			if fake := awstest.FamilyOf(id); fake != awstest.Unknown && string(fake) != f.name {
				t.Errorf("%s is of family %s here and %s in the fake", id, f.name, fake)
			}
		}
		for _, line := range f.lines {
			if seen[line] {
				t.Errorf("%s: %s is taken", f.name, line)
			}
			seen[line] = true
		}
		if named, err := familyNamed(f.name); err != nil || named != f {
			t.Errorf("%s: %v", f.name, err)
		}
		if f.can(namedTool) && !f.can(anyTool) || f.can(anyTool) && !f.can(tools) || f.can(streamedTools) && !f.can(tools) {
			t.Errorf("%s can choose tools but has none", f.name)
		}
	}
}

func TestFamilyNamed(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"claude":    "claude-4-5",
		"nova":      "nova",
		"llama":     "llama-3-1",
		"mistral":   "mistral",
		"cohere":    "command-r",
		"command-r": "command-r",
		"ai21":      "jamba-1-5",
		"jamba":     "jamba-1-5",
		"deepseek":  "deepseek-v3",
		"qwen":      "qwen3",
		"gpt-oss":   "gpt-oss",
		"kimi":      "kimi",
		"glm":       "glm",
		"writer":    "palmyra",
		"palmyra":   "palmyra",
		"titan":     "titan",
		"other":     "other",
		"anthropic.claude-sonnet-4-5-20250929-v1:0": "claude-4-5",
		"us.anthropic.claude-3-5-haiku":             "claude-3-5-haiku",
		"anthropic.claude-opus-4-1":                 "claude-opus-4-1",
		"anthropic.claude":                          "claude-5-5", // as any id that is not known
		"amazon.nova-micro":                         "nova-micro",
		"meta.llama4":                               "llama-4",
		"openai.gpt-oss-120b-1:0":                   "gpt-oss",
	} {
		if f, err := familyNamed(name); err != nil || f.name != want {
			t.Errorf("%q is %+v, %v, want %s", name, f, err, want)
		}
	}
	for _, name := range []string{"", " ", "claud", "Claude", "gpt-5", "anthropic.", "openai.gpt-4", "arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/abc"} {
		f, err := familyNamed(name)
		if err == nil {
			t.Errorf("%q is of family %s", name, f.name)
			continue
		}
		for _, part := range []string{strconv.Quote(name), "claude, claude-2,", "cohere", "llama-3-1", "other", "writer", "anthropic.claude-sonnet-4-5"} {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%q: %s is not in %v", name, part, err)
			}
		}
	}
}
