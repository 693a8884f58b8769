package toolcall

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
)

func TestCache(t *testing.T) {
	t.Parallel()
	var c cache
	schema := func(i int) json.RawMessage { return json.RawMessage(fmt.Sprintf(`{"type":"object","title":"%d"}`, i)) }
	first, err := c.compile(schema(0))
	if err != nil {
		t.Fatal(err)
	}
	for i := range maxCached + 10 {
		if _, err := c.compile(schema(i)); err != nil {
			t.Fatal(err)
		}
		if again, err := c.compile(schema(0)); err != nil || again != first {
			t.Fatalf("after %d others: compiled again: %v", i, err)
		}
	}
	if c.order.Len() != maxCached || len(c.entries) != maxCached {
		t.Errorf("%d entries, %d in the map", c.order.Len(), len(c.entries))
	}
	if again, err := c.compile(schema(1)); err != nil || again == nil {
		t.Errorf("a schema that was dropped: %v", err)
	}
	if _, err := c.compile(json.RawMessage(`{"type":0}`)); err == nil || len(c.entries) != maxCached {
		t.Errorf("a bad schema was kept: %v", err)
	}
}

func TestCacheBytes(t *testing.T) {
	t.Parallel()
	var c cache
	for i := range 20 {
		raw := fmt.Sprintf(`{"title":"%d%s"}`, i, strings.Repeat("x", maxCachedBytes/8))
		if _, err := c.compile(json.RawMessage(raw)); err != nil {
			t.Fatal(err)
		}
	}
	total := 0
	for e := c.order.Front(); e != nil; e = e.Next() {
		if entry, ok := e.Value.(*cacheEntry); ok {
			total += entry.bytes
		}
	}
	if total != c.bytes || total > maxCachedBytes || len(c.entries) != 7 {
		t.Errorf("%d bytes counted, %d kept, %d entries", c.bytes, total, len(c.entries))
	}
	if _, err := c.compile(json.RawMessage(`{}` + strings.Repeat(" ", maxCachedBytes))); err != nil || len(c.entries) != 7 {
		t.Errorf("a schema larger than the cache: %v, %d entries", err, len(c.entries))
	}
}

// TestCacheMemory counts what schemas take up when they are compiled: a hundred
// bytes of a pattern are megabytes then.
func TestCacheMemory(t *testing.T) {
	var c cache
	for i := range maxCached {
		raw := fmt.Sprintf(`{"allOf":[{"pattern":"^%d[a-z]{0,950}x$"}%s]}`, i, strings.Repeat(",{}", 3900))
		if _, err := c.compile(json.RawMessage(raw)); err != nil {
			t.Fatal(err)
		}
	}
	var with, without runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&with)
	kept := len(c.entries)
	c = cache{}
	runtime.GC()
	runtime.ReadMemStats(&without)
	if n := int(with.HeapAlloc) - int(without.HeapAlloc); kept == 0 || n > 2*maxCachedBytes {
		t.Errorf("%d schemas take up %d MB", kept, n>>20)
	}
}

// TestConcurrentUse judges with the same schemas from many goroutines, for the
// race detector to look at.
func TestConcurrentUse(t *testing.T) {
	t.Parallel()
	schemas := []string{
		`{"type":"object","properties":{"v":{"type":"string","format":"regex","pattern":"^[a-z]*$"}},"propertyNames":{"maxLength":3}}`,
		`{"type":"object","properties":{"v":{"anyOf":[{"type":"number"},{"enum":["A","b"]}]}},"additionalProperties":false}`,
	}
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			for k := range 20 {
				j, err := New(offering(schemas[(i+k)%2]))
				if err != nil {
					t.Error(err)
					return
				}
				j.Judge(answer(nil, "", [2]string{"submit_response", `{"v":"a","extra":1}`}))
			}
		})
	}
	wg.Wait()
}
