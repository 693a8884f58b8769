package config

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"
)

// authority is a certificate authority in PEM.
func authority(t *testing.T, name string) string {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
}

// Certificates are read in every form that a console or a shell leaves them in.
func TestCertificates(t *testing.T) {
	t.Parallel()
	one, two := authority(t, "one"), authority(t, "two")
	in := func(lineEnd string) string { return strings.ReplaceAll(one+two, "\n", lineEnd) }
	both := []string{"one", "two"}
	for _, tc := range []struct {
		name, value string
		want        []string
	}{
		{"none", "", nil},
		{"one", one, []string{"one"}},
		{"several", one + two, both},
		{"Windows", in("\r\n"), both},
		{"escaped", in(`\n`), both},
		{"escaped as Windows has it", in(`\r\n`), both},
		{"blanks", in(" "), both},
		{"nothing at all", in(""), both},
		{"comments", "# one\n" + one + "subject=CN = two\n" + two + "# end\n", both},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, c := range load(t, map[string]string{"EXTERNAL_CA_PEM": tc.value}).External.Authorities {
				got = append(got, c.Subject.CommonName)
			}
			if !slices.Equal(got, tc.want) {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func TestCertificateFaults(t *testing.T) {
	t.Parallel()
	one := authority(t, "one")
	key := "-----BEGIN PRIVATE KEY-----\nMC4CAQ==\n-----END PRIVATE KEY-----\n"
	for _, tc := range []struct{ name, value, want string }{
		{"no PEM", "/etc/ssl/ca.pem", "EXTERNAL_CA_PEM holds no certificate"},
		{"cut", one[:len(one)/2], "EXTERNAL_CA_PEM: certificate 1 "},
		{"the second is cut", one + one[:len(one)/2], "EXTERNAL_CA_PEM: certificate 2 "},
		{"no end", strings.ReplaceAll(one, certificateEnds, ""), "EXTERNAL_CA_PEM: certificate 1 is not whole"},
		{"not base64", certificateBegins + "\n!\n" + certificateEnds, "EXTERNAL_CA_PEM: certificate 1 is not whole"},
		{"not a certificate", certificateBegins + "\nAAAA\n" + certificateEnds, "EXTERNAL_CA_PEM: certificate 1 cannot be read"},
		{"empty", certificateBegins + certificateEnds, "EXTERNAL_CA_PEM: certificate 1 cannot be read"},
		{"a private key as well", one + key, "EXTERNAL_CA_PEM holds something else than certificates"},
		{"a private key before it", key + one, "EXTERNAL_CA_PEM holds something else than certificates"},
		{"a request", strings.ReplaceAll(one, "CERTIFICATE", "CERTIFICATE REQUEST"), "EXTERNAL_CA_PEM holds something else than certificates"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			_, err := Load(env(map[string]string{"EXTERNAL_CA_PEM": tc.value}))
			if got := faults(t, err); len(got) != 1 || !strings.HasPrefix(got[0], tc.want) || strings.Contains(got[0], "MC4C") {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}
