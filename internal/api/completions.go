package api

import (
	"context"
	"net/http"
	"strconv"
	"strings"

	"hyperstudy-endpoint/internal/openai"
	"hyperstudy-endpoint/internal/report"
)

// completeChat answers POST /chat/completions.
func (s *Server) completeChat(out *response, r *http.Request, x *Exchange) error {
	body := &bodyReader{Reader: http.MaxBytesReader(out.ResponseWriter, r.Body, maxBody), announced: r.ContentLength}
	req, err := openai.DecodeRequest(body)
	x.BodyBytes = body.n
	if err != nil {
		return err
	}
	x.Request, x.Kind = req, kindOf(req)
	if req.Stream {
		return s.streamChat(out, r, req)
	}
	x.Completion, x.Report, err = s.options.Completer.Complete(r.Context(), req, nil)
	disclose(out.Header(), x.Report)
	if err != nil {
		return err
	}
	return out.writeJSON(http.StatusOK, x.Completion)
}

// streamChat answers as a stream.
func (s *Server) streamChat(out *response, r *http.Request, req *openai.ChatCompletionRequest) error {
	ctx, hangUp := context.WithCancel(r.Context())
	defer hangUp()
	live := newStream(ctx, hangUp, out, req)
	defer live.stop() // also where the work ends in a panic
	completion, report, err := s.options.Completer.Complete(ctx, req, live.emit)
	live.stop()
	out.exchange.Completion, out.exchange.Report = completion, report
	disclose(out.Header(), report)
	if err != nil {
		return err
	}
	return live.end(completion)
}

// maxHeader bounds a header's value: clients and front ends refuse responses
// with large headers, and a caller may send any number of unknown parameters.
const maxHeader = 1024

// joined lists words, those beyond the bound as "other".
func joined(words []string) string {
	list := strings.Join(words, ",")
	if len(list) <= maxHeader {
		return list
	}
	return list[:strings.LastIndexByte(list[:maxHeader], ',')] + ",other"
}

// disclose tells in the response's header how the answer came about. Headers
// of a stream that has already begun stay as they are.
func disclose(h http.Header, r *report.Report) {
	if r.Attempts > 0 {
		h.Set("X-Endpoint-Attempts", strconv.Itoa(r.Attempts))
	}
	for name, words := range map[string][]string{"X-Endpoint-Mended": r.Mended, "X-Endpoint-Ignored": r.Ignored} {
		if len(words) > 0 {
			h.Set(name, joined(words))
		}
	}
	if r.Fallback != "" {
		h.Set("X-Endpoint-Fallback", r.Fallback)
	}
}
