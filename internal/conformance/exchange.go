package conformance

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"

	"hyperstudy-endpoint/internal/wording"
)

// mostRead is how much of an answer is read.
const mostRead = 16 << 20

// A request is one that goes to the endpoint.
type request struct {
	method, path string
	root         string // in place of the base URL, for a guess at a better one
	body         []byte
	// authorization is the header's whole value in place of the right one, and
	// anonymous leaves the header out.
	authorization string
	anonymous     bool
	limit         time.Duration // 0 is the experimenter's
	loaded        bool          // one of many at once
	apart         bool          // to a path that need not be there: its errors are not judged
}

// send makes one request and records it.
func (s *session) send(ctx context.Context, r request) *Exchange {
	if r.root == "" {
		r.root = s.base.String()
	}
	x := &Exchange{Method: r.method, URL: r.root + r.path, Request: string(r.body), ordinary: r.limit == 0 && !r.apart}
	if r.limit == 0 {
		r.limit = s.target.Limit
	}
	limited, cancel := context.WithTimeout(ctx, r.limit)
	defer cancel()
	start := time.Now()
	x.err = s.exchange(limited, r, x)
	x.Latency = time.Since(start)
	x.late = x.err != nil && errors.Is(limited.Err(), context.DeadlineExceeded) && ctx.Err() == nil
	if x.err != nil {
		x.Error = reason(x.err)
		if x.late {
			x.Error = "no answer within " + wording.Seconds(r.limit)
		}
	}
	s.record(x, r)
	return x
}

// exchange fills in what comes back.
func (s *session) exchange(ctx context.Context, r request, x *Exchange) error {
	req, err := http.NewRequestWithContext(ctx, r.method, x.URL, bytes.NewReader(r.body))
	if err != nil {
		return err
	}
	if r.body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	req.Header.Set("User-Agent", "hyperstudy-endpoint-conformance")
	switch {
	case r.anonymous:
	case r.authorization != "":
		req.Header.Set("Authorization", r.authorization)
	default:
		req.Header.Set("Authorization", "Bearer "+s.target.APIKey)
	}
	resp, err := s.client.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }() // read to its end, or to an error that is told
	x.tls = resp.TLS
	body, err := io.ReadAll(io.LimitReader(resp.Body, mostRead+1))
	if err == nil && len(body) > mostRead {
		err = fmt.Errorf("the answer is longer than %d MB", mostRead>>20)
	}
	x.Status, x.Header, x.body, x.Answer = resp.StatusCode, resp.Header, body, string(body)
	return err
}

func (s *session) record(x *Exchange, r request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.report.Requests++
	s.exchanges = append(s.exchanges, x)
	if x.err == nil {
		s.unanswered = 0
		if x.Status >= 400 && !r.apart {
			s.errors = append(s.errors, x)
		}
		return
	}
	if x.ordinary {
		s.lost = append(s.lost, x)
	}
	if r.loaded {
		return // too much at once is not down
	}
	if s.unanswered++; s.unanswered >= mostUnanswered && s.stop == "" {
		s.stop = fmt.Sprintf("%d requests in a row had no answer (%s), and HyperStudy stops an agent after five", s.unanswered, x.Error)
	}
}

// reason is what went wrong, without the URL that everybody knows.
func reason(err error) string {
	if e := (*url.Error)(nil); errors.As(err, &e) {
		err = e.Err
	}
	return err.Error()
}

// outcome is the status or the lack of one, to be put after "with" or "by".
func (x *Exchange) outcome() string {
	if x.err != nil {
		return x.Error
	}
	said := fmt.Sprintf("%d %s", x.Status, http.StatusText(x.Status))
	if message := x.complaint(); message != "" {
		said += fmt.Sprintf(" (%s)", strings.TrimSuffix(shorten(message), "."))
	}
	return strings.TrimSpace(said)
}

// declined reports whether the endpoint does not take the request as it is. To be
// throttled, or to have one's key refused, says nothing about the request.
func (x *Exchange) declined() bool {
	switch x.Status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusRequestTimeout, http.StatusTooManyRequests:
		return false
	}
	return x.err == nil && x.Status >= 400 && x.Status < 500
}

// complaint is the message of an error in OpenAI's form, code its code.
func (x *Exchange) complaint() string { return x.errorMember("message") }
func (x *Exchange) code() string      { return x.errorMember("code") }

func (x *Exchange) errorMember(name string) string {
	var answer struct {
		Error map[string]json.RawMessage
	}
	if x.Status < 400 || json.Unmarshal(x.body, &answer) != nil {
		return ""
	}
	member, _ := text(answer.Error[name])
	return member
}

// isJSON reports whether the answer says that it is JSON, and is.
func (x *Exchange) isJSON() bool {
	kind, _, _ := mime.ParseMediaType(x.Header.Get("Content-Type"))
	return kind == "application/json" && json.Valid(x.body)
}

// shorten keeps a message readable that quotes what an endpoint wrote.
func shorten(s string) string {
	const most = 160
	s = strings.Join(strings.Fields(s), " ")
	if runes := []rune(s); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return s
}
