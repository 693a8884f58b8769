package clienttest

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/openai/openai-go/v3"

	"hyperstudy-endpoint/internal/awstest"
)

// A recording is a case folder of a provider's own tests: a request, what its
// upstream replies, and the completion or the error that the provider makes of it.
type recording struct {
	name    string
	entry   string // of MODELS, without the alias
	family  string // that Bedrock has to know of, as the model's id does not tell it
	members map[string]json.RawMessage
	reply   []byte
	play    func(*deployment) // makes the upstream give the reply
	events  bool              // the reply is the events of a stream, and answers nothing else
	broken  bool              // the stream fails after a part of it is out

	completion *openai.ChatCompletion // nil if there is an error
	failure    *failure               // nil if there is none; without a status if the case has none
	temporary  bool                   // the error is one that is tried again
}

// judged reports whether the endpoint judges the answer.
func (r *recording) judged() bool {
	var format struct{ Type string }
	_ = json.Unmarshal(r.members["response_format"], &format) // absent, or an object as the cases have it
	return r.members["tools"] != nil || strings.HasPrefix(format.Type, "json")
}

// body is the request with another model, as a stream with usage or as none.
func (r *recording) body(t *testing.T, model string, stream bool) []byte {
	t.Helper()
	members := maps.Clone(r.members)
	members["model"] = json.RawMessage(quote(model))
	delete(members, "stream")
	delete(members, "stream_options")
	if stream {
		members["stream"], members["stream_options"] = json.RawMessage("true"), json.RawMessage(`{"include_usage":true}`)
	}
	body, err := json.Marshal(members)
	if err != nil {
		t.Fatal(err)
	}
	return body
}

// recordings reads all case folders of both providers.
func recordings(t *testing.T) []*recording {
	t.Helper()
	var list []*recording
	for provider, read := range map[string]func(*testing.T, string, *recording){"bedrock": bedrockRecording, "external": externalRecording} {
		paths, err := filepath.Glob("../" + provider + "/testdata/cases/*/request.json")
		if err != nil || len(paths) == 0 {
			t.Fatalf("no cases of %s: %v", provider, err)
		}
		for _, path := range paths {
			dir := filepath.Dir(path)
			r := &recording{name: provider + "/" + filepath.Base(dir)}
			decode(t, readFile(t, path), &r.members)
			if r.members["stream_options"] != nil && r.members["stream"] == nil {
				continue // is a fault because there is no stream
			}
			var model string
			decode(t, r.members["model"], &model)
			r.entry = provider + ":" + model
			r.readGolden(t, dir)
			read(t, dir, r)
			list = append(list, r)
		}
	}
	return list
}

// readGolden reads what the provider makes of the reply.
func (r *recording) readGolden(t *testing.T, dir string) {
	t.Helper()
	if raw := readFile(t, filepath.Join(dir, "completion.json")); raw != nil {
		r.completion = &openai.ChatCompletion{}
		decode(t, raw, r.completion)
		return
	}
	type apiError struct{ Type, Code, Param string }
	var golden struct { // external's cases have the members of the error only
		Status    int
		Temporary bool
		Error     *apiError
	}
	e := &apiError{}
	raw := readFile(t, filepath.Join(dir, "error.json"))
	decode(t, raw, e)
	decode(t, raw, &golden)
	if golden.Error != nil {
		e = golden.Error
	}
	r.failure, r.temporary = &failure{status: golden.Status, kind: e.Type, code: e.Code, param: e.Param}, golden.Temporary
}

func bedrockRecording(t *testing.T, dir string, r *recording) {
	t.Helper()
	r.reply = readFile(t, filepath.Join(dir, "reply.json"))
	reply := awstest.Text("Fine.")
	if r.reply != nil {
		reply = awstest.ParseReply(r.reply)
	}
	var script struct{ Events []json.RawMessage }
	if json.Unmarshal(r.reply, &script) == nil && script.Events != nil {
		r.events, r.broken = !r.judged(), readFile(t, filepath.Join(dir, "deltas.json")) != nil
		if r.judged() { // by Converse, always
			reply = saysAll(t, r.completion)
		}
	}
	if r.temporary && reply.Status >= http.StatusBadRequest {
		reply = reply.WithHeader("Retry-After", "3600") // so that it is not tried again
	}
	r.play = func(d *deployment) { d.bedrock.Handle(func(awstest.Request) awstest.Reply { return reply }) }
	r.entry += "?" + r.options(t, dir).Encode()
}

// options are those of the model in MODELS.
func (r *recording) options(t *testing.T, dir string) url.Values {
	t.Helper()
	options := url.Values{}
	if strings.Contains(r.entry, ":global.") {
		options.Set("global", "allow")
	}
	raw := readFile(t, filepath.Join(dir, "options.json"))
	if raw == nil {
		return options
	}
	var o struct{ Family, GuardrailID, GuardrailVersion string }
	decode(t, raw, &o)
	if o.Family != "" {
		options.Set("family", o.Family)
		r.family = string(awstest.FamilyOf(o.Family))
		if r.family == "" {
			r.family = string(awstest.Claude45) // the line of models named claude
		}
	}
	if o.GuardrailID != "" {
		options.Set("guardrail", o.GuardrailID+":"+o.GuardrailVersion)
	}
	return options
}

// saysAll is a reply that says what a completion does.
func saysAll(t *testing.T, c *openai.ChatCompletion) awstest.Reply {
	t.Helper()
	s := content(t, c)
	reply := awstest.Reply{}.WithUsage(awstest.Usage{InputTokens: int(s.Prompt), OutputTokens: int(s.Completion)})
	if s.Reasoning != "" {
		reply = reply.And(awstest.Reasoning(s.Reasoning))
	}
	if s.Content != "" {
		reply = reply.And(awstest.Text(s.Content))
	}
	for _, call := range s.Calls {
		reply = reply.And(awstest.ToolUseID(call.ID, call.Name, call.Arguments))
	}
	return reply
}

func externalRecording(t *testing.T, dir string, r *recording) {
	t.Helper()
	replies, err := filepath.Glob(filepath.Join(dir, "reply.*"))
	if err != nil || len(replies) != 1 {
		t.Fatalf("%s: %d replies", dir, len(replies))
	}
	r.reply = readFile(t, replies[0])
	status, kind := http.StatusOK, "application/json"
	if name := filepath.Base(replies[0]); strings.HasSuffix(name, ".sse") {
		kind = "text/event-stream"
	} else if name != "reply.json" {
		if _, err := fmt.Sscanf(name, "reply.%d.json", &status); err != nil {
			t.Fatal(err)
		}
	}
	r.play = func(d *deployment) {
		d.llm.handle(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			w.WriteHeader(status)
			_, _ = w.Write(r.reply)
		})
	}
}

// modelsOf is a setting of MODELS for all recordings, and their aliases by entry.
func modelsOf(list []*recording) (models string, aliases map[string]string) {
	aliases = map[string]string{}
	var entries []string
	for _, r := range list {
		if aliases[r.entry] == "" {
			aliases[r.entry] = fmt.Sprintf("m%d", len(aliases))
			entries = append(entries, aliases[r.entry]+"="+r.entry)
		}
	}
	slices.Sort(entries)
	return strings.Join(entries, ","), aliases
}

// readFile returns the content of a file, or nil if there is none.
func readFile(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return data
}

func decode(t *testing.T, data []byte, v any) {
	t.Helper()
	if err := json.Unmarshal(data, v); err != nil {
		t.Fatalf("%v in %s", err, data)
	}
}
