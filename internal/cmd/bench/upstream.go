package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"hyperstudy-endpoint/internal/awstest"
)

// What the fakes know and say. They answer at once and judge nothing, so that
// what is measured is the endpoint.
const (
	apiKey   = "sk-bench-4b7e1f0a9c52" //nolint:gosec // of the callers and of the upstream, known to the fakes alone
	secretID = "bench/api-key"         //nolint:gosec // the name under which a fake keeps it
	text     = "Calm."
	decision = `{"value":63.5}`
)

// An upstream is the fakes of everything that a function calls: Secrets Manager,
// Bedrock and an OpenAI-compatible API.
type upstream struct {
	stream []byte // the body of a ConverseStream response

	mu   sync.Mutex
	last map[string][]byte // the last request's body, by the kind of upstream
}

// addresses are where the fakes listen.
type addresses struct {
	Plain       string `json:"plain"`
	TLS         string `json:"tls"`
	Certificate string `json:"certificate"` // file of root certificates that holds the fakes' own
}

// serveUpstream is the subcommand that serves the fakes, in a process of its own
// so that neither its memory nor its garbage counts among what is measured. It
// prints its addresses as JSON and ends when its standard input does.
func serveUpstream(ctx context.Context, in io.Reader, out io.Writer) error {
	frames, err := awstest.Frames(awstest.MessageStart(), awstest.TextDelta(0, text), awstest.BlockStop(0),
		awstest.MessageStop("end_turn"), awstest.Metadata(awstest.Usage{InputTokens: 900, OutputTokens: 12}))
	if err != nil {
		return err
	}
	u := &upstream{stream: frames, last: map[string][]byte{}}
	var lc net.ListenConfig
	plain, err := lc.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	secure, err := lc.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	certificate, roots, err := newCertificate()
	if err != nil {
		return err
	}
	defer roots.remove()
	// One server each, because what they set up for HTTP/2 differs.
	quiet := slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	inClear := &http.Server{Handler: u.handler(), ReadHeaderTimeout: time.Minute, ErrorLog: quiet}
	overTLS := &http.Server{Handler: u.handler(), ReadHeaderTimeout: time.Minute, ErrorLog: quiet, TLSConfig: certificate}
	failed := make(chan error, 2)
	go func() { failed <- inClear.Serve(plain) }()
	go func() { failed <- overTLS.ServeTLS(secure, "", "") }()
	err = json.NewEncoder(out).Encode(addresses{"http://" + plain.Addr().String(), "https://" + secure.Addr().String(), roots.path})
	if err != nil {
		return err
	}
	done := make(chan error, 1)
	go func() {
		_, err := io.Copy(io.Discard, in)
		done <- err
	}()
	select {
	case err = <-failed:
	case err = <-done:
	}
	_, _ = inClear.Close(), overTLS.Close() // nobody is left to be served
	return err
}

func (u *upstream) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /{$}", secret)
	mux.HandleFunc("POST /model/{id}/converse", u.converse)
	mux.HandleFunc("POST /model/{id}/converse-stream", u.converseStream)
	mux.HandleFunc("POST /v1/chat/completions", u.chatCompletions)
	mux.HandleFunc("GET /last/{kind}", u.lastBody)
	// An upstream that reads its requests, as that of the peers' figures did.
	mux.Handle("/reading/", http.StripPrefix("/reading", reading(mux)))
	return mux
}

// reading decodes a request's body before it is answered.
func reading(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var document any
		body, err := io.ReadAll(r.Body)
		if err == nil && len(body) > 0 {
			err = json.Unmarshal(body, &document)
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		next.ServeHTTP(w, r)
	})
}

// secret answers GetSecretValue.
func secret(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/x-amz-json-1.1")
	_, _ = fmt.Fprintf(w, `{"ARN":"arn:aws:secretsmanager:us-east-1:123456789012:secret:%s-AbCdEf","Name":%q,"SecretString":%q,"VersionId":"1","VersionStages":["AWSCURRENT"],"CreatedDate":1}`, secretID, secretID, apiKey)
}

// take reads a request and keeps its body, and reports whether tools are offered.
func (u *upstream) take(kind string, w http.ResponseWriter, r *http.Request) (body []byte, tools bool) {
	buf := bytes.NewBuffer(make([]byte, 0, max(r.ContentLength, 0)+bytes.MinRead))
	if _, err := buf.ReadFrom(r.Body); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return nil, false
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.last[kind] = buf.Bytes()
	body = buf.Bytes()
	return body, bytes.Contains(body, []byte(`"toolConfig"`)) || bytes.Contains(body, []byte(`"tools"`))
}

func (u *upstream) converse(w http.ResponseWriter, r *http.Request) {
	_, tools := u.take("bedrock", w, r)
	content, reason := `{"text":"`+text+`"}`, "end_turn"
	if tools {
		content, reason = `{"toolUse":{"toolUseId":"tooluse_1","name":"submit_response","input":`+decision+`}}`, "tool_use"
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = fmt.Fprintf(w, `{"output":{"message":{"role":"assistant","content":[%s]}},"stopReason":%q,"usage":{"inputTokens":900,"outputTokens":12,"totalTokens":912},"metrics":{"latencyMs":1}}`, content, reason)
}

func (u *upstream) converseStream(w http.ResponseWriter, r *http.Request) {
	u.take("bedrock", w, r)
	w.Header().Set("Content-Type", "application/vnd.amazon.eventstream")
	_, _ = w.Write(u.stream)
}

func (u *upstream) chatCompletions(w http.ResponseWriter, r *http.Request) {
	body, tools := u.take("external", w, r)
	if bytes.Contains(body, []byte(`"stream":true`)) {
		w.Header().Set("Content-Type", "text/event-stream")
		const chunk = `data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":%s,"finish_reason":%s}]}` + "\n\n"
		_, _ = fmt.Fprintf(w, chunk+chunk+"data: [DONE]\n\n", `{"role":"assistant","content":"`+text+`"}`, "null", "{}", `"stop"`)
		return
	}
	message, reason := `"content":"`+text+`"`, "stop"
	if tools {
		message, reason = `"content":null,"tool_calls":[{"id":"call_1","type":"function","function":{"name":"submit_response","arguments":"{\"value\":63.5}"}}]`, "tool_calls"
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = fmt.Fprintf(w, `{"id":"c","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant",%s},"finish_reason":%q}],"usage":{"prompt_tokens":900,"completion_tokens":12,"total_tokens":912}}`, message, reason)
}

// lastBody returns the body of the last request of a kind, so that the very same
// can be sent directly.
func (u *upstream) lastBody(w http.ResponseWriter, r *http.Request) {
	u.mu.Lock()
	defer u.mu.Unlock()
	_, _ = w.Write(u.last[r.PathValue("kind")])
}
