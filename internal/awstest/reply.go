package awstest

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"
)

// A Reply is one scripted answer of Bedrock. The constructors make the usual
// ones, its With methods make variants; a Reply is a value and may be reused.
// The zero Reply is a completion without content.
//
// A Reply answers Converse and ConverseStream alike: for a stream its content is
// cut into events, as the service does.
type Reply struct {
	// Status is the HTTP status; 0 means 200.
	Status int
	// Header is added to the answer's header.
	Header http.Header
	// Body, if not nil, is sent instead of a completion, byte for byte.
	Body []byte
	// Delay comes before the first byte of the answer.
	Delay time.Duration
	// StopReason is the completion's; "" means tool_use if there is a tool use in
	// the content, else end_turn.
	StopReason string
	// Usage is the completion's; nil means [DefaultUsage].
	Usage *Usage

	content []block
	events  []Event
	hangs   bool
	until   <-chan struct{} // when a hang ends
	dropped bool
	cut     bool
}

// Usage counts tokens. As with the service, InputTokens does not include what
// was read from or written to the prompt cache, and TotalTokens does.
type Usage struct {
	InputTokens           int
	OutputTokens          int
	CacheReadInputTokens  int // left out of the answer when 0
	CacheWriteInputTokens int // left out of the answer when 0
	TotalTokens           int // 0 means the sum of the others
}

// DefaultUsage is the usage of a Reply that names none.
var DefaultUsage = Usage{InputTokens: 12, OutputTokens: 7}

// Text is a completion of one text block.
func Text(text string) Reply { return Reply{content: []block{{kind: textBlock, text: text}}} }

// ToolUse is a completion that calls one tool. The input is JSON, sent byte for
// byte; each answer made from the Reply gets a tool use id of its own.
func ToolUse(name, input string) Reply { return ToolUseID("", name, input) }

// ToolUseID is ToolUse with a fixed tool use id.
func ToolUseID(id, name, input string) Reply {
	return Reply{content: []block{{kind: toolUseBlock, id: id, name: name, text: input}}}
}

// Reasoning is a completion of one reasoning block, signed with [Signature].
func Reasoning(text string) Reply { return Reply{content: []block{{kind: reasoningBlock, text: text}}} }

// Content is a completion of one content block given as JSON, e.g.
// {"image": ...}; for blocks that have no constructor.
func Content(json string) Reply { return Reply{content: []block{{kind: rawBlock, text: json}}} }

// Stop is a completion without content that ended for a reason, such as
// content_filtered.
func Stop(reason string) Reply { return Reply{StopReason: reason} }

// Error is an AWS error: a status and the name of an exception.
func Error(status int, code, message string) Reply {
	return Reply{
		Status: status,
		Header: http.Header{"X-Amzn-Errortype": {code + ":" + errorSuffix}},
		Body:   object("message", message),
	}
}

// Throttled is Bedrock's answer to too many requests.
func Throttled() Reply {
	return Error(http.StatusTooManyRequests, "ThrottlingException", "Too many requests, please wait before trying again.")
}

// InvalidToolUse is Bedrock's answer when an Amazon Nova model has generated a
// tool use that cannot be parsed: a fault of that one sample.
func InvalidToolUse() Reply {
	return Error(http.StatusFailedDependency, "ModelErrorException",
		"Model produced invalid sequence as part of ToolUse. Please refer to the model tool use troubleshooting guide.")
}

// HTML is what a proxy on the way answers: a page, of no AWS error type.
func HTML(status int) Reply {
	r := Raw(status, "<html><head><title>"+strconv.Itoa(status)+" "+http.StatusText(status)+"</title></head></html>\n")
	return r.WithHeader("Content-Type", "text/html")
}

// Raw is any status with any body, whatever was called.
func Raw(status int, body string) Reply { return Reply{Status: status, Body: []byte(body)} }

// Drop closes the connection without an answer.
func Drop() Reply { return Reply{dropped: true} }

// Hang gives no answer until ctx is done, and then drops the connection. It also
// ends when the client leaves or the Server closes.
func Hang(ctx context.Context) Reply { return Reply{hangs: true, until: ctx.Done(), dropped: true} }

// Stream scripts the events of a ConverseStream. As an answer to Converse it is
// a fault of the script: the call fails, and so does the Server's test.
func Stream(events ...Event) Reply { return Reply{events: slices.Clone(events)} }

// And appends the content of another completion.
func (r Reply) And(other Reply) Reply {
	r.content = slices.Concat(r.content, other.content)
	return r
}

// WithStop sets the stop reason.
func (r Reply) WithStop(reason string) Reply { r.StopReason = reason; return r }

// WithUsage sets the usage.
func (r Reply) WithUsage(u Usage) Reply { r.Usage = &u; return r }

// WithDelay sets the delay.
func (r Reply) WithDelay(d time.Duration) Reply { r.Delay = d; return r }

// WithHeader sets one field of the answer's header.
func (r Reply) WithHeader(key, value string) Reply {
	r.Header = r.Header.Clone()
	if r.Header == nil {
		r.Header = http.Header{}
	}
	r.Header.Set(key, value)
	return r
}

// CutShort makes the connection break in the middle of the answer: after half
// of a body, or before the last two events of a stream.
func (r Reply) CutShort() Reply { r.cut = true; return r }

// A script decides what is answered: the handler if there is one, else the
// model's own replies, else those for every model.
type script struct {
	mu      sync.Mutex
	handler func(Request) Reply
	all     queue
	models  map[string]*queue
}

// A queue of replies; the last one repeats.
type queue struct {
	replies []Reply
	next    int
}

func (q *queue) take() (Reply, bool) {
	if q == nil || len(q.replies) == 0 {
		return Reply{}, false
	}
	r := q.replies[min(q.next, len(q.replies)-1)]
	q.next = min(q.next+1, len(q.replies))
	return r, true
}

// Reply appends to what is answered, call by call, whatever the model; the last
// Reply repeats. Before the first it is a text.
func (s *Server) Reply(replies ...Reply) {
	s.script.mu.Lock()
	defer s.script.mu.Unlock()
	s.script.all.replies = append(s.script.all.replies, replies...)
}

// ReplyFor is [Server.Reply] for one model id, which then only gets these.
func (s *Server) ReplyFor(modelID string, replies ...Reply) {
	s.script.mu.Lock()
	defer s.script.mu.Unlock()
	if s.script.models == nil {
		s.script.models = map[string]*queue{}
	}
	if s.script.models[modelID] == nil {
		s.script.models[modelID] = &queue{}
	}
	q := s.script.models[modelID]
	q.replies = append(q.replies, replies...)
}

// Handle answers every accepted call with what handler returns, before any other
// script; nil ends that. Calls may come at the same time.
func (s *Server) Handle(handler func(Request) Reply) {
	s.script.mu.Lock()
	defer s.script.mu.Unlock()
	s.script.handler = handler
}

func (s *script) next(req Request) Reply {
	s.mu.Lock()
	handler := s.handler
	if handler != nil {
		s.mu.Unlock()
		return handler(req) // unlocked: it may change the script
	}
	defer s.mu.Unlock()
	if r, ok := s.models[req.ModelID].take(); ok {
		return r
	}
	if r, ok := s.all.take(); ok {
		return r
	}
	return Text("OK.")
}
