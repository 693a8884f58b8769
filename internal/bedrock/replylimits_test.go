package bedrock

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"hash/crc32"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"hyperstudy-endpoint/internal/awstest"
	"hyperstudy-endpoint/internal/openai"
)

// converseBody is an answer of content blocks.
func converseBody(blocks ...string) string {
	return `{"output":{"message":{"role":"assistant","content":[` + strings.Join(blocks, ",") + `]}},"stopReason":"end_turn","usage":{"inputTokens":1,"outputTokens":1,"totalTokens":2}}`
}

// times is a list of the same content blocks.
func times(n int, block string) string { return strings.Repeat(block+",", n-1) + block }

const rateBlock = `{"toolUse":{"toolUseId":"a","name":"rate","input":{}}}`

// TestReplyLimits: what is no answer of a model costs next to nothing.
func TestReplyLimits(t *testing.T) {
	text := func(n int) string { return `{"text":"` + strings.Repeat("x", n) + `"}` }
	input := func(n int) string {
		return `{"toolUse":{"toolUseId":"a","name":"rate","input":{"a":"` + strings.Repeat("x", n) + `"}}}`
	}
	tests := []struct {
		name, body string
		fault      error
		temporary  bool
	}{
		{"as many blocks as allowed", converseBody(times(maxBlocks, rateBlock)), nil, false},
		{"one block more", converseBody(times(maxBlocks+1, rateBlock)), errManyBlocks, true},
		{"as many empty blocks as fit", converseBody(times(maxReply/16, `{"toolUse":{}}`)), errManyBlocks, true},
		{"citations", converseBody(`{"citationsContent":{"content":[` + times(maxReply/4, `{}`) + `]}}`), errManyBlocks, true},
		{"commas in text", converseBody(`{"text":"` + strings.Repeat(`,\"[`, maxBlocks) + `"}`), nil, false},
		{"long text", converseBody(text(maxReply - 1000)), nil, false},
		{"longer than allowed", converseBody(text(maxReply)), errLongReply, false},
		{"much longer", converseBody(text(4 * maxReply)), errLongReply, false},
		{"long input", converseBody(input(maxToolInput - 100)), nil, false},
		{"too long an input", converseBody(input(maxToolInput)), errToolInput, true},
		{"too long inputs", converseBody(input(maxToolInput/2), input(maxToolInput/2)), errToolInput, true},
		{"broken UTF-8 in text", converseBody("{\"text\":\"caf\xe9\"}"), errUnicode, true},
		{"broken UTF-8 in an input", converseBody("{\"toolUse\":{\"toolUseId\":\"a\",\"name\":\"rate\",\"input\":{\"a\":\"\xff\"}}}"), errUnicode, true},
		{"half a pair", converseBody(`{"text":"\ud83d\u0041"}`), errUnicode, true},
		{"the other half", converseBody(`{"text":"\ude00"}`), errUnicode, true},
		{"a pair behind a backslash", converseBody(`{"text":"\\\ud83d\uDE00"}`), nil, false},
		{"a backslash and letters", converseBody(`{"text":"\\ud83d"}`), nil, false},
	}
	for _, tt := range tests { // not in parallel: the memory is measured
		t.Run(tt.name, func(t *testing.T) {
			srv := awstest.NewServer(t)
			p, req := newProvider(t, srv, Options{}), decodeRequest(t, ask(claude45, oneTool))
			srv.Reply(awstest.Raw(http.StatusOK, tt.body))
			before := allocated()
			_, err := p.Complete(t.Context(), req)
			const most = 128 << 20 // the fake's part included
			if used := allocated() - before; used > most {
				t.Errorf("%d MB were allocated", used>>20)
			}
			if tt.fault == nil {
				if err != nil {
					t.Errorf("%v: %v", err, errors.Unwrap(err))
				}
				return
			}
			checkReplyFault(t, err, tt.fault, tt.temporary)
		})
	}
}

func allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}

func checkReplyFault(t *testing.T, err, want error, temporary bool) {
	t.Helper()
	var e *openai.Error
	if !errors.As(err, &e) || e.Status != http.StatusBadGateway || e.Code != openai.CodeUpstream || e.Temporary != temporary || !errors.Is(e, want) {
		t.Errorf("error %v: %v, want %v", err, errors.Unwrap(err), want)
	}
}

// TestStreamLimits: a stream has the limits of an answer in one piece.
func TestStreamLimits(t *testing.T) {
	t.Parallel()
	repeated := func(n int, event func(i int) awstest.Event) (events []awstest.Event) {
		for i := range n {
			events = append(events, event(i))
		}
		return events
	}
	start := func(i int) awstest.Event { return awstest.ToolUseStart(i, "a", "rate") }
	mega := strings.Repeat("x", 1<<20)
	tests := []struct {
		name      string
		events    []awstest.Event
		fault     error
		temporary bool
	}{
		{"as many calls as allowed", repeated(maxBlocks, start), nil, false},
		{"one call more", repeated(maxBlocks+1, start), errManyBlocks, true},
		{"long text", repeated(5, func(int) awstest.Event { return awstest.TextDelta(0, mega) }), errLongReply, false},
		{"long reasoning", repeated(5, func(int) awstest.Event { return awstest.ReasoningDelta(0, mega) }), errLongReply, false},
		{"long input", append(repeated(1, start), repeated(2, func(int) awstest.Event { return awstest.ToolUseDelta(0, mega) })...), errToolInput, true},
		{"an endless frame", []awstest.Event{awstest.Bytes(prelude(1<<32 - 1))}, errLongReply, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			srv := awstest.NewServer(t)
			srv.Reply(ending("end_turn", tt.events...))
			_, err := newProvider(t, srv, Options{}).Stream(t.Context(), decodeRequest(t, ask(claude45, oneTool)), new(transcript).emit)
			if tt.fault == nil {
				if err != nil {
					t.Error(err)
				}
				return
			}
			checkReplyFault(t, err, tt.fault, tt.temporary)
		})
	}
}

// prelude begins a frame of this length without headers.
func prelude(length uint32) []byte {
	raw := binary.BigEndian.AppendUint32(nil, length)
	raw = binary.BigEndian.AppendUint32(raw, 0)
	return binary.BigEndian.AppendUint32(raw, crc32.ChecksumIEEE(raw))
}

// TestBrokenFrames: text that is no Unicode ends a stream; half a frame passes,
// and so does what is no frame, which the SDK refuses.
func TestBrokenFrames(t *testing.T) {
	t.Parallel()
	frame := func(payload string) []byte {
		return append(append(prelude(uint32(16+len(payload))), payload...), 1, 0xff, 3, 4)
	}
	for _, tt := range []struct {
		name  string
		raw   []byte
		fault error
	}{
		{"text", append(frame(`{"text":"\ud83d\ude00"}`), frame(`{}`)...), nil},
		{"half a frame", frame(`{"text":"a"}`)[:20], nil},
		{"a frame that is too short", prelude(1), nil},
		{"no frame", []byte("<html>no stream</html>"), nil},
		{"half a pair", frame(`{"text":"\ud83d"}`), errUnicode},
		{"invalid UTF-8", frame("{\"text\":\"\xe9\"}"), errUnicode},
	} {
		var got bytes.Buffer
		_, err := got.ReadFrom(&frames{body: bytes.NewReader(tt.raw)})
		if !errors.Is(err, tt.fault) || err == nil && !bytes.Equal(got.Bytes(), tt.raw) {
			t.Errorf("%s: %q, %v", tt.name, got.Bytes(), err)
		}
	}
}

// TestLongFaults: no error needs more than the beginning of its body.
func TestLongFaults(t *testing.T) {
	t.Parallel()
	message, err := json.Marshal(strings.Repeat("x", 8<<20))
	if err != nil {
		t.Fatal(err)
	}
	srv := awstest.NewServer(t)
	for range 2 {
		srv.Reply(awstest.Raw(http.StatusServiceUnavailable, `{"message":`+string(message)+`}`))
	}
	p, req := newProvider(t, srv, Options{}), decodeRequest(t, ask(claude45))
	_, whole := p.Complete(t.Context(), req)
	_, streamed := p.Stream(t.Context(), req, new(transcript).emit)
	for _, err := range []error{whole, streamed} {
		if e := openai.AsError(err); e.Code != openai.CodeUnavailable || !e.Temporary || len(e.Err.Error()) > 2*maxFault {
			t.Errorf("%d %s, a cause of %d bytes", e.Status, e.Code, len(e.Err.Error()))
		}
	}
}

// TestCallIDs: every call has an id of its own, however the model names them.
func TestCallIDs(t *testing.T) {
	t.Parallel()
	nameless := strings.Replace(rateBlock, `"a"`, `""`, 1)
	srv := awstest.NewServer(t)
	srv.Reply(awstest.Raw(http.StatusOK, converseBody(rateBlock, rateBlock, nameless, nameless)))
	srv.Reply(ending("tool_use", awstest.ToolUseStart(0, "a", "rate"), awstest.ToolUseStart(1, "a", "rate"), awstest.ToolUseStart(2, "", "rate")))
	p, req := newProvider(t, srv, Options{}), decodeRequest(t, ask(claude45, oneTool))
	whole, err := p.Complete(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	streamed, err := p.Stream(t.Context(), req, new(transcript).emit)
	if err != nil {
		t.Fatal(err)
	}
	for _, completion := range []*openai.ChatCompletion{whole, streamed} {
		seen := map[string]bool{}
		for i, call := range completion.Choices[0].Message.ToolCalls {
			if seen[call.ID] || i == 0 && call.ID != "a" || i > 0 && !strings.HasPrefix(call.ID, "call_") {
				t.Errorf("call %d has the id %q", i, call.ID)
			}
			seen[call.ID] = true
		}
		if len(seen) < 3 {
			t.Errorf("%d calls", len(seen))
		}
	}
}
