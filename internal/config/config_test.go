package config

import (
	"errors"
	"log/slog"
	"maps"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

// env returns a getenv over the settings of a function that needs nothing but
// them, with others in their place or beside them. An empty value unsets one.
func env(changes map[string]string) func(string) string {
	settings := map[string]string{
		"MODELS":                "baseline=baseline:random",
		"API_KEY_SECRET":        "keys",
		"AWS_REGION":            "eu-central-1",
		"AWS_ACCESS_KEY_ID":     "AKID",
		"AWS_SECRET_ACCESS_KEY": "secret",
	}
	maps.Copy(settings, changes)
	return func(name string) string { return settings[name] }
}

// faults returns the texts of the errors that were joined.
func faults(t *testing.T, err error) []string {
	t.Helper()
	if err == nil {
		return nil
	}
	var joined interface{ Unwrap() []error }
	if !errors.As(err, &joined) {
		t.Fatalf("%v is no joined error", err)
	}
	var list []string
	for _, e := range joined.Unwrap() {
		list = append(list, e.Error())
	}
	return list
}

func load(t *testing.T, changes map[string]string) Config {
	t.Helper()
	c, err := Load(env(changes))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestDefaults(t *testing.T) {
	t.Parallel()
	want := Config{
		Models:       []Model{{Alias: "baseline", Provider: ProviderBaseline, ID: "random"}},
		APIKeySecret: "keys",
		AWS:          AWS{Region: "eu-central-1", AccessKeyID: "AKID", SecretAccessKey: "secret"},
		Timeout:      time.Minute,
		MaxReasks:    2,
		LogLevel:     slog.LevelInfo,
	}
	if got := load(t, nil); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// TestEverySetting sets every variable to something else than its default.
func TestEverySetting(t *testing.T) {
	t.Parallel()
	got := load(t, map[string]string{
		"MODELS":                           "a=external:m",
		"API_KEY_SECRET":                   " arn:aws:secretsmanager:eu-central-1:123456789012:secret:keys-AbCdEf ",
		"EXTERNAL_BASE_URL":                "https://llm.example.org/v1",
		"EXTERNAL_API_KEY_SECRET":          "llm-key",
		"REQUEST_TIMEOUT_SECONDS":          "300",
		"TOOL_CHOICE":                      "Required",
		"MAX_REASKS":                       "0",
		"LOG_LEVEL":                        "DEBUG",
		"METRICS_NAMESPACE":                "HyperStudyEndpoint/pilot-1",
		"AWS_SESSION_TOKEN":                "token",
		"AWS_ENDPOINT_URL_BEDROCK_RUNTIME": "http://127.0.0.1:1",
		"AWS_ENDPOINT_URL_SECRETS_MANAGER": "https://secrets.example.org",
		"AWS_ENDPOINT_URL":                 "http://127.0.0.1:3",
		"API_KEY":                          "a function never reads this",
	})
	want := Config{
		Models:       []Model{{Alias: "a", Provider: ProviderExternal, ID: "m"}},
		APIKeySecret: "arn:aws:secretsmanager:eu-central-1:123456789012:secret:keys-AbCdEf",
		External:     External{BaseURL: &url.URL{Scheme: "https", Host: "llm.example.org", Path: "/v1"}, APIKeySecret: "llm-key"},
		AWS: AWS{
			Region: "eu-central-1", AccessKeyID: "AKID", SecretAccessKey: "secret", SessionToken: "token",
			BedrockEndpoint: "http://127.0.0.1:1", SecretsEndpoint: "https://secrets.example.org",
		},
		Timeout: 5 * time.Minute, RequireTools: true, MaxReasks: 0, LogLevel: slog.LevelDebug,
		MetricsNamespace: "HyperStudyEndpoint/pilot-1",
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestSettingsAtTheirLimits(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name, value string
		holds       func(Config) bool
	}{
		{"REQUEST_TIMEOUT_SECONDS", "10", func(c Config) bool { return c.Timeout == 10*time.Second }},
		{"REQUEST_TIMEOUT_SECONDS", " 60\n", func(c Config) bool { return c.Timeout == time.Minute }},
		{"MAX_REASKS", "5", func(c Config) bool { return c.MaxReasks == 5 }},
		{"TOOL_CHOICE", "auto", func(c Config) bool { return !c.RequireTools }},
		{"TOOL_CHOICE", " ", func(c Config) bool { return !c.RequireTools }},
		{"LOG_LEVEL", "warn", func(c Config) bool { return c.LogLevel == slog.LevelWarn }},
		{"LOG_LEVEL", "error", func(c Config) bool { return c.LogLevel == slog.LevelError }},
		{"LOG_LEVEL", "info", func(c Config) bool { return c.LogLevel == slog.LevelInfo }},
		{"AWS_ENDPOINT_URL", "http://127.0.0.1:3", func(c Config) bool {
			return c.AWS.BedrockEndpoint == "http://127.0.0.1:3" && c.AWS.SecretsEndpoint == "http://127.0.0.1:3"
		}},
		{"METRICS_NAMESPACE", " a.B-9_/#: ", func(c Config) bool { return c.MetricsNamespace == "a.B-9_/#:" }},
		{"METRICS_NAMESPACE", strings.Repeat("n", 255), func(c Config) bool { return len(c.MetricsNamespace) == 255 }},
		{"EXTERNAL_BASE_URL", "http://localhost:8080", func(c Config) bool { return c.External.BaseURL.Port() == "8080" }},
		{"EXTERNAL_BASE_URL", "http://127.0.0.1:8080/v1/", func(c Config) bool { return c.External.BaseURL.Path == "/v1/" }},
		{"HTTPS_PROXY", "proxy.example.org:3128", func(Config) bool { return true }},
		{"https_proxy", "socks5h://lab:pass@[::1]:1080", func(Config) bool { return true }},
		{"EXTERNAL_BASE_URL", "http://[::1]/v1", func(c Config) bool { return c.External.BaseURL.Hostname() == "::1" }},
	}
	for _, tc := range cases {
		t.Run(tc.name+"="+tc.value, func(t *testing.T) {
			t.Parallel()
			if c := load(t, map[string]string{tc.name: tc.value}); !tc.holds(c) {
				t.Errorf("got %+v", c)
			}
		})
	}
	c := load(t, map[string]string{"AWS_REGION": "", "AWS_DEFAULT_REGION": "us-west-2"})
	if c.AWS.Region != "us-west-2" {
		t.Errorf("region is %q", c.AWS.Region)
	}
}

// TestFaults breaks one setting at a time. The error has to be that one.
func TestFaults(t *testing.T) {
	t.Parallel()
	const (
		needsHTTPS   = "EXTERNAL_BASE_URL must start with https:// (http:// is allowed for 127.0.0.1 and localhost only)"
		badNamespace = "METRICS_NAMESPACE must hold at most 255 letters, digits and . - _ / # :, and start with neither a colon nor AWS/"
	)
	notAProxy := func(name string) string {
		return name + " is not the address of a proxy: it must look like http://proxy.example.org:3128"
	}
	cases := []struct{ name, value, want string }{
		{"MODELS", "", "MODELS is not set"},
		{"MODELS", " \n", "MODELS is not set"},
		{"API_KEY_SECRET", "", "API_KEY_SECRET is not set"},
		{"REQUEST_TIMEOUT_SECONDS", "9", `REQUEST_TIMEOUT_SECONDS is "9": it must be a whole number from 10 to 300`},
		{"REQUEST_TIMEOUT_SECONDS", "301", `REQUEST_TIMEOUT_SECONDS is "301": it must be a whole number from 10 to 300`},
		{"REQUEST_TIMEOUT_SECONDS", "60s", `REQUEST_TIMEOUT_SECONDS is "60s": it must be a whole number from 10 to 300`},
		{"REQUEST_TIMEOUT_SECONDS", "59.5", `REQUEST_TIMEOUT_SECONDS is "59.5": it must be a whole number from 10 to 300`},
		{"REQUEST_TIMEOUT_SECONDS", "99999999999999999999", `REQUEST_TIMEOUT_SECONDS is "99999999999999999999": it must be a whole number from 10 to 300`},
		{"MAX_REASKS", "6", `MAX_REASKS is "6": it must be a whole number from 0 to 5`},
		{"MAX_REASKS", "-1", `MAX_REASKS is "-1": it must be a whole number from 0 to 5`},
		{"TOOL_CHOICE", "none", `TOOL_CHOICE is "none": it must be one of auto, required`},
		{"LOG_LEVEL", "trace", `LOG_LEVEL is "trace": it must be one of info, debug, warn, error`},
		{"METRICS_NAMESPACE", `a"b`, badNamespace},
		{"METRICS_NAMESPACE", "a b", badNamespace},
		{"METRICS_NAMESPACE", "é", badNamespace},
		{"METRICS_NAMESPACE", ":a", badNamespace},
		{"METRICS_NAMESPACE", "AWS/Lambda", badNamespace},
		{"METRICS_NAMESPACE", strings.Repeat("n", 256), badNamespace},
		{"EXTERNAL_BASE_URL", "llm.example.org/v1", "EXTERNAL_BASE_URL is not a URL: it must look like https://api.example.org/v1"},
		{"EXTERNAL_BASE_URL", "https://", "EXTERNAL_BASE_URL is not a URL: it must look like https://api.example.org/v1"},
		{"EXTERNAL_BASE_URL", "https://llm.example.org:port", "EXTERNAL_BASE_URL is not a URL: it must look like https://api.example.org/v1"},
		{"EXTERNAL_BASE_URL", "http://llm.example.org/v1", needsHTTPS},
		{"EXTERNAL_BASE_URL", "http://localhost.example.org", needsHTTPS},
		{"EXTERNAL_BASE_URL", "http://10.0.0.1", needsHTTPS},
		{"EXTERNAL_BASE_URL", "ftp://llm.example.org", needsHTTPS},
		{"EXTERNAL_BASE_URL", "https://me:pass@llm.example.org", "EXTERNAL_BASE_URL must not hold a user, a query or a fragment"},
		{"EXTERNAL_BASE_URL", "https://llm.example.org/v1?key=pass", "EXTERNAL_BASE_URL must not hold a user, a query or a fragment"},
		{"EXTERNAL_BASE_URL", "https://llm.example.org/v1#pass", "EXTERNAL_BASE_URL must not hold a user, a query or a fragment"},
		{"AWS_ENDPOINT_URL_BEDROCK_RUNTIME", "127.0.0.1:1", "AWS_ENDPOINT_URL_BEDROCK_RUNTIME is not a URL"},
		{"AWS_ENDPOINT_URL_SECRETS_MANAGER", "ftp://127.0.0.1", "AWS_ENDPOINT_URL_SECRETS_MANAGER is not a URL"},
		{"AWS_ENDPOINT_URL", "localhost", "AWS_ENDPOINT_URL is not a URL"},
		{"HTTPS_PROXY", "http://proxy.example.org:31 28", notAProxy("HTTPS_PROXY")},
		{"https_proxy", "ftp://lab:pass@proxy.example.org", notAProxy("https_proxy")},
		{"HTTPS_PROXY", ":3128", notAProxy("HTTPS_PROXY")},
		{"AWS_REGION", "", "AWS_REGION is not set, and API_KEY_SECRET cannot do without it"},
		{"AWS_ACCESS_KEY_ID", "", "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not set, and API_KEY_SECRET cannot do without them (`aws configure export-credentials --format env` prints them for a profile)"},
		{"AWS_SECRET_ACCESS_KEY", "", "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not set, and API_KEY_SECRET cannot do without them (`aws configure export-credentials --format env` prints them for a profile)"},
	}
	for _, tc := range cases {
		t.Run(tc.name+"="+tc.value, func(t *testing.T) {
			t.Parallel()
			_, err := Load(env(map[string]string{tc.name: tc.value}))
			if got := faults(t, err); !slices.Equal(got, []string{tc.want}) {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

// TestAllFaultsAtOnce breaks everything that can be broken together.
func TestAllFaultsAtOnce(t *testing.T) {
	t.Parallel()
	_, err := Load(env(map[string]string{
		"MODELS": "a=bedrock:m,b=external:m,c=nobody:m", "API_KEY_SECRET": "", "EXTERNAL_BASE_URL": "nonsense", "EXTERNAL_API_KEY_SECRET": "k",
		"REQUEST_TIMEOUT_SECONDS": "x", "TOOL_CHOICE": "x", "MAX_REASKS": "x", "LOG_LEVEL": "x",
		"AWS_ENDPOINT_URL_BEDROCK_RUNTIME": "x", "AWS_ENDPOINT_URL_SECRETS_MANAGER": "x", "AWS_REGION": "", "AWS_ACCESS_KEY_ID": "",
	}))
	got := faults(t, err)
	want := []string{
		"EXTERNAL_BASE_URL ", "AWS_ENDPOINT_URL_BEDROCK_RUNTIME ", "AWS_ENDPOINT_URL_SECRETS_MANAGER ", "REQUEST_TIMEOUT_SECONDS ",
		"MAX_REASKS ", "TOOL_CHOICE ", "LOG_LEVEL ", "MODELS: c ", "API_KEY_SECRET ",
		"AWS_REGION is not set, and EXTERNAL_API_KEY_SECRET and the model a ", "AWS_ACCESS_KEY_ID ",
	}
	for _, prefix := range want {
		if n := len(slices.DeleteFunc(slices.Clone(got), func(s string) bool { return !strings.HasPrefix(s, prefix) })); n != 1 {
			t.Errorf("%d faults start with %q", n, prefix)
		}
	}
	if len(got) != len(want) {
		t.Errorf("got %d faults, want %d: %q", len(got), len(want), got)
	}
}

func TestLoadDev(t *testing.T) {
	t.Parallel()
	baseline := []Model{{Alias: "baseline", Provider: ProviderBaseline, ID: "random"}}
	cases := []struct {
		name   string
		env    map[string]string
		models []Model
		key    string
		secret string
		faults []string
	}{
		{"nothing set", nil, baseline, "", "", nil},
		{"key", map[string]string{"API_KEY": " k \n"}, baseline, "k", "", nil},
		{"key before a secret", map[string]string{"API_KEY": "k", "API_KEY_SECRET": "s"}, baseline, "k", "", nil},
		{"secret", map[string]string{"API_KEY_SECRET": "s", "AWS_REGION": "r", "AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b"}, baseline, "", "s", nil},
		{"secret without AWS", map[string]string{"API_KEY_SECRET": "s"}, baseline, "", "s", []string{"AWS_REGION is", "AWS_ACCESS_KEY_ID and"}},
		{"model of AWS without AWS", map[string]string{"MODELS": "n=bedrock:amazon.nova-lite-v1:0"}, []Model{{Alias: "n", Provider: ProviderBedrock, ID: "amazon.nova-lite-v1:0"}}, "", "",
			[]string{"AWS_REGION is not set, and the model n cannot", "AWS_ACCESS_KEY_ID and"}},
		{"keyless external model", map[string]string{"MODELS": "o=external:llama3:8b", "EXTERNAL_BASE_URL": "http://127.0.0.1:11434/v1"},
			[]Model{{Alias: "o", Provider: ProviderExternal, ID: "llama3:8b"}}, "", "", nil},
		{"bad setting", map[string]string{"MAX_REASKS": "many"}, baseline, "", "", []string{"MAX_REASKS is"}},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			c, err := LoadDev(func(name string) string { return tc.env[name] })
			if !reflect.DeepEqual(c.Models, tc.models) || c.APIKey != tc.key || c.APIKeySecret != tc.secret {
				t.Errorf("got %+v", c)
			}
			got := faults(t, err)
			if !slices.EqualFunc(got, tc.faults, strings.HasPrefix) {
				t.Errorf("got faults %q, want %q", got, tc.faults)
			}
		})
	}
}

func TestKeyOfAnExternalAPIInTheDevServer(t *testing.T) {
	t.Parallel()
	env := map[string]string{"MODELS": "o=external:gpt", "EXTERNAL_BASE_URL": "https://api.example.org/v1", "EXTERNAL_API_KEY": " sk-1 \n", "EXTERNAL_API_KEY_SECRET": "s"}
	getenv := func(name string) string { return env[name] }
	c, err := LoadDev(getenv)
	if err != nil || c.External.APIKey != "sk-1" || c.External.APIKeySecret != "" {
		t.Errorf("dev server: %+v, %v", c.External, err)
	}
	c, err = Load(getenv)
	if err == nil || c.External.APIKey != "" || c.External.APIKeySecret != "s" {
		t.Errorf("function: %+v, %v: it must not take a key from its environment", c.External, err)
	}
}
