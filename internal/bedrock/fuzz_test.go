package bedrock

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hyperstudy-endpoint/internal/openai"
)

// caseRequests are the different requests of testdata/cases, by their cases.
func caseRequests(t testing.TB) map[string][]byte {
	t.Helper()
	paths, err := filepath.Glob("testdata/cases/*/request.json")
	if err != nil || len(paths) == 0 {
		t.Fatal("no requests in testdata/cases")
	}
	requests, seen := map[string][]byte{}, map[string]bool{}
	for _, path := range paths {
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if req, err := openai.DecodeRequest(bytes.NewReader(raw)); err == nil {
			req.Body.Set("model", nil) // is another one here
			body, err := req.Body.MarshalJSON()
			if err != nil {
				t.Fatal(err)
			}
			if seen[string(body)] {
				continue
			}
			seen[string(body)] = true
		}
		requests[filepath.Base(filepath.Dir(path))] = raw
	}
	return requests
}

// FuzzComplete: whatever the endpoint accepts, and whatever the family, becomes a
// request that Bedrock accepts, or a 400 of ours.
func FuzzComplete(f *testing.F) {
	n := byte(0)
	for _, raw := range caseRequests(f) {
		f.Add(raw, n)
		n++
	}
	all := everyFamily()
	j, provider := newJudge(f)
	f.Fuzz(func(t *testing.T, body []byte, n byte) {
		req, err := openai.DecodeRequest(strings.NewReader(string(body)))
		if err != nil {
			return // not ours to judge
		}
		req.Model = modelOf(j.srv, all[int(n)%len(all)])
		j.accepts(t, provider, req)
	})
}

// TestEveryFamily sends the requests of all cases to every family: what one takes
// another must not be refused.
func TestEveryFamily(t *testing.T) {
	t.Parallel()
	requests := map[string]*openai.ChatCompletionRequest{}
	for name, raw := range caseRequests(t) {
		if req, err := openai.DecodeRequest(bytes.NewReader(raw)); err == nil {
			requests[name] = req
		}
	}
	for _, f := range everyFamily() {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			j, p := newJudge(t)
			model, sent := modelOf(j.srv, f), 0
			for name, req := range requests {
				asked := *req
				asked.Model = model
				if j.accepts(t, p, &asked) {
					sent++
				}
				if t.Failed() {
					t.Fatalf("case %s", name)
				}
			}
			if sent < len(requests)/3 {
				t.Errorf("only %d of %d requests were sent", sent, len(requests))
			}
		})
	}
}
