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
	c := newCache()
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
	if c.Len() != maxCached {
		t.Errorf("%d entries", c.Len())
	}
	if again, err := c.compile(schema(1)); err != nil || again == nil {
		t.Errorf("a schema that was dropped: %v", err)
	}
	if _, err := c.compile(json.RawMessage(`{"type":0}`)); err == nil || c.Len() != maxCached {
		t.Errorf("a bad schema was kept: %v", err)
	}
}

func TestCacheBytes(t *testing.T) {
	t.Parallel()
	c := newCache()
	for i := range 20 {
		raw := fmt.Sprintf(`{"title":"%d%s"}`, i, strings.Repeat("x", maxCachedBytes/8))
		if _, err := c.compile(json.RawMessage(raw)); err != nil {
			t.Fatal(err)
		}
	}
	if c.Bytes() > maxCachedBytes || c.Len() != 7 {
		t.Errorf("%d bytes, %d entries", c.Bytes(), c.Len())
	}
	if _, err := c.compile(json.RawMessage(`{}` + strings.Repeat(" ", maxCachedBytes))); err != nil || c.Len() != 7 {
		t.Errorf("a schema larger than the cache: %v, %d entries", err, c.Len())
	}
}

// TestCacheMemory counts what schemas take up when they are compiled: a hundred
// bytes of a pattern are megabytes then.
func TestCacheMemory(t *testing.T) {
	c := newCache()
	for i := range maxCached {
		raw := fmt.Sprintf(`{"allOf":[{"pattern":"^%d[a-z]{0,950}x$"}%s]}`, i, strings.Repeat(",{}", 3900))
		if _, err := c.compile(json.RawMessage(raw)); err != nil {
			t.Fatal(err)
		}
	}
	var with, without runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&with)
	kept := c.Len()
	c = nil
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
