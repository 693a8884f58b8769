package bedrock

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"reflect"
	"testing"

	"hyperstudy-endpoint/internal/awstest"
	"hyperstudy-endpoint/internal/openai"
)

// TestCasesStreamed runs the folders of testdata/cases with their replies cut
// into the events of a stream: what is emitted, and the completion, must be what
// Converse leads to.
func TestCasesStreamed(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob("testdata/cases/*/request.json")
	if err != nil || len(paths) == 0 {
		t.Fatal("no cases in testdata/cases", err)
	}
	for _, path := range paths {
		dir := filepath.Dir(path)
		t.Run(filepath.Base(dir), func(t *testing.T) {
			t.Parallel()
			completion, got, err := streamCase(t, dir)
			if err != nil {
				sameFailure(t, dir, err)
				return
			}
			want := read(t, dir, "completion.json")
			if want == nil {
				t.Fatal("the stream has a completion where Converse has an error")
			}
			sameCompletion(t, completion, want)
			m := completion.Choices[0].Message
			if m.Content != nil && *m.Content != got.text || m.Content == nil && got.text != "" || m.ReasoningContent != got.reasoning || !reflect.DeepEqual(m.ToolCalls, got.calls) {
				t.Errorf("emitted %+v\nreturned %+v", got, m)
			}
		})
	}
}

// streamCase streams the completion of a case, and returns what was emitted too.
func streamCase(t *testing.T, dir string) (*openai.ChatCompletion, transcript, error) {
	t.Helper()
	var (
		got transcript
		o   Options
	)
	if raw := read(t, dir, "options.json"); raw != nil {
		if err := json.Unmarshal(raw, &o); err != nil {
			t.Fatalf("options.json: %v", err)
		}
	}
	req, err := openai.DecodeRequest(bytes.NewReader(read(t, dir, "request.json")))
	if err != nil {
		return nil, got, err
	}
	srv := awstest.NewServer(t)
	srv.Reply(readReply(t, dir))
	provider := newProvider(t, srv, o)
	if provider.family != nil {
		srv.Family(req.Model, awstest.Family(provider.family.name))
	}
	completion, err := provider.Stream(t.Context(), req, got.emit)
	for _, call := range srv.Requests() {
		if call.Refusal != "" {
			t.Errorf("Bedrock refused the request: %s: %s\n%s", call.Rule, call.Refusal, call.Body)
		}
	}
	return completion, got, err
}

// sameFailure compares an error with that of the case.
func sameFailure(t *testing.T, dir string, err error) {
	t.Helper()
	var want struct {
		Status    int
		Temporary bool
		Error     openai.Error
	}
	if raw := read(t, dir, "error.json"); raw == nil || json.Unmarshal(raw, &want) != nil {
		t.Fatalf("the stream fails where Converse has a completion: %v", err)
	}
	e := openai.AsError(err)
	if e.Status != want.Status || e.Code != want.Error.Code || e.Temporary != want.Temporary || e.Param != want.Error.Param {
		t.Errorf("%d %q %q temporary=%v, want %+v", e.Status, e.Code, e.Param, e.Temporary, want)
	}
}

// sameCompletion compares a completion with that of the case, but for ids that
// are new in every answer. A call without input has none from Converse, so that
// its mend is counted, and an empty object in a stream, which must be valid JSON.
func sameCompletion(t *testing.T, got *openai.ChatCompletion, golden []byte) {
	t.Helper()
	var want openai.ChatCompletion
	var ignored struct{ Ignored []string }
	if err := json.Unmarshal(golden, &want); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(golden, &ignored); err != nil {
		t.Fatal(err)
	}
	want.ID, want.Created, want.Ignored = got.ID, got.Created, ignored.Ignored
	calls := want.Choices[0].Message.ToolCalls
	for i := range calls {
		if calls[i].Function.Arguments == "" {
			calls[i].Function.Arguments = "{}"
		}
	}
	if !reflect.DeepEqual(got, &want) {
		t.Errorf("got  %s\nwant %s", marshal(t, got), marshal(t, want))
	}
}
