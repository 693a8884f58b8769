package lambdatest

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// maxPrelude is where the separator must have ended. See
// https://docs.aws.amazon.com/apigateway/latest/developerguide/response-transfer-mode-lambda.html.
const maxPrelude = 16 << 10

// separator ends the metadata of a streamed response.
var separator = make([]byte, 8)

// errNoPrelude is a streamed response that does not begin with metadata.
var errNoPrelude = errors.New("response does not begin with JSON metadata and 8 NUL bytes")

// A head is the part of a response that is not the body.
type head struct {
	StatusCode        int                 `json:"statusCode"`
	Headers           map[string]string   `json:"headers"`
	MultiValueHeaders map[string][]string `json:"multiValueHeaders"`
	Cookies           []string            `json:"cookies"` // streamed responses only
}

// stream passes a streamed response on. Before the prelude is in, a failure is
// an error answer; after it, the status is out and all that is left is to cut
// the connection. stop ends the waiting for the function.
func (x *exchange) stream(resp *Response, stop context.CancelCauseFunc) {
	h, body, err := readPrelude(resp)
	if err != nil {
		x.failWith(err)
		return
	}
	x.writeHead(h)
	rc := http.NewResponseController(x.w)
	timeout := cmp.Or(x.gateway.IdleTimeout, 5*time.Minute)
	idle := time.AfterFunc(timeout, func() { stop(errIdle) })
	defer idle.Stop()
	for buf := make([]byte, 32<<10); ; {
		if _, err := x.w.Write(body); err != nil {
			return // the client has gone; the function goes on without it
		}
		if err := rc.Flush(); err != nil {
			return
		}
		n, err := resp.Read(buf)
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		idle.Reset(timeout)
		body = buf[:n]
	}
}

// readPrelude reads the metadata and whatever of the body came with it.
func readPrelude(resp io.Reader) (head, []byte, error) {
	var h head
	data := make([]byte, 0, maxPrelude)
	for {
		n, err := resp.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		if metadata, body, found := bytes.Cut(data, separator); found {
			err := decodeExactly(metadata, &h, "statusCode", "headers", "multiValueHeaders", "cookies")
			if err == nil {
				err = h.check()
			}
			if err != nil {
				return h, nil, fmt.Errorf("%w: %w", errNoPrelude, err)
			}
			return h, body, nil
		}
		if errors.Is(err, io.EOF) || len(data) == cap(data) {
			return h, nil, errNoPrelude
		}
		if err != nil {
			return h, nil, err
		}
	}
}

// buffered answers with a response that is one JSON document.
func (x *exchange) buffered(resp *Response) {
	data, err := io.ReadAll(resp)
	if err != nil {
		x.failWith(err)
		return
	}
	var doc struct {
		head
		Body            string `json:"body"`
		IsBase64Encoded bool   `json:"isBase64Encoded"`
	}
	err = decodeExactly(data, &doc, "statusCode", "headers", "multiValueHeaders", "body", "isBase64Encoded")
	if err == nil {
		err = doc.check()
	}
	body := []byte(doc.Body)
	// Without a binary media type that the client accepts, base64 stays base64.
	if err == nil && doc.IsBase64Encoded && x.binary(firstOf(x.r.Header.Get("Accept"))) {
		body, err = base64.StdEncoding.DecodeString(doc.Body)
	}
	if err != nil {
		x.fail(functionFailed) // AWS: "Malformed Lambda proxy response"
		return
	}
	if length := doc.take("Content-Length"); length != "" {
		x.w.Header().Set("x-amzn-Remapped-Content-Length", length)
	}
	if bodyAllowed(doc.StatusCode) {
		x.w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	}
	x.writeHead(doc.head)
	_, _ = x.w.Write(body) // fails if the client has gone or the status has no body
}

// writeHead sends the status and the headers. Those that API Gateway keeps for
// itself go out under another name, see
// https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-known-issues.html.
func (x *exchange) writeHead(h head) {
	out := x.w.Header()
	out.Set("Content-Type", "application/json")
	for name, value := range h.Headers {
		out.Set(outwardName(name), value)
	}
	for name, values := range h.MultiValueHeaders { // these win over headers
		out.Del(outwardName(name))
		for _, value := range values {
			out.Add(outwardName(name), value)
		}
	}
	for _, cookie := range h.Cookies {
		out.Add("Set-Cookie", cookie)
	}
	out.Del("Transfer-Encoding")
	x.w.WriteHeader(h.StatusCode)
}

// outwardName returns the name under which a function's header reaches clients.
func outwardName(name string) string {
	switch strings.ToLower(name) {
	case "authorization", "connection", "date", "server", "www-authenticate", "x-amzn-requestid":
		return "x-amzn-Remapped-" + name
	}
	return name
}

// take removes a header and returns its value.
func (h *head) take(name string) string {
	taken := ""
	for key, value := range h.Headers {
		if strings.EqualFold(key, name) {
			taken = value
			delete(h.Headers, key)
		}
	}
	for key, values := range h.MultiValueHeaders {
		if strings.EqualFold(key, name) {
			taken = strings.Join(values, ",")
			delete(h.MultiValueHeaders, key)
		}
	}
	return taken
}

// check refuses a status that no final answer can have.
func (h *head) check() error {
	if h.StatusCode < http.StatusOK || h.StatusCode > 599 {
		return fmt.Errorf("statusCode is %d", h.StatusCode)
	}
	return nil
}

// decodeExactly decodes a JSON object whose members may have these names only,
// and in this spelling: encoding/json alone would take StatusCode for statusCode.
func decodeExactly(data []byte, v any, names ...string) error {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(data, &members); err != nil {
		return err
	}
	if members == nil {
		return errors.New("no JSON object")
	}
	for _, name := range names {
		delete(members, name)
	}
	for name := range members {
		return fmt.Errorf("unknown member %q", name)
	}
	return json.Unmarshal(data, v)
}

// bodyAllowed reports whether a final status can have a body.
func bodyAllowed(status int) bool {
	return status != http.StatusNoContent && status != http.StatusNotModified
}

// firstOf returns the first entry of a comma-separated header.
func firstOf(value string) string {
	first, _, _ := strings.Cut(value, ",")
	return first
}
