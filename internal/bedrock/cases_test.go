package bedrock

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"

	"hyperstudy-endpoint/internal/awstest"
	"hyperstudy-endpoint/internal/openai"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// newProvider returns a provider that calls the fake.
func newProvider(t testing.TB, srv *awstest.Server, o Options) *Provider {
	t.Helper()
	p, err := New(bedrockruntime.NewFromConfig(srv.Config()), o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// decodeRequest decodes a request the way the endpoint does.
func decodeRequest(t testing.TB, body string) *openai.ChatCompletionRequest {
	t.Helper()
	req, err := openai.DecodeRequest(strings.NewReader(body))
	if err != nil {
		t.Fatalf("request: %v", err)
	}
	return req
}

// TestCases runs the folders of testdata/cases, which testdata/README.md describes.
func TestCases(t *testing.T) {
	t.Parallel()
	dirs, err := filepath.Glob("testdata/cases/*/request.json")
	if err != nil {
		t.Fatal(err)
	}
	if len(dirs) == 0 {
		t.Fatal("no cases in testdata/cases")
	}
	for _, path := range dirs {
		dir := filepath.Dir(path)
		t.Run(filepath.Base(dir), func(t *testing.T) {
			t.Parallel()
			runCase(t, dir)
		})
	}
}

func runCase(t *testing.T, dir string) {
	srv := awstest.NewServer(t)
	srv.Reply(readReply(t, dir))
	var (
		o      Options
		deltas []openai.Delta
	)
	if raw := read(t, dir, "options.json"); raw != nil {
		if err := json.Unmarshal(raw, &o); err != nil {
			t.Fatalf("options.json: %v", err)
		}
	}
	req, err := openai.DecodeRequest(bytes.NewReader(read(t, dir, "request.json")))
	var completion *openai.ChatCompletion
	if err == nil {
		provider := newProvider(t, srv, o)
		if provider.family != nil {
			srv.Family(req.Model, awstest.Family(provider.family.name))
		}
		if req.Stream {
			completion, err = provider.Stream(t.Context(), req, func(d openai.Delta) error { deltas = append(deltas, d); return nil })
		} else {
			completion, err = provider.Complete(t.Context(), req)
		}
	}
	checkSent(t, dir, srv.Requests())
	if len(deltas) > 0 {
		golden(t, dir, "deltas.json", marshal(t, deltas))
	} else {
		golden(t, dir, "deltas.json", nil)
	}
	if err != nil {
		golden(t, dir, "completion.json", nil)
		golden(t, dir, "error.json", errorJSON(t, err))
		return
	}
	golden(t, dir, "error.json", nil)
	golden(t, dir, "completion.json", completionJSON(t, completion))
}

// checkSent compares what was sent, to the one operation or the other.
func checkSent(t *testing.T, dir string, calls []awstest.Request) {
	t.Helper()
	sent := map[bool][]byte{}
	for _, call := range calls {
		sent[call.Stream] = call.Body
		if call.Refusal != "" {
			t.Errorf("Bedrock refused the request: %s: %s\n%s", call.Rule, call.Refusal, call.Body)
		}
	}
	if len(calls) > 1 {
		t.Errorf("Bedrock was called %d times, want one attempt", len(calls))
	}
	golden(t, dir, "converse.json", sent[false])
	golden(t, dir, "converse-stream.json", sent[true])
}

// readReply reads what the fake answers. Without the file it is a short text.
func readReply(t *testing.T, dir string) awstest.Reply {
	if raw := read(t, dir, "reply.json"); raw != nil {
		return awstest.ParseReply(raw)
	}
	return awstest.Text("Fine.")
}

// completionJSON is a completion without what differs from call to call, and
// with the parameters that were ignored.
func completionJSON(t *testing.T, c *openai.ChatCompletion) []byte {
	t.Helper()
	if !strings.HasPrefix(c.ID, "chatcmpl-") || c.Created == 0 {
		t.Errorf("id %q, created %d", c.ID, c.Created)
	}
	if !slices.IsSorted(c.Ignored) {
		t.Errorf("ignored is not sorted: %v", c.Ignored)
	}
	plain := *c
	plain.ID, plain.Created = "", 0
	return marshal(t, struct {
		*openai.ChatCompletion
		Ignored []string `json:"ignored,omitempty"`
	}{&plain, c.Ignored})
}

// errorJSON is an error as clients see it, and what the caller in this program sees.
func errorJSON(t *testing.T, err error) []byte {
	t.Helper()
	var e *openai.Error
	if !errors.As(err, &e) {
		t.Fatalf("the error is a %T, not an *openai.Error: %v", err, err)
	}
	return marshal(t, map[string]any{
		"status": e.Status, "error": e, "temporary": e.Temporary, "retry_after": e.RetryAfter.String(), "usage": e.Usage,
	})
}

func marshal(t *testing.T, v any) []byte {
	t.Helper()
	raw, err := openai.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// read returns a file of a case, or nil if it is not there.
func read(t testing.TB, dir, name string) []byte {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(dir, name))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// golden compares JSON with a file, member by member in the same order and
// number by number as written; nil means that there must be no such file.
func golden(t *testing.T, dir, name string, got []byte) {
	t.Helper()
	path := filepath.Join(dir, name)
	var pretty bytes.Buffer
	if got != nil {
		if err := json.Indent(&pretty, got, "", "  "); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		pretty.WriteByte('\n')
	}
	if *update {
		if got == nil {
			_ = os.Remove(path)
			return
		}
		if err := os.WriteFile(path, pretty.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if want := read(t, dir, name); !bytes.Equal(pretty.Bytes(), want) {
		t.Errorf("%s:\ngot  %s\nwant %s", name, pretty.Bytes(), want)
	}
}
