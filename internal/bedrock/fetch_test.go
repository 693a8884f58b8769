package bedrock

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/types"

	"hyperstudy-endpoint/internal/awstest"
	"hyperstudy-endpoint/internal/openai"
)

// imageServer is an HTTPS server on the loopback address, and a client that
// trusts it and may reach it.
func imageServer(t testing.TB, h http.Handler) (url string, client *http.Client) {
	t.Helper()
	srv := httptest.NewTLSServer(h)
	t.Cleanup(srv.Close)
	return srv.URL, srv.Client()
}

// imageRoutes are the ways in which a server may behave.
func imageRoutes(img []byte) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/ok.png", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(img) })
	mux.HandleFunc("/wrong-type", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write(img)
	})
	mux.HandleFunc("/page", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte("<html>"))
	})
	mux.HandleFunc("/missing", http.NotFound)
	mux.HandleFunc("/hops/{n}", func(w http.ResponseWriter, r *http.Request) {
		if n := r.PathValue("n"); n != "0" {
			http.Redirect(w, r, "/hops/"+string(n[0]-1), http.StatusFound)
			return
		}
		_, _ = w.Write(img)
	})
	mux.HandleFunc("/to-http", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Location", "http://"+r.Host+"/ok.png")
		w.WriteHeader(http.StatusFound)
	})
	mux.HandleFunc("/zipped", func(w http.ResponseWriter, _ *http.Request) { // 4 KB that unpack to 4 MB
		var packed bytes.Buffer
		z := gzip.NewWriter(&packed)
		_, _ = z.Write(append(bytes.Clone(img), make([]byte, 4<<20)...))
		_ = z.Close()
		w.Header().Set("Content-Encoding", "gzip")
		w.Header().Set("Content-Type", "image/png")
		_, _ = w.Write(packed.Bytes())
	})
	mux.HandleFunc("/announced", func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Content-Length", "99999999") })
	mux.HandleFunc("/endless", func(w http.ResponseWriter, r *http.Request) {
		for r.Context().Err() == nil {
			if _, err := w.Write(bytes.Repeat(img, 1000)); err != nil {
				return
			}
		}
	})
	mux.HandleFunc("/breaks", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "1000")
		_, _ = w.Write(img)
		panic(http.ErrAbortHandler)
	})
	return mux
}

// TestFetch: what a server may do, and what becomes of it.
func TestFetch(t *testing.T) {
	t.Parallel()
	img := picture(t, types.ImageFormatPng, 3, 2)
	base, client := imageServer(t, imageRoutes(img))
	for path, fault := range map[string]string{
		"/ok.png":     "",
		"/ok.png?x=1": "", // the end of a URL says nothing of the type
		"/wrong-type": "",
		"/hops/3":     "",
		"/hops/4":     "more than 3 times",
		"/to-http":    "not https",
		"/page":       "is of text/html",
		"/missing":    "status 404",
		"/zipped":     "larger than 3.75 MB",
		"/announced":  "larger than 3.75 MB",
		"/endless":    "larger than 3.75 MB",
		"/breaks":     "could not be downloaded",
	} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			srv := awstest.NewServer(t)
			_, err := newProvider(t, srv, Options{Images: client}).Complete(t.Context(), imageRequest(t, base+path))
			if fault == "" {
				if err != nil || !strings.Contains(string(srv.Requests()[0].Body), base64.StdEncoding.EncodeToString(img)) {
					t.Errorf("error %v", err)
				}
				return
			}
			checkImageFault(t, err, fault)
		})
	}
}

func checkImageFault(t *testing.T, err error, want string) {
	t.Helper()
	var e *openai.Error
	if !errors.As(err, &e) || e.Status != http.StatusBadRequest || e.Param != "messages[0].content[0].image_url.url" || !strings.Contains(e.Message, want) {
		t.Errorf("error %v, want one that says %q", err, want)
		return
	}
	if strings.Contains(e.Message, "127.0.0.1") {
		t.Errorf("the message has an address: %s", e.Message)
	}
}

// TestFetchKeepsOrder: several images are downloaded together and stay in order.
func TestFetchKeepsOrder(t *testing.T) {
	t.Parallel()
	const n = maxLoads
	var arrived atomic.Int32
	all := make(chan struct{})
	base, client := imageServer(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if arrived.Add(1) == n {
			close(all)
		}
		<-all // none is answered before all are asked for
		_, _ = w.Write(picture(t, types.ImageFormatPng, int(r.URL.Path[1]-'0'), 1))
	}))
	urls := make([]string, n)
	for i := range urls {
		urls[i] = fmt.Sprintf("%s/%d", base, i+1)
	}
	srv := awstest.NewServer(t)
	if _, err := newProvider(t, srv, Options{Images: client}).Complete(t.Context(), imageRequest(t, urls...)); err != nil {
		t.Fatal(err)
	}
	body, last := string(srv.Requests()[0].Body), -1
	for i := range n {
		at := strings.Index(body, base64.StdEncoding.EncodeToString(picture(t, types.ImageFormatPng, i+1, 1)))
		if at <= last {
			t.Errorf("image %d is not at its place", i)
		}
		last = at
	}
}

// TestGuard: nothing is connected to that is not public, whether it is named,
// written as an address, or redirected to.
func TestGuard(t *testing.T) {
	t.Parallel()
	var hits atomic.Int32
	hidden, _ := imageServer(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { hits.Add(1) }))
	port := hidden[strings.LastIndex(hidden, ":"):]
	transport := guardedTransport(publicAddress)
	transport.TLSClientConfig = &tls.Config{InsecureSkipVerify: true}
	guarded := &http.Client{Transport: transport}
	for _, url := range []string{
		"https://127.0.0.1" + port, "https://localhost" + port, "https://[::1]" + port, "https://[::ffff:127.0.0.1]" + port,
		"https://[::ffff:7f00:1]" + port, "https://0.0.0.0" + port, "https://[::]" + port, "https://169.254.169.254/latest/meta-data/",
		"https://[fd00:ec2::254]/", "https://[64:ff9b::a9fe:a9fe]/", "https://10.0.0.1/", "https://[fe80::1%25lo]" + port,
	} {
		_, _, err := newFetcher(guarded).fetch(t.Context(), url, "messages[0].content[0].image_url.url")
		if err == nil {
			t.Errorf("%s was downloaded", url)
		}
	}
	for _, url := range []string{"https://", "https://user:secret@example.com/", "https://exa mple.com/", "https://[::1/"} {
		_, _, err := newFetcher(nil).fetch(t.Context(), url, "messages[0].content[0].image_url.url")
		checkImageFault(t, err, "not a valid https URL")
	}
	if n := hits.Load(); n != 0 {
		t.Errorf("the hidden server was reached %d times", n)
	}
}

// TestGuardRedirect: a server that may be reached sends the client to one that
// may not be.
func TestGuardRedirect(t *testing.T) {
	t.Parallel()
	var hits atomic.Int32
	hidden, _ := imageServer(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { hits.Add(1) }))
	public, _ := imageServer(t, http.RedirectHandler(hidden, http.StatusFound))
	var dials atomic.Int32
	transport := guardedTransport(func(netip.Addr) bool { return dials.Add(1) == 1 })
	transport.TLSClientConfig = &tls.Config{InsecureSkipVerify: true}
	_, _, err := newFetcher(&http.Client{Transport: transport}).fetch(t.Context(), public, "messages[0].content[0].image_url.url")
	checkImageFault(t, err, "public addresses")
	if hits.Load() != 0 || dials.Load() != 2 {
		t.Errorf("%d hits, %d dials", hits.Load(), dials.Load())
	}
}

// TestFetchCancelled: the request's own end is not the image's fault.
func TestFetchCancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	base, client := imageServer(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		cancel()
		<-r.Context().Done()
	}))
	srv := awstest.NewServer(t)
	_, err := newProvider(t, srv, Options{Images: client}).Complete(ctx, imageRequest(t, base))
	if e := openai.AsError(err); !errors.Is(err, context.Canceled) || e.Status == http.StatusBadRequest {
		t.Errorf("error %+v", e)
	}
}

func TestPublicAddress(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]bool{
		"93.184.216.34": true, "8.8.8.8": true, "2606:4700:4700::1111": true, "::ffff:8.8.8.8": true, "64:ff9b::808:808": true,
		"172.32.0.1": true, "100.128.0.1": true,
		"0.0.0.0": false, "10.1.2.3": false, "100.64.0.1": false, "127.0.0.1": false, "127.8.8.8": false, "169.254.169.254": false,
		"172.16.0.1": false, "172.31.255.255": false, "192.0.0.1": false, "192.168.1.1": false, "198.18.0.1": false, "224.0.0.1": false,
		"255.255.255.255": false, "240.0.0.1": false,
		"::": false, "::1": false, "fc00::1": false, "fd00:ec2::254": false, "fe80::1": false, "ff02::1": false,
		"::ffff:127.0.0.1": false, "::ffff:169.254.169.254": false, "::127.0.0.1": false, "64:ff9b::7f00:1": false, "64:ff9b:1::a00:1": false,
		"2002:7f00:1::": false, "2001::1": false, "2001:db8::1": false, "fec0::1": false, "4000::1": false,
	} {
		if got := publicAddress(netip.MustParseAddr(address)); got != want {
			t.Errorf("%s: public %v, want %v", address, got, want)
		}
	}
	if publicAddress(netip.MustParseAddr("fe80::1%lo")) || publicAddress(netip.Addr{}) {
		t.Error("an address with a zone, or none, is public")
	}
}

// A stalled server never answers. It leaves when the client does.
type stalled struct{}

func (stalled) RoundTrip(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

// A dripping server sends a byte of its image every second, and like any it stops
// when the client has left.
type dripping struct{ ctx context.Context }

func (dripping) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(dripping{r.Context()})}, nil
}

func (d dripping) Read(p []byte) (int, error) {
	select {
	case <-d.ctx.Done():
		return 0, d.ctx.Err()
	case <-time.After(time.Second):
		return copy(p, "x"), nil
	}
}

// TestFetchTakesTooLong: a slow server costs five seconds and no more, whether it
// does not answer or does not end.
func TestFetchTakesTooLong(t *testing.T) {
	t.Parallel()
	for name, server := range map[string]http.RoundTripper{"stalled": stalled{}, "dripping": dripping{}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				_, _, err := newFetcher(&http.Client{Transport: server}).fetch(t.Context(), "https://example.com/", "messages[0].content[0].image_url.url")
				checkImageFault(t, err, "within 5 seconds")
				if took := time.Since(start); took != fetchTime {
					t.Errorf("took %v", took)
				}
			})
		})
	}
}
