package toolcall

import (
	"crypto/sha256"
	"encoding/json"

	"hyperstudy-endpoint/internal/jsonschema"
	"hyperstudy-endpoint/internal/lru"
)

const (
	maxCached      = 64
	maxCachedBytes = 16 << 20 // that compiled schemas take up, by their own estimate
)

// compiled are the schemas that this process compiled last. Every screen of an
// experiment sends its own with each request.
var compiled = newCache()

// A cache keeps the schemas that were used last, by their text.
type cache struct {
	lru.Cache[[sha256.Size]byte, *jsonschema.Schema]
}

func newCache() *cache {
	c := &cache{}
	c.MaxEntries, c.MaxBytes = maxCached, maxCachedBytes
	return c
}

// compile returns the compiled schema. Two callers that miss at the same time
// both compile, which does no harm. Schemas that cannot be compiled are not kept.
func (c *cache) compile(raw json.RawMessage) (*jsonschema.Schema, error) {
	key := sha256.Sum256(raw)
	if s, ok := c.Get(key); ok {
		return s, nil
	}
	s, err := jsonschema.Compile(string(raw))
	if err != nil {
		return nil, err
	}
	c.Put(key, s, s.Memory)
	return s, nil
}
