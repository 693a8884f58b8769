package external

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
)

// However an upstream says that it does not know the key, the key is fetched
// again once. What is wrong for another reason does not cost a fetch.
func TestKeyRefusals(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, source string
		status       int
		reply        string
		refreshes    int32
	}{
		{"OpenAI", "https://platform.openai.com/docs/guides/error-codes", 401, openAI("Incorrect API key provided: canary.", "", "invalid_api_key"), 1},
		{"Google", "https://github.com/cequence-io/openai-scala-client/issues/109", 400,
			`[{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo",` +
				`"reason":"API_KEY_INVALID","domain":"googleapis.com","metadata":{"service":"generativelanguage.googleapis.com"}}]}}]`, 1},
		{"Google in another language", "https://github.com/cequence-io/openai-scala-client/issues/109", 400,
			`{"error":{"code":400,"message":"canary","status":"INVALID_ARGUMENT","details":[{"reason":"API_KEY_INVALID"}]}}`, 1},
		{"under a status that says all is well", "", 200, `{"error":{"code":401,"message":"canary"}}`, 1},
		{"no body", "", 401, "", 1},
		{"no right to the model", "", 403, openAI("canary", "", ""), 0},
		{"another parameter", "", 400, openAI("canary", "user", "invalid_value"), 0},
		{"a limit", "", 429, openAI("canary", "", "rate_limit_exceeded"), 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p, u := serve(t, nil)
			u.reply = func(w http.ResponseWriter, call int, _ string) {
				u.mu.Lock()
				sent := u.heads[call].Get("Authorization")
				u.mu.Unlock()
				if sent == "Bearer good" {
					write(w, 200, okReply)
					return
				}
				write(w, tt.status, tt.reply)
			}
			key := &rotating{first: "old", second: "good"}
			p.key = key
			_, err := p.Complete(t.Context(), request(t, ""))
			if (err == nil) != (tt.refreshes == 1) || key.refreshed.Load() != tt.refreshes {
				t.Errorf("%d refreshes, %v", key.refreshed.Load(), err)
			}
			if err != nil {
				quiet(t, err)
			}
		})
	}
}

// A connection that was opened ahead and has died since is as good as one that
// was kept: the request is sent again on a new one, and nobody counts it.
func TestConnectionOpenedAheadDied(t *testing.T) {
	t.Parallel()
	u := &upstreamServer{reply: always(200, okReply)}
	srv := httptest.NewServer(u)
	defer srv.Close()
	ours, theirs := net.Pipe()
	_ = theirs.Close()
	ahead := make(chan net.Conn, 1)
	ahead <- ours
	transport := &http.Transport{DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
		select {
		case conn := <-ahead:
			return conn, nil
		default:
			var d net.Dialer
			return d.DialContext(ctx, network, addr)
		}
	}}
	p := New(Options{BaseURL: parseURL(t, srv.URL), HTTP: &http.Client{Transport: transport}})
	if _, err := p.Complete(t.Context(), request(t, "")); err != nil || len(u.calls()) != 1 {
		t.Errorf("%v after %d calls", err, len(u.calls()))
	}
}
