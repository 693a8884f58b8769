package external

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"hyperstudy-endpoint/internal/openai"
)

// calling is a chunk for the choice with the index that adds to the first call.
func calling(index, arguments string) string {
	return `{"choices":[{"index":` + index + `,"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"submit_response","arguments":"` + arguments + `"}}]}}]}`
}

// Replies of which no part can be taken for the answer.
func TestSpoiltReplies(t *testing.T) {
	t.Parallel()
	content := func(s string) string {
		return `{"choices":[{"message":{"content":"` + s + `"},"finish_reason":"stop"}]}`
	}
	delta := func(s string) string { return `{"choices":[{"delta":{"content":"` + s + `"}}]}` }
	message := func(member string) string { return `{"choices":[{"message":{` + member + `},"finish_reason":"stop"}]}` }
	many := `"tool_calls":[{}` + strings.Repeat(",{}", maxCalls) + `]`
	third := strings.Repeat("x", maxArguments/3+1)
	tests := []struct{ name, reply string }{
		{"arguments of two choices", sse(calling("0", `{\"value\":`), calling("1", "9"), calling("0", "7}"), stops)},
		{"text of two choices", sse(`{"choices":[{"index":0,"delta":{"content":"A"}}]}`, `{"choices":[{"index":1,"delta":{"content":"B"}}]}`, stops)},
		{"another choice after the end", sse(saysYe, `{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`, `{"choices":[{"index":1,"delta":{"content":"B"}}]}`, "[DONE]")},
		{"the end of another choice", sse(`{"choices":[{"index":0,"delta":{"content":"A"}}]}`, `{"choices":[{"index":1,"delta":{},"finish_reason":"stop"}]}`)},
		{"two choices in one chunk", sse(`{"choices":[{"index":0,"delta":{"content":"A"}},{"index":1,"delta":{"content":"B"}}]}`, stops)},
		{"two choices", `{"choices":[{"message":{"content":"A"},"finish_reason":"stop"},{"message":{"content":"B"},"finish_reason":"stop"}]}`},
		{"Latin-1", content("caf\xe9")},
		{"broken UTF-8 in an argument", message(`"tool_calls":[{"function":{"name":"f","arguments":"{\"a\":\"` + "\xff\xfe" + `\"}"}}]`)},
		{"broken UTF-8 in an object of arguments", message(`"tool_calls":[{"function":{"name":"f","arguments":{"a":"` + "\xff" + `"}}}]`)},
		{"half a pair", content(`a\ud83d`)},
		{"the other half", content(`\ude00 a`)},
		{"a pair the wrong way round", content(`\ude00\ud83d`)},
		{"half a pair before another escape", content(`\ud83d\n`)},
		{"half a pair in an argument", message(`"tool_calls":[{"function":{"name":"f","arguments":"{\"a\":\"\ud83d\"}"}}]`)},
		{"half a pair in a stream", sse(delta(`\ud83d`), stops)},
		{"too many calls", message(many)},
		{"too many calls in a chunk", sse(`{"choices":[{"delta":{`+many+`}}]}`, stops)},
		{"too many calls in chunks", sse(strings.Split(strings.Repeat(`{"choices":[{"delta":{"tool_calls":[{"function":{"name":"f","arguments":"{}"}}]}}]}|`, maxCalls+1)+stops, "|")...)},
		{"too long arguments", message(`"tool_calls":[{"function":{"name":"f","arguments":"` + third + third + third + `"}}]`)},
		{"too long arguments in chunks", sse(calling("0", third), calling("0", third), calling("0", third), stops)},
		{"too many parts", message(`"content":[{}` + strings.Repeat(",{}", maxParts) + `]`)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p, _ := serve(t, always(200, tt.reply))
			completion, err := p.Complete(t.Context(), request(t, ""))
			if err == nil {
				t.Fatalf("completed with %+v", completion.Choices[0])
			}
			if e := wantError(t, err); e.Status != http.StatusBadGateway || e.Code != openai.CodeUpstream || !e.Temporary {
				t.Errorf("got %+v", e)
			}
		})
	}
}

// Text that only looks broken.
func TestUnicode(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, raw, want string }{
		{"a pair", `\ud83d\ude00`, "\U0001f600"},
		{"two pairs", `\uD83D\uDE00\ud83d\ude00 a`, "\U0001f600\U0001f600 a"},
		{"an escaped backslash", `\\ud83d`, `\ud83d`},
		{"the replacement character itself", `\ufffd` + "\ufffd", "\ufffd\ufffd"},
		{"other escapes", `\"\\\/\n\u00e9`, "\"\\/\n\u00e9"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p, _ := serve(t, always(200, `{"choices":[{"message":{"content":"`+tt.raw+`"},"finish_reason":"stop"}]}`))
			completion, err := p.Complete(t.Context(), request(t, ""))
			if err != nil {
				t.Fatal(err)
			}
			if got := *completion.Choices[0].Message.Content; got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// No more of a reply is read than the limit, whatever it is made of, and it is
// not asked for again.
func TestOversized(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, start, filler string }{
		{"a document", `{"choices":[{"message":{"content":"`, "x"},
		{"white space", "", " "},
		{"white space in a document", "{", " "},
		{"comments", ": x\n", ": x\n\n"},
		{"small chunks", sse(saysYe), sse(saysS)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var packed bytes.Buffer
			zip := gzip.NewWriter(&packed)
			_, _ = io.WriteString(zip, tt.start+strings.Repeat(tt.filler, 2*maxReply/len(tt.filler)))
			if err := zip.Close(); err != nil {
				t.Fatal(err)
			}
			p, _ := serve(t, func(w http.ResponseWriter, _ int, _ string) {
				w.Header().Set("Content-Encoding", "gzip")
				_, _ = w.Write(packed.Bytes())
			})
			_, err := p.Complete(t.Context(), request(t, ""))
			if e := wantError(t, err); e.Status != http.StatusBadGateway || e.Code != openai.CodeUpstream || e.Temporary {
				t.Errorf("got %+v", e)
			}
		})
	}
}

// The work on a reply grows with its size and not faster.
func TestLinearWork(t *testing.T) {
	t.Parallel()
	pieces := func(first, piece string) string {
		return sse(first) + strings.Repeat(sse(piece), 1<<20/len(sse(piece)))
	}
	tests := []struct{ name, reply string }{
		{"a thought in pieces", pieces(`{"choices":[{"delta":{"content":"<think>"}}]}`, `{"choices":[{"delta":{"content":"</thin"}}]}`)},
		{"blanks in pieces", pieces(saysYe, `{"choices":[{"delta":{"content":"  "}}]}`)},
		{"names in pieces", pieces(calling("0", `{\"a\":\"`), `{"choices":[{"delta":{"tool_calls":[{"function":{"name":"submit_response","arguments":"}}}}}}}"}}]}}]}`)},
		{"calls by the thousand", `{"choices":[{"message":{"tool_calls":[{}` + strings.Repeat(",{}", 1<<20) + `]}}]}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			p, _ := serve(t, always(200, tt.reply))
			if _, err := p.Complete(ctx, request(t, "")); ctx.Err() != nil {
				t.Errorf("took too long: %v", err)
			}
		})
	}
}

// Callers that hang up while the upstream answers race with nothing.
func TestHangUps(t *testing.T) {
	t.Parallel()
	const callers, rounds = 50, 8
	hangUp := make(chan context.CancelFunc, callers)
	p, _ := serve(t, func(w http.ResponseWriter, _ int, _ string) {
		select {
		case cancel := <-hangUp:
			cancel()
		default: // the first request, and those that were sent again
		}
		write(w, 200, okReply)
	})
	if _, err := p.Complete(t.Context(), request(t, "")); err != nil { // leaves a connection behind
		t.Fatal(err)
	}
	for range rounds {
		var all sync.WaitGroup
		for range callers {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			hangUp <- cancel
			all.Go(func() {
				if _, err := p.Complete(ctx, request(t, "")); err != nil && openai.AsError(err).Status != openai.StatusClientClosed {
					t.Errorf("got %v", err)
				}
			})
		}
		all.Wait()
		for len(hangUp) > 0 { // those who hung up before their request was sent
			<-hangUp
		}
	}
}
