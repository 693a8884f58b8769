// Package config turns the environment into a checked [Config]. It is the only
// package that reads environment variables, and it names every bad setting at
// once.
package config

import (
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Limits of REQUEST_TIMEOUT_SECONDS: HyperStudy lets an experimenter set 10 s
// to 300 s and uses 60 s if nothing is set.
const (
	minTimeoutSeconds     = 10
	maxTimeoutSeconds     = 300
	defaultTimeoutSeconds = 60
)

// Limits of MAX_REASKS.
const (
	maxReasks     = 5
	defaultReasks = 2
)

// A Config is the checked configuration of one deployment.
type Config struct {
	Models []Model // at least one; the first is the default

	APIKeySecret string // name or ARN of the secret with the callers' keys
	APIKey       string // the one key of the dev server; empty in a function

	External External
	AWS      AWS

	Timeout      time.Duration // the limit set in HyperStudy, counted from the request's arrival
	RequireTools bool          // a tool is forced at once, not only when re-asking
	MaxReasks    int           // how often an invalid answer is put back to the model
	LogLevel     slog.Level

	MetricsNamespace string // of the CloudWatch metrics in log lines; empty for none
}

// External is the OpenAI-compatible API that serves the external models that
// have no base_url of their own.
type External struct {
	BaseURL      *url.URL // the API's root; nil if no model needs it
	APIKeySecret string   // name or ARN of the secret with its key; empty for a keyless server
	APIKey       string   // its key in the dev server; empty in a function

	Authorities []*x509.Certificate // private certificate authorities, trusted beside the system's
}

// AWS holds what the AWS SDK reads from the environment of a function.
type AWS struct {
	Region          string
	AccessKeyID     string
	SecretAccessKey string
	SessionToken    string

	BedrockEndpoint string // empty means AWS's own
	SecretsEndpoint string // empty means AWS's own
}

// Load reads the configuration of a function. getenv is os.Getenv outside
// tests. The error joins one error for each bad setting.
func Load(getenv func(string) string) (Config, error) {
	l := loader{getenv: getenv}
	c := l.common()
	c.Models = l.models(l.required("MODELS"), c.External)
	c.APIKeySecret = l.required("API_KEY_SECRET")
	l.needAWS(c)
	return c, errors.Join(l.errs...)
}

// LoadDev reads the configuration of the dev server: without MODELS it serves
// the baseline model, and without API_KEY_SECRET its key is API_KEY, which may
// be empty for the caller to choose one. EXTERNAL_API_KEY stands in for
// EXTERNAL_API_KEY_SECRET.
func LoadDev(getenv func(string) string) (Config, error) {
	l := loader{getenv: getenv}
	c := l.common()
	models := l.get("MODELS")
	if models == "" {
		models = "baseline=baseline:random"
	}
	c.Models = l.models(models, c.External)
	c.External.APIKey = l.get("EXTERNAL_API_KEY")
	if c.External.APIKey != "" {
		c.External.APIKeySecret = ""
	}
	c.APIKey = l.get("API_KEY")
	if c.APIKey == "" {
		c.APIKeySecret = l.get("API_KEY_SECRET")
	}
	l.needAWS(c)
	return c, errors.Join(l.errs...)
}

// A loader reads settings and collects what is wrong with them.
type loader struct {
	getenv func(string) string
	errs   []error
}

// fault adds a fault. One that two settings run into, such as a bad
// AWS_ENDPOINT_URL, is named once.
func (l *loader) fault(format string, args ...any) {
	err := fmt.Errorf(format, args...)
	if !slices.ContainsFunc(l.errs, func(known error) bool { return known.Error() == err.Error() }) {
		l.errs = append(l.errs, err)
	}
}

func (l *loader) get(name string) string { return strings.TrimSpace(l.getenv(name)) }

func (l *loader) required(name string) string {
	v := l.get(name)
	if v == "" {
		l.fault("%s is not set", name)
	}
	return v
}

// common reads what functions and the dev server share.
func (l *loader) common() Config {
	l.checkProxy("HTTPS_PROXY")
	l.checkProxy("https_proxy")
	return Config{
		External: External{
			BaseURL:      l.baseURL("EXTERNAL_BASE_URL", l.get("EXTERNAL_BASE_URL")),
			APIKeySecret: l.get("EXTERNAL_API_KEY_SECRET"),
			Authorities:  l.certificates("EXTERNAL_CA_PEM"),
		},
		AWS: AWS{
			Region:          l.first("AWS_REGION", "AWS_DEFAULT_REGION"),
			AccessKeyID:     l.get("AWS_ACCESS_KEY_ID"),
			SecretAccessKey: l.get("AWS_SECRET_ACCESS_KEY"),
			SessionToken:    l.get("AWS_SESSION_TOKEN"),
			BedrockEndpoint: l.endpoint("AWS_ENDPOINT_URL_BEDROCK_RUNTIME", "AWS_ENDPOINT_URL"),
			SecretsEndpoint: l.endpoint("AWS_ENDPOINT_URL_SECRETS_MANAGER", "AWS_ENDPOINT_URL"),
		},
		Timeout:      time.Duration(l.integer("REQUEST_TIMEOUT_SECONDS", minTimeoutSeconds, maxTimeoutSeconds, defaultTimeoutSeconds)) * time.Second,
		MaxReasks:    l.integer("MAX_REASKS", 0, maxReasks, defaultReasks),
		RequireTools: l.choice("TOOL_CHOICE", "auto", "required") == "required",
		LogLevel:     l.logLevel(),

		MetricsNamespace: l.namespace("METRICS_NAMESPACE"),
	}
}

func (l *loader) first(names ...string) string {
	for _, name := range names {
		if v := l.get(name); v != "" {
			return v
		}
	}
	return ""
}

func (l *loader) integer(name string, low, high, fallback int) int {
	v := l.get(name)
	if v == "" {
		return fallback
	}
	n, err := strconv.Atoi(v)
	if err != nil || n < low || n > high {
		l.fault("%s is %q: it must be a whole number from %d to %d", name, v, low, high)
	}
	return n
}

// choice reads one of several words, the first of which is the default.
func (l *loader) choice(name string, words ...string) string {
	v := strings.ToLower(l.get(name))
	if v == "" {
		return words[0]
	}
	for _, w := range words {
		if v == w {
			return v
		}
	}
	l.fault("%s is %q: it must be one of %s", name, v, strings.Join(words, ", "))
	return words[0]
}

func (l *loader) logLevel() slog.Level {
	level := slog.LevelInfo
	word := l.choice("LOG_LEVEL", "info", "debug", "warn", "error")
	if err := level.UnmarshalText([]byte(word)); err != nil {
		l.fault("LOG_LEVEL: %w", err)
	}
	return level
}

// maxNamespace is the longest name of a CloudWatch namespace.
const maxNamespace = 255

// namespace reads the name of a CloudWatch namespace.
// https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/cloudwatch_concepts.html#Namespace
func (l *loader) namespace(name string) string {
	v := l.get(name)
	odd := func(c rune) bool {
		return (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && !strings.ContainsRune(".-_/#:", c)
	}
	if len(v) > maxNamespace || strings.HasPrefix(v, ":") || strings.HasPrefix(v, "AWS/") || strings.ContainsFunc(v, odd) {
		l.fault("%s must hold at most %d letters, digits and . - _ / # :, and start with neither a colon nor AWS/", name, maxNamespace)
	}
	return v
}

// baseURL reads the root of an external API: https, or http on this machine.
// name is what faults call it.
func (l *loader) baseURL(name, v string) *url.URL {
	if v == "" {
		return nil
	}
	u, err := url.Parse(v)
	switch {
	case err != nil || u.Host == "":
		l.fault("%s is not a URL: it must look like https://api.example.org/v1", name)
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		l.fault("%s must not hold a user, a query or a fragment", name)
	case u.Scheme == "https", u.Scheme == "http" && isLoopback(u.Hostname()):
		return u
	default:
		l.fault("%s must start with https:// (http:// is allowed for 127.0.0.1 and localhost only)", name)
	}
	return &url.URL{} // not nil, for it is set
}

// endpoint reads the first set of the SDK's endpoint variables.
func (l *loader) endpoint(names ...string) string {
	for _, name := range names {
		v := l.get(name)
		if v == "" {
			continue
		}
		if u, err := url.Parse(v); err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
			l.fault("%s is not a URL", name)
		}
		return v
	}
	return ""
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// needAWS checks that what calls AWS can.
func (l *loader) needAWS(c Config) {
	var users []string
	if c.APIKeySecret != "" {
		users = append(users, "API_KEY_SECRET")
	}
	if c.External.APIKeySecret != "" {
		users = append(users, "EXTERNAL_API_KEY_SECRET")
	}
	for _, m := range c.Models {
		if m.KeySecret != "" {
			users = append(users, "key_secret of "+m.Alias)
			break
		}
	}
	for _, m := range c.Models {
		if m.Provider == ProviderBedrock {
			users = append(users, "the model "+m.Alias)
			break
		}
	}
	if len(users) == 0 {
		return
	}
	who := strings.Join(users, " and ")
	if c.AWS.Region == "" {
		l.fault("AWS_REGION is not set, and %s cannot do without it", who)
	}
	if c.AWS.AccessKeyID == "" || c.AWS.SecretAccessKey == "" {
		l.fault("AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not set, and %s cannot do without them (`aws configure export-credentials --format env` prints them for a profile)", who)
	}
}
