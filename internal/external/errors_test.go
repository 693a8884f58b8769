package external

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"hyperstudy-endpoint/internal/openai"
)

// canary is what an upstream quotes of the prompt and what must not come back.
const canary = "canary"

// What an upstream may answer instead of a completion, and what the caller gets.
var errorReplies = []struct {
	name    string
	status  int
	reply   string
	want    int
	code    string
	retry   bool
	members string
}{
	{"401", 401, openAI("Incorrect API key provided: canary", "", "invalid_api_key"), 502, "model_access_denied", false, ""},
	{"403", 403, openAI("canary", "", ""), 502, "model_access_denied", false, ""},
	{"403 of a filter", 403, `{"error":{"code":403,"message":"Your chosen model requires moderation and your input was flagged","metadata":{"reasons":["violence"],"flagged_input":"canary"}}}`, 502, "model_refusal", false, oneTool},
	{"402", 402, openAI("canary", "", ""), 429, "insufficient_quota", false, ""},
	{"400 of OpenAI's context", 400, openAI("This model's maximum context length is 8192 tokens. canary", "messages", "context_length_exceeded"), 400, "context_length_exceeded", false, ""},
	{"400 of vLLM's context", 400, `{"object":"error","message":"This model's maximum context length is 16384 tokens. However, you requested 122946 tokens","type":"BadRequestError","param":null,"code":400}`, 400, "context_length_exceeded", false, ""},
	{"400 of Claude's context", 400, openAI("prompt is too long: 210000 tokens > 200000 maximum", "", ""), 400, "context_length_exceeded", false, ""},
	{"400 of Gemini's context", 400, `[{"error":{"code":400,"message":"The input token count (2845475) exceeds the maximum number of tokens allowed (1048576).","status":"INVALID_ARGUMENT"}}]`, 400, "context_length_exceeded", false, ""},
	{"500 of llama-server's context", 500, `{"error":{"code":500,"message":"the request exceeds the available context size.","type":"exceed_context_size_error","n_ctx":256}}`, 400, "context_length_exceeded", false, ""},
	{"200 of llama-server's context", 200, `{"error":{"code":400,"message":"the request exceeds the available context size.","type":"exceed_context_size_error"}}`, 400, "context_length_exceeded", false, ""},
	{"404 of OpenAI's model", 404, openAI("The model 'canary' does not exist or you do not have access to it.", "", "model_not_found"), 404, "model_not_found", false, ""},
	{"404 of Ollama's model", 404, `{"error":{"message":"model \"canary\" not found, try pulling it first","type":"api_error","param":null,"code":null}}`, 404, "model_not_found", false, ""},
	{"404 of Azure's deployment", 404, `{"error":{"code":"DeploymentNotFound","message":"The API deployment for this resource does not exist."}}`, 404, "model_not_found", false, ""},
	{"400 of a model", 400, openAI("The requested model 'canary' does not exist.", "model", "model_not_found"), 404, "model_not_found", false, ""},
	{"404 of FastAPI", 404, `{"detail":"Not Found"}`, 502, "upstream_error", false, ""},
	{"404 page", 404, "404 page not found", 502, "upstream_error", false, ""},
	{"405", 405, `{"detail":"Method Not Allowed"}`, 502, "upstream_error", false, ""},
	{"413", 413, openAI("canary", "", ""), 413, "request_too_large", false, ""},
	{"418", 418, "canary", 502, "upstream_error", false, ""},
	{"tools", 400, `{"error":{"message":"registry.ollama.ai/library/canary does not support tools","type":"api_error"}}`, 400, "unsupported_parameter", false, oneTool},
	{"vLLM's tools", 400, `{"object":"error","message":"\"auto\" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set","type":"BadRequestError","param":null,"code":400}`, 400, "unsupported_parameter", false, oneTool},
	{"llama-server's tools", 500, `{"error":{"code":500,"message":"tools param requires --jinja flag","type":"server_error"}}`, 400, "unsupported_parameter", false, oneTool},
	{"llama-server's tools of old", 500, `{"error":{"code":500,"message":"Unsupported param: tools","type":"server_error"}}`, 400, "unsupported_parameter", false, oneTool},
	{"OpenRouter's tools", 404, `{"error":{"message":"No endpoints found that support tool use. canary","code":404}}`, 400, "unsupported_parameter", false, oneTool},
	{"408", 408, "", 502, "upstream_error", true, ""},
	{"409", 409, openAI("canary", "", ""), 502, "upstream_error", true, ""},
	{"429", 429, openAI("Rate limit reached for canary", "", "rate_limit_exceeded"), 429, "rate_limit_exceeded", true, ""},
	{"429 of Gemini", 429, `[{"error":{"code":429,"message":"You exceeded your current quota, please check your plan and billing details.","status":"RESOURCE_EXHAUSTED"}}]`, 429, "rate_limit_exceeded", true, ""},
	{"429 without credit", 429, `{"error":{"message":"canary","type":"insufficient_quota","param":null,"code":"insufficient_quota"}}`, 429, "insufficient_quota", false, ""},
	{"500", 500, openAI("canary", "", ""), 502, "upstream_error", true, ""},
	{"502 page", 502, "<html><body>canary</body></html>", 502, "upstream_error", true, ""},
	{"503", 503, `{"error":{"message":"Loading model","type":"unavailable_error","code":503}}`, 503, "service_unavailable", true, ""},
	{"529", 529, `{"type":"error","error":{"type":"overloaded_error","message":"canary"}}`, 503, "service_unavailable", true, ""},
	{"500 with nothing", 500, "", 502, "upstream_error", true, ""},
	{"500 with detail", 500, `{"detail":"canary"}`, 502, "upstream_error", true, ""},
	{"500 with text", 500, `{"error":"canary"}`, 502, "upstream_error", true, ""},
	{"500 of vLLM", 500, `{"object":"error","message":"canary"}`, 502, "upstream_error", true, ""},
	{"400 of Google's key", 400, `[{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT"}}]`, 502, "model_access_denied", false, ""},
	{"400 of Anthropic's credit", 400, openAI("Your credit balance is too low to access the Anthropic API.", "", ""), 429, "insufficient_quota", false, ""},
	{"404 of a completion model", 404, openAI("This is not a chat model and thus not supported in the v1/chat/completions endpoint.", "model", ""), 404, "model_not_found", false, ""},
	{"400 with text", 400, "canary", 400, "invalid_value", false, ""},
	{"200 page", 200, "<!doctype html>canary", 502, "upstream_error", true, ""},
	{"200 with nothing", 200, "", 502, "upstream_error", true, ""},
	{"200 with text", 200, "canary", 502, "upstream_error", true, ""},
	{"200 cut", 200, okReply[:80], 502, "upstream_error", true, ""},
	{"200 with an error", 200, `{"error":{"message":"canary"}}`, 502, "upstream_error", true, ""},
	{"200 with an error in words", 200, `{"error":"canary"}`, 502, "upstream_error", true, ""},
	{"200 with a limit", 200, `{"error":{"message":"canary","code":429}}`, 429, "rate_limit_exceeded", true, ""},
	{"200 with detail", 200, `{"detail":"canary"}`, 502, "upstream_error", true, ""},
	{"200 without choices", 200, `{"choices":[]}`, 502, "upstream_error", true, ""},
	{"200 with an empty object", 200, `{}`, 502, "upstream_error", true, ""},
	{"200 with an empty choice", 200, `{"choices":[{"message":{"content":null},"finish_reason":null}]}`, 502, "upstream_error", true, ""},
	{"200 with two choices", 200, `{"choices":[{"index":0,"message":{"content":"canary"},"finish_reason":"stop"},{"index":1,"message":{"content":"canary"},"finish_reason":"stop"}]}`, 502, "upstream_error", true, ""},
	{"200 with null", 200, `null`, 502, "upstream_error", true, ""},
	{"200 with a failed choice", 200, `{"choices":[{"message":{"content":"canary"},"finish_reason":"error","error":{"code":502,"message":"canary"}}]}`, 502, "upstream_error", true, ""},
}

func TestErrors(t *testing.T) {
	t.Parallel()
	for _, tt := range errorReplies {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p, _ := serve(t, always(tt.status, tt.reply))
			_, err := p.Complete(t.Context(), request(t, tt.members))
			e := wantError(t, err)
			if e.Status != tt.want || e.Code != tt.code || e.Temporary != tt.retry {
				t.Errorf("got %d %q temporary=%v: %s", e.Status, e.Code, e.Temporary, e.Message)
			}
			patience := openai.UntilTheEnd
			switch {
			case tt.name == "200 page":
				patience = openai.OnceMore
			case tt.status == 200 && tt.code == openai.CodeUpstream && !strings.Contains(tt.reply, `"code":`):
				patience = openai.AFewTimes
			}
			if e.Patience != patience {
				t.Errorf("patience %d, want %d", e.Patience, patience)
			}
			if e.Type == "" || e.Message == "" {
				t.Errorf("incomplete: %+v", e)
			}
			quiet(t, err)
		})
	}
}

// quiet checks that an error repeats nothing of the upstream's, in no form.
func quiet(t *testing.T, err error) {
	t.Helper()
	encoded, marshalErr := json.Marshal(openai.AsError(err))
	if marshalErr != nil {
		t.Fatal(marshalErr)
	}
	if said := string(encoded) + fmt.Sprintf("%v %+v", err, err); strings.Contains(said, canary) {
		t.Errorf("the upstream's words came back: %s", said)
	}
}

func TestImages(t *testing.T) {
	t.Parallel()
	const image = `{"model":"m","messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"https://example.org/a.png"}}]}]}`
	tests := []struct {
		name, reply string
		status      int
		code        string
	}{
		{"vLLM", `{"object":"error","message":"canary is not a multimodal model","type":"BadRequestError","code":400}`, 400, "unsupported_parameter"},
		{"llama-server", `{"error":{"code":500,"message":"image input is not supported - hint: if this is unexpected, you may need to provide the mmproj","type":"server_error"}}`, 500, "unsupported_parameter"},
		{"OpenRouter", `{"error":{"message":"No endpoints found that support image input","code":404}}`, 404, "unsupported_parameter"},
		{"a broken image", openAI("You uploaded an unreadable image canary", "", "invalid_image"), 400, "invalid_value"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p, _ := serve(t, always(tt.status, tt.reply))
			req, err := openai.DecodeRequest(strings.NewReader(image))
			if err != nil {
				t.Fatal(err)
			}
			_, err = p.Complete(t.Context(), req)
			e := wantError(t, err)
			if e.Status != 400 || e.Code != tt.code || e.Param != "messages" || !strings.Contains(e.Message, "image") {
				t.Errorf("got %d %q %q: %s", e.Status, e.Code, e.Param, e.Message)
			}
			quiet(t, err)
		})
	}
}

// How long an upstream asks to be left alone stands in the header or, with Google, in the body.
func TestRetryAfter(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, tt := range []struct {
		name, header, reply string
		want                time.Duration
	}{
		{"nowhere", "", openAI("slow down", "", ""), 0},
		{"in the header, by the clock", now.Add(time.Minute).Format(http.TimeFormat), openAI("slow down", "", ""), time.Minute},
		{"in Google's body", "", `[{"error":{"code":429,"status":"RESOURCE_EXHAUSTED","message":"x","details":[{"retryDelay":"34s"}]}}]`, 34 * time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p, _ := serve(t, func(w http.ResponseWriter, _ int, _ string) {
				w.Header().Set("Retry-After", tt.header)
				write(w, 429, tt.reply)
			})
			p.now = func() time.Time { return now }
			_, err := p.Complete(t.Context(), request(t, ""))
			if e := wantError(t, err); e.RetryAfter != tt.want || !e.Temporary {
				t.Errorf("got %v temporary=%v, want %v", e.RetryAfter, e.Temporary, tt.want)
			}
		})
	}
}

// Bodies are read up to their limits.
func TestSizes(t *testing.T) {
	t.Parallel()
	t.Run("an error without end", func(t *testing.T) {
		t.Parallel()
		p, _ := serve(t, func(w http.ResponseWriter, _ int, _ string) {
			w.WriteHeader(http.StatusInternalServerError)
			for range 1 << 10 { // a megabyte, of which the provider reads a part
				_, _ = io.WriteString(w, strings.Repeat(canary, 1<<10/len(canary)))
			}
		})
		_, err := p.Complete(t.Context(), request(t, ""))
		if e := wantError(t, err); e.Status != 502 || !e.Temporary {
			t.Errorf("got %+v", e)
		}
	})
	t.Run("a reply too large", func(t *testing.T) {
		t.Parallel()
		p, _ := serve(t, always(200, `{"choices":[{"message":{"content":"`+strings.Repeat("x", maxReply)+`"}}]}`))
		_, err := p.Complete(t.Context(), request(t, ""))
		if e := wantError(t, err); e.Status != 502 || e.Temporary || !strings.Contains(e.Message, "too large") {
			t.Errorf("got %+v", e)
		}
	})
}

// Time is the context's alone, before the reply and within it.
func TestDeadline(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, before string }{
		{"no reply", ""},
		{"a reply that stalls", `{"id":`},
		{"a stream that stalls", "data: {\"choices\":[{\"delta\":{\"content\":\"So\"}}]}\n\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				p := stalling(t, tt.before)
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				start := time.Now()
				_, err := p.Complete(ctx, request(t, ""))
				e := wantError(t, err)
				if e.Status != 504 || e.Code != "timeout" || e.Temporary || !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("got %d %q: %v", e.Status, e.Code, e.Err)
				}
				if took := time.Since(start); took != time.Minute {
					t.Errorf("took %v", took)
				}
			})
		})
	}
}

// stalling is a provider whose upstream says no more than before.
func stalling(t *testing.T, before string) *Provider {
	t.Helper()
	return New(Options{BaseURL: parseURL(t, "http://upstream.invalid"), HTTP: &http.Client{
		Timeout: time.Second, // has no effect
		Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
			if before == "" {
				<-r.Context().Done()
				return nil, r.Context().Err()
			}
			body := io.MultiReader(strings.NewReader(before), waiting{r.Context()})
			return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(body), Request: r}, nil
		}),
	}})
}

type waiting struct{ ctx context.Context }

func (w waiting) Read([]byte) (int, error) {
	<-w.ctx.Done()
	return 0, w.ctx.Err()
}
