package lambdahttp

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"testing"

	"github.com/aws/aws-lambda-go/lambda"

	"hyperstudy-endpoint/internal/ceiling"
)

// invocationOf returns what one event costs around the handler, from its bytes to
// those of the response.
func invocationOf(tb testing.TB, size int) func() {
	tb.Helper()
	payload, err := json.Marshal(event("POST", "/chat/completions", ceiling.Request(size)))
	if err != nil {
		tb.Fatal(err)
	}
	h := Handler{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if n, err := io.Copy(io.Discard, r.Body); err != nil || n != r.ContentLength {
			tb.Errorf("read %d bytes of %d, %v", n, r.ContentLength, err)
		}
		w.WriteHeader(http.StatusNoContent)
	})}
	function := lambda.NewHandler(h.Stream)
	return func() {
		if _, err := function.Invoke(context.Background(), payload); err != nil {
			tb.Fatal(err)
		}
	}
}

func TestAllocations(t *testing.T) {
	ceiling.Allocs(t, 78, invocationOf(t, 4<<10))
	ceiling.Allocs(t, 86, invocationOf(t, 256<<10)) // more only for the buffer of aws-lambda-go's decoder
}

func BenchmarkStream(b *testing.B) {
	for name, size := range map[string]int{"4KB": 4 << 10, "64KB": 64 << 10, "1MB": 1 << 20, "4.5MB": 4_500_000} {
		once := invocationOf(b, size)
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				once()
			}
		})
	}
}
