package lambdatest

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"
)

// runtimeAPI serves what a custom runtime talks to. See
// https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html. A request out
// of order or for another invocation is refused in the words of AWS's own
// implementation, the Runtime Interface Emulator.
func (e *environment) runtimeAPI() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /2018-06-01/runtime/invocation/next", e.next)
	mux.HandleFunc("POST /2018-06-01/runtime/invocation/{id}/response", e.response)
	mux.HandleFunc("POST /2018-06-01/runtime/invocation/{id}/error", e.invocationError)
	mux.HandleFunc("POST /2018-06-01/runtime/init/error", e.initError)
	return mux
}

// next ends the invocation before, if there was one, and waits for an event.
func (e *environment) next(w http.ResponseWriter, r *http.Request) {
	if !e.ready(time.Now()) {
		refuseTransition(w, "Ready")
		return
	}
	select {
	case c := <-e.calls:
		if e.fn.Initialized != nil && c.record.Cold {
			e.fn.Initialized(e.cmd.Process.Pid)
		}
		e.deliver(w, c)
	case <-r.Context().Done(): // the process is gone
	}
}

// ready notes at now that the process can take an event. It reports whether the
// process may ask for one.
func (e *environment) ready(now time.Time) bool {
	f := e.fn
	f.mu.Lock()
	defer f.mu.Unlock()
	switch e.state {
	case starting:
		e.initTimer.Stop()
		e.state = busy // with the call it was started for
		e.call.record.InitDuration = now.Sub(e.started)
	case finishingUp:
		e.call.record.PeakRSS = peakRSS(e.cmd.Process.Pid)
		e.finish()
		e.state = idle
	case idle, busy, responding, dead:
		return false
	}
	f.broadcast()
	return true
}

// deliver answers a request for an event, which starts the invocation's time.
func (e *environment) deliver(w http.ResponseWriter, c *call) {
	f := e.fn
	f.mu.Lock()
	c.delivered = time.Now()
	deadline := c.delivered.Add(f.timeout())
	c.deadline = time.AfterFunc(f.timeout(), func() { e.expired(c) })
	f.mu.Unlock()

	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(len(c.event)))
	h.Set("Lambda-Runtime-Aws-Request-Id", c.id)
	h.Set("Lambda-Runtime-Deadline-Ms", strconv.FormatInt(deadline.UnixMilli(), 10))
	h.Set("Lambda-Runtime-Invoked-Function-Arn", "arn:aws:lambda:"+region+":"+account+":function:"+f.name())
	h.Set("Lambda-Runtime-Trace-Id", newTraceID(c.delivered)+";Parent="+newHex(8)+";Sampled=0")
	_, _ = w.Write(c.event) // fails if the process is gone, which reap sees
}

// response takes the response and hands it on as it comes.
func (e *environment) response(w http.ResponseWriter, r *http.Request) {
	c := e.begin(w, r, "InvocationResponse")
	if c == nil {
		return
	}
	n, err := io.Copy(&responseWriter{e: e, c: c}, io.LimitReader(r.Body, c.limit+1))
	switch {
	case err != nil:
		// The process broke off, which it does by ending. Why it ended says more
		// than this error, so reap fails the call; at the latest at its deadline.
	case n > c.limit:
		e.end(c, &FunctionError{
			Type:    "Function.ResponseSizeTooLarge",
			Message: fmt.Sprintf("Response payload size exceeded maximum allowed payload size (%d bytes).", c.limit),
		})
		refuse(w, http.StatusRequestEntityTooLarge, "RequestEntityTooLarge",
			fmt.Sprintf("Exceeded maximum allowed payload size (%d bytes).", c.limit))
	default:
		e.end(c, trailerError(r.Trailer))
		writeStatus(w, http.StatusAccepted, map[string]string{"status": "OK"})
	}
}

// invocationError takes the report that the function failed on its event.
func (e *environment) invocationError(w http.ResponseWriter, r *http.Request) {
	c := e.begin(w, r, "InvocationErrorResponse")
	if c == nil {
		return
	}
	e.end(c, reportedError(r))
	writeStatus(w, http.StatusAccepted, map[string]string{"status": "OK"})
}

// initError takes the report that INIT failed. The process is expected to exit.
func (e *environment) initError(w http.ResponseWriter, r *http.Request) {
	reported := reportedError(r)
	e.fn.mu.Lock()
	allowed := e.state == starting && e.failure == nil
	if allowed {
		e.failure = reported
	}
	e.fn.mu.Unlock()
	if !allowed {
		refuseTransition(w, "InitError")
		return
	}
	writeStatus(w, http.StatusAccepted, map[string]string{"status": "OK"})
	go func() {
		if !e.ended(grace) {
			_ = e.cmd.Process.Kill()
		}
	}()
}

// begin returns the call that a request answers, or nil after refusing it.
func (e *environment) begin(w http.ResponseWriter, r *http.Request, transition string) *call {
	e.fn.mu.Lock()
	c := e.call
	known := c != nil && c.id == r.PathValue("id")
	allowed := known && e.state == busy
	if allowed {
		e.state = responding
	}
	e.fn.mu.Unlock()
	switch {
	case allowed:
		return c
	case known:
		refuseTransition(w, transition)
	default:
		refuse(w, http.StatusBadRequest, "InvalidRequestID", "Invalid request ID")
	}
	return nil
}

// end notes that the response is in; failure is nil if it is a good one. The
// state changes before the caller is told, so that a caller who sends its next
// event at once does not find this environment at work.
func (e *environment) end(c *call, failure *FunctionError) {
	var err error
	e.fn.mu.Lock()
	if e.state == responding {
		e.state = finishingUp
	}
	if failure != nil {
		err = failure
		c.record.Err = failure
	} else {
		c.record.LastByte = c.since(time.Now())
	}
	e.fn.broadcast()
	e.fn.mu.Unlock()
	c.stream.end(endError(err))
}

// A responseWriter writes to the stream of a call and keeps its record.
type responseWriter struct {
	e *environment
	c *call
}

func (w *responseWriter) Write(p []byte) (int, error) {
	w.e.fn.mu.Lock()
	if w.c.record.ResponseBytes == 0 {
		w.c.record.FirstByte = w.c.since(time.Now())
	}
	w.c.record.ResponseBytes += int64(len(p))
	w.e.fn.mu.Unlock()
	return w.c.stream.Write(p)
}

// reportedError reads an error report. A report that is no JSON counts too.
func reportedError(r *http.Request) *FunctionError {
	reported := &FunctionError{Type: r.Header.Get("Lambda-Runtime-Function-Error-Type")}
	body, err := io.ReadAll(io.LimitReader(r.Body, maxBufferedResponse))
	if err != nil {
		reported.Message = "error report: " + err.Error()
	} else if json.Unmarshal(body, reported) != nil {
		reported.Message = string(body)
	}
	if reported.Type == "" {
		reported.Type = "Runtime.UnknownReason"
	}
	return reported
}

// trailerError reads the trailers that report an error after the start of a
// response; the body is base64 of the same JSON as an error report's.
func trailerError(trailer http.Header) *FunctionError {
	kind := trailer.Get("Lambda-Runtime-Function-Error-Type")
	if kind == "" {
		return nil
	}
	encoded := trailer.Get("Lambda-Runtime-Function-Error-Body")
	reported := &FunctionError{Type: kind}
	body, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil || json.Unmarshal(body, reported) != nil {
		reported.Message = encoded
	}
	return reported
}

func refuseTransition(w http.ResponseWriter, to string) {
	refuse(w, http.StatusForbidden, "InvalidStateTransition", "Transition to "+to+" is not allowed")
}

func refuse(w http.ResponseWriter, status int, kind, message string) {
	writeStatus(w, status, FunctionError{Type: kind, Message: message})
}

// writeStatus answers with a small JSON document.
func writeStatus(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // fails only if the process is gone
}
