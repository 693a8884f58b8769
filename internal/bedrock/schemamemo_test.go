package bedrock

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
)

func TestSchemaMemoReturnsWhatToolSchemaDoes(t *testing.T) {
	t.Parallel()
	memo := newSchemaMemo()
	for _, tt := range toolSchemas {
		for _, d := range []dialect{plain, draft2020} {
			want, wantErr := toolSchema(json.RawMessage(tt.in), d)
			for range 2 {
				got, err := memo.toolSchema(json.RawMessage(tt.in), d)
				if string(got) != string(want) || fmt.Sprint(err) != fmt.Sprint(wantErr) {
					t.Errorf("%s: %s, %v, want %s, %v", tt.in, got, err, want, wantErr)
				}
			}
		}
	}
	if memo.made.Len() == 0 {
		t.Error("nothing is remembered")
	}
}

// The memo neither grows without end nor forgets what still has room.
func TestSchemaMemoIsBounded(t *testing.T) {
	t.Parallel()
	memo := newSchemaMemo()
	var wg sync.WaitGroup
	long := strings.Repeat("x", maxMemo/16)
	for i := range 64 {
		i %= 32 // some at the same time as others like them
		wg.Go(func() {
			raw := fmt.Sprintf(`{"type":"object","description":"%d%s"}`, i, long)
			if _, err := memo.toolSchema(json.RawMessage(raw), plain); err != nil {
				t.Errorf("schema %d: %v", i, err)
			}
		})
	}
	wg.Wait()
	if bytes := memo.made.Bytes(); bytes > maxMemo || bytes == 0 {
		t.Errorf("%d bytes are remembered, at most %d", bytes, maxMemo)
	}
}
