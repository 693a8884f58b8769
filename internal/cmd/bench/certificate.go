package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"os"
	"time"
)

// systemRoots are where Linux distributions keep the root certificates, those of
// Lambda's system, Amazon Linux, first. A real cold start parses all of them.
var systemRoots = []string{"/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/certs/ca-certificates.crt"}

// roots is a file of root certificates.
type rootsFile struct{ path string }

func (r rootsFile) remove() { _ = os.Remove(r.path) } // a file left behind in the temporary directory

// newCertificate makes a certificate for 127.0.0.1, with a key of the kind that
// AWS's endpoints have, and a file that holds it behind the system's roots.
func newCertificate() (*tls.Config, rootsFile, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, rootsFile{}, err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, rootsFile{}, err
	}
	file, err := os.CreateTemp("", "bench-roots-*.pem")
	if err != nil {
		return nil, rootsFile{}, err
	}
	_, err = file.Write(append(readRoots(), pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})...))
	return &tls.Config{
		MinVersion:   tls.VersionTLS12,
		Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}},
	}, rootsFile{file.Name()}, errors.Join(err, file.Close())
}

// readRoots returns the system's root certificates, or nothing where there are none.
func readRoots() []byte {
	for _, path := range systemRoots {
		if pem, err := os.ReadFile(path); err == nil { //nolint:gosec // one of two fixed paths
			return append(pem, '\n')
		}
	}
	return nil
}
