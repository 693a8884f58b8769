package config

import (
	"crypto/x509"
	"encoding/base64"
	"strings"
)

// The marks of a certificate in PEM, https://www.rfc-editor.org/rfc/rfc7468#section-5.
const (
	certificateBegins = "-----BEGIN CERTIFICATE-----"
	certificateEnds   = "-----END CERTIFICATE-----"
)

// certificates reads certificates in PEM. Consoles and command lines turn the
// line ends of such a text into blanks or into \n, so that where its lines end
// does not matter here, unlike to encoding/pem. Text around the certificates is
// a comment, as in RFC 7468.
func (l *loader) certificates(name string) []*x509.Certificate {
	text := strings.NewReplacer(`\r`, "\n", `\n`, "\n").Replace(l.get(name))
	if text == "" {
		return nil
	}
	var list []*x509.Certificate
	for {
		comment, rest, found := strings.Cut(text, certificateBegins)
		if strings.Contains(comment, "-----") {
			l.fault("%s holds something else than certificates: it must be PEM with nothing but BEGIN CERTIFICATE blocks", name)
			return nil
		}
		if !found {
			break
		}
		body, rest, ended := strings.Cut(rest, certificateEnds)
		der, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(body), ""))
		if err != nil || !ended {
			l.fault("%s: certificate %d is not whole: it must be PEM from its BEGIN CERTIFICATE line to its END CERTIFICATE line", name, len(list)+1)
			return nil
		}
		certificate, err := x509.ParseCertificate(der)
		if err != nil {
			l.fault("%s: certificate %d cannot be read (%w)", name, len(list)+1, err)
			return nil
		}
		list, text = append(list, certificate), rest
	}
	if list == nil {
		l.fault("%s holds no certificate: it must be PEM that begins with %s", name, certificateBegins)
	}
	return list
}
