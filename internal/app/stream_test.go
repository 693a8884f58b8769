package app_test

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"hyperstudy-endpoint/internal/awstest"
)

// TestTextStreamsAsItComes checks that the caller reads the first words while
// the model still writes, through the function and the gateway.
func TestTextStreamsAsItComes(t *testing.T) {
	t.Parallel()
	body := with(t, request(t, "stage-text"), `"stream":true`)
	for _, b := range both {
		t.Run(b.name, func(t *testing.T) {
			t.Parallel()
			s := on(t, b)
			const pause = time.Second
			s.aws.Reply(awstest.Stream(awstest.MessageStart(), awstest.TextDelta(0, "first "), awstest.Pause(pause), awstest.TextDelta(0, "last"),
				awstest.BlockStop(0), awstest.MessageStop("end_turn"), awstest.Metadata(awstest.Usage{InputTokens: 1, OutputTokens: 2})))
			s.aws.Handle(nil)
			s.upstream.handle(func(sent) (reply, tokens) {
				return reply{message: message("first last"), pause: pause}, tokens{1, 2}
			})
			s.do(t, http.MethodPost, "/chat/completions", []byte(`{`)).failed(t, 400, "invalid_json", "") // warm now
			first, whole := s.readStream(t, body)
			if first >= pause || whole < pause {
				t.Errorf("the first word came after %v, all of it after %v", first, whole)
			}
			s.nothingRefused(t)
		})
	}
}

// readStream measures when the first word of a stream is there, and its end.
func (s *stage) readStream(t *testing.T, body []byte) (first, whole time.Duration) {
	t.Helper()
	start := time.Now()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.gateway.URL+"/chat/completions", strings.NewReader(string(body)))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+apiKey)
	resp, err := httpClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	r := bufio.NewReader(resp.Body)
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			t.Fatalf("%v after %q", err, line)
		}
		if strings.Contains(line, "first") {
			break
		}
	}
	first = time.Since(start)
	rest, err := io.ReadAll(r)
	if err != nil || !strings.Contains(string(rest), "last") || !strings.HasSuffix(string(rest), "data: [DONE]\n\n") {
		t.Errorf("%v, the rest is %q", err, rest)
	}
	return first, time.Since(start)
}

// TestStreamedDecision checks that a decision is judged before it is sent.
func TestStreamedDecision(t *testing.T) {
	t.Parallel()
	body := request(t, "stream")
	for _, b := range both {
		t.Run(b.name, func(t *testing.T) {
			t.Parallel()
			s := on(t, b)
			a := s.ask(t, body, submits(`{"value":161.25}`), says("Hm."), submits(answered))
			c := s.reached(t, a, 3, "")
			if _, arguments := c.call(t); arguments != answered || strings.Contains(string(a.body), "161.25") || strings.Contains(string(a.body), "Hm.") {
				t.Errorf("%s", a.body)
			}
			s.ask(t, body, submits(`{"value":161.25}`)).failed(t, 502, "invalid_tool_call", "") // as JSON, with its status
			for i, data := range s.ask(t, with(t, body, `"stream_options":{"include_usage":false}`), submits(answered)).events(t) {
				if strings.Contains(data, `"usage"`) {
					t.Errorf("event %d has a usage that nobody asked for: %s", i, data)
				}
			}
		})
	}
}

// TestReasoning checks that what a model thinks is kept apart from what it says.
func TestReasoning(t *testing.T) {
	t.Parallel()
	for _, b := range []backend{backends[0], backends[8]} {
		t.Run(b.name, func(t *testing.T) {
			t.Parallel()
			s := on(t, b)
			const thought = "84? Or 85?\nNo, 84."
			reply := step{
				bedrock: always(awstest.Reasoning(thought).And(awstest.ToolUse("submit_response", answered))),
				billed:  true,
			}
			reply.external.message = strings.Replace(message("", toolCall{"submit_response", answered}), `{`, fmt.Sprintf(`{"reasoning_content":%s,`, compactJSON(thought)), 1)
			body := with(t, request(t, "rating"), `"reasoning_effort":"low","max_tokens":4000`)
			c := s.reached(t, s.ask(t, body, reply), 1, "")
			m := c.Choices[0].Message
			if _, arguments := c.call(t); m.ReasoningContent != thought || arguments != answered || m.Content != nil && strings.Contains(*m.Content, "84?") {
				t.Errorf("%+v", m)
			}
			// A model that thinks is not forced when it is asked again.
			s.forget()
			s.reached(t, s.ask(t, body, says("About 84."), reply), 2, "")
			if again := s.asked()[1]; s.forces(members(t, again)) || strings.Contains(string(again), `"type":"any"`) {
				t.Errorf("forced: %s", again)
			}
			s.nothingRefused(t)
		})
	}
}
