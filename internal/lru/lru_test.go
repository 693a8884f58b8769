package lru

import (
	"sync"
	"testing"
)

func TestCache(t *testing.T) {
	t.Parallel()
	c := Cache[int, string]{MaxEntries: 3, MaxBytes: 10}
	if _, ok := c.Get(1); ok {
		t.Error("an empty cache knows a value")
	}
	c.Put(1, "one", 2)
	c.Put(2, "two", 2)
	c.Put(3, "three", 2)
	c.Put(1, "another", 9) // known already
	c.Get(2)
	c.Get(1)
	c.Put(4, "four", 2) // too many: 3 goes
	check(t, &c, map[int]string{1: "one", 2: "two", 4: "four"}, 6)
	c.Get(4)
	c.Put(5, "five", 8) // too large together: all but 4 go
	check(t, &c, map[int]string{4: "four", 5: "five"}, 10)
	c.Put(6, "six", 11) // larger than everything
	check(t, &c, map[int]string{4: "four", 5: "five"}, 10)
}

// check checks all that is remembered. What it looks at counts as used.
func check(t *testing.T, c *Cache[int, string], want map[int]string, bytes int) {
	t.Helper()
	for key := range 10 {
		got, ok := c.Get(key)
		if _, known := want[key]; ok != known || got != want[key] {
			t.Errorf("%d: %q, %v", key, got, ok)
		}
	}
	if c.Len() != len(want) || c.order.Len() != len(want) || c.Bytes() != bytes {
		t.Errorf("%d entries, %d in order, %d bytes; want %d and %d", c.Len(), c.order.Len(), c.Bytes(), len(want), bytes)
	}
}

func TestConcurrentUse(t *testing.T) {
	t.Parallel()
	c := Cache[int, int]{MaxEntries: 8, MaxBytes: 100}
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			for k := range 100 {
				key := (i + k) % 12
				if v, ok := c.Get(key); ok && v != key {
					t.Errorf("%d is %d", key, v)
				}
				c.Put(key, key, 10+key)
			}
		})
	}
	wg.Wait()
	sum := 0
	for e := c.order.Front(); e != nil; e = e.Next() {
		if known, ok := e.Value.(*entry[int, int]); ok {
			sum += known.bytes
		}
	}
	if sum != c.Bytes() || sum > c.MaxBytes || c.Len() == 0 || c.Len() > c.MaxEntries {
		t.Errorf("%d bytes counted, %d kept, %d entries", c.Bytes(), sum, c.Len())
	}
}
