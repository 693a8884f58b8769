package app_test

import (
	"encoding/json"
	"net/http"
	"sync"
	"time"

	"hyperstudy-endpoint/internal/awstest"
)

// A step is one answer of a model's, in the form that each kind of upstream
// gives it.
type step struct {
	bedrock  func(awstest.Request) awstest.Reply
	external reply
	billed   bool // the upstream counts its tokens
}

// A toolCall is a call in a script: the name of the tool and the arguments as
// the model writes them, which need not be JSON on an external upstream.
type toolCall struct{ name, arguments string }

// always is a reply of Bedrock's that does not depend on the request.
func always(r awstest.Reply) func(awstest.Request) awstest.Reply {
	return func(awstest.Request) awstest.Reply { return r }
}

// says is an answer in text.
func says(text string) step {
	return step{always(awstest.Text(text)), reply{message: message(text)}, true}
}

// calls is an answer with tool calls.
func calls(list ...toolCall) step { return saysAndCalls("", list...) }

// submits is an answer that calls submit_response.
func submits(arguments string) step { return calls(toolCall{"submit_response", arguments}) }

// saysAndCalls is an answer in text with tool calls behind it.
func saysAndCalls(text string, list ...toolCall) step {
	var r awstest.Reply
	if text != "" {
		r = awstest.Text(text)
	}
	for _, c := range list {
		r = r.And(awstest.ToolUse(c.name, c.arguments))
	}
	return step{always(r), reply{message: message(text, list...)}, true}
}

// answersJSON is an answer to a request for JSON. Where Bedrock was sent one
// tool that must be called, the answer comes as that tool's input.
func answersJSON(text string) step {
	s := says(text)
	s.bedrock = func(req awstest.Request) awstest.Reply {
		var body struct {
			ToolConfig struct {
				Tools []struct{ ToolSpec struct{ Name string } }
			}
		}
		if json.Unmarshal(req.Body, &body) == nil && len(body.ToolConfig.Tools) == 1 && json.Valid([]byte(text)) {
			return awstest.ToolUse(body.ToolConfig.Tools[0].ToolSpec.Name, text)
		}
		return awstest.Text(text)
	}
	return s
}

// cut is the answer s as it is when the model runs into a limit of tokens.
func cut(s step) step { return s.finished("max_tokens", "length") }

// filtered is the answer s as it is when a content filter steps in.
func filtered(s step) step { return s.finished("content_filtered", "content_filter") }

// finished gives an answer another stop or finish reason.
func (s step) finished(stop, finish string) step {
	bedrock := s.bedrock
	s.bedrock = func(req awstest.Request) awstest.Reply { return bedrock(req).WithStop(stop) }
	s.external.finish = finish
	return s
}

// slow is the answer s after a while.
func slow(d time.Duration, s step) step {
	bedrock := s.bedrock
	s.bedrock = func(req awstest.Request) awstest.Reply { return bedrock(req).WithDelay(d) }
	s.external.delay = d
	return s
}

// throttled is what an upstream says that has too much to do. after is its
// Retry-After header; none if empty.
func throttled(after string) step {
	r := awstest.Throttled()
	s := step{external: reply{status: http.StatusTooManyRequests, body: `{"error":{"message":"Rate limit reached for requests","type":"requests","param":null,"code":"rate_limit_exceeded"}}`}}
	if after != "" {
		r = r.WithHeader("Retry-After", after)
		s.external.header = http.Header{"Retry-After": {after}}
	}
	s.bedrock = always(r)
	return s
}

// fails is an upstream that fails with a server error.
func fails(status int) step {
	return step{
		bedrock:  always(awstest.Error(status, "InternalServerException", "The system encountered an unexpected error.")),
		external: reply{status: status, body: `{"error":{"message":"The server had an error.","type":"server_error","param":null,"code":null}}`},
	}
}

// web is a page, which is what a proxy on the way answers.
func web(status int) step {
	return step{
		bedrock:  always(awstest.HTML(status)),
		external: reply{status: status, header: http.Header{"Content-Type": {"text/html"}}, body: "<html><body>Bad gateway</body></html>"},
	}
}

// drops closes the connection without an answer.
func drops() step {
	return step{bedrock: always(awstest.Drop()), external: reply{drop: true}}
}

// breaks closes the connection in the middle of the answer s.
func breaks(s step) step {
	bedrock := s.bedrock
	s.bedrock = func(req awstest.Request) awstest.Reply { return bedrock(req).CutShort() }
	s.external.cut = true
	s.billed = false
	return s
}

// hangs never answers.
func hangs() step { return slow(time.Hour, says("too late")) }

// A player plays a script: step by step, the last again and again.
type player struct {
	mu     sync.Mutex
	steps  []step
	next   int
	billed tokens // of the calls so far
	count  int
}

// tokens are a usage as an upstream counts it.
type tokens struct{ prompt, completion int }

// play replaces the script.
func (p *player) play(steps ...step) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.steps, p.next, p.billed, p.count = steps, 0, tokens{}, 0
}

// take is the next step, and what it is billed: every time something else, so
// that a sum shows which calls are in it.
func (p *player) take() (step, tokens) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.steps) == 0 {
		return says("nobody wrote a script"), tokens{1, 1}
	}
	s := p.steps[min(p.next, len(p.steps)-1)]
	p.next++
	used := tokens{100 + 10*p.next, p.next}
	if s.billed {
		p.billed.prompt += used.prompt
		p.billed.completion += used.completion
	}
	return s, used
}

// played is how many steps were taken, and what they were billed together.
func (p *player) played() (int, tokens) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.next, p.billed
}

// serve makes the fakes of a deployment play the script.
func (p *player) serve(d *deployment) {
	d.aws.Handle(func(req awstest.Request) awstest.Reply {
		s, used := p.take()
		r := s.bedrock(req)
		if s.billed {
			r = r.WithUsage(awstest.Usage{InputTokens: used.prompt, OutputTokens: used.completion})
		}
		return r
	})
	d.upstream.handle(func(sent) (reply, tokens) {
		s, used := p.take()
		return s.external, used
	})
}

// refuses is a model that declines.
func refuses() step {
	s := filtered(says(""))
	s.external = reply{message: compactJSON(map[string]any{"role": "assistant", "content": nil, "refusal": "I would rather not."})}
	return s
}

// thinks is an answer that consists of reasoning alone.
func thinks(text string) step {
	return step{
		bedrock:  always(awstest.Reasoning(text)),
		external: reply{message: compactJSON(map[string]any{"role": "assistant", "content": nil, "reasoning_content": text})},
		billed:   true,
	}
}
