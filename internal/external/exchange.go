package external

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync/atomic"
	"time"

	"hyperstudy-endpoint/internal/openai"
)

const (
	userAgent = "hyperstudy-endpoint"
	// drainTime is how long a finished stream may take to close, so that its
	// connection can serve the next request.
	drainTime = 100 * time.Millisecond
)

// attempt sends one request and reads its reply. A failure that the upstream
// reported is a *fault.
func (p *Provider) attempt(ctx context.Context, req *openai.ChatCompletionRequest, d *draft, key string, emit func(openai.Delta) error) (*openai.ChatCompletion, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	body, err := d.body.MarshalJSON()
	if err != nil {
		return nil, err
	}
	resp, err := p.post(ctx, body, key, d.streams())
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		return nil, readFault(ctx, resp, p.now())
	}
	limit := maxReply
	if d.streams() {
		limit = maxStream
	}
	r := bufio.NewReader(&limitedReader{r: resp.Body, left: limit})
	first, err := firstByte(r)
	if err != nil {
		return nil, noReply(ctx, err)
	}
	a := answer{}
	switch {
	case first == '{' || first == '[':
		err = a.readJSON(ctx, r, emit)
	case strings.IndexByte("de:ir", first) >= 0: // data, event, a comment, id, retry
		if err = a.readStream(ctx, r, emit); err == nil {
			defer time.AfterFunc(drainTime, cancel).Stop()
			_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, maxErrorBody))
		}
	default:
		return nil, notJSON(first)
	}
	if err != nil {
		return nil, err
	}
	return a.completion(p, req), nil
}

// firstByte skips white space and a byte order mark and returns the byte after them.
func firstByte(r *bufio.Reader) (byte, error) {
	if mark, err := r.Peek(3); err == nil && string(mark) == "\ufeff" {
		_, _ = r.Discard(len(mark))
	}
	for {
		b, err := r.ReadByte()
		if err != nil {
			return 0, err
		}
		if strings.IndexByte(" \t\r\n", b) < 0 {
			return b, r.UnreadByte()
		}
	}
}

// currentKey returns the upstream's key as it is known, "" if it asks for none.
func (p *Provider) currentKey(ctx context.Context) (string, error) {
	if p.key == nil {
		return "", nil
	}
	key, err := p.key.Key(ctx)
	if err != nil {
		return "", keyFault(ctx, err)
	}
	if !sendable(key) {
		return "", noAccess()
	}
	return key, nil
}

// sendable reports whether the key can stand in a header.
func sendable(key string) bool {
	return !strings.ContainsFunc(key, func(r rune) bool { return r < ' ' || r == 0x7f })
}

// post sends the body over a connection that lives. One that was opened ahead or
// kept from an earlier request may have died while nobody looked, as all do when a
// function's environment is frozen: such a request is sent again at once on a new one.
func (p *Provider) post(ctx context.Context, body []byte, key string, stream bool) (*http.Response, error) {
	resp, c, err := p.postOnce(ctx, body, key, stream)
	if err != nil && c.died() && ctx.Err() == nil {
		p.http.CloseIdleConnections() // its neighbours were frozen as long
		resp, c, err = p.postOnce(ctx, body, key, stream)
	}
	if err != nil {
		return nil, transportFault(ctx, err, c.made.Load())
	}
	return resp, nil
}

// A connection is what is known of the one that a request was sent on. It may
// still be told more after the request was given up.
type connection struct{ dialed, made, old, answered atomic.Bool }

// died reports whether a failed request had been given a connection that was
// there already and did not bring a single byte back.
func (c *connection) died() bool { return c.old.Load() && !c.answered.Load() }

func (c *connection) trace() *httptrace.ClientTrace {
	return &httptrace.ClientTrace{
		ConnectStart: func(string, string) { c.dialed.Store(true) },
		GotConn: func(got httptrace.GotConnInfo) {
			c.made.Store(true)
			c.old.Store(got.Reused || !c.dialed.Load())
		},
		GotFirstResponseByte: func() { c.answered.Store(true) },
	}
}

func (p *Provider) postOnce(ctx context.Context, body []byte, key string, stream bool) (*http.Response, *connection, error) {
	c := &connection{}
	req, err := http.NewRequestWithContext(httptrace.WithClientTrace(ctx, c.trace()), http.MethodPost, p.url, bytes.NewReader(body))
	if err != nil {
		return nil, c, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	if stream {
		req.Header.Set("Accept", "text/event-stream, application/json")
	}
	req.Header.Set("User-Agent", userAgent)
	if key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	resp, err := p.http.Do(req)
	return resp, c, err
}

// readFault reads what an upstream that refused the request said about it.
func readFault(ctx context.Context, resp *http.Response, now time.Time) error {
	if resp.StatusCode >= 300 && resp.StatusCode < 400 || resp.StatusCode < 200 {
		return redirected()
	}
	f := &fault{status: resp.StatusCode, retryAfter: openai.RetryAfter(resp.Header, now)}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxErrorBody))
	if e := interrupted(ctx, err); err != nil && e != nil {
		return e
	}
	f.read(body)
	return f
}

// readJSON reads a reply that is one JSON document, whether or not a stream was
// asked for.
func (a *answer) readJSON(ctx context.Context, r io.Reader, emit func(openai.Delta) error) error {
	body, err := io.ReadAll(r)
	if err != nil {
		return replyFault(ctx, err)
	}
	o, ok := object(firstOf(body))
	if !ok {
		return undecodable(errors.New("the reply is not a JSON object"))
	}
	a.whole = true
	deltas, err := a.add(&o)
	if err != nil {
		return err
	}
	if a.nothing() {
		return undecodable(errors.New("the reply has no choice"))
	}
	return send(append(deltas, a.close()...), emit)
}

// send hands the deltas out if there is somebody to take them.
func send(deltas []openai.Delta, emit func(openai.Delta) error) error {
	if emit == nil {
		return nil
	}
	for _, d := range deltas {
		if err := emit(d); err != nil {
			return err
		}
	}
	return nil
}
