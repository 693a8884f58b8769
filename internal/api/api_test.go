package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"hyperstudy-endpoint/internal/chat"
	"hyperstudy-endpoint/internal/openai"
)

// oneKey accepts the key "key" and is out of order where broken is set.
type oneKey struct{ broken bool }

func (k oneKey) Check(_ context.Context, authorization string) (string, error) {
	switch {
	case k.broken:
		return "", &openai.Error{Status: http.StatusServiceUnavailable, Type: openai.TypeServer, Code: openai.CodeUnavailable, Message: "no key"}
	case authorization != "Bearer key":
		return "", &openai.Error{Status: http.StatusUnauthorized, Type: openai.TypeInvalidRequest, Code: openai.CodeInvalidAPIKey, Message: "wrong"}
	}
	return "lab", nil
}

// provide is a Provider made of a function.
type provide func(*openai.ChatCompletionRequest) (*openai.ChatCompletion, error)

func (p provide) Complete(_ context.Context, req *openai.ChatCompletionRequest) (*openai.ChatCompletion, error) {
	return p(req)
}

// says answers every request with one message.
func says(m openai.AnswerMessage) provide {
	m.Role = "assistant"
	return func(req *openai.ChatCompletionRequest) (*openai.ChatCompletion, error) {
		return &openai.ChatCompletion{
			ID: "chatcmpl-7", Object: "chat.completion", Created: 1, Model: req.Model,
			Choices: []openai.Choice{{Message: m, FinishReason: openai.FinishStop}},
			Usage:   openai.Usage{PromptTokens: 3, CompletionTokens: 2, TotalTokens: 5},
			Ignored: []string{"seed"},
		}, nil
	}
}

func text(s string) *string { return &s }

// serve returns a server on p and where its last exchange is kept.
func serve(p chat.Provider) (*Server, *Exchange) {
	models := []chat.Model{{Alias: "fast", ID: "upstream-id", Provider: p}, {Alias: "org/large:1", ID: "other-id", Provider: p}}
	listed := []openai.Model{{ID: "fast", OwnedBy: "bedrock"}, {ID: "org/large:1", OwnedBy: "external"}}
	seen := &Exchange{}
	return New(Options{Keys: oneKey{}, Models: listed, Completer: chat.New(models, chat.Options{}), Observe: func(_ context.Context, x *Exchange) { *seen = *x }}), seen
}

// do sends one request with the right key.
func do(t *testing.T, h http.Handler, method, path, body string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, "http://host"+path, strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer key")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// failure decodes an error response and checks its form.
func failure(t *testing.T, response *httptest.ResponseRecorder) openai.Error {
	t.Helper()
	var members map[string]map[string]any
	body := response.Body.Bytes()
	if err := json.Unmarshal(body, &members); err != nil || len(members) != 1 || len(members["error"]) != 4 {
		t.Fatalf("%d %s is not an error of the API", response.Code, body)
	}
	str := func(name string) string { s, _ := members["error"][name].(string); return s }
	if str("message") == "" || str("type") == "" || response.Header().Get("Content-Type") != "application/json" {
		t.Errorf("incomplete error %s", body)
	}
	return openai.Error{Status: response.Code, Message: str("message"), Type: str("type"), Param: str("param"), Code: str("code")}
}

const ping = `{"model":"fast","messages":[{"role":"user","content":"ping"}],"max_tokens":1}`

func TestPaths(t *testing.T) {
	t.Parallel()
	h, _ := serve(says(openai.AnswerMessage{Content: text("pong")}))
	for _, tc := range []struct {
		method, path string
		status       int
		code         string
	}{
		{"GET", "/models", 200, ""},
		{"GET", "/v1/models", 200, ""},
		{"GET", "/v1/models/", 200, ""},
		{"GET", "//v1//models//", 200, ""},
		{"GET", "/models/fast", 200, ""},
		{"GET", "/v1/models/org/large:1", 200, ""},
		{"GET", "/models/org%2Flarge%3A1", 200, ""},
		{"GET", "/models/default", 200, ""},
		{"HEAD", "/models", 200, ""},
		{"POST", "/chat/completions", 200, ""},
		{"POST", "/v1/chat/completions/", 200, ""},
		{"POST", "//chat//completions", 200, ""},
		{"GET", "/models/unknown", 404, "model_not_found"},
		{"GET", "/", 404, "unknown_url"},
		{"GET", "/v1", 404, "unknown_url"},
		{"GET", "/v2/models", 404, "unknown_url"},
		{"GET", "/v1/v1/models", 404, "unknown_url"},
		{"GET", "/props", 404, "unknown_url"},
		{"POST", "/v1/completions", 404, "unknown_url"},
		{"POST", "/chat/completions/x", 404, "unknown_url"},
		{"GET", "/Models", 404, "unknown_url"},
		{"GET", "/chat/completions", 405, "method_not_allowed"},
		{"POST", "/models", 405, "method_not_allowed"},
		{"DELETE", "/models/fast", 405, "method_not_allowed"},
		{"OPTIONS", "/chat/completions", 405, "method_not_allowed"},
	} {
		t.Run(tc.method+" "+tc.path, func(t *testing.T) {
			t.Parallel()
			response := do(t, h, tc.method, tc.path, ping)
			if response.Code != tc.status || response.Header().Get("Location") != "" {
				t.Fatalf("%d, want %d; Location %q", response.Code, tc.status, response.Header().Get("Location"))
			}
			if tc.code == "" {
				return
			}
			if e := failure(t, response); e.Code != tc.code {
				t.Errorf("%+v, want %s", e, tc.code)
			}
			if allow := response.Header().Get("Allow"); (tc.status == 405) != (allow != "") {
				t.Errorf("Allow %q with %d", allow, tc.status)
			}
		})
	}
}

func TestServerOfOnePartOnly(t *testing.T) {
	t.Parallel()
	if r := do(t, New(Options{Keys: oneKey{}, Models: []openai.Model{{ID: "fast"}}}), "POST", "/chat/completions", ping); r.Code != http.StatusNotFound {
		t.Errorf("chat on the models server: %d", r.Code)
	}
	if r := do(t, New(Options{Keys: oneKey{}, Completer: chat.New([]chat.Model{{Alias: "fast"}}, chat.Options{})}), "GET", "/models", ""); r.Code != http.StatusNotFound {
		t.Errorf("models on the chat server: %d", r.Code)
	}
}

func TestModelList(t *testing.T) {
	t.Parallel()
	h, seen := serve(says(openai.AnswerMessage{}))
	var list openai.ModelList
	if err := json.NewDecoder(do(t, h, "GET", "/models", "").Body).Decode(&list); err != nil {
		t.Fatal(err)
	}
	if list.Object != "list" || len(list.Data) != 2 {
		t.Fatalf("%+v", list)
	}
	if m := list.Data[0]; m.ID != "fast" || m.Object != "model" || m.OwnedBy != "bedrock" || m.Created == 0 {
		t.Errorf("%+v", m)
	}
	if list.Data[1].ID != "org/large:1" {
		t.Errorf("order: %+v", list.Data)
	}
	if seen.Kind != KindModels || seen.Status != 200 || seen.Key != "lab" {
		t.Errorf("exchange %+v", seen)
	}
}

func TestKeyIsCheckedBeforeTheBodyIsRead(t *testing.T) {
	t.Parallel()
	h, seen := serve(says(openai.AnswerMessage{}))
	r := httptest.NewRequestWithContext(t.Context(), "POST", "http://host/chat/completions", iotest.ErrReader(errors.New("the body was read")))
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	e := failure(t, w)
	if e.Status != 401 || e.Code != "invalid_api_key" || w.Header().Get("WWW-Authenticate") != "Bearer" || seen.BodyBytes != 0 {
		t.Errorf("%+v, %v", e, w.Header())
	}
}

func TestNoKeyKnown(t *testing.T) {
	t.Parallel()
	response := do(t, New(Options{Keys: oneKey{broken: true}, Models: []openai.Model{{ID: "fast"}}}), "GET", "/models", "")
	if e := failure(t, response); e.Status != 503 || response.Header().Get("Retry-After") != "1" {
		t.Errorf("%+v, %v", e, response.Header())
	}
}

func TestBadBodies(t *testing.T) {
	t.Parallel()
	h, seen := serve(says(openai.AnswerMessage{}))
	for _, tc := range []struct {
		name, body string
		status     int
	}{
		{"empty", "", 400},
		{"not JSON", "{", 400},
		{"two values", ping + ping, 400},
		{"too large", `{"messages":"` + strings.Repeat("x", maxBody) + `"}`, 413},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if e := failure(t, do(t, h, "POST", "/chat/completions", tc.body)); e.Status != tc.status {
				t.Errorf("%+v", e)
			}
			if seen.Kind != KindOther || seen.Error == nil {
				t.Errorf("exchange %+v", seen)
			}
		})
	}
}

func TestCompletion(t *testing.T) {
	t.Parallel()
	h, seen := serve(says(openai.AnswerMessage{Content: text("<b> & \u2028 😀"), ReasoningContent: "hm"}))
	response := do(t, h, "POST", "/chat/completions", ping)
	const want = `{"id":"chatcmpl-7","object":"chat.completion","created":1,"model":"upstream-id","choices":[{"index":0,"message":{"role":"assistant","content":"<b> & \u2028 😀","refusal":null,"reasoning_content":"hm"},"logprobs":null,"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5}}`
	if body := response.Body.String(); body != want {
		t.Errorf("body\n%s\nwant\n%s", body, want)
	}
	for name, value := range map[string]string{"X-Endpoint-Attempts": "1", "X-Endpoint-Ignored": "seed", "X-Endpoint-Mended": "", "X-Request-Id": seen.RequestID, "Cache-Control": "no-store", "Content-Type": "application/json"} {
		if got := response.Header().Get(name); got != value {
			t.Errorf("%s: %q, want %q", name, got, value)
		}
	}
	if seen.Kind != KindText || seen.BodyBytes != int64(len(ping)) || seen.Report.Attempts != 1 {
		t.Errorf("exchange %+v", seen)
	}
}

func TestRequestID(t *testing.T) {
	t.Parallel()
	h, _ := serve(says(openai.AnswerMessage{}))
	for id, kept := range map[string]bool{"c6af9ac6-7b61-11e6-9a41-93e8deadbeef": true, "": false, "with space": false, "a\nb": false, strings.Repeat("x", 65): false} {
		r := httptest.NewRequestWithContext(t.Context(), "GET", "http://host/models", nil)
		r.Header["X-Request-Id"] = []string{id}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if got := w.Header().Get("X-Request-Id"); got == "" || (got == id) != kept {
			t.Errorf("id %q was answered with %q", id, got)
		}
	}
}

func TestErrorsOfTheProvider(t *testing.T) {
	t.Parallel()
	h, seen := serve(provide(func(*openai.ChatCompletionRequest) (*openai.ChatCompletion, error) {
		return nil, errors.New("secret detail")
	}))
	if e := failure(t, do(t, h, "POST", "/chat/completions", ping)); e.Status != 500 || e.Code != "internal_error" || strings.Contains(e.Message, "secret") {
		t.Errorf("%+v", e)
	}
	if seen.Report.Attempts != 1 || seen.Error.Err == nil {
		t.Errorf("exchange %+v", seen)
	}
	h, _ = serve(provide(func(*openai.ChatCompletionRequest) (*openai.ChatCompletion, error) {
		return nil, &openai.Error{Status: 429, Type: openai.TypeRateLimit, Code: openai.CodeRateLimit, Message: "busy", RetryAfter: 1500e6}
	}))
	response := do(t, h, "POST", "/chat/completions", ping)
	if e := failure(t, response); e.Status != 429 || response.Header().Get("Retry-After") != "2" || response.Header().Get("X-Endpoint-Attempts") != "1" {
		t.Errorf("%+v, %v", e, response.Header())
	}
}

func TestPanic(t *testing.T) {
	t.Parallel()
	h, seen := serve(provide(func(*openai.ChatCompletionRequest) (*openai.ChatCompletion, error) { panic("a participant's words") }))
	if e := failure(t, do(t, h, "POST", "/chat/completions", ping)); e.Status != 500 || e.Code != "internal_error" {
		t.Errorf("%+v", e)
	}
	if len(seen.Stack) == 0 || strings.Contains(string(seen.Stack)+seen.Error.Err.Error(), "participant's words") {
		t.Errorf("stack %q, error %v", seen.Stack, seen.Error.Err)
	}
}

func TestCallerGone(t *testing.T) {
	t.Parallel()
	h, seen := serve(provide(func(*openai.ChatCompletionRequest) (*openai.ChatCompletion, error) {
		return nil, &openai.Error{Status: 504, Err: context.Canceled}
	}))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r := httptest.NewRequestWithContext(ctx, "POST", "http://host/chat/completions", strings.NewReader(ping))
	r.Header.Set("Authorization", "Bearer key")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	if w.Body.Len() != 0 || seen.Status != openai.StatusClientClosed {
		t.Errorf("%q, exchange %+v", w.Body, seen)
	}
}

func TestHeadersAreBounded(t *testing.T) {
	t.Parallel()
	var words []string
	for i := range 1000 {
		words = append(words, fmt.Sprint("parameter_", i))
	}
	got := joined(words)
	if len(got) > maxHeader+len(",other") || !strings.HasPrefix(got, "parameter_0,parameter_1,") || !strings.HasSuffix(got, ",other") {
		t.Errorf("%d bytes: %s", len(got), got)
	}
	for _, word := range strings.Split(strings.TrimSuffix(got, ",other"), ",") {
		if !slices.Contains(words, word) {
			t.Errorf("%q is half a word", word)
		}
	}
	if got := joined([]string{"seed", "user"}); got != "seed,user" {
		t.Errorf("%q", got)
	}
}
