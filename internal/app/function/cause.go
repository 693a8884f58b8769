package function

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"strings"

	"github.com/aws/smithy-go"

	"hyperstudy-endpoint/internal/auth"
	"hyperstudy-endpoint/internal/openai"
)

// cause names the kind of fault behind an error for the log: the text of an
// error may quote a prompt, its kind may not.
func cause(err error) string {
	var (
		api         smithy.APIError
		secrets     *auth.SecretsError
		dns         *net.DNSError
		dial        *net.OpError // whose own time limit is not the request's
		certificate *tls.CertificateVerificationError
		network     net.Error
		ours        *openai.Error
	)
	switch {
	case err == nil:
		return ""
	case errors.As(err, &secrets):
		return word(secrets.Code)
	case errors.Is(err, auth.ErrUnavailable):
		return "secret_unavailable"
	case errors.As(err, &api):
		return word(api.ErrorCode())
	case errors.As(err, &dns):
		return "dns"
	case errors.As(err, &certificate):
		return "certificate"
	case errors.Is(err, context.DeadlineExceeded) && !errors.As(err, &dial):
		return "deadline"
	case errors.As(err, &network):
		return "network"
	case errors.As(err, &ours):
		return ours.Code
	}
	return strings.TrimPrefix(fmt.Sprintf("%T", err), "*")
}

// word keeps an upstream's error code if it is one: a short identifier.
func word(code string) string {
	if !openai.IsName(code, 64, "_.") {
		return "other"
	}
	return code
}
