package bedrock

import (
	"slices"
	"sync"
	"time"
)

const (
	cacheTime  = time.Minute
	cacheBytes = 16 << 20
)

// An imageCache keeps downloaded images for the next attempts at a request, so
// that all of them show the model the same picture. An image is found by exactly
// the URL it was downloaded from. The zero value is empty and ready.
type imageCache struct {
	mu      sync.Mutex
	entries []cachedImage // oldest first
	size    int
}

// A cachedImage is a download, which nobody may change.
type cachedImage struct {
	url, mediaType string
	data           []byte
	until          time.Time
}

// get returns the image of a URL, if it was downloaded within the last minute.
func (c *imageCache) get(url string) (data []byte, mediaType string, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.evict(0)
	for _, e := range c.entries {
		if e.url == url {
			return e.data, e.mediaType, true
		}
	}
	return nil, "", false
}

// put keeps an image, in the place of older ones if there is no room.
func (c *imageCache) put(url string, data []byte, mediaType string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(data) > maxImageBytes || slices.ContainsFunc(c.entries, func(e cachedImage) bool { return e.url == url }) {
		return
	}
	c.evict(len(data))
	c.entries = append(c.entries, cachedImage{url, mediaType, data, time.Now().Add(cacheTime)})
	c.size += len(data)
}

// evict forgets what is too old, and the oldest until there is room for more bytes.
func (c *imageCache) evict(more int) {
	const most = 256 // images
	now, n := time.Now(), 0
	for n < len(c.entries) && (c.size+more > cacheBytes || !now.Before(c.entries[n].until) || more > 0 && len(c.entries)-n >= most) {
		c.size -= len(c.entries[n].data)
		n++
	}
	c.entries = slices.Delete(c.entries, 0, n)
}
