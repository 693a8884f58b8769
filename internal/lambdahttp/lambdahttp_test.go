package lambdahttp

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-lambda-go/events"
)

func event(method, path, body string) Event {
	return Event{Body: Text(body), APIGatewayProxyRequest: events.APIGatewayProxyRequest{
		HTTPMethod: method, Path: path,
		MultiValueHeaders: map[string][]string{"Authorization": {"Bearer key"}, "X-Request-Id": {"from the caller"}},
		RequestContext:    events.APIGatewayProxyRequestContext{RequestID: "gateway-id", DomainName: "id.execute-api.us-east-1.amazonaws.com", Stage: "v1"},
	}}
}

// echo answers with what it saw of the request.
func echo(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	w.Header().Set("Content-Type", "text/plain")
	w.Header().Add("X-Two", "1")
	w.Header().Add("X-Two", "2")
	w.WriteHeader(http.StatusTeapot)
	_, _ = io.WriteString(w, strings.Join([]string{r.Method, r.URL.Path, r.URL.RawQuery, r.Header.Get("Authorization"), r.Header.Get(requestIDHeader), string(body)}, "|"))
}

// stream calls the streaming handler and reads the whole body.
func stream(t *testing.T, h http.HandlerFunc, e Event) (*events.APIGatewayProxyStreamingResponse, string, error) {
	t.Helper()
	response, err := Handler{Handler: h}.Stream(t.Context(), e)
	if err != nil {
		t.Fatalf("Stream: %v", err)
	}
	body, err := io.ReadAll(response.Body)
	return response, string(body), err
}

func TestRequest(t *testing.T) {
	t.Parallel()
	plain := event("POST", "/chat/completions", `{"a":"ä😀"}`)
	encoded := plain
	encoded.Body, encoded.IsBase64Encoded = Text(base64.StdEncoding.EncodeToString([]byte(plain.Body))), true
	single := plain
	single.MultiValueHeaders, single.Headers = nil, map[string]string{"authorization": "Bearer key"}
	query := plain
	query.MultiValueQueryStringParameters = map[string][]string{"a": {"1", "2"}}
	want := `POST|/chat/completions||Bearer key|gateway-id|{"a":"ä😀"}`
	for _, tc := range []struct {
		name  string
		event Event
		want  string
	}{
		{"plain body", plain, want},
		{"base64 body", encoded, want},
		{"single-value headers", single, want},
		{"query", query, `POST|/chat/completions|a=1&a=2|Bearer key|gateway-id|{"a":"ä😀"}`},
		{"doubled and trailing slashes", event("GET", "//v1//models/", ""), "GET|//v1//models/||Bearer key|gateway-id|"},
		{"no slash", event("GET", "models", ""), "GET|/models||Bearer key|gateway-id|"},
		{"path with a percent sign", event("GET", "/models/100%", ""), "GET|/models/100%||Bearer key|gateway-id|"},
		{"escaped path", event("GET", "/models/org%2Flarge%3A1", ""), "GET|/models/org/large:1||Bearer key|gateway-id|"},
		{"path with a question mark", event("GET", "/models/a?b#c d", ""), "GET|/models/a?b#c d||Bearer key|gateway-id|"},
		{"empty path", event("GET", "", ""), "GET|/||Bearer key|gateway-id|"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			response, body, err := stream(t, echo, tc.event)
			if err != nil || body != tc.want {
				t.Errorf("streamed body %q, %v, want %q", body, err, tc.want)
			}
			if response.StatusCode != http.StatusTeapot || response.Headers["Content-Type"] != "text/plain" || len(response.MultiValueHeaders["X-Two"]) != 2 {
				t.Errorf("streamed response %d %v %v", response.StatusCode, response.Headers, response.MultiValueHeaders)
			}
			buffered, err := Handler{Handler: http.HandlerFunc(echo)}.Buffer(t.Context(), tc.event)
			if err != nil || buffered.Body != tc.want || buffered.StatusCode != http.StatusTeapot || buffered.Headers["Content-Type"] != "text/plain" {
				t.Errorf("buffered response %+v, %v", buffered, err)
			}
		})
	}
}

func TestBadBase64IsTheCallersFault(t *testing.T) {
	t.Parallel()
	e := event("POST", "/chat/completions", "not base64!")
	e.IsBase64Encoded = true
	response, body, err := stream(t, echo, e)
	if err != nil || response.StatusCode != http.StatusBadRequest {
		t.Errorf("streamed: %d, %v", response.StatusCode, err)
	}
	var failure struct {
		Error struct{ Message, Type string }
	}
	if json.Unmarshal([]byte(body), &failure) != nil || failure.Error.Type != "invalid_request_error" {
		t.Errorf("body %q is not an error of the API", body)
	}
	buffered, err := Handler{Handler: http.HandlerFunc(echo)}.Buffer(t.Context(), e)
	if err != nil || buffered.StatusCode != http.StatusBadRequest || buffered.Body != body {
		t.Errorf("buffered: %+v, %v", buffered, err)
	}
}

func TestStreamBeginsWithTheFirstFlush(t *testing.T) {
	t.Parallel()
	proceed := make(chan struct{})
	response, err := Handler{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "fi")
		_, _ = io.WriteString(w, "rst")
		flush(t, w)
		<-proceed
		_, _ = io.WriteString(w, "second")
		flush(t, w)
		_, _ = io.WriteString(w, "third")
	})}.Stream(t.Context(), event("GET", "/", ""))
	if err != nil {
		t.Fatal(err)
	}
	first := make([]byte, 5)
	if _, err := io.ReadFull(response.Body, first); err != nil || string(first) != "first" {
		t.Fatalf("read %q, %v while the handler is still writing", first, err)
	}
	close(proceed)
	rest, err := io.ReadAll(response.Body)
	if err != nil || string(rest) != "secondthird" {
		t.Errorf("rest %q, %v", rest, err)
	}
}

func flush(t *testing.T, w http.ResponseWriter) {
	t.Helper()
	if err := http.NewResponseController(w).Flush(); err != nil {
		t.Errorf("Flush: %v", err)
	}
}

// An answer that is not flushed needs no reader for the handler to end, which
// writes its log line before the answer is sent.
func TestStreamOfOnePieceComesWhole(t *testing.T) {
	t.Parallel()
	ended := false
	response, body, err := stream(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "one ")
		_, _ = io.WriteString(w, "piece")
		ended = true
	}, event("GET", "/", ""))
	if body != "one piece" || err != nil || !ended {
		t.Errorf("%q, %v, ended %t", body, err, ended)
	}
	if _, ok := response.Body.(*bytes.Reader); !ok {
		t.Errorf("the body is a %T", response.Body)
	}
}

// The runtime closes the body when it cannot send the response: the handler is
// told at its next write.
func TestStreamThatNobodyReads(t *testing.T) {
	t.Parallel()
	closed, failed := make(chan struct{}), make(chan error, 1)
	response, err := Handler{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		flush(t, w)
		<-closed
		_, err := io.WriteString(w, "lost")
		failed <- err
	})}.Stream(t.Context(), event("GET", "/", ""))
	if err != nil {
		t.Fatal(err)
	}
	if err := response.Close(); err != nil {
		t.Fatal(err)
	}
	close(closed)
	if err := <-failed; !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("Write: %v", err)
	}
}

func TestStreamWithoutBody(t *testing.T) {
	t.Parallel()
	response, body, err := stream(t, func(http.ResponseWriter, *http.Request) {}, event("GET", "/", ""))
	if response.StatusCode != http.StatusOK || body != "" || err != nil {
		t.Errorf("%d %q %v, want an empty 200", response.StatusCode, body, err)
	}
}

func TestStreamPanic(t *testing.T) {
	t.Parallel()
	t.Run("before the header", func(t *testing.T) {
		t.Parallel()
		response, _, err := stream(t, func(http.ResponseWriter, *http.Request) { panic("no") }, event("GET", "/", ""))
		if response.StatusCode != http.StatusInternalServerError || !errors.Is(err, errAborted) {
			t.Errorf("%d, %v", response.StatusCode, err)
		}
	})
	t.Run("after a write", func(t *testing.T) {
		t.Parallel()
		response, body, err := stream(t, func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, "part")
			panic("no")
		}, event("GET", "/", ""))
		if response.StatusCode != http.StatusOK || body != "part" || !errors.Is(err, errAborted) {
			t.Errorf("%d, %q, %v", response.StatusCode, body, err)
		}
	})
	t.Run("in the middle", func(t *testing.T) {
		t.Parallel()
		_, body, err := stream(t, func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, "part")
			flush(t, w)
			panic(http.ErrAbortHandler)
		}, event("GET", "/", ""))
		if body != "part" || !errors.Is(err, errAborted) {
			t.Errorf("%q, %v", body, err)
		}
	})
}

func TestHeaderIsFinalAfterWriteHeader(t *testing.T) {
	t.Parallel()
	response, _, _ := stream(t, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusEarlyHints) // has no place in a proxy response
		w.WriteHeader(http.StatusCreated)
		w.Header().Set("X-Late", "1")
		w.WriteHeader(http.StatusInternalServerError)
	}, event("GET", "/", ""))
	if response.StatusCode != http.StatusCreated || response.Headers["X-Late"] != "" {
		t.Errorf("%d %v", response.StatusCode, response.Headers)
	}
}

func TestDeadline(t *testing.T) {
	t.Parallel()
	const budget, lambda = 57 * time.Second, 300 * time.Second
	for _, tc := range []struct {
		name    string
		budget  time.Duration
		lambda  time.Duration // 0: Lambda sets no deadline
		arrived time.Duration // before now; 0: the event does not say
		want    time.Duration
	}{
		{"budget counts from the arrival", budget, lambda, 4 * time.Second, 53 * time.Second},
		{"arrival unknown", budget, lambda, 0, budget},
		{"arrival in the future", budget, lambda, -time.Hour, budget},
		{"Lambda's limit is nearer", budget, 30 * time.Second, time.Second, 30*time.Second - lambdaReserve},
		{"no budget", 0, lambda, time.Second, lambda - lambdaReserve},
		{"no limit of Lambda's", budget, 0, 0, budget},
		{"arrived too long ago to be answered", budget, lambda, maxAge, budget - maxAge},
		{"recorded event", budget, lambda, 24 * time.Hour, budget},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx := t.Context()
				if tc.lambda > 0 {
					var cancel context.CancelFunc
					ctx, cancel = context.WithTimeout(ctx, tc.lambda)
					defer cancel()
				}
				e := event("GET", "/", "")
				if tc.arrived != 0 {
					e.RequestContext.RequestTimeEpoch = time.Now().Add(-tc.arrived).UnixMilli()
				}
				var got time.Duration
				h := Handler{Budget: tc.budget, Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
					deadline, ok := r.Context().Deadline()
					if !ok {
						t.Error("no deadline")
					}
					got = time.Until(deadline)
				})}
				if _, err := h.Buffer(ctx, e); err != nil {
					t.Fatal(err)
				}
				if got != tc.want {
					t.Errorf("deadline in %v, want %v", got, tc.want)
				}
			})
		})
	}
}

func TestStreamContextEndsWithTheHandler(t *testing.T) {
	t.Parallel()
	var ctx context.Context
	_, _, err := stream(t, func(_ http.ResponseWriter, r *http.Request) {
		ctx = r.Context()
		if ctx.Err() != nil {
			t.Error("the context has ended while the handler works")
		}
	}, event("GET", "/", ""))
	if err != nil {
		t.Fatal(err)
	}
	<-ctx.Done()
}
