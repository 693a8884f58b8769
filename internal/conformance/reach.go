package conformance

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net/http"
	"strings"
	"time"
)

// soon is how long before its end a certificate is worth a warning: a study
// runs for days.
const soon = 7 * 24 * time.Hour

func checkCertificate(ctx context.Context, s *session) finding {
	if s.base.Scheme != "https" {
		return skipped("The base URL is http: there is no certificate.")
	}
	x := s.list(ctx)
	if problem := certificateProblem(x.err); problem != "" {
		s.stop = "no request gets through while the certificate is not accepted"
		return failed("Give the server a certificate of a public authority for this host, with its chain.", "%s", problem)
	}
	switch {
	case x.err != nil:
		return skipped("The server was not reached: %s.", x.Error)
	case x.tls == nil || len(x.tls.PeerCertificates) == 0:
		return skipped("The connection does not show its certificate.")
	}
	end := x.tls.PeerCertificates[0].NotAfter
	if left := time.Until(end); left < soon {
		return warned("Renew it before the study.", "The certificate ends in %.0f hours, on %s.", left.Hours(), end.UTC().Format(time.DateOnly))
	}
	return passed("Valid until %s.", end.UTC().Format(time.DateOnly))
}

// certificateProblem says what is wrong with a server's certificate if that is
// why a request failed.
func certificateProblem(err error) string {
	var (
		host     x509.HostnameError
		unknown  x509.UnknownAuthorityError
		invalid  x509.CertificateInvalidError
		verify   *tls.CertificateVerificationError
		protocol tls.RecordHeaderError
	)
	switch {
	case errors.As(err, &host):
		return "The certificate is for another host: " + host.Error() + "."
	case errors.As(err, &unknown):
		return "The certificate is signed by nobody whom clients trust: it is self-signed, or its chain is incomplete."
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return "The certificate has expired or is not valid yet."
	case errors.As(err, &invalid), errors.As(err, &verify):
		return "The certificate is not valid: " + reason(err) + "."
	case errors.As(err, &protocol), errors.Is(err, http.ErrSchemeMismatch):
		return "The server does not speak TLS at this address."
	}
	return ""
}

func isRedirect(x *Exchange) bool { return x.err == nil && x.Status >= 300 && x.Status < 400 }

func checkRedirect(ctx context.Context, s *session) finding {
	for _, x := range []*Exchange{s.list(ctx), s.test(ctx)} {
		if isRedirect(x) {
			s.stop = "the endpoint redirects, and redirects are not followed"
			return failed("Enter the address it redirects to, or have the server answer at this one.",
				"%s %s is answered with %d, a redirect to %q.", x.Method, strings.TrimPrefix(x.URL, s.base.String()), x.Status, x.Header.Get("Location"))
		}
	}
	if s.listed.err != nil && s.tested.err != nil {
		return skipped("No request was answered.")
	}
	return passed("No request was redirected.")
}

// checkRoot tells a base URL that is wrong by a /v1 from an endpoint that is
// wrong: it looks where the API is instead.
func checkRoot(ctx context.Context, s *session) finding {
	listed, tested := s.list(ctx), s.test(ctx)
	if listed.err != nil && tested.err != nil {
		return skipped("No request was answered.")
	}
	if looksLikeAPI(listed) || looksLikeAPI(tested) {
		return passed("The API answers below the base URL.")
	}
	root := strings.TrimRight(s.base.String(), "/")
	guesses := []struct{ root, problem string }{
		{root, "ends in a slash"},
		{strings.TrimSuffix(root, "/v1"), "ends in /v1 once too often"},
		{root + "/v1", "lacks /v1 at its end"},
		{s.base.Scheme + "://" + s.base.Host + "/v1", "has another path than the API"},
	}
	seen := map[string]bool{s.base.String(): true}
	for _, g := range guesses {
		if seen[g.root] {
			continue
		}
		seen[g.root] = true
		if x := s.send(ctx, request{method: http.MethodGet, root: g.root, path: "/models", limit: modelsLimit, apart: true}); looksLikeAPI(x) {
			s.stop = "the base URL is not the API root"
			s.answers, s.errors = nil, nil // were somebody else's
			return failed("Enter "+g.root+" as the base URL.", "The base URL %s: the list of models is at %s/models and not at %s/models.", g.problem, g.root, s.base)
		}
	}
	return passed("Nothing speaks for another base URL.")
}

// looksLikeAPI reports whether an answer can be that of an OpenAI-compatible
// server: of the right form, or an error in the right form that is not about
// the path.
func looksLikeAPI(x *Exchange) bool {
	if x.err != nil || !x.isJSON() {
		return false
	}
	switch {
	case x.Status == http.StatusNotFound && !x.missesModel():
		return false
	case x.Status >= 400:
		return x.complaint() != ""
	default:
		return x.Status < 300
	}
}

// missesModel reports whether a 404 is about the model that was asked for and
// not about the path. Texts about a path name models too, such as GET /models.
func (x *Exchange) missesModel() bool {
	return x.Method == http.MethodPost && x.code() != "unknown_url" && strings.Contains(x.complaint(), "model")
}

// test is the answer to HyperStudy's own completion of one token; the first one
// of a run, so that a cold start counts.
func (s *session) test(ctx context.Context) *Exchange {
	if s.tested == nil {
		_, s.tested = s.complete(ctx, s.oneToken(ctx), request{limit: connectionLimit})
	} else {
		s.exchanges = append(s.exchanges, s.tested)
	}
	return s.tested
}

func (s *session) oneToken(ctx context.Context) body {
	return body{Model: s.model(ctx), Messages: []message{{"user", "Say hello."}}, Extra: map[string]any{"max_tokens": 1}}
}
