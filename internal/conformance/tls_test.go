package conformance

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// certificate makes one that signs itself, for a host and until a time.
func certificate(t *testing.T, host string, until time.Time) (tls.Certificate, *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), DNSNames: []string{host}, NotBefore: until.Add(-1000 * time.Hour), NotAfter: until,
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(parsed)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, pool
}

// TestCertificates serves over real TLS, with good and bad certificates.
func TestCertificates(t *testing.T) {
	t.Parallel()
	const host = "agent.example.org"
	soonOver, later := time.Now().Add(20*time.Hour), time.Now().Add(500*time.Hour)
	for _, tc := range []struct {
		name    string
		host    string
		until   time.Time
		trusted bool
		plain   bool
		verdict Verdict
		message string
	}{
		{name: "good", host: host, until: later, trusted: true, verdict: Pass, message: "Valid until " + later.UTC().Format(time.DateOnly)},
		{name: "ends soon", host: host, until: soonOver, trusted: true, verdict: Warn, message: "The certificate ends in "},
		{name: "expired", host: host, until: time.Now().Add(-time.Hour), trusted: true, verdict: Fail, message: "has expired"},
		{name: "self-signed", host: host, until: later, verdict: Fail, message: "signed by nobody whom clients trust"},
		{name: "another host", host: "other.example.org", until: later, trusted: true, verdict: Fail, message: "for another host"},
		{name: "no TLS", plain: true, verdict: Fail, message: "does not speak TLS"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewUnstartedServer(newFake())
			server.Config.ErrorLog = log.New(t.Output(), "", 0)
			transport := &http.Transport{DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
				return new(net.Dialer).DialContext(ctx, network, server.Listener.Addr().String())
			}}
			t.Cleanup(transport.CloseIdleConnections)
			if tc.plain {
				server.Start()
			} else {
				pair, pool := certificate(t, tc.host, tc.until)
				server.TLS = &tls.Config{Certificates: []tls.Certificate{pair}}
				server.StartTLS()
				if tc.trusted {
					transport.TLSClientConfig = &tls.Config{RootCAs: pool}
				}
			}
			t.Cleanup(server.Close)
			target := targetOf(nil)
			target.Client = &http.Client{Transport: transport}
			report := Run(t.Context(), target, Options{Only: []string{"address.certificate", "connection.cold"}})
			got, after := report.Results[0], report.Results[1]
			if got.Verdict != tc.verdict || !strings.Contains(got.Message, tc.message) {
				t.Errorf("%s: %s", got.Verdict, got.Message)
			}
			if want := map[bool]Verdict{true: Skip, false: Pass}[tc.verdict == Fail]; after.Verdict != want {
				t.Errorf("the check after it: %s: %s", after.Verdict, after.Message)
			}
		})
	}
}

// TestOwnClient runs over a real connection with the package's own client, to
// an endpoint on this machine.
func TestOwnClient(t *testing.T) {
	t.Parallel()
	f := newFake()
	f.delay = 0
	server := httptest.NewServer(f)
	t.Cleanup(server.Close)
	report := Run(t.Context(), Target{BaseURL: server.URL + "/v1", APIKey: fakeKey}, runOptions)
	for _, r := range report.Results {
		want := Pass
		switch r.Check.ID {
		case "address.url", "address.public":
			want = Warn
		case "address.certificate":
			want = Skip
		}
		if r.Verdict != want && r.Verdict != Info {
			t.Errorf("%s: %s: %s", r.Check.ID, r.Verdict, r.Message)
		}
	}
	if !report.Passed() {
		t.Error("it did not pass")
	}
}
