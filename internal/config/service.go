package config

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// A Service is where an external model is served.
type Service struct {
	BaseURL   *url.URL // the API's root
	KeySecret string   // name or ARN of the secret with its key; empty for a keyless server
	Key       string   // its key in the dev server; empty in a function

	// What the settings are called that these come from, for messages.
	BaseURLSetting, KeySetting string
}

// Service returns where the external model m is served. The key of
// EXTERNAL_BASE_URL goes to no other address: a model with a base_url has the
// key of its own key_secret or none.
func (c *Config) Service(m Model) Service {
	s := Service{
		BaseURL: c.External.BaseURL, KeySecret: c.External.APIKeySecret, Key: c.External.APIKey,
		BaseURLSetting: "EXTERNAL_BASE_URL", KeySetting: "EXTERNAL_API_KEY_SECRET",
	}
	if m.BaseURL != nil {
		s = Service{BaseURL: m.BaseURL, BaseURLSetting: optionOf("base_url", m), KeySetting: optionOf("key_secret", m)}
	}
	if m.KeySecret != "" {
		s.KeySecret, s.Key, s.KeySetting = m.KeySecret, "", optionOf("key_secret", m)
	}
	return s
}

// optionOf is what messages call an option of a model.
func optionOf(option string, m Model) string {
	return fmt.Sprintf("%s of %s in MODELS", option, m.Alias)
}

// checkProxy checks the variable that net/http goes by: it would not use a proxy
// that it cannot read, and say nothing.
func (l *loader) checkProxy(name string) {
	v := l.get(name)
	if v == "" {
		return
	}
	if !strings.Contains(v, "://") {
		v = "http://" + v // as net/http has it
	}
	u, err := url.Parse(v)
	if err != nil || u.Hostname() == "" || !slices.Contains([]string{"http", "https", "socks5", "socks5h"}, u.Scheme) {
		l.fault("%s is not the address of a proxy: it must look like http://proxy.example.org:3128", name)
	}
}

// service reads an option that says where a model is served.
func (l *loader) service(m *Model, option, value string) {
	switch {
	case value == "":
		l.fault("MODELS: %s of %s is empty", option, m.Alias)
	case option == "base_url":
		m.BaseURL = l.baseURL("MODELS: base_url of "+m.Alias, value)
	case strings.ContainsAny(value, " \t"):
		l.fault("MODELS: key_secret of %s must be the name or the ARN of a secret", m.Alias)
	default:
		m.KeySecret = value
	}
}
