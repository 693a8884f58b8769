package app_test

import (
	"encoding/base64"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// A conversation is what a request says, without its form: the texts of each
// side in order, the pictures and the names of the tools.
type conversation struct {
	instructions, texts string
	pictures            [][]byte
	tools               []string
}

// TestEverythingReachesTheModel checks that all of a request gets to the model,
// in its order and to the letter.
func TestEverythingReachesTheModel(t *testing.T) {
	t.Parallel()
	list := fixtures(t)
	for _, b := range backends {
		t.Run(b.name, func(t *testing.T) {
			t.Parallel()
			s := on(t, b)
			for _, f := range list {
				if f.Kind != "decision" && f.Kind != "text" || f.Images && !b.vision || f.Link && !b.isExternal() {
					continue
				}
				s.forget()
				if a := s.ask(t, f.body, answerTo(&f)); a.status != 200 {
					t.Fatalf("%s: %d %s", f.name, a.status, a.body)
				}
				asked := s.asked()
				last := asked[len(asked)-1] // after a parameter was refused, perhaps
				if b.isExternal() {
					sameMembers(t, &f, last)
					continue
				}
				want, got := conversationOf(t, f.body), conversationOf(t, last)
				if f.name == "tool-choice-named" && len(got.tools) == 1 {
					want.tools = []string{"submit_response"} // how a choice is made on models that know none
				}
				if want.texts == "" || (len(want.pictures) > 0) != f.Images {
					t.Fatalf("%s was not understood: %+v", f.name, want)
				}
				if !reflect.DeepEqual(want, got) {
					t.Errorf("%s:\nwant %.2000q\ngot  %.2000q", f.name, want, got)
				}
			}
		})
	}
}

// answerTo is a good answer to a fixture.
func answerTo(f *fixture) step {
	if f.Kind == "text" {
		return says("fine")
	}
	return calls(toolCall{f.Tool, string(f.Valid[0])})
}

// sameMembers checks that an external upstream was sent the caller's own
// members, apart from the model's name and those it does not know.
func sameMembers(t *testing.T, f *fixture, sent json.RawMessage) {
	t.Helper()
	var want, got map[string]json.RawMessage
	if err := json.Unmarshal(f.body, &want); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(sent, &got); err != nil {
		t.Fatal(err)
	}
	for name, value := range got {
		if name == "model" || name == "stream" || name == "stream_options" {
			continue
		}
		if compact(t, string(value)) != compact(t, string(want[name])) {
			t.Errorf("%s: %s was sent as %.500s", f.name, name, value)
		}
	}
	for name := range want {
		_, there := got[name]
		if !there && slices.Contains(parameters, name) && !strings.HasPrefix(name, "stream") {
			t.Errorf("%s: %s was not sent", f.name, name)
		}
	}
}

// conversationOf reads a request of the API or of Bedrock. What both have in
// common is read by the same names.
func conversationOf(t *testing.T, body json.RawMessage) conversation {
	t.Helper()
	var r struct {
		System   []struct{ Text string }
		Messages []struct {
			Role    string
			Content json.RawMessage
		}
		Tools []struct {
			Function struct{ Name string }
		}
		ToolConfig struct {
			Tools []struct{ ToolSpec struct{ Name string } }
		}
	}
	if err := json.Unmarshal(body, &r); err != nil {
		t.Fatal(err)
	}
	var c conversation
	for _, s := range r.System {
		c.instructions += s.Text
	}
	for _, tool := range r.Tools {
		c.tools = append(c.tools, tool.Function.Name)
	}
	for _, tool := range r.ToolConfig.Tools {
		c.tools = append(c.tools, tool.ToolSpec.Name)
	}
	for _, m := range r.Messages {
		texts := &c.texts
		if m.Role == "system" || m.Role == "developer" {
			texts = &c.instructions
		}
		c.addContent(t, texts, m.Content)
	}
	return c
}

// A part is one of a message's content, in either form. What was said in tool
// results is part of the texts as well.
type part struct {
	Text       string
	ImageURL   struct{ URL string } `json:"image_url"`
	Image      struct{ Source struct{ Bytes []byte } }
	ToolResult struct{ Content []struct{ Text string } }
}

func (c *conversation) addContent(t *testing.T, texts *string, raw json.RawMessage) {
	t.Helper()
	var text string
	if raw == nil || json.Unmarshal(raw, &text) == nil {
		*texts += text
		return
	}
	var parts []part
	if err := json.Unmarshal(raw, &parts); err != nil {
		t.Fatal(err)
	}
	for _, p := range parts {
		if p.Text != "." { // what stands where a model demands a turn that nobody took
			*texts += p.Text
		}
		for _, result := range p.ToolResult.Content {
			*texts += result.Text
		}
		picture := p.Image.Source.Bytes
		if _, encoded, found := strings.Cut(p.ImageURL.URL, ";base64,"); found {
			var err error
			if picture, err = base64.StdEncoding.DecodeString(encoded); err != nil {
				t.Fatal(err)
			}
		}
		if picture != nil {
			c.pictures = append(c.pictures, picture)
		}
	}
}

// TestIgnored checks that parameters without an effect are named.
func TestIgnored(t *testing.T) {
	t.Parallel()
	body := with(t, request(t, "rating"), `"seed":12345678901234567890,"user":"u","logit_bias":{"1":2},"unheard_of":1,"top_k":40,"min_p":0.05,"repeat_penalty":1.1,`+
		`"typical_p":1,"mirostat":2,"mirostat_tau":5,"mirostat_eta":0.1,"repeat_last_n":64,"top_a":0.2,"chat_template_kwargs":{"enable_thinking":false}`)
	for _, b := range both {
		t.Run(b.name, func(t *testing.T) {
			t.Parallel()
			s := on(t, b)
			want := "logit_bias,min_p,mirostat,mirostat_eta,mirostat_tau,repeat_last_n,repeat_penalty,seed,top_a,typical_p,unheard_of,user"
			if b.isExternal() { // whose upstream takes what is of the API
				want = "chat_template_kwargs,min_p,mirostat,mirostat_eta,mirostat_tau,repeat_last_n,repeat_penalty,top_a,top_k,typical_p,unheard_of"
			}
			for range 2 { // the second time it is known what the upstream does not take
				a := s.ask(t, body, submits(answered))
				s.reached(t, a, 1, "")
				if got := a.header.Get("X-Endpoint-Ignored"); got != want {
					t.Errorf("X-Endpoint-Ignored %q, want %q", got, want)
				}
			}
			if b.isExternal() && len(s.refusals()) != 1 {
				t.Errorf("refused %q, want one refusal to learn from", s.refusals())
			}
		})
	}
}
