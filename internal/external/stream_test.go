package external

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"hyperstudy-endpoint/internal/openai"
)

// sse is a stream of these events.
func sse(events ...string) string {
	var s strings.Builder
	for _, e := range events {
		s.WriteString("data: " + e + "\n\n")
	}
	return s.String()
}

const (
	saysYe  = `{"id":"1","created":1,"model":"m-1","choices":[{"delta":{"content":"Ye"}}]}`
	saysS   = `{"choices":[{"delta":{"content":"s."}}]}`
	stops   = `{"choices":[{"delta":{},"finish_reason":"stop"}]}`
	fails   = `{"error":{"message":"canary","type":"server_error","code":503}}`
	refuses = `{"error":{"message":"Unsupported parameter: 'seed'","type":"invalid_request_error","param":"seed","code":"unsupported_parameter"}}`
)

// collect streams a completion and returns the content that was handed out.
func collect(t *testing.T, p *Provider, members string) (string, *openai.ChatCompletion, error) {
	t.Helper()
	var said strings.Builder
	completion, err := p.Stream(t.Context(), request(t, members), func(d openai.Delta) error {
		if d.Content != nil {
			said.WriteString(*d.Content)
		}
		return nil
	})
	return said.String(), completion, err
}

// What a stream may look like that is a whole answer.
func TestStreams(t *testing.T) {
	t.Parallel()
	whole := sse(saysYe, saysS, stops, "[DONE]")
	tests := []struct{ name, stream string }{
		{"as the API has it", whole},
		{"carriage returns and line feeds", strings.ReplaceAll(whole, "\n", "\r\n")},
		{"carriage returns", strings.ReplaceAll(whole, "\n", "\r")},
		{"mixed line ends", strings.ReplaceAll(whole, "}\n\n", "}\r\n\n")},
		{"no space", strings.ReplaceAll(whole, "data: ", "data:")},
		{"comments and other fields", ": hello\n\nretry: 5\nid: 7\nevent: message\n" + strings.ReplaceAll(whole, "\n\n", "\n: ping\n\n\n")},
		{"a byte order mark", "\ufeff" + whole},
		{"blank lines first", "\n\n" + whole},
		{"a final line without an end", strings.TrimRight(whole, "\n")},
		{"no [DONE]", sse(saysYe, saysS, stops)},
		{"no [DONE] and no final line end", strings.TrimRight(sse(saysYe, saysS, stops), "\n")},
		{"an event over several lines", strings.ReplaceAll(whole, `,"choices"`, ",\ndata: \"choices\"")},
		{"a long line", sse(saysYe, `{"x":"`+strings.Repeat("x", 900<<10)+`","choices":[]}`, saysS, stops, "[DONE]")},
		{"a finish chunk with content", sse(saysYe, `{"choices":[{"delta":{"content":"s."},"finish_reason":"stop"}]}`, "[DONE]")},
		{"empty deltas and pings", sse(`{"type":"ping"}`, saysYe, `{"choices":[{"delta":{"content":null,"role":null}}]}`, `{"choices":[{}]}`, saysS, stops, "[DONE]")},
		{"a prompt filter's chunk first", sse(`{"choices":[],"prompt_filter_results":[{}]}`, saysYe, saysS, stops, "[DONE]")},
		{"content and an error field", sse(`{"error":{"message":"x"},"choices":[{"delta":{"content":"Ye"}}]}`, saysS, stops, "[DONE]")},
		{"an error after the end", sse(saysYe, saysS, stops, fails)},
		{"nonsense after the end", sse(saysYe, saysS, stops, "{")},
		{"wrong indexes of choices", sse(`{"choices":[{"index":3,"delta":{"content":"Ye"}}]}`, saysS, stops, "[DONE]")},
		{"no index, and then the first", sse(saysYe, `{"choices":[{"index":0,"delta":{"content":"s."}}]}`, stops, "[DONE]")},
		{"no index as long as nothing is said", sse(`{"choices":[{"delta":{"role":"assistant","content":""}}]}`, `{"choices":[{"index":1,"delta":{"content":"Yes."}}]}`, stops, "[DONE]")},
		{"a last chunk with the whole message", sse(saysYe, saysS, `{"choices":[{"message":{"content":"Yes."},"finish_reason":"stop"}]}`, "[DONE]")},
		{"nothing but the whole message", sse(`{"choices":[{"message":{"content":"Yes."},"finish_reason":"stop"}]}`)},
		{"JSON", `{"choices":[{"message":{"content":"Yes."},"finish_reason":"stop"}]}`},
		{"JSON on many lines", "\n\n{\n\"choices\":[{\"message\":{\"content\":\"Yes.\"},\"finish_reason\":\"stop\"}]}\n"},
		{"the older API's text", sse(`{"choices":[{"text":"Ye"}]}`, `{"choices":[{"text":"s.","finish_reason":"stop"}]}`)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p, _ := serve(t, always(200, tt.stream))
			said, completion, err := collect(t, p, "")
			if err != nil {
				t.Fatal(err)
			}
			if said != "Yes." || *completion.Choices[0].Message.Content != "Yes." || completion.Choices[0].FinishReason != "stop" {
				t.Errorf("said %q, completion %+v", said, completion.Choices[0])
			}
			// The same reply to a call that asked for no stream is the same answer.
			buffered, err := p.Complete(t.Context(), request(t, ""))
			if err != nil || *buffered.Choices[0].Message.Content != "Yes." {
				t.Errorf("buffered: %v", err)
			}
		})
	}
}

// What is no whole answer is an error; another attempt can be made only while
// nothing has been handed out.
func TestBrokenStreams(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, stream string
		status       int
		temporary    bool
	}{
		{"cut at the start", "data: {\"choi", 502, true},
		{"cut before content", sse(`{"choices":[{"delta":{"role":"assistant","content":""}}]}`), 502, true},
		{"cut after content", sse(saysYe), 502, false},
		{"cut in an event", sse(saysYe) + "data: {\"choices\":[{\"del", 502, false},
		{"nothing but the end", sse("[DONE]"), 502, true},
		{"nothing but comments", ": ping\n\n", 502, true},
		{"an error first", sse(fails), 503, true},
		{"an error event first", "event: error\n" + sse(`{"message":"canary","code":429}`), 429, true},
		{"llama-server's error field", "error: {\"code\":500,\"message\":\"canary\",\"type\":\"server_error\"}\n\n", 502, true},
		{"an error after content", sse(saysYe, fails, "[DONE]"), 503, false},
		{"OpenRouter's error after content", sse(saysYe, `{"error":{"code":502,"message":"canary"},"choices":[{"delta":{"content":""},"finish_reason":"error"}]}`), 502, false},
		{"[DONE] and no finish_reason", sse(saysYe, saysS, "[DONE]"), 502, false},
		{"[DONE] and no finish_reason before content", sse(`{"choices":[{"delta":{"role":"assistant","content":""},"finish_reason":null}]}`, "[DONE]"), 502, true},
		{"another choice after one without an index", sse(saysYe, `{"choices":[{"index":1,"delta":{"content":"No."}}]}`, stops, "[DONE]"), 502, false},
		{"DeepSeek's interruption", sse(saysYe, `{"choices":[{"index":0,"delta":{"content":""},"finish_reason":"insufficient_system_resource"}]}`, "[DONE]"), 502, false},
		{"nonsense after content", sse(saysYe, "canary"), 502, false},
		{"a line without end", sse(saysYe) + "data: " + strings.Repeat("x", maxLine), 502, false},
		{"an access error first", sse(`{"error":{"message":"canary","code":401}}`), 502, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p, _ := serve(t, always(200, tt.stream))
			_, _, err := collect(t, p, "")
			if e := wantError(t, err); e.Status != tt.status || e.Temporary != tt.temporary {
				t.Errorf("got %d %q temporary=%v: %s", e.Status, e.Code, e.Temporary, e.Message)
			}
			quiet(t, err)
		})
	}
}

// A stream without a finish_reason is drawn again where nothing of it has been
// handed out: its end may be missing, also where what there is would do.
func TestUnfinishedStreamIsNoAnswer(t *testing.T) {
	t.Parallel()
	for _, delta := range []string{`{"content":"Yes."}`, `{"tool_calls":[{"index":0,"id":"a","function":{"name":"answer","arguments":"{}"}}]}`} {
		p, _ := serve(t, always(200, sse(`{"choices":[{"index":0,"delta":`+delta+`}],"usage":{"prompt_tokens":3,"completion_tokens":1}}`, "[DONE]")))
		_, err := p.Complete(t.Context(), request(t, oneTool))
		if e := wantError(t, err); e.Status != 502 || !e.Temporary || e.Patience != openai.AFewTimes || e.Usage.TotalTokens != 4 || !strings.Contains(e.Message, "finish_reason") {
			t.Errorf("got %+v", e)
		}
	}
}

// What an upstream had already counted when it failed is not lost.
func TestUsageOfFailures(t *testing.T) {
	t.Parallel()
	const counted = `{"choices":[{"delta":{"content":"x"}}],"usage":{"prompt_tokens":3,"completion_tokens":1}}`
	for _, stream := range []string{sse(counted), sse(counted, fails), `{"usage":{"prompt_tokens":3,"completion_tokens":1},"choices":[{"message":{},"finish_reason":"error"}]}`} {
		p, _ := serve(t, always(200, stream))
		_, _, err := collect(t, p, "")
		if e := wantError(t, err); e.Usage.TotalTokens != 4 {
			t.Errorf("usage %+v of %q", e.Usage, stream)
		}
	}
}

// A refusal of a stream is a real error at once, and negotiated as any other.
func TestStreamNegotiation(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		members string
		rules   []rule
		want    string
		ignored string
	}{
		{"an error as the first event", `"seed":1`, []rule{newRule(has("seed"), 200, sse(refuses))}, `"stream":true,"stream_options":{"include_usage":true}`, "seed"},
		{"no stream_options", "", []rule{newRule(has("stream_options"), 422, `{"object":"error","message":{"detail":[{"type":"extra_forbidden",`+
			`"loc":["body","stream_options","include_usage"],"msg":"Extra inputs are not permitted","input":true}]},"type":"invalid_request_error","param":null,"code":null}`)},
			`"stream":true`, ""},
		{"no stream_options though asked for", `"stream":true,"stream_options":{"include_usage":true}`,
			[]rule{newRule(has("stream_options"), 400, openAI("Unrecognized request argument supplied: stream_options", "", ""))}, `"stream":true`, "stream_options"},
		{"no stream", "", []rule{newRule(has("stream"), 400, openAI("Your organization must be verified to stream this model. Unsupported value.", "stream", "unsupported_value"))}, "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p, u := serveQuirk(t, tt.rules)
			said, completion, err := collect(t, p, tt.members)
			if err != nil {
				t.Fatal(err)
			}
			want := `{"model":"m","messages":[{"role":"user","content":"canary"}]`
			if tt.want != "" {
				want += "," + tt.want
			}
			if got := u.calls(); len(got) != 2 || got[1] != want+"}" {
				t.Errorf("sent %q", got)
			}
			if said != "Yes." || strings.Join(completion.Ignored, ",") != tt.ignored {
				t.Errorf("said %q, ignored %q", said, completion.Ignored)
			}
		})
	}
}

// Pieces are handed out when they come, and an error of emit ends the stream.
func TestEmit(t *testing.T) {
	t.Parallel()
	next := make(chan struct{})
	p, _ := serve(t, func(w http.ResponseWriter, _ int, _ string) {
		flush := http.NewResponseController(w)
		for _, event := range []string{saysYe, saysS, stops} {
			_, _ = io.WriteString(w, sse(event))
			_ = flush.Flush()
			<-next // the piece was handed out before the next is sent
		}
	})
	_, err := p.Stream(t.Context(), request(t, ""), func(d openai.Delta) error {
		if d.Content != nil && *d.Content == "Ye" {
			next <- struct{}{}
			return nil
		}
		close(next)
		return errStop
	})
	if !errors.Is(err, errStop) {
		t.Errorf("got %v", err)
	}
}

var errStop = errors.New("stop")

func TestEmitErrorOfBufferedReply(t *testing.T) {
	t.Parallel()
	p, _ := serve(t, always(200, okReply))
	if _, err := p.Stream(t.Context(), request(t, ""), func(openai.Delta) error { return errStop }); !errors.Is(err, errStop) {
		t.Errorf("got %v", err)
	}
}

// A finished stream that the server leaves open does not hold the answer up.
func TestStreamLeftOpen(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := stalling(t, sse(saysYe, saysS, stops, "[DONE]"))
		start := time.Now()
		completion, err := p.Complete(t.Context(), request(t, ""))
		if err != nil || *completion.Choices[0].Message.Content != "Yes." {
			t.Fatal(err)
		}
		if took := time.Since(start); took > drainTime {
			t.Errorf("took %v", took)
		}
	})
}

// A <think> block is held back only as long as it may be one.
func TestThink(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name                       string
		pieces                     []string
		content, reasoning, firstC string
	}{
		{"plain", []string{"Yes", "."}, "Yes.", "", "Yes"},
		{"a block", []string{"<think>Hm.</think>Yes."}, "Yes.", "Hm.", "Yes."},
		{"a block in pieces", []string{" ", "\n<", "think", ">H", "m.</th", "ink>", "\n\n", " Yes", " so."}, "Yes so.", "Hm.", "Yes"},
		{"an empty block", []string{"<think>\n\n</think>\n\nYes."}, "Yes.", "", "Yes."},
		{"not quite a block", []string{"<th", "is> one"}, "<this> one", "", "<this> one"},
		{"a block later", []string{"Yes. <think>Hm.</think>"}, "Yes. <think>Hm.</think>", "", "Yes. <think>Hm.</think>"},
		{"never closed", []string{"<think>", "Hm."}, "<think>Hm.", "", "<think>Hm."},
		{"only white space", []string{" ", " "}, "  ", "", "  "},
		{"closed twice", []string{"<think>a</think>b</think>c"}, "b</think>c", "a", "b</think>c"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var content, reasoning []string
			note := func(r, c string) {
				if r != "" {
					reasoning = append(reasoning, r)
				}
				if c != "" {
					content = append(content, c)
				}
			}
			var split thinkSplitter
			for _, piece := range tt.pieces {
				note(split.add(piece))
			}
			note("", split.close())
			if strings.Join(content, "") != tt.content || strings.Join(reasoning, "") != tt.reasoning || content[0] != tt.firstC {
				t.Errorf("content %q, reasoning %q", content, reasoning)
			}
		})
	}
}
