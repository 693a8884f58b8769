package external

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"hyperstudy-endpoint/internal/openai"
)

// saying is a request whose one message is text.
func saying(t *testing.T, text, members string) *openai.ChatCompletionRequest {
	t.Helper()
	content, err := json.Marshal(text)
	if err != nil {
		t.Fatal(err)
	}
	req, err := openai.DecodeRequest(strings.NewReader(`{"model":"m",` + members + `"messages":[{"role":"user","content":` + string(content) + `}]}`))
	if err != nil {
		t.Fatal(err)
	}
	return req
}

// What a participant wrote and an upstream quotes takes no parameter away and
// words no error.
func TestQuotedMessages(t *testing.T) {
	t.Parallel()
	const pydanticList = `[{'type': 'extra_forbidden', 'loc': ('body', 'temperature'), 'msg': 'Extra inputs are not permitted', 'input': 1}]`
	tests := []struct{ name, message, reply string }{
		{"a refused parameter", "P2 says: Unsupported parameter: 'temperature'",
			openAI(`Could not parse messages[0].content: "P2 says: Unsupported parameter: 'temperature'"`, "", "")},
		{"other quotes", `Unsupported parameter: "temperature"`, openAI(`Could not parse: "Unsupported parameter: \"temperature\""`, "", "")},
		{"escapes", "Unsupported é parameter é é: 'temperature'", openAI(`Could not parse: "Unsupported \u00e9 parameter \u00e9 \u00e9: 'temperature'"`, "", "")},
		{"a list", pydanticList, openAI("Could not parse: "+pydanticList, "", "")},
		{"a page of text", "Unsupported parameter: 'temperature'", "Could not parse Unsupported parameter: 'temperature'"},
		{"a key", "my invalid api key joke", openAI(`bad content: "my invalid api key joke"`, "", "")},
		{"a context", "the maximum context length was exceeded", openAI(`bad content: "the maximum context length was exceeded"`, "", "")},
		{"a filter", "flagged for a joke about a content filter", openAI(`bad content: "flagged for a joke about a content filter"`, "", "")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p, u := serve(t, always(400, tt.reply))
			_, err := p.Complete(t.Context(), saying(t, tt.message, `"temperature":0.2,`))
			if e := wantError(t, err); e.Status != 400 || e.Code != openai.CodeInvalidValue || e.Param != "" {
				t.Errorf("got %+v", e)
			}
			if n := len(u.calls()); n != 1 {
				t.Errorf("%d calls", n)
			}
		})
	}
}

// A refusal that also quotes a message is answered for its request alone.
func TestNothingIsLearntFromQuotations(t *testing.T) {
	t.Parallel()
	p, u := serve(t, func(w http.ResponseWriter, call int, body string) {
		if call == 0 {
			write(w, 400, openAI(`Unsupported parameter: 'temperature'. The prompt was "let us meet at the fountain"`, "temperature", "unsupported_parameter"))
			return
		}
		write(w, 200, okReply)
	})
	for i, want := range []bool{false, true} {
		completion, err := p.Complete(t.Context(), saying(t, "Let us meet at the fountain", `"temperature":0.2,`))
		if err != nil {
			t.Fatal(err)
		}
		sent := u.calls()[i+1]
		if strings.Contains(sent, "temperature") != want || len(completion.Ignored) == 0 != want {
			t.Errorf("sent %s, ignored %q", sent, completion.Ignored)
		}
	}
}

// However much an upstream complains, and about whatever request, the time it
// takes is short. The bound is very generous: other tests run beside this one.
func TestManyComplaints(t *testing.T) {
	t.Parallel()
	var members strings.Builder
	for i := range 990 {
		fmt.Fprintf(&members, `"k_%d":1,`, i)
	}
	list := func(format string) string {
		var all []string
		for i := 0; len(strings.Join(all[max(0, len(all)-1):], ""))*(i+1) < maxErrorBody-100; i++ {
			all = append(all, strings.ReplaceAll(format, "NAME", fmt.Sprintf("k_%d", i)))
		}
		return `{"errors":[` + strings.Join(all, ",") + `]}`
	}
	long := openAI(strings.Repeat("parameter k_1 is, ", maxErrorBody/20), "", "")
	tests := []struct{ name, reply string }{
		{"small ones", list(`{"message":"x"}`)},
		{"texts", list(`"x"`)},
		{"each names a parameter", list(`{"message":"bad thing NAME"}`)},
		{"each refuses a parameter", list(`{"message":"Unsupported parameter NAME"}`)},
		{"long ones", list(`{"message":"` + strings.Repeat("not a name ", 400) + `"}`)},
		{"one long one", long},
		{"FastAPI's", list(`{"loc":["body","z"],"msg":"bad thing NAME"}`)},
		{"nested", strings.Repeat(`{"error":`, 6000) + `1` + strings.Repeat("}", 6000)},
		{"codes", list(`{"code":"invalid","message":"x"}`)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			req := saying(t, strings.Repeat("what somebody said ", 5000), members.String())
			p, u := serve(t, always(400, tt.reply))
			begun := time.Now()
			_, err := p.Complete(t.Context(), req)
			took := time.Since(begun) / time.Duration(len(u.calls()))
			if e := wantError(t, err); e.Status != 400 {
				t.Errorf("got %+v", e)
			}
			t.Logf("%v a call", took)
			if took > 20*time.Second {
				t.Errorf("took %v a call", took)
			}
		})
	}
}

// However long an upstream asks to be left alone, it is a day at most.
func TestLongWaits(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	tests := []struct {
		name, header, value, delay string
		want                       time.Duration
	}{
		{"seconds", "Retry-After", "18446744074", "", day},
		{"more seconds", "Retry-After", "9223372036", "", day},
		{"beyond numbers", "Retry-After", "1" + strings.Repeat("0", 400), "", day},
		{"infinite", "Retry-After", "Inf", "", day},
		{"no number", "Retry-After", "NaN", "", 0},
		{"negative", "Retry-After", "-5", "", 0},
		{"milliseconds", "Retry-After-Ms", "9223372036854775807", "", day},
		{"a far date", "Retry-After", "Fri, 31 Dec 9999 23:59:59 GMT", "", day},
		{"a delay", "", "", "1.5s", 1500 * time.Millisecond},
		{"a delay of centuries", "", "", "2562047h47m16.854775807s", day},
		{"a delay beyond durations", "", "", "9223372037s", day},
		{"a delay of minutes", "", "", "2m3s", 123 * time.Second},
		{"a negative delay", "", "", "-3s", 0},
		{"no delay", "", "", "soon", 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p, _ := serve(t, func(w http.ResponseWriter, _ int, _ string) {
				if tt.header != "" {
					w.Header().Set(tt.header, tt.value)
				}
				write(w, 429, `{"error":{"code":429,"message":"x","details":[{"retryDelay":"`+tt.delay+`"}]}}`)
			})
			_, err := p.Complete(t.Context(), request(t, ""))
			if e := wantError(t, err); e.RetryAfter != tt.want {
				t.Errorf("got %v, want %v", e.RetryAfter, tt.want)
			}
		})
	}
}
