package config

import (
	"reflect"
	"slices"
	"strings"
	"testing"
)

// withExternal is the settings for a list of models of any provider.
func withExternal(models string) map[string]string {
	return map[string]string{"MODELS": models, "EXTERNAL_BASE_URL": "https://llm.example.org/v1"}
}

func TestModels(t *testing.T) {
	t.Parallel()
	const (
		profile   = "arn:aws:bedrock:eu-central-1:123456789012:application-inference-profile/a1b2c3"
		guardrail = "arn:aws:bedrock:eu-central-1:123456789012:guardrail/gr1"
	)
	nova := Model{Alias: "nova", Provider: ProviderBedrock, ID: "eu.amazon.nova-lite-v1:0"}
	random := Model{Alias: "r", Provider: ProviderBaseline, ID: "random"}
	cases := []struct {
		name string
		list string
		want []Model
	}{
		{"id with a colon", "nova=bedrock:eu.amazon.nova-lite-v1:0", []Model{nova}},
		{"id with slashes", "a=external:meta-llama/llama-3/70b:free", []Model{{Alias: "a", Provider: ProviderExternal, ID: "meta-llama/llama-3/70b:free"}}},
		{"id with an equals sign", "a=external:x=y", []Model{{Alias: "a", Provider: ProviderExternal, ID: "x=y"}}},
		{"ARN", "a=bedrock:" + profile + "?family=Claude", []Model{{Alias: "a", Provider: ProviderBedrock, ID: profile, Family: "claude"}}},
		{"alias of every kind of character", "A-1._:/z=baseline:random", []Model{{Alias: "A-1._:/z", Provider: ProviderBaseline, ID: "random"}}},
		{"longest alias", strings.Repeat("a", 128) + "=baseline:random", []Model{{Alias: strings.Repeat("a", 128), Provider: ProviderBaseline, ID: "random"}}},
		{"commas", "nova=bedrock:eu.amazon.nova-lite-v1:0,r=baseline:random", []Model{nova, random}},
		{"lines", "\n  nova=bedrock:eu.amazon.nova-lite-v1:0\r\n\n\tr=baseline:random\n", []Model{nova, random}},
		{"both, and too many", ", nova=bedrock:eu.amazon.nova-lite-v1:0 ,,\n,r=baseline:random,", []Model{nova, random}},
		{"space within", " r = baseline : random ", []Model{random}},
		{"max_tokens", "r=baseline:random?max_tokens=300", []Model{{Alias: "r", Provider: ProviderBaseline, ID: "random", MaxTokens: 300}}},
		{"fallback", "a=external:m?fallback=r,r=baseline:random", []Model{{Alias: "a", Provider: ProviderExternal, ID: "m", Fallback: "r"}, random}},
		{"fallback to one before", "r=baseline:random,a=external:m?fallback=r", []Model{random, {Alias: "a", Provider: ProviderExternal, ID: "m", Fallback: "r"}}},
		{"guardrail", "a=bedrock:m?guardrail=gr1:DRAFT", []Model{{Alias: "a", Provider: ProviderBedrock, ID: "m", Guardrail: Guardrail{"gr1", "DRAFT"}}}},
		{"guardrail by ARN", "a=bedrock:m?guardrail=" + guardrail + ":3", []Model{{Alias: "a", Provider: ProviderBedrock, ID: "m", Guardrail: Guardrail{guardrail, "3"}}}},
		{"all options", "a=bedrock:global.m?max_tokens=1&fallback=r&family=nova&guardrail=g%3A1&global=allow,r=baseline:random",
			[]Model{{Alias: "a", Provider: ProviderBedrock, ID: "global.m", MaxTokens: 1, Fallback: "r", Family: "nova", Guardrail: Guardrail{"g", "1"}}, random}},
		{"global profile by ARN", "a=bedrock:arn:aws:bedrock:us-east-1:123456789012:inference-profile/global.m?global=allow",
			[]Model{{Alias: "a", Provider: ProviderBedrock, ID: "arn:aws:bedrock:us-east-1:123456789012:inference-profile/global.m"}}},
		{"global is no profile elsewhere", "a=external:global.m", []Model{{Alias: "a", Provider: ProviderExternal, ID: "global.m"}}},
		{"no options behind the mark", "r=baseline:random?", []Model{random}},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if got := load(t, withExternal(tc.list)).Models; !reflect.DeepEqual(got, tc.want) {
				t.Errorf("got %+v, want %+v", got, tc.want)
			}
		})
	}
}

func TestModelFaults(t *testing.T) {
	t.Parallel()
	const form = ` must look like alias=provider:model, for example fast=bedrock:us.amazon.nova-2-lite-v1:0`
	cases := []struct {
		name string
		list string
		want []string // how each fault starts
	}{
		{"separators alone", ",\n,", []string{"MODELS names no model"}},
		{"no alias", "=baseline:random", []string{`MODELS: the alias "" must start with a letter or digit`}},
		{"alias with a space", "a b=baseline:random", []string{`MODELS: the alias "a b" must start`}},
		{"alias that starts with a dash", "-a=baseline:random", []string{`MODELS: the alias "-a" must start`}},
		{"alias too long", strings.Repeat("a", 129) + "=baseline:random", []string{`MODELS: the alias "aaa`}},
		{"alias default", "default=baseline:random", []string{`MODELS: the alias "default" is taken: it always means the first model`}},
		{"alias twice", "a=baseline:random,b=baseline:random,a=baseline:random", []string{`MODELS: the alias "a" is used twice`}},
		{"unknown provider", "a=openai:gpt", []string{`MODELS: a has the provider "openai": it must be bedrock, external or baseline`}},
		{"provider in capitals", "a=Bedrock:m", []string{`MODELS: a has the provider "Bedrock"`}},
		{"other baseline", "a=baseline:mean", []string{`MODELS: the only baseline model is baseline:random, but a has "mean"`}},
		{"no model", "a=bedrock:", []string{`MODELS: "a=bedrock:"` + form}},
		{"no model but options", "a=bedrock:?family=x", []string{`MODELS: "a=bedrock:?family=x"` + form}},
		{"no provider", "a=random", []string{`MODELS: "a=random"` + form}},
		{"alias alone", "a", []string{`MODELS: "a"` + form}},
		{"unknown option", "a=baseline:random?max_token=5", []string{`MODELS: a has an unknown option "max_token"; the options are max_tokens, fallback, family, guardrail, global, base_url and key_secret`}},
		{"option twice", "a=baseline:random?max_tokens=5&max_tokens=6", []string{`MODELS: a has the option "max_tokens" twice`}},
		{"option in capitals", "a=baseline:random?Max_Tokens=5", []string{`MODELS: a has an unknown option "Max_Tokens"`}},
		{"broken options", "a=baseline:random?x=%zz", []string{"MODELS: the options of a must look like ?option=value&option=value"}},
		{"semicolon between options", "a=baseline:random?max_tokens=1;family=x", []string{"MODELS: the options of a must look like"}},
		{"no tokens", "a=baseline:random?max_tokens=0", []string{"MODELS: max_tokens of a must be a whole number of at least 1"}},
		{"text for tokens", "a=baseline:random?max_tokens=many", []string{"MODELS: max_tokens of a must be a whole number"}},
		{"unknown fallback", "a=baseline:random?fallback=b", []string{`MODELS: the fallback "b" of a must be the alias of another model`}},
		{"fallback to itself", "a=baseline:random?fallback=a", []string{`MODELS: the fallback "a" of a must be`}},
		{"fallback to default", "b=baseline:random,a=baseline:random?fallback=default", []string{`MODELS: the fallback "default" of a must be`}},
		{"guardrail without a version", "a=bedrock:m?guardrail=gr1", []string{"MODELS: guardrail of a must look like guardrail=ID:VERSION"}},
		{"guardrail with an empty version", "a=bedrock:m?guardrail=gr1:", []string{"MODELS: guardrail of a must look like"}},
		{"guardrail with an empty id", "a=bedrock:m?guardrail=:1", []string{"MODELS: guardrail of a must look like"}},
		{"guardrail of another provider", "a=external:m?guardrail=g:1", []string{"MODELS: family and guardrail are options of bedrock models, but a is not one"}},
		{"family of another provider", "a=baseline:random?family=x", []string{"MODELS: family and guardrail are options of bedrock models, but a is not one"}},
		{"global profile", "a=bedrock:global.m", []string{"MODELS: a is a global inference profile"}},
		{"global profile by ARN", "a=bedrock:arn:aws:bedrock:us-east-1:1:inference-profile/global.m", []string{"MODELS: a is a global inference profile"}},
		{"global profile, not allowed", "a=bedrock:global.m?global=deny", []string{`MODELS: the only value of global is allow, but a has "deny"`, "MODELS: a is a global inference profile"}},
		{"faults of several models", "a=x:m,b=baseline:y,c=baseline:random?z=1", []string{`MODELS: c has an unknown option "z"`, `MODELS: a has the provider "x"`, "MODELS: the only baseline model"}},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			_, err := Load(env(withExternal(tc.list)))
			if got := faults(t, err); !slices.EqualFunc(got, tc.want, strings.HasPrefix) {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
	_, err := Load(env(map[string]string{"MODELS": "a=external:m"}))
	if got, want := faults(t, err), []string{"EXTERNAL_BASE_URL is not set, and the external model a needs it or the option base_url"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
