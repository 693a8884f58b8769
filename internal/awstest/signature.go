package awstest

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"regexp"
	"strings"
	"time"

	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
)

// authorization is the header of AWS Signature Version 4: access key, date,
// region and service of the credential scope, then the signed headers.
var authorization = regexp.MustCompile(`^AWS4-HMAC-SHA256 Credential=([^/, ]+)/([0-9]{8})/([^/, ]+)/([^/, ]+)/aws4_request, ?SignedHeaders=([a-z0-9;-]+), ?Signature=[0-9a-f]{64}$`)

// maxSkew is how far a signature's time may be from now.
const maxSkew = 5 * time.Minute

// checkSignature says why the request's signature is not one for the service, or
// nil. See "AWS Signature Version 4 for API requests" in the IAM User Guide.
func checkSignature(r *http.Request, body []byte, service string) *fault {
	forbidden := func(code, message string) *fault { return &fault{http.StatusForbidden, code, message} }
	header := r.Header.Get("Authorization")
	if header == "" {
		return forbidden("MissingAuthenticationTokenException", "Missing Authentication Token")
	}
	m := authorization.FindStringSubmatch(header)
	if m == nil {
		return forbidden("IncompleteSignatureException", "Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header, and 'Credential', 'SignedHeaders' and 'Signature' parameters.")
	}
	at, err := time.Parse("20060102T150405Z", r.Header.Get("X-Amz-Date"))
	switch {
	case err != nil:
		return forbidden("IncompleteSignatureException", "Date must be in ISO-8601 'basic format'. Got '"+r.Header.Get("X-Amz-Date")+"'.")
	case m[1] != accessKeyID || r.Header.Get("X-Amz-Security-Token") != sessionToken:
		return forbidden("UnrecognizedClientException", "The security token included in the request is invalid.")
	case m[4] != service:
		return forbidden("InvalidSignatureException", "Credential should be scoped to correct service: '"+service+"'.")
	case m[3] != Region:
		return forbidden("InvalidSignatureException", "Credential should be scoped to a valid region.")
	case time.Since(at).Abs() > maxSkew:
		return forbidden("InvalidSignatureException", "Signature expired: "+r.Header.Get("X-Amz-Date")+" is now too far from the service's time.")
	}
	want, err := sign(r, body, service, at, strings.Split(m[5], ";"))
	if err != nil || want != header {
		return forbidden("InvalidSignatureException", "The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key and signing method.")
	}
	return nil
}

// sign is the Authorization header that r should have.
func sign(r *http.Request, body []byte, service string, at time.Time, signed []string) (string, error) {
	again := r.Clone(r.Context())
	again.Header = http.Header{}
	again.ContentLength = 0
	for _, name := range signed {
		switch name {
		case "content-length":
			again.ContentLength = r.ContentLength
		case "host": // always signed
		default:
			again.Header[http.CanonicalHeaderKey(name)] = r.Header.Values(name)
		}
	}
	again.URL.Host = r.Host
	sum := sha256.Sum256(body)
	creds, err := credentials(r.Context())
	if err != nil {
		return "", err
	}
	err = v4.NewSigner().SignHTTP(r.Context(), creds, again, hex.EncodeToString(sum[:]), service, Region, at)
	return again.Header.Get("Authorization"), err
}
