package app

import (
	"context"
	"crypto/x509"
	"net/http"

	"hyperstudy-endpoint/internal/auth"
	"hyperstudy-endpoint/internal/config"
	"hyperstudy-endpoint/internal/external"
)

// An outside is how the endpoint reaches external LLMs. Models of one host share
// its connections, and models of one secret its key.
type outside struct {
	dialer *dialer
	client *http.Client
	keys   map[string]*auth.APIKey // by secret id
	opened map[string]bool         // by host:port
}

// newOutside returns an outside that trusts the authorities beside the system's
// own. Unlike the way to AWS it goes through the proxy of HTTPS_PROXY.
func newOutside(authorities []*x509.Certificate) *outside {
	d := newDialer()
	d.proxy = http.ProxyFromEnvironment // which goes to this machine directly
	if len(authorities) > 0 {
		d.tls.RootCAs = trusted(authorities)
	}
	return &outside{dialer: d, client: d.client(), keys: map[string]*auth.APIKey{}, opened: map[string]bool{}}
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

// external makes the provider of an external model and has its key fetched and
// its connection opened ahead of the first request, all of them in parallel.
func (e *endpoint) external(out *outside, m config.Model) *external.Provider {
	s := e.config.Service(m)
	o := external.Options{
		Alias: m.Alias, BaseURL: s.BaseURL, BaseURLSetting: s.BaseURLSetting, KeySetting: s.KeySetting, HTTP: out.client,
	}
	switch {
	case s.Key != "":
		o.Key = auth.FixedAPIKey(s.Key)
	case s.KeySecret != "":
		key, known := out.keys[s.KeySecret]
		if !known {
			key = auth.NewAPIKey(e.secrets(), s.KeySecret)
			out.keys[s.KeySecret] = key
			e.warmups = append(e.warmups, warmup{s.KeySetting, func(ctx context.Context) error {
				_, err := key.Key(ctx)
				return err
			}})
		}
		o.Key = key
	}
	if host := canonical(hostPort(s.BaseURL)); !out.opened[host] {
		out.opened[host] = true
		e.warmups = append(e.warmups, warmup{"connection to the external LLM behind " + m.Alias, func(ctx context.Context) error {
			return out.dialer.openTo(ctx, s.BaseURL)
		}})
	}
	return external.New(o)
}
