package bedrock

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hyperstudy-endpoint/internal/awstest"
	"hyperstudy-endpoint/internal/openai"
)

// modelOf is a model id for a family, with a geography since some can only be
// called so. The fake is told the family, as it knows existing models only.
func modelOf(srv *awstest.Server, f *family) string {
	id := "us." + f.ids[0] + "-0000-v1:0"
	srv.Family(id, awstest.Family(f.name))
	return id
}

// unpredictable are refusals that cannot be foreseen: limits of single models
// that AWS changes at will, which the caller is told about.
var unpredictable = map[string]bool{
	"R36": true, // more max_tokens than the model has
	"R43": true, // more input than the model has
}

// FuzzComplete: whatever the endpoint accepts, and whatever the family, becomes a
// request that Bedrock accepts, or a 400 of ours.
func FuzzComplete(f *testing.F) {
	seeds, err := filepath.Glob("testdata/cases/*/request.json")
	if err != nil || len(seeds) == 0 {
		f.Fatal("no seeds in testdata/cases")
	}
	for i, path := range seeds {
		raw, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw, byte(i))
	}
	srv := awstest.NewServer(f)
	provider := newProvider(f, srv, Options{})
	f.Fuzz(func(t *testing.T, body []byte, n byte) {
		req, err := openai.DecodeRequest(strings.NewReader(string(body)))
		if err != nil || strings.Contains(string(body), "https:") {
			return // not ours to judge; and no downloads
		}
		req.Model = modelOf(srv, &families[int(n)%len(families)])
		checkAccepted(t, srv, provider, req)
	})
}

// checkAccepted completes a request and fails if Bedrock refused what it was sent.
func checkAccepted(t *testing.T, srv *awstest.Server, p *Provider, req *openai.ChatCompletionRequest) {
	t.Helper()
	before := len(srv.Requests())
	_, err := p.Complete(t.Context(), req)
	var e *openai.Error
	if err != nil && !errors.As(err, &e) {
		t.Fatalf("the error is a %T, not an *openai.Error: %v", err, err)
	}
	calls := srv.Requests()[before:]
	if len(calls) == 0 {
		if e == nil || e.Status != http.StatusBadRequest {
			t.Errorf("Bedrock was not called, but the error is %v", err)
		}
		return
	}
	for _, call := range calls {
		if call.Refusal != "" && !unpredictable[call.Rule] {
			t.Errorf("%s was refused by %s: %s\n%s", req.Model, call.Rule, call.Refusal, call.Body)
		}
	}
}

// TestEveryFamily sends every case to every family: what one takes another must
// not be refused.
func TestEveryFamily(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob("testdata/cases/*/request.json")
	if err != nil || len(paths) == 0 {
		t.Fatal("no cases in testdata/cases")
	}
	for i := range families {
		t.Run(families[i].name, func(t *testing.T) {
			t.Parallel()
			srv := awstest.NewServer(t)
			p := newProvider(t, srv, Options{})
			for _, path := range paths {
				raw := string(read(t, filepath.Dir(path), "request.json"))
				if strings.Contains(raw, "https:") {
					continue // needs a download
				}
				req := decodeRequest(t, raw)
				req.Model = modelOf(srv, &families[i])
				checkAccepted(t, srv, p, req)
			}
		})
	}
}
