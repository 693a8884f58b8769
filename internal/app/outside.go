package app

import (
	"context"
	"crypto/x509"
	"net/http"

	"hyperstudy-endpoint/internal/app/function"
	"hyperstudy-endpoint/internal/auth"
	"hyperstudy-endpoint/internal/config"
	"hyperstudy-endpoint/internal/external"
)

// An outside is how the endpoint reaches external LLMs. Models of one host share
// its connections, and models of one secret its key.
type outside struct {
	f      *function.Function
	dialer *function.Dialer
	client *http.Client
	keys   map[string]*auth.APIKey // by secret id
	opened map[string]bool         // by host:port
}

// newOutside returns an outside that trusts the configured authorities beside the system's
// own. Unlike the way to AWS it goes through the proxy of HTTPS_PROXY.
func newOutside(f *function.Function) *outside {
	var roots *x509.CertPool
	if authorities := f.Config.External.Authorities; len(authorities) > 0 {
		roots = trusted(authorities)
	}
	d := function.NewDialer(http.ProxyFromEnvironment, roots) // which goes to this machine directly
	return &outside{f: f, dialer: d, client: d.Client(), keys: map[string]*auth.APIKey{}, opened: map[string]bool{}}
}

// trusted returns the system's authorities and these.
func trusted(authorities []*x509.Certificate) *x509.CertPool {
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool() // a system without any
	}
	for _, c := range authorities {
		pool.AddCert(c)
	}
	return pool
}

// provider makes the provider of an external model and has its key fetched and
// its connection opened ahead of the first request, all of them in parallel.
func (out *outside) provider(m config.Model) *external.Provider {
	s := out.f.Config.Service(m)
	o := external.Options{
		Alias: m.Alias, BaseURL: s.BaseURL, BaseURLSetting: s.BaseURLSetting, KeySetting: s.KeySetting, HTTP: out.client,
	}
	switch {
	case s.Key != "":
		o.Key = auth.FixedAPIKey(s.Key)
	case s.KeySecret != "":
		key, known := out.keys[s.KeySecret]
		if !known {
			key = auth.NewAPIKey(out.f.Secrets(), s.KeySecret)
			out.keys[s.KeySecret] = key
			out.f.WarmUp(s.KeySetting, func(ctx context.Context) error {
				_, err := key.Key(ctx)
				return err
			})
		}
		o.Key = key
	}
	if host := function.HostPort(s.BaseURL); !out.opened[host] {
		out.opened[host] = true
		out.f.WarmUp("connection to the external LLM behind "+m.Alias, func(ctx context.Context) error {
			return out.dialer.Open(ctx, s.BaseURL)
		})
	}
	return external.New(o)
}
