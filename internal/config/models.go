package config

import (
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// A Provider is the kind of upstream that serves a model.
type Provider string

// The providers.
const (
	ProviderBedrock  Provider = "bedrock"
	ProviderExternal Provider = "external"
	ProviderBaseline Provider = "baseline"
)

// DefaultAlias is the model name that always means the first model.
const DefaultAlias = "default"

// baselineID is the only model of the baseline provider.
const baselineID = "random"

// A Model is one entry of MODELS: a name that callers use and what serves it.
type Model struct {
	Alias    string
	Provider Provider
	ID       string // the upstream's own id of the model

	MaxTokens int       // sent where a request sets no limit; 0 means none
	Fallback  string    // alias of the model that answers when this one cannot; empty means none
	Family    string    // overrides the model family that bedrock reads from the id
	Guardrail Guardrail // of a bedrock model

	BaseURL   *url.URL // of an external model: its own API's root; nil means EXTERNAL_BASE_URL
	KeySecret string   // of an external model: name or ARN of its own secret; empty means none of its own
}

// A Guardrail is an Amazon Bedrock guardrail that is applied to a model's calls.
type Guardrail struct {
	ID      string // id or ARN; empty means no guardrail
	Version string // a number or DRAFT
}

// maxAlias is the most bytes that an alias can have.
const maxAlias = 128

// isAlias reports whether s can be a model name in requests and in URLs.
func isAlias(s string) bool {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	return s != "" && len(s) <= maxAlias && strings.IndexAny(s[:1], letters) == 0 && strings.Trim(s, letters+"._:/-") == ""
}

// models reads MODELS: entries alias=provider:model?option=value&option=value,
// one a line or separated by commas.
func (l *loader) models(list string, external External) []Model {
	var models []Model
	entries := 0
	for _, entry := range strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == '\n' }) {
		if entry = strings.TrimSpace(entry); entry == "" {
			continue
		}
		entries++
		if m, ok := l.model(entry); ok {
			models = append(models, m)
		}
	}
	if entries == 0 && list != "" {
		l.fault("MODELS names no model")
	}
	for i, m := range models {
		l.checkModel(m, models[:i], models, external)
	}
	return models
}

// model reads one entry. It reports false if there is no telling its parts.
func (l *loader) model(entry string) (Model, bool) {
	alias, rest, ok := strings.Cut(entry, "=")
	provider, rest, ok2 := strings.Cut(rest, ":")
	id, options, _ := strings.Cut(rest, "?")
	m := Model{Alias: strings.TrimSpace(alias), Provider: Provider(strings.TrimSpace(provider)), ID: strings.TrimSpace(id)}
	if !ok || !ok2 || m.ID == "" {
		l.fault("MODELS: %q must look like alias=provider:model, for example fast=bedrock:us.amazon.nova-2-lite-v1:0", entry)
		return m, false
	}
	l.options(&m, options)
	return m, true
}

// options reads a model's options, all of which are known by name: a misspelt
// one would otherwise be without effect. A plus is itself and not a blank: the
// names of secrets may hold one.
func (l *loader) options(m *Model, query string) {
	values, err := url.ParseQuery(strings.ReplaceAll(query, "+", "%2B"))
	if err != nil {
		l.fault("MODELS: the options of %s must look like ?option=value&option=value", m.Alias)
		return
	}
	global := false
	for _, name := range slices.Sorted(maps.Keys(values)) {
		value := strings.TrimSpace(values.Get(name))
		if len(values[name]) > 1 {
			l.fault("MODELS: %s has the option %q twice", m.Alias, name)
		}
		switch name {
		case "max_tokens":
			n, err := strconv.Atoi(value)
			if err != nil || n < 1 {
				l.fault("MODELS: max_tokens of %s must be a whole number of at least 1", m.Alias)
			}
			m.MaxTokens = n
		case "fallback":
			m.Fallback = value
		case "family":
			m.Family = strings.ToLower(value)
		case "guardrail":
			l.guardrail(m, value)
		case "base_url", "key_secret":
			l.service(m, name, value)
		case "global":
			global = value == "allow"
			if !global {
				l.fault("MODELS: the only value of global is allow, but %s has %q", m.Alias, value)
			}
		default:
			l.fault("MODELS: %s has an unknown option %q; the options are max_tokens, fallback, family, guardrail, global, base_url and key_secret", m.Alias, name)
		}
	}
	if m.Provider == ProviderBedrock && isGlobalProfile(m.ID) && !global {
		l.fault("MODELS: %s is a global inference profile, so requests may be served outside the region's geography; add the option global=allow if the study permits that", m.Alias)
	}
}

// guardrail reads ID:VERSION. The id may be an ARN, which holds colons itself.
func (l *loader) guardrail(m *Model, value string) {
	at := strings.LastIndex(value, ":")
	if at <= 0 || at == len(value)-1 {
		l.fault("MODELS: guardrail of %s must look like guardrail=ID:VERSION", m.Alias)
		return
	}
	m.Guardrail = Guardrail{ID: value[:at], Version: value[at+1:]}
}

// isGlobalProfile reports whether an id or ARN names an inference profile that
// may route requests to any commercial region.
func isGlobalProfile(id string) bool {
	return strings.HasPrefix(id[strings.LastIndex(id, "/")+1:], "global.")
}

// checkModel checks one model against those before it and all of them.
func (l *loader) checkModel(m Model, before, all []Model, external External) {
	named := func(alias string) func(Model) bool {
		return func(o Model) bool { return o.Alias == alias }
	}
	switch {
	case m.Alias == DefaultAlias:
		l.fault("MODELS: the alias %q is taken: it always means the first model", DefaultAlias)
	case !isAlias(m.Alias):
		l.fault("MODELS: the alias %q must start with a letter or digit and hold only letters, digits and . _ : / -", m.Alias)
	case slices.ContainsFunc(before, named(m.Alias)):
		l.fault("MODELS: the alias %q is used twice", m.Alias)
	}
	switch m.Provider {
	case ProviderBedrock:
	case ProviderExternal:
		if external.BaseURL == nil && m.BaseURL == nil {
			l.fault("EXTERNAL_BASE_URL is not set, and the external model %s needs it or the option base_url", m.Alias)
		}
	case ProviderBaseline:
		if m.ID != baselineID {
			l.fault("MODELS: the only baseline model is baseline:%s, but %s has %q", baselineID, m.Alias, m.ID)
		}
	default:
		l.fault("MODELS: %s has the provider %q: it must be bedrock, external or baseline", m.Alias, m.Provider)
	}
	if m.Provider != ProviderBedrock && (m.Family != "" || m.Guardrail.ID != "") {
		l.fault("MODELS: family and guardrail are options of bedrock models, but %s is not one", m.Alias)
	}
	if m.Provider != ProviderExternal && (m.BaseURL != nil || m.KeySecret != "") {
		l.fault("MODELS: base_url and key_secret are options of external models, but %s is not one", m.Alias)
	}
	if m.Fallback != "" && (m.Fallback == m.Alias || !slices.ContainsFunc(all, named(m.Fallback))) {
		l.fault("MODELS: the fallback %q of %s must be the alias of another model", m.Fallback, m.Alias)
	}
}
