package toolcall

import (
	"container/list"
	"crypto/sha256"
	"encoding/json"
	"sync"

	"hyperstudy-endpoint/internal/jsonschema"
)

const (
	maxCached      = 64
	maxCachedBytes = 16 << 20 // that compiled schemas take up, by their own estimate
)

// compiled are the schemas that this process compiled last. Every screen of an
// experiment sends its own with each request.
var compiled = &cache{}

// A cache keeps the schemas that were used last, by their text.
type cache struct {
	mu      sync.Mutex
	entries map[[sha256.Size]byte]*list.Element
	order   list.List // of *cacheEntry, the one used last in front
	bytes   int
}

type cacheEntry struct {
	key    [sha256.Size]byte
	bytes  int
	schema *jsonschema.Schema
}

// compile returns the compiled schema. Two callers that miss at the same time
// both compile, which does no harm. Schemas that cannot be compiled are not kept.
func (c *cache) compile(raw json.RawMessage) (*jsonschema.Schema, error) {
	key := sha256.Sum256(raw)
	if s := c.get(key); s != nil {
		return s, nil
	}
	s, err := jsonschema.Compile(string(raw))
	if err != nil {
		return nil, err
	}
	c.put(&cacheEntry{key, s.Memory, s})
	return s, nil
}

func (c *cache) get(key [sha256.Size]byte) *jsonschema.Schema {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.entries[key]
	if e == nil {
		return nil
	}
	c.order.MoveToFront(e)
	entry, _ := e.Value.(*cacheEntry)
	return entry.schema
}

func (c *cache) put(entry *cacheEntry) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.entries == nil {
		c.entries = map[[sha256.Size]byte]*list.Element{}
	}
	if c.entries[entry.key] != nil || entry.bytes > maxCachedBytes {
		return
	}
	c.entries[entry.key] = c.order.PushFront(entry)
	c.bytes += entry.bytes
	for c.order.Len() > maxCached || c.bytes > maxCachedBytes {
		oldest, _ := c.order.Remove(c.order.Back()).(*cacheEntry)
		delete(c.entries, oldest.key)
		c.bytes -= oldest.bytes
	}
}
