package app_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"hyperstudy-endpoint/internal/awstest"
	"hyperstudy-endpoint/internal/openai"
	"hyperstudy-endpoint/internal/upstreamtest"
)

// A crowd is many servers, each with manners of its own, and the deployment that
// serves the models of all of them side by side: server N behind the alias sN.
type crowd struct {
	*deployment
	mu     sync.Mutex
	bodies map[string][]string // what each server was sent
}

// gather deploys servers that answer as handlers say.
func gather(t *testing.T, handlers []func(body *openai.Object) (status int, reply string)) *crowd {
	t.Helper()
	c := &crowd{bodies: map[string][]string{}}
	mux := http.NewServeMux()
	for i, handle := range handlers {
		alias := fmt.Sprintf("s%d", i)
		mux.HandleFunc("POST /"+alias+"/v1/chat/completions", func(w http.ResponseWriter, r *http.Request) {
			data, err := io.ReadAll(r.Body)
			if err != nil {
				return // the endpoint has gone
			}
			body, err := openai.ParseObject(data)
			if err != nil || r.Header.Get("Authorization") != "Bearer "+upstreamKey {
				t.Errorf("%s was sent %s, %v", alias, r.Header.Get("Authorization"), err)
			}
			c.mu.Lock()
			c.bodies[alias] = append(c.bodies[alias], string(data))
			c.mu.Unlock()
			status, reply := handle(&body)
			if strings.HasPrefix(reply, "data:") || strings.HasPrefix(reply, ":") {
				w.Header().Set("Content-Type", "text/event-stream")
			}
			w.WriteHeader(status)
			_, _ = io.WriteString(w, reply)
		})
	}
	srv := httptest.NewServer(mux)
	t.Cleanup(srv.Close)
	var models []string
	for i := range handlers {
		models = append(models, fmt.Sprintf("s%d=external:m?key_secret=%s&base_url=%s/s%d/v1", i, upstreamSecret, srv.URL, i))
	}
	c.deployment = deployOn(t, awstest.NewServer(t), newUpstream(t), strings.Join(models, ","), "MAX_REASKS=0")
	return c
}

// ask sends a request with the members to server i.
func (c *crowd) ask(t *testing.T, i int, members string) answer {
	t.Helper()
	return c.post(t, fmt.Appendf(nil, `{"model":"s%d",%s}`, i, said(members)))
}

// sent are the bodies that server i got.
func (c *crowd) sent(i int) []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.bodies[fmt.Sprintf("s%d", i)])
}

// said are the members of a request with one message.
func said(members string) string {
	const messages = `"messages":[{"role":"user","content":"Hello."}]`
	if members == "" {
		return messages
	}
	return messages + "," + members
}

// agreeable is an answer that is good for every request: JSON in text, or a call.
func agreeable(body *openai.Object) (int, string) {
	m := message(`{"yes":true}`)
	if body.Has("tools") {
		m = message("", toolCall{"answer", "{}"})
	}
	if upstreamtest.Is("stream", "true")(body) {
		return 200, upstreamtest.Events(`{"choices":[{"index":0,"delta":{"content":"{\"yes\":true}"},"finish_reason":"stop"}]}`, "[DONE]")
	}
	return 200, completionOf(&sent{model: "m"}, reply{message: m}, tokens{1, 1})
}

// TestQuirks meets everything that servers are known to refuse: a request is
// answered as soon as the server has been understood, and the next one at once.
func TestQuirks(t *testing.T) {
	t.Parallel()
	quirks := upstreamtest.Quirks()
	var handlers []func(*openai.Object) (int, string)
	for _, q := range quirks {
		handlers = append(handlers, func(body *openai.Object) (int, string) {
			if status, reply := upstreamtest.Refusal(q.Rules, body); status != 0 {
				return status, reply
			}
			return agreeable(body)
		})
	}
	c := gather(t, handlers)
	for i, q := range quirks {
		t.Run(q.Server+"/"+q.Name, func(t *testing.T) {
			for round, calls := range []int{q.Calls, q.Calls + 1} {
				a := c.ask(t, i, q.Members)
				a.completion(t)
				a.disclosed(t, 1, "")
				got := c.sent(i)
				if want := `{"model":"m",` + said(q.Want) + `}`; len(got) != calls || got[len(got)-1] != want {
					t.Errorf("round %d: %d calls, want %d; the last was\n%s, want\n%s", round, len(got), calls, got[len(got)-1], want)
				}
				if got := a.header.Get("X-Endpoint-Ignored"); got != strings.Join(q.Ignored, ",") {
					t.Errorf("round %d: X-Endpoint-Ignored %q, want %q", round, got, q.Ignored)
				}
			}
		})
	}
	if n := len(c.chat.Invocations()); n != 2*len(quirks) {
		t.Errorf("%d invocations for %d requests", n, 2*len(quirks))
	}
}

// TestReplies gets an answer out of everything that servers are known to reply,
// whether the caller asked for a stream or not.
func TestReplies(t *testing.T) {
	t.Parallel()
	var handlers []func(*openai.Object) (int, string)
	for _, r := range upstreamtest.Replies {
		handlers = append(handlers, func(*openai.Object) (int, string) { return max(r.Status, 200), r.Body })
	}
	c := gather(t, handlers)
	for i, r := range upstreamtest.Replies {
		t.Run(r.Server+"/"+r.Name, func(t *testing.T) {
			members := []string{`"stream":false`, `"stream":true,"stream_options":{"include_usage":true}`}
			for _, m := range members {
				if r.Deciding {
					m += "," + upstreamtest.OneTool
				}
				got := c.ask(t, i, m).completion(t)
				content, arguments := "", ""
				if got.Choices[0].Message.Content != nil {
					content = *got.Choices[0].Message.Content
				}
				if r.Arguments != "" {
					_, arguments = got.call(t)
				}
				if content != r.Content || arguments != r.Arguments || got.Choices[0].FinishReason != r.Finish || got.Choices[0].Message.ReasoningContent != r.Reasoning {
					t.Errorf("%s: got %+v with content %q and arguments %q", m, got.Choices[0], content, arguments)
				}
			}
		})
	}
}

// TestFailures reads the errors of servers for what they are.
func TestFailures(t *testing.T) {
	t.Parallel()
	var handlers []func(*openai.Object) (int, string)
	for _, f := range upstreamtest.Failures {
		handlers = append(handlers, func(*openai.Object) (int, string) { return f.Status, f.Body })
	}
	c := gather(t, handlers)
	for i, f := range upstreamtest.Failures {
		t.Run(f.Server+"/"+f.Name, func(t *testing.T) {
			got := c.ask(t, i, f.Members).failure(t)
			if got.status != f.WantStatus || got.code != f.WantCode || !strings.Contains(got.message, f.WantWord) || len(c.sent(i)) != 1 {
				t.Errorf("%+v after %d calls", got, len(c.sent(i)))
			}
		})
	}
}

// TestEveryServerIsKnown holds the tables to their promise: a public source for
// each line, and a line at least for each server of the documentation.
func TestEveryServerIsKnown(t *testing.T) {
	t.Parallel()
	known := map[string]int{}
	line := func(server, name, source string) {
		known[server]++
		if !strings.HasPrefix(source, "https://") {
			t.Errorf("%s: %q has no source", server, name)
		}
	}
	for _, q := range upstreamtest.Quirks() {
		line(q.Server, q.Name, q.Source)
	}
	for _, r := range upstreamtest.Replies {
		line(r.Server, r.Name, r.Source)
	}
	for _, f := range upstreamtest.Failures {
		line(f.Server, f.Name, f.Source)
	}
	for _, server := range upstreamtest.Servers {
		if known[server] < 2 {
			t.Errorf("%d manners of %s are known", known[server], server)
		}
	}
}
