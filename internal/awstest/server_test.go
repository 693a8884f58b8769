package awstest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"
)

// A signer signs requests; its fields are what a test makes wrong.
type signer struct {
	key, secret, token, service, region string
	at                                  time.Time
}

func rightSigner() signer {
	return signer{accessKeyID, secretAccessKey, sessionToken, "bedrock", Region, time.Now()}
}

// post signs and sends a body, and returns status, error type and body.
func (s signer) post(t *testing.T, srv *Server, path, body string) (int, string, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, srv.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if s.service != "" {
		sum := sha256.Sum256([]byte(body))
		creds := aws.Credentials{AccessKeyID: s.key, SecretAccessKey: s.secret, SessionToken: s.token}
		if err := v4.NewSigner().SignHTTP(t.Context(), creds, req, hex.EncodeToString(sum[:]), s.service, s.region, s.at); err != nil {
			t.Fatal(err)
		}
	}
	resp, err := srv.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	got, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	errorType, _, _ := strings.Cut(resp.Header.Get("X-Amzn-ErrorType"), ":")
	return resp.StatusCode, errorType, string(got)
}

func TestSignature(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		change func(*signer)
		want   string // the error type, "" for an answer
	}{
		{"right", func(*signer) {}, ""},
		{"none", func(s *signer) { s.service = "" }, "MissingAuthenticationTokenException"},
		{"another access key", func(s *signer) { s.key = "AKIDEXAMPLE" }, "UnrecognizedClientException"},
		{"another token", func(s *signer) { s.token = "x" }, "UnrecognizedClientException"},
		{"another secret key", func(s *signer) { s.secret = "x" }, "InvalidSignatureException"},
		{"another service", func(s *signer) { s.service = "secretsmanager" }, "InvalidSignatureException"},
		{"another region", func(s *signer) { s.region = "eu-west-1" }, "InvalidSignatureException"},
		{"too old", func(s *signer) { s.at = s.at.Add(-time.Hour) }, "InvalidSignatureException"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			srv := NewServer(t)
			s := rightSigner()
			tc.change(&s)
			status, code, body := s.post(t, srv, "/model/"+novaID+"/converse", ask(hi))
			want := http.StatusOK
			if tc.want != "" {
				want = http.StatusForbidden
			}
			if status != want || code != tc.want {
				t.Errorf("status %d, %s, %s, want %d, %s", status, code, body, want, tc.want)
			}
			if got := srv.Requests(); len(got) != 1 || (got[0].Rule == "signature") != (tc.want != "") {
				t.Errorf("requests are %+v", got)
			}
		})
	}
}

func TestSignatureHeader(t *testing.T) {
	t.Parallel()
	for _, header := range []string{"Bearer x", "AWS4-HMAC-SHA256 Credential=x", "AWS4-HMAC-SHA256"} {
		req := &http.Request{Header: http.Header{"Authorization": {header}}}
		if f := checkSignature(req, nil, "bedrock"); f == nil || f.code != "IncompleteSignatureException" {
			t.Errorf("%s: %+v", header, f)
		}
	}
}

// A refusal as it is on the wire.
func TestRefusalOnTheWire(t *testing.T) {
	t.Parallel()
	srv := NewServer(t)
	status, code, body := rightSigner().post(t, srv, "/model/"+strings.ReplaceAll(titanID, ":", "%3A")+"/converse-stream", with(toolF))
	if status != http.StatusBadRequest || code != "ValidationException" || body != `{"message":"This model doesn't support tool use."}` {
		t.Errorf("status %d, %s, %s", status, code, body)
	}
	// What no SDK sends is judged too.
	status, code, body = rightSigner().post(t, srv, "/model/"+novaID+"/converse", "nonsense")
	if status != http.StatusBadRequest || code != "ValidationException" {
		t.Errorf("status %d, %s, %s", status, code, body)
	}
	if got := srv.Requests(); !got[0].Stream || got[0].Rule != "R15" || got[1].Rule != "shape" || string(got[1].Body) != "nonsense" {
		t.Errorf("requests are %+v", got)
	}
}

func TestBodyTooLarge(t *testing.T) {
	t.Parallel()
	srv := NewServer(t)
	status, code, _ := rightSigner().post(t, srv, "/model/"+novaID+"/converse", strings.Repeat(" ", maxBody+1))
	if status != http.StatusRequestEntityTooLarge || code != "RequestEntityTooLargeException" {
		t.Errorf("status %d, %s", status, code)
	}
}

// A stream's script cannot answer Converse: the test that scripted it fails.
func TestWrongScript(t *testing.T) {
	t.Parallel()
	srv := NewServer(t)
	var reported string
	srv.report = func(format string, args ...any) { reported = fmt.Sprintf(format, args...) }
	srv.Reply(Stream(MessageStart()))
	status, _, _ := rightSigner().post(t, srv, "/model/"+novaID+"/converse", ask(hi))
	if status != http.StatusInternalServerError || !strings.Contains(reported, "Stream reply") {
		t.Errorf("status %d, reported %q", status, reported)
	}
}

// A program that knows only Env can reach the fake.
func TestEnv(t *testing.T) {
	t.Parallel()
	srv := NewServer(t)
	env := map[string]string{}
	for _, e := range srv.Env() {
		name, value, _ := strings.Cut(e, "=")
		env[name] = value
	}
	c := bedrockruntime.New(bedrockruntime.Options{
		Region:       env["AWS_REGION"],
		BaseEndpoint: aws.String(env["AWS_ENDPOINT_URL"]),
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{
				AccessKeyID: env["AWS_ACCESS_KEY_ID"], SecretAccessKey: env["AWS_SECRET_ACCESS_KEY"], SessionToken: env["AWS_SESSION_TOKEN"],
			}, nil
		}),
	})
	in := &bedrockruntime.ConverseInput{ModelId: aws.String(novaID)}
	if _, err := c.Converse(t.Context(), in); err == nil || srv.Requests()[0].Rule != "R5" {
		t.Errorf("error is %v, requests %+v", err, srv.Requests())
	}
}

func TestTLS(t *testing.T) {
	t.Parallel()
	srv, err := StartTLS()
	if err != nil {
		t.Fatal(err)
	}
	defer srv.Close()
	i := slices.IndexFunc(srv.Env(), func(e string) bool { return strings.HasPrefix(e, "SSL_CERT_FILE=") })
	if i < 0 || !strings.HasPrefix(srv.URL, "https://") {
		t.Fatalf("URL %s, environment %v", srv.URL, srv.Env())
	}
	file := strings.TrimPrefix(srv.Env()[i], "SSL_CERT_FILE=")
	pem, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(pem) {
		t.Fatalf("no certificate in %s", pem)
	}
	srv.http.Client().Transport = &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}}
	if status, _, body := rightSigner().post(t, srv, "/model/"+novaID+"/converse", ask(hi)); status != http.StatusOK {
		t.Errorf("status %d, %s", status, body)
	}
	srv.Close()
	if _, err := os.Stat(file); !os.IsNotExist(err) {
		t.Errorf("the certificate is still there: %v", err)
	}
}

func TestNewTLSServer(t *testing.T) {
	t.Parallel()
	srv := NewTLSServer(t)
	c := bedrockruntime.NewFromConfig(srv.Config())
	in := &bedrockruntime.ConverseInput{ModelId: aws.String(novaID)}
	if _, err := c.Converse(t.Context(), in); err == nil || len(srv.Requests()) != 1 {
		t.Errorf("error is %v, requests %+v", err, srv.Requests())
	}
}

func TestPieces(t *testing.T) {
	t.Parallel()
	const text = "a\u00e9\u65e5\u672c\u8a9e\U0001f600z"
	for n := 1; n < 8; n++ {
		got := pieces(text, n)
		if strings.Join(got, "") != text || len(got) < 2 {
			t.Errorf("pieces of %d are %q", n, got)
		}
		for _, p := range got {
			if !bytes.Equal([]byte(p), []byte(strings.ToValidUTF8(p, "?"))) {
				t.Errorf("pieces of %d cut a character: %q", n, got)
			}
		}
	}
	if got := pieces("", 3); got != nil {
		t.Errorf("pieces of nothing are %q", got)
	}
}
