package external

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"

	"hyperstudy-endpoint/internal/openai"
)

// An answer is a completion that is being put together, from the chunks of a
// stream or from a whole reply, which is treated as a single chunk.
type answer struct {
	whole bool // the reply is one document and not a stream

	id, model, tier, fingerprint string
	created                      int
	content, reasoning, refusal  strings.Builder
	hasContent                   bool
	think                        thinkSplitter
	index                        string // of the choice that is the answer, if it has one
	calls                        calls
	halves                       halves
	finish                       string // as the upstream has it
	usage                        openai.Usage
}

// readStream reads a stream to its end and hands out what becomes known.
func (a *answer) readStream(ctx context.Context, r *bufio.Reader, emit func(openai.Delta) error) error {
	events := eventReader{r: r}
	emitted := false
	for {
		ev, err := events.next()
		if err == nil && string(bytes.TrimSpace(ev.data)) == "[DONE]" {
			return a.end(ctx, errDone, emitted, emit)
		}
		if err != nil {
			return a.end(ctx, err, emitted, emit)
		}
		deltas, err := a.event(ev)
		if err != nil {
			if a.finish != "" && !spoils(err) {
				return a.end(ctx, err, emitted, emit)
			}
			return afterwards(err, emitted, a.usage)
		}
		emitted = emitted || emit != nil && len(deltas) > 0
		if err := send(deltas, emit); err != nil {
			return err
		}
	}
}

// errDone is the end that a stream announces.
var errDone = errors.New("the stream is done")

// end judges how a stream ended. One that has given its finish_reason is
// complete, whatever came of the connection afterwards. One that has not may
// have been cut, also where [DONE] follows: what stands between a model and this
// endpoint adds that on its own (https://github.com/vercel/ai/issues/19165).
func (a *answer) end(ctx context.Context, err error, emitted bool, emit func(openai.Delta) error) error {
	done := errors.Is(err, errDone)
	switch {
	case len(a.halves) > 0 && (a.finish != "" || done):
		return afterwards(undecodable(errUnicode), emitted, a.usage)
	case a.finish != "":
		return send(a.close(), emit)
	case done && a.silent():
		return afterwards(undecodable(errors.New("the stream is empty")), emitted, a.usage)
	case done:
		return afterwards(unfinished(), emitted, a.usage)
	case errors.Is(err, errLongLine):
		e := undecodable(err)
		e.Temporary = false
		return afterwards(e, emitted, a.usage)
	default:
		return afterwards(replyFault(ctx, err), emitted, a.usage)
	}
}

// afterwards takes from an error the hope of another attempt if a part of the
// answer is already with the caller.
func afterwards(err error, emitted bool, usage openai.Usage) error {
	var f *fault
	if errors.As(err, &f) {
		f.emitted, f.usage = emitted, usage
		return err
	}
	var e *openai.Error
	if errors.As(err, &e) {
		e.Temporary = e.Temporary && !emitted
		e.Usage = usage
	}
	return err
}

// event takes in one event of a stream.
func (a *answer) event(ev event) ([]openai.Delta, error) {
	if len(bytes.TrimSpace(ev.data)) == 0 {
		return nil, nil
	}
	o, ok := object(firstOf(ev.data))
	if !ok {
		return nil, undecodable(errors.New("an event of the stream is not a JSON object"))
	}
	if ev.name == "error" && !o.Has("choices") {
		return nil, reported(&o)
	}
	return a.add(&o)
}

// add takes in a chunk or a whole reply and returns what is new in it.
func (a *answer) add(o *openai.Object) ([]openai.Delta, error) {
	choices := elements(o.Get("choices"))
	a.envelope(o)
	if choices <= 0 {
		if isError(o, a.whole) {
			return nil, a.faultOf(o)
		}
		return nil, nil
	}
	if choices > 1 {
		return nil, undecodable(errChoices)
	}
	choice, ok := object(list(o.Get("choices"))[0])
	if !ok {
		return nil, nil
	}
	if err := a.check(&choice); err != nil {
		return nil, undecodable(err)
	}
	finish := text(choice.Get("finish_reason"))
	if brokenOff(finish) {
		if choice.Has("error") {
			return nil, a.faultOf(&choice)
		}
		return nil, a.faultOf(o)
	}
	if finish != "" {
		a.finish = finish
	}
	deltas, err := a.choice(&choice)
	if err != nil {
		return nil, undecodable(err)
	}
	if o.Has("error") && len(deltas) == 0 && len(a.calls.all) == 0 && finish == "" {
		return nil, a.faultOf(o)
	}
	return deltas, nil
}

// brokenOff reports whether a finish_reason says that there was no end to the
// answer. DeepSeek's own is for an answer that it had no means to go on with
// (https://api-docs.deepseek.com/api/create-chat-completion).
func brokenOff(finish string) bool {
	switch strings.ToLower(finish) {
	case "error", "abort", "insufficient_system_resource":
		return true
	}
	return false
}

// isError reports whether an object without choices is an error. Only a whole
// reply is one for want of anything else: streams hold all kinds of events.
func isError(o *openai.Object, whole bool) bool {
	if o.Has("error") || text(o.Get("object")) == "error" {
		return true
	}
	return whole && !o.Has("choices") && (o.Has("detail") || o.Has("message") || o.Has("errors"))
}

func (a *answer) faultOf(o *openai.Object) *fault {
	f := reported(o)
	f.usage = a.usage
	return f
}

// envelope takes in what stands around the choices. Usage may come in any chunk,
// and the last counts.
func (a *answer) envelope(o *openai.Object) {
	for name, field := range map[string]*string{"id": &a.id, "model": &a.model, "service_tier": &a.tier, "system_fingerprint": &a.fingerprint} {
		if *field == "" {
			*field = text(o.Get(name))
		}
	}
	if a.created == 0 {
		a.created = number(o.Get("created"))
	}
	if u, ok := member(o, "usage"); ok {
		a.usage = usage(&u)
	} else if groq, ok := member(o, "x_groq"); ok {
		if u, ok := member(&groq, "usage"); ok {
			a.usage = usage(&u)
		}
	}
}

// choice takes in the message of a choice, or what a chunk adds to it.
func (a *answer) choice(choice *openai.Object) ([]openai.Delta, error) {
	m, ok := member(choice, "delta")
	if full, isFull := member(choice, "message"); isFull && (!ok || a.whole) {
		m, ok = full, a.whole || a.silent() // a last chunk may repeat the whole message
	}
	if !ok {
		m = openai.Object{}
		if choice.Has("text") { // what the older API calls the content
			m.Set("content", choice.Get("text"))
		}
	}
	for _, part := range m.Members() {
		if n := elements(part.Value); n > maxParts || n > maxCalls && part.Name == "tool_calls" {
			return nil, errBulk
		}
	}
	items := toolCalls(&m)
	if legacy := m.Get("function_call"); len(items) == 0 {
		items = append(items, legacy)
	}
	for _, item := range items {
		if o, ok := object(item); ok {
			a.calls.add(&o, a.whole)
		}
		if a.calls.tooMany() {
			return nil, errBulk
		}
	}
	return a.texts(&m), nil
}

// toolCalls returns the elements of tool_calls; a single one may stand without a list.
func toolCalls(m *openai.Object) []json.RawMessage {
	raw := m.Get("tool_calls")
	if _, ok := object(raw); ok {
		return []json.RawMessage{raw}
	}
	return list(raw)
}

// texts takes in the message's texts and returns them as they are to be handed out.
func (a *answer) texts(m *openai.Object) []openai.Delta {
	content, thought := contentText(m.Get("content"))
	if r := reasoningText(m); r != "" {
		thought = r
	}
	a.hasContent = a.hasContent || m.Has("content")
	a.reasoning.WriteString(thought)
	var deltas []openai.Delta
	if thought != "" {
		deltas = append(deltas, openai.Delta{ReasoningContent: thought})
	}
	if refusal := text(m.Get("refusal")); refusal != "" {
		a.refusal.WriteString(refusal)
		deltas = append(deltas, openai.Delta{Refusal: &refusal})
	}
	if content == "" {
		return deltas
	}
	if a.reasoning.Len() > 0 && !a.think.passing { // reasoning has its own field here
		content = a.think.close() + content
	}
	inner, rest := a.think.add(content)
	a.reasoning.WriteString(inner)
	if inner != "" {
		deltas = append(deltas, openai.Delta{ReasoningContent: inner})
	}
	return append(deltas, a.say(rest)...)
}

// say adds to the content.
func (a *answer) say(content string) []openai.Delta {
	if content == "" {
		return nil
	}
	a.content.WriteString(content)
	return []openai.Delta{{Content: &content}}
}

// close ends the answer and returns what was held back.
func (a *answer) close() []openai.Delta { return a.say(a.think.close()) }

// nothing reports whether no part of an answer has come.
func (a *answer) nothing() bool { return a.finish == "" && !a.hasContent && a.silent() }

// silent reports whether the model has neither said nor called anything.
func (a *answer) silent() bool {
	return a.content.Len() == 0 && a.think.held.Len() == 0 && a.reasoning.Len() == 0 && a.refusal.Len() == 0 && len(a.calls.all) == 0
}

// completion returns the finished answer.
func (a *answer) completion(p *Provider, req *openai.ChatCompletionRequest) *openai.ChatCompletion {
	m := openai.AnswerMessage{
		Role:             string(openai.RoleAssistant),
		ReasoningContent: a.reasoning.String(),
		ToolCalls:        a.calls.list(p.newID),
	}
	if a.refusal.Len() > 0 {
		refusal := a.refusal.String()
		m.Refusal = &refusal
	}
	if content := a.content.String(); content != "" || len(m.ToolCalls) == 0 && m.Refusal == nil {
		m.Content = &content
	}
	c := &openai.ChatCompletion{
		ID: a.id, Object: "chat.completion", Created: int64(a.created), Model: a.model,
		Choices:     []openai.Choice{{Message: m, FinishReason: finishReason(a.finish, len(m.ToolCalls) > 0)}},
		Usage:       a.usage,
		ServiceTier: a.tier, SystemFingerprint: a.fingerprint,
	}
	if c.ID == "" {
		c.ID = "chatcmpl-" + p.newID()
	}
	if c.Created == 0 {
		c.Created = p.now().Unix()
	}
	if c.Model == "" {
		c.Model = req.Model
	}
	return c
}
