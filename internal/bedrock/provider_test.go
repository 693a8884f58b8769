package bedrock

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"

	"hyperstudy-endpoint/internal/awstest"
	"hyperstudy-endpoint/internal/openai"
)

func TestNewUnknownFamily(t *testing.T) {
	t.Parallel()
	_, err := New(nil, Options{Family: "claud"})
	if err == nil || !strings.Contains(err.Error(), `"claud"`) || !strings.Contains(err.Error(), "claude-4-5") {
		t.Errorf("error %v", err)
	}
	for _, name := range []string{"other", "nova"} {
		if _, err := New(nil, Options{Family: name}); err != nil {
			t.Error(err)
		}
	}
}

// TestModelID: an ARN arrives as one escaped segment, and the completion
// names the model that was asked.
func TestModelID(t *testing.T) {
	t.Parallel()
	for _, id := range []string{
		"arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/abc123",
		"arn:aws:bedrock:us-east-1::foundation-model/amazon.nova-lite-v1:0",
		claude45,
	} {
		srv := awstest.NewServer(t)
		completion, err := newProvider(t, srv, Options{}).Complete(t.Context(), decodeRequest(t, ask(id)))
		if err != nil {
			t.Fatal(err)
		}
		if got := srv.Requests()[0].ModelID; got != id || completion.Model != id {
			t.Errorf("asked for %s, called %s, completion of %s", id, got, completion.Model)
		}
	}
}

func TestNoModel(t *testing.T) {
	t.Parallel()
	srv := awstest.NewServer(t)
	_, err := newProvider(t, srv, Options{}).Complete(t.Context(), decodeRequest(t, ask("")))
	if e := openai.AsError(err); e.Status != http.StatusBadRequest || e.Param != "model" || len(srv.Requests()) != 0 {
		t.Errorf("error %v", err)
	}
}

// TestRequestUntouched: translating a request changes nothing in it, so that it
// can be sent to another model afterwards.
func TestRequestUntouched(t *testing.T) {
	t.Parallel()
	srv := awstest.NewServer(t)
	req := decodeRequest(t, ask(novaLite, oneTool, `"response_format":{"type":"json_object"}`))
	before, err := req.Body.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := newProvider(t, srv, Options{}).Complete(t.Context(), req); err != nil {
			t.Fatal(err)
		}
	}
	after, err := req.Body.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	if string(before) != string(after) || req.Tools[1].Name != "get-mood" {
		t.Errorf("before %s\nafter  %s", before, after)
	}
	calls := srv.Requests()
	if string(calls[0].Body) != string(calls[1].Body) {
		t.Errorf("first  %s\nsecond %s", calls[0].Body, calls[1].Body)
	}
}

// TestDeadline: the deadline is the caller's, and no transport fault.
func TestDeadline(t *testing.T) {
	t.Parallel()
	srv := awstest.NewServer(t)
	srv.Reply(awstest.Hang(t.Context()))
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	_, err := newProvider(t, srv, Options{}).Complete(ctx, decodeRequest(t, ask(claude45)))
	e := openai.AsError(err)
	if e.Status != http.StatusGatewayTimeout || e.Code != openai.CodeTimeout || e.Temporary || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %+v", e)
	}
}

func TestCancelled(t *testing.T) {
	t.Parallel()
	srv := awstest.NewServer(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := newProvider(t, srv, Options{}).Complete(ctx, decodeRequest(t, ask(claude45)))
	if e := openai.AsError(err); !errors.Is(err, context.Canceled) || e.Temporary {
		t.Errorf("error %+v", e)
	}
}

// TestTransportFaults: what never became an answer may be tried again.
func TestTransportFaults(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		reply    awstest.Reply
		status   int
		code     string
		patience openai.Patience
	}{
		{"dropped connection", awstest.Drop(), http.StatusBadGateway, openai.CodeUpstream, openai.UntilTheEnd},
		{"half an answer", awstest.Text("Hello").CutShort(), http.StatusBadGateway, openai.CodeUpstream, openai.AFewTimes},
		{"a page of a proxy", awstest.HTML(http.StatusBadGateway), http.StatusBadGateway, openai.CodeUpstream, openai.UntilTheEnd},
		{"a page with status 200", awstest.HTML(http.StatusOK), http.StatusBadGateway, openai.CodeUpstream, openai.AFewTimes},
		{"a page with status 503", awstest.HTML(http.StatusServiceUnavailable), http.StatusServiceUnavailable, openai.CodeUnavailable, openai.UntilTheEnd},
		{"a page with status 429", awstest.HTML(http.StatusTooManyRequests), http.StatusTooManyRequests, openai.CodeRateLimit, openai.UntilTheEnd},
		{"an empty answer", awstest.Raw(http.StatusOK, ""), http.StatusBadGateway, openai.CodeUpstream, openai.AFewTimes},
		{"wrong types", awstest.Raw(http.StatusOK, `{"output":{"message":{"content":"text"}}}`), http.StatusBadGateway, openai.CodeUpstream, openai.AFewTimes},
		{"an error without a body", awstest.Raw(http.StatusInternalServerError, ""), http.StatusBadGateway, openai.CodeUpstream, openai.UntilTheEnd},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			srv := awstest.NewServer(t)
			srv.Reply(tt.reply)
			_, err := newProvider(t, srv, Options{}).Complete(t.Context(), decodeRequest(t, ask(claude45)))
			var e *openai.Error
			if !errors.As(err, &e) || e.Status != tt.status || e.Code != tt.code || !e.Temporary || e.Patience != tt.patience {
				t.Errorf("error %+v", e)
			}
			if n := len(srv.Requests()); n != 1 {
				t.Errorf("%d attempts", n)
			}
		})
	}
}

// TestStatusOnly: errors without a name are known by their status.
func TestStatusOnly(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]openai.Error{
		http.StatusBadRequest:            {Status: http.StatusBadRequest, Code: openai.CodeInvalidValue},
		http.StatusUnauthorized:          {Status: http.StatusBadGateway, Code: openai.CodeModelAccessDenied},
		http.StatusForbidden:             {Status: http.StatusBadGateway, Code: openai.CodeModelAccessDenied},
		http.StatusNotFound:              {Status: http.StatusNotFound, Code: openai.CodeModelNotFound},
		http.StatusRequestTimeout:        {Status: http.StatusGatewayTimeout, Code: openai.CodeTimeout, Temporary: true},
		http.StatusRequestEntityTooLarge: {Status: http.StatusRequestEntityTooLarge, Code: openai.CodeRequestTooLarge},
		http.StatusGatewayTimeout:        {Status: http.StatusGatewayTimeout, Code: openai.CodeTimeout, Temporary: true},
	} {
		srv := awstest.NewServer(t)
		srv.Reply(awstest.HTML(status))
		_, err := newProvider(t, srv, Options{}).Complete(t.Context(), decodeRequest(t, ask(claude45)))
		if e := openai.AsError(err); e.Status != want.Status || e.Code != want.Code || e.Temporary != want.Temporary {
			t.Errorf("%d: %+v", status, e)
		}
	}
}

// TestNoCredentials: the endpoint's own trouble is never the caller's.
func TestNoCredentials(t *testing.T) {
	t.Parallel()
	srv := awstest.NewServer(t)
	cfg := srv.Config()
	cfg.Credentials = aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
		return aws.Credentials{}, errors.New("no role")
	})
	p, err := New(bedrockruntime.NewFromConfig(cfg), Options{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = p.Complete(t.Context(), decodeRequest(t, ask(claude45)))
	if e := openai.AsError(err); e.Status != http.StatusBadGateway || e.Code != openai.CodeModelAccessDenied {
		t.Errorf("error %+v", e)
	}
}

// TestErrorsKeepSecrets: what AWS wrote, and what it was sent, is in no message.
func TestErrorsKeepSecrets(t *testing.T) {
	t.Parallel()
	srv := awstest.NewServer(t)
	p, req := newProvider(t, srv, Options{}), decodeRequest(t, ask(claude45))
	for i := range faults {
		f := faults[i]
		for _, code := range append(f.codes, "ValidationException") {
			for _, text := range append(f.texts, "other") {
				private := "arn:aws:iam::123456789012:role/x participant said hello"
				srv.Reply(awstest.Error(http.StatusBadRequest, code, private+" "+text))
				_, err := p.Complete(t.Context(), req)
				e := openai.AsError(err)
				if strings.Contains(e.Message, "arn:") || strings.Contains(e.Message, "participant") || strings.Contains(e.Message, "1234") {
					t.Errorf("%s %s: %s", code, text, e.Message)
				}
				if e.Status == http.StatusUnauthorized || e.Status == http.StatusForbidden || e.Message == "" || e.Type == "" || e.Err == nil {
					t.Errorf("%s %s: %+v", code, text, e)
				}
			}
		}
	}
}
