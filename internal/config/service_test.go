package config

import (
	"slices"
	"strings"
	"testing"
)

const secretARN = "arn:aws:secretsmanager:eu-central-1:123456789012:secret:lab/vllm+a=b@c-AbCdEf"

func TestServices(t *testing.T) {
	t.Parallel()
	const own = "own=external:m?base_url="
	cases := []struct {
		name, entry string
		want        Service // but for its BaseURL
		url         string
	}{
		{"the defaults", "own=external:m", Service{KeySecret: "k", BaseURLSetting: "EXTERNAL_BASE_URL", KeySetting: "EXTERNAL_API_KEY_SECRET"}, "https://llm.example.org/v1"},
		{"another address has no key", own + "https://vllm.example.edu:8443/v1",
			Service{BaseURLSetting: "base_url of own in MODELS", KeySetting: "key_secret of own in MODELS"}, "https://vllm.example.edu:8443/v1"},
		{"not even the same address written out", own + "https://llm.example.org/v1",
			Service{BaseURLSetting: "base_url of own in MODELS", KeySetting: "key_secret of own in MODELS"}, "https://llm.example.org/v1"},
		{"both", own + "https://vllm.example.edu/v1&key_secret=" + secretARN + "&max_tokens=9",
			Service{KeySecret: secretARN, BaseURLSetting: "base_url of own in MODELS", KeySetting: "key_secret of own in MODELS"}, "https://vllm.example.edu/v1"},
		{"another key at the same address", "own=external:m?key_secret=lab/other",
			Service{KeySecret: "lab/other", BaseURLSetting: "EXTERNAL_BASE_URL", KeySetting: "key_secret of own in MODELS"}, "https://llm.example.org/v1"},
		{"http on this machine", own + "http://127.0.0.1:11434/v1",
			Service{BaseURLSetting: "base_url of own in MODELS", KeySetting: "key_secret of own in MODELS"}, "http://127.0.0.1:11434/v1"},
		{"what would end an option or an entry, escaped", own + "https://vllm.example.edu/a%2Cb%26c",
			Service{BaseURLSetting: "base_url of own in MODELS", KeySetting: "key_secret of own in MODELS"}, "https://vllm.example.edu/a,b&c"},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			settings := withExternal(tc.entry)
			settings["EXTERNAL_API_KEY_SECRET"] = "k"
			c := load(t, settings)
			got := c.Service(c.Models[0])
			if got.BaseURL.String() != tc.url {
				t.Errorf("base URL %s, want %s", got.BaseURL, tc.url)
			}
			got.BaseURL = nil
			if got != tc.want {
				t.Errorf("got %+v, want %+v", got, tc.want)
			}
		})
	}
}

// EXTERNAL_BASE_URL may be absent if every external model has its own.
func TestServiceWithoutDefault(t *testing.T) {
	t.Parallel()
	c := load(t, map[string]string{"MODELS": "a=external:m?base_url=https://vllm.example.edu/v1"})
	if got := c.Service(c.Models[0]); got.BaseURL.String() != "https://vllm.example.edu/v1" || got.KeySecret != "" {
		t.Errorf("got %+v", got)
	}
}

// The dev server's key is that of EXTERNAL_BASE_URL, and of nothing else.
func TestServicesOfTheDevServer(t *testing.T) {
	t.Parallel()
	settings := map[string]string{
		"MODELS":            "a=external:m,b=external:m?base_url=http://localhost:8000/v1,c=external:m?key_secret=s",
		"EXTERNAL_BASE_URL": "https://llm.example.org/v1", "EXTERNAL_API_KEY": "sk-1",
		"AWS_REGION": "eu-central-1", "AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b",
	}
	c, err := LoadDev(func(name string) string { return settings[name] })
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []Service{{Key: "sk-1"}, {}, {KeySecret: "s"}} {
		if got := c.Service(c.Models[i]); got.Key != want.Key || got.KeySecret != want.KeySecret {
			t.Errorf("%s: got %+v", c.Models[i].Alias, got)
		}
	}
	delete(settings, "AWS_REGION")
	_, err = LoadDev(func(name string) string { return settings[name] })
	if got := faults(t, err); len(got) != 1 || !strings.HasPrefix(got[0], "AWS_REGION is not set, and key_secret of c cannot") {
		t.Errorf("got %q", got)
	}
}

func TestServiceFaults(t *testing.T) {
	t.Parallel()
	const needsHTTPS = "MODELS: base_url of a must start with https:// (http:// is allowed for 127.0.0.1 and localhost only)"
	cases := []struct {
		options string
		want    []string
	}{
		{"base_url=http://vllm.example.edu/v1", []string{needsHTTPS}},
		{"base_url=http://10.0.0.7:8000/v1", []string{needsHTTPS}},
		{"base_url=vllm.example.edu/v1", []string{"MODELS: base_url of a is not a URL: it must look like https://api.example.org/v1"}},
		{"base_url=https://me:pass@vllm.example.edu/v1", []string{"MODELS: base_url of a must not hold a user, a query or a fragment"}},
		{"base_url=https://vllm.example.edu/v1?api-version=1", []string{"MODELS: base_url of a must not hold a user, a query or a fragment"}},
		{"base_url=https://vllm.example.edu/v1%3Fa=1", []string{"MODELS: base_url of a must not hold a user, a query or a fragment"}},
		{"base_url=https://vllm.example.edu/a&b", []string{`MODELS: a has an unknown option "b"`}},
		{"base_url=", []string{"MODELS: base_url of a is empty"}},
		{"key_secret=", []string{"MODELS: key_secret of a is empty"}},
		{"key_secret=two words", []string{"MODELS: key_secret of a must be the name or the ARN of a secret"}},
		{"base_url=https://a.example&base_url=https://b.example", []string{`MODELS: a has the option "base_url" twice`}},
	}
	for _, tc := range cases {
		t.Run(tc.options, func(t *testing.T) {
			t.Parallel()
			_, err := Load(env(withExternal("a=external:m?" + tc.options)))
			if got := faults(t, err); !slices.EqualFunc(got, tc.want, strings.HasPrefix) {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
	for _, entry := range []string{"a=bedrock:m?base_url=https://x.example", "a=baseline:random?key_secret=s"} {
		_, err := Load(env(withExternal(entry)))
		if got := faults(t, err); !slices.Equal(got, []string{"MODELS: base_url and key_secret are options of external models, but a is not one"}) {
			t.Errorf("%s: got %q", entry, got)
		}
	}
}
