package bedrock

import (
	"io"
	"net/http"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"

	"hyperstudy-endpoint/internal/awstest"
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
