package bedrock

import (
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"

	"hyperstudy-endpoint/internal/awstest"
	"hyperstudy-endpoint/internal/openai"
)

// A hasty server answers before net/http has seen the end of the request, for
// which it looks, as net/http does, while the answer is read.
type hasty struct{ client *http.Client }

func (h hasty) Do(req *http.Request) (*http.Response, error) {
	body := req.Body
	req.Body = io.NopCloser(io.LimitReader(body, req.ContentLength))
	resp, err := h.client.Do(req)
	req.Body = body // which the SDK closes now
	if err == nil {
		resp.Body = &hastyBody{resp.Body, body}
	}
	return resp, err
}

type hastyBody struct {
	io.ReadCloser
	request io.Reader
}

func (b *hastyBody) Read(p []byte) (int, error) {
	if _, err := io.Copy(io.Discard, b.request); err != nil {
		return 0, err
	}
	return b.ReadCloser.Read(p)
}

// TestAnswerOvertakesRequest: an answer that begins before the request has ended
// is an answer like any other.
func TestAnswerOvertakesRequest(t *testing.T) {
	t.Parallel()
	srv := awstest.NewServer(t)
	cfg := srv.Config()
	cfg.HTTPClient = hasty{srv.Client()}
	p, err := New(bedrockruntime.NewFromConfig(cfg), Options{})
	if err != nil {
		t.Fatal(err)
	}
	req := decodeRequest(t, ask(claude45))
	if _, err := p.Complete(t.Context(), req); err != nil {
		t.Errorf("in one piece: %v", err)
	}
	if _, err := p.Stream(t.Context(), req, new(transcript).emit); err != nil {
		t.Errorf("in a stream: %v", err)
	}
}

// TestRequestLeavesInOnePiece counts what is written for a request: the header
// with the body behind it, in one packet where it is short.
func TestRequestLeavesInOnePiece(t *testing.T) {
	t.Parallel()
	srv := awstest.NewServer(t)
	cfg := srv.Config()
	var dialer net.Dialer
	var writes atomic.Int32
	cfg.HTTPClient = &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := dialer.DialContext(ctx, network, addr)
		return countedConn{conn, &writes}, err
	}}}
	p, err := New(bedrockruntime.NewFromConfig(cfg), Options{})
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if _, err := p.Complete(t.Context(), decodeRequest(t, ask(claude45))); err != nil {
			t.Fatal(err)
		}
	}
	if n := writes.Load(); n != 3 {
		t.Errorf("%d writes for 3 requests", n)
	}
}

type countedConn struct {
	net.Conn
	writes *atomic.Int32
}

func (c countedConn) Write(p []byte) (int, error) {
	c.writes.Add(1)
	return c.Conn.Write(p)
}

// TestUnreachable: the error of a request that could not be sent is that of the
// API, whoever sends it.
func TestUnreachable(t *testing.T) {
	t.Parallel()
	srv := awstest.NewServer(t)
	cfg := srv.Config()
	srv.Close()
	p, err := New(bedrockruntime.NewFromConfig(cfg), Options{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = p.Complete(t.Context(), decodeRequest(t, ask(claude45)))
	if e := openai.AsError(err); e.Status != http.StatusBadGateway || !e.Temporary || strings.Contains(e.Message, "127.0.0.1") {
		t.Errorf("%d, temporary %t: %s", e.Status, e.Temporary, e.Message)
	}
}
