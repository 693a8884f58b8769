package awstest

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"time"
)

// A Request is a call of Converse or ConverseStream as the fake received it.
type Request struct {
	ModelID string
	Stream  bool // ConverseStream
	Body    json.RawMessage
	Header  http.Header
	Time    time.Time
	// Refusal is the message of the refusal, or "" if the call was answered as
	// scripted; Rule is the id of the restriction that was broken, as in "R13",
	// "shape" for a rule of the service model without an id, or "signature".
	Refusal string
	Rule    string
}

// Requests are the calls of Bedrock so far, the refused ones too, in the order
// in which they were judged.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Forget empties the list of requests, for programs that make very many.
func (s *Server) Forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = nil
}

// serveConverse checks, records and answers a call.
func (s *Server) serveConverse(w http.ResponseWriter, r *http.Request, model string, stream bool, body []byte) {
	req := Request{ModelID: model, Stream: stream, Body: body, Header: r.Header.Clone(), Time: time.Now()}
	f := checkSignature(r, body, "bedrock")
	if f != nil {
		req.Rule, req.Refusal = "signature", f.message
	} else if broken := s.check(model, stream, body); broken != nil {
		req.Rule, req.Refusal = broken.rule, broken.message
		f = invalid(broken.message)
	}
	s.mu.Lock()
	s.requests = append(s.requests, req)
	s.mu.Unlock()
	if f != nil {
		writeFault(w, f)
		return
	}
	s.play(w, r, s.script.next(req), stream)
}

// play sends a reply.
func (s *Server) play(w http.ResponseWriter, r *http.Request, reply Reply, stream bool) {
	if reply.hangs {
		s.hang(r, reply.until)
	}
	if reply.dropped || !s.wait(r, reply.Delay) {
		drop()
	}
	for key, values := range reply.Header {
		w.Header()[http.CanonicalHeaderKey(key)] = values
	}
	content := s.named(reply.content)
	switch {
	case (reply.Body != nil && (!stream || reply.events == nil)) || reply.Status >= 300:
		s.writeBody(w, reply, reply.Body)
	case stream:
		events := reply.script(content)
		if reply.cut {
			events = append(slices.Clone(events[:max(0, len(events)-2)]), Break())
		}
		s.writeStream(w, r, events)
	case reply.events != nil:
		s.report("a Stream reply was scripted, but Converse was called")
		writeFault(w, &fault{http.StatusInternalServerError, "InternalServerException", "a Stream reply cannot answer Converse"})
	default:
		s.writeBody(w, reply, reply.completion(content))
	}
}

// writeBody sends status, length and body.
func (s *Server) writeBody(w http.ResponseWriter, reply Reply, body []byte) {
	h := w.Header()
	if h.Get("Content-Type") == "" {
		h.Set("Content-Type", "application/json")
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(max(reply.Status, http.StatusOK))
	if reply.cut {
		_, _ = w.Write(body[:len(body)/2])
		_ = http.NewResponseController(w).Flush()
		drop()
	}
	_, _ = w.Write(body)
}

// hang waits for done, which may be nil: never; it returns false when the client left or the Server
// closed before.
func (s *Server) hang(r *http.Request, done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	case <-r.Context().Done():
	case <-s.quit:
	}
	return false
}
