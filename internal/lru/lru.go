// Package lru remembers what was used last, within limits.
package lru

import (
	"container/list"
	"sync"
)

// A Cache remembers values by their keys and forgets those that have not been used
// for longest. It is safe for concurrent use. Set the limits before the first use
// and do not change them after.
type Cache[K comparable, V any] struct {
	MaxEntries int
	MaxBytes   int // of all values together, as Put was told

	mu      sync.Mutex
	entries map[K]*list.Element
	order   list.List // of *entry[K, V], the one used last in front
	bytes   int
}

type entry[K comparable, V any] struct {
	key   K
	value V
	bytes int
}

// Get returns the value of the key. ok is false if it is not known.
func (c *Cache[K, V]) Get(key K) (value V, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.entries[key]
	if e == nil {
		return value, false
	}
	c.order.MoveToFront(e)
	known, _ := e.Value.(*entry[K, V])
	return known.value, true
}

// Put remembers a value that takes up so many bytes. It does nothing if the key is
// known already, as it is where two callers missed at the same time, or if the value
// is larger than all that may be remembered.
func (c *Cache[K, V]) Put(key K, value V, bytes int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.entries == nil {
		c.entries = map[K]*list.Element{}
	}
	if c.entries[key] != nil || bytes > c.MaxBytes {
		return
	}
	c.entries[key] = c.order.PushFront(&entry[K, V]{key, value, bytes})
	c.bytes += bytes
	for len(c.entries) > c.MaxEntries || c.bytes > c.MaxBytes {
		oldest, _ := c.order.Remove(c.order.Back()).(*entry[K, V])
		delete(c.entries, oldest.key)
		c.bytes -= oldest.bytes
	}
}

// Len returns how many values are remembered.
func (c *Cache[K, V]) Len() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.entries)
}

// Bytes returns what the remembered values take up together.
func (c *Cache[K, V]) Bytes() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.bytes
}
