package bedrock

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/types"

	"hyperstudy-endpoint/internal/awstest"
	"hyperstudy-endpoint/internal/openai"
)

// TestSamePicture: a server that shows something else each time is asked once a
// URL, however many attempts there are.
func TestSamePicture(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	base, client := imageServer(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write(picture(t, types.ImageFormatPng, int(asked.Add(1)), 1))
	}))
	srv := awstest.NewServer(t)
	p := newProvider(t, srv, Options{Images: client})
	for _, url := range []string{"/a", "/a", "/b", "/b"} {
		if _, err := p.Complete(t.Context(), imageRequest(t, base+url)); err != nil {
			t.Fatal(err)
		}
	}
	calls := srv.Requests()
	if asked.Load() != 2 || !bytes.Equal(calls[0].Body, calls[1].Body) || !bytes.Equal(calls[2].Body, calls[3].Body) || bytes.Equal(calls[0].Body, calls[2].Body) {
		t.Errorf("%d downloads", asked.Load())
	}
}

// TestAllImages: the images of a request have a limit together, and are loaded a
// few at a time.
func TestAllImages(t *testing.T) {
	t.Parallel()
	img := append(picture(t, types.ImageFormatPng, 1, 1), make([]byte, 3<<20)...)
	var now, most atomic.Int32
	base, client := imageServer(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if n := now.Add(1); n > most.Load() {
			most.Store(n)
		}
		defer now.Add(-1)
		_, _ = w.Write(img)
	}))
	urls := make([]string, 9)
	for i := range urls {
		urls[i] = fmt.Sprintf("%s/%d", base, i)
	}
	_, err := loadAll(t, client, urls...)
	e := openai.AsError(err)
	if e.Status != http.StatusBadRequest || !strings.HasPrefix(e.Param, "messages[0].content[") || !strings.Contains(e.Message, "15 MB") {
		t.Errorf("error %+v", e)
	}
	if most.Load() > maxLoads+1 { // one more may just be returning
		t.Errorf("%d downloads at the same time", most.Load())
	}
	inline := dataURL("image/png", img)
	_, err = loadAll(t, nil, inline, inline, inline, inline, inline)
	if e := openai.AsError(err); e.Param != "messages[0].content[4].image_url.url" {
		t.Errorf("error %+v", e)
	}
	if loaded, err := loadAll(t, nil, inline, inline, inline, inline); err != nil || len(loaded) != 4 {
		t.Errorf("%d images, %v", len(loaded), err)
	}
}

// loadAll loads the images of a message without a request being read or sent.
func loadAll(t *testing.T, client *http.Client, urls ...string) (map[picturePlace]types.ContentBlock, error) {
	t.Helper()
	parts := make([]openai.Part, len(urls))
	for i, u := range urls {
		parts[i] = openai.Part{Type: openai.PartImageURL, ImageURL: u}
	}
	tr := &translation{family: &other, req: &openai.ChatCompletionRequest{Messages: []openai.Message{{Role: openai.RoleUser, Content: parts}}}}
	return tr.pictures(t.Context(), newFetcher(client))
}

// TestImageCache: images are forgotten after a minute, and when there are many.
func TestImageCache(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var c imageCache
		c.put("a", []byte("A"), "image/png")
		if data, kind, ok := c.get("a"); !ok || string(data) != "A" || kind != "image/png" {
			t.Errorf("%q %q", data, kind)
		}
		var wait sync.WaitGroup
		for i := range 50 {
			wait.Go(func() { c.put(fmt.Sprint(i), make([]byte, 1<<20), "") })
		}
		wait.Wait()
		if _, _, ok := c.get("a"); ok || c.size > cacheBytes || len(c.entries) != cacheBytes>>20 {
			t.Errorf("%d entries, %d bytes", len(c.entries), c.size)
		}
		time.Sleep(cacheTime)
		c.get("")
		if len(c.entries) != 0 || c.size != 0 {
			t.Errorf("%d entries after a minute", len(c.entries))
		}
	})
}
