package external

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"

	"hyperstudy-endpoint/internal/openai"
)

// lost is a fault between the endpoint and an answer, which is worth so much patience.
func lost(p openai.Patience, message string) *openai.Error {
	e := upstream(http.StatusBadGateway, openai.CodeUpstream, true, "%s", message)
	e.Patience = p
	return e
}

// interrupted is the error for a context that has ended, or nil.
func interrupted(ctx context.Context, err error) *openai.Error {
	var e *openai.Error
	switch {
	case ctx.Err() == nil:
		return nil
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		e = upstream(http.StatusGatewayTimeout, openai.CodeTimeout, false,
			"The external LLM did not answer within the time limit. Raise REQUEST_TIMEOUT_SECONDS and the limit set in HyperStudy, or choose a faster model.")
	default:
		e = upstream(openai.StatusClientClosed, openai.CodeUpstream, false, "The caller closed the connection before the external LLM had answered.")
	}
	e.Err = err
	return e
}

// transportFault is a request that brought no reply. Its cause may hold the
// upstream's address and is not part of the message.
func transportFault(ctx context.Context, err error, connected bool) *openai.Error {
	e := interrupted(ctx, err)
	if e == nil {
		e = unreached(err, connected)
	}
	e.Err = err
	return e
}

// unreached words why a request brought no reply though there was time.
func unreached(err error, connected bool) *openai.Error {
	var (
		dns         *net.DNSError
		certificate *tls.CertificateVerificationError
		noTLS       tls.RecordHeaderError
		operation   *net.OpError
	)
	switch {
	case errors.As(err, &operation) && operation.Op == "proxyconnect":
		return lost(openai.ForAWhile, "The proxy on the way to the external LLM could not be reached. Check HTTPS_PROXY.")
	case errors.As(err, &dns) && dns.IsNotFound:
		return lost(openai.OnceMore, "The host of the external LLM cannot be found. Check EXTERNAL_BASE_URL.")
	case errors.As(err, &dns):
		return lost(openai.UntilTheEnd, "The host of the external LLM could not be looked up. Try again; if it stays, check EXTERNAL_BASE_URL.")
	case errors.As(err, &certificate):
		return untrusted(certificate)
	case errors.As(err, &noTLS), errors.Is(err, http.ErrSchemeMismatch):
		return lost(openai.OnceMore, "The external LLM does not speak TLS at this address. Check the port in EXTERNAL_BASE_URL.")
	case !connected:
		return lost(openai.ForAWhile, "No connection to the external LLM comes about. Check the host and the port in EXTERNAL_BASE_URL, and that its server runs and can be reached from where the endpoint runs.")
	}
	return lost(openai.UntilTheEnd, "The external LLM dropped the connection without an answer. Try again; if it stays, check EXTERNAL_BASE_URL.")
}

// untrusted words what is wrong with a certificate.
func untrusted(err error) *openai.Error {
	var (
		host    x509.HostnameError
		invalid x509.CertificateInvalidError
	)
	switch {
	case errors.As(err, &host):
		return lost(openai.OnceMore, "The certificate of the external LLM is for another host. Set EXTERNAL_BASE_URL to a name that the certificate holds.")
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return lost(openai.OnceMore, "The certificate of the external LLM has expired, or is not valid yet. Ask its operator to renew it.")
	}
	return lost(openai.OnceMore, "The certificate of the external LLM is not trusted. If its operator has a certificate authority of its own, put that authority's certificate into EXTERNAL_CA_PEM.")
}

// replyFault is a reply that broke off.
func replyFault(ctx context.Context, err error) *openai.Error {
	if e := interrupted(ctx, err); e != nil {
		return e
	}
	if errors.Is(err, errOversized) {
		return oversized()
	}
	e := lost(openai.AFewTimes, "The reply of the external LLM broke off. Try again.")
	e.Err = err
	return e
}

// undecodable is a reply with a status of success that holds no completion.
func undecodable(err error) *openai.Error {
	e := lost(openai.AFewTimes, "The external LLM sent a reply that is not a chat completion. Try again; if it stays, check EXTERNAL_BASE_URL.")
	e.Err = err
	return e
}

// unfinished is a stream that announces its end and does not say how it came to it.
func unfinished() *openai.Error {
	return lost(openai.AFewTimes, "The external LLM ended its stream without a finish_reason, so its answer may have been cut. Try again; if it stays, ask its operator to update the server, or do without 'stream'.")
}

// noReply is a reply with a status of success and without a body, or one that
// broke off before it began.
func noReply(ctx context.Context, err error) *openai.Error {
	if errors.Is(err, io.EOF) && ctx.Err() == nil {
		return undecodable(errors.New("the reply is empty"))
	}
	return replyFault(ctx, err)
}

// notJSON is a reply that begins as neither JSON nor an event stream does. A web
// page comes from whatever else is served at the address.
func notJSON(first byte) *openai.Error {
	if first != '<' {
		return undecodable(errors.New("the reply is neither JSON nor an event stream"))
	}
	e := lost(openai.OnceMore, "At the address of the external LLM there is a web page and no API. Set EXTERNAL_BASE_URL to the API root, such as https://api.openai.com/v1.")
	e.Err = errors.New("the reply is a web page")
	return e
}

// keyFault is the failure to get the upstream's key.
func keyFault(ctx context.Context, err error) error {
	if e := interrupted(ctx, err); e != nil {
		return e
	}
	var e *openai.Error
	if errors.As(err, &e) {
		return err
	}
	e = upstream(http.StatusServiceUnavailable, openai.CodeUnavailable, true,
		"The key of the external LLM could not be read. Check the secret that EXTERNAL_API_KEY_SECRET names.")
	e.Patience, e.Err = openai.ForAWhile, err
	return e
}
