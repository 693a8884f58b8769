package main

import (
	"context"
	"io"
	"runtime"
	"strings"

	"github.com/aws/aws-lambda-go/lambda"

	"hyperstudy-endpoint/internal/app"
)

// countAllocs adds to the warm results what a request allocates: in this process,
// from the bytes of the event to the last byte of the answer. The upstream is in
// another process, so that none of it is the upstream's.
func (b *bench) countAllocs(ctx context.Context) error {
	programs := b.programs(b.fakes, false)
	for i := range b.results.Warm {
		r := &b.results.Warm[i]
		if r.MemoryMB != 0 {
			continue
		}
		env := map[string]string{"AWS_REGION": "us-east-1", "AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test"}
		for _, variable := range programs[r.Program].env {
			name, value, _ := strings.Cut(variable, "=")
			env[name] = value
		}
		handler, err := app.ChatCompletions(ctx, func(name string) string { return env[name] }, io.Discard)
		if err != nil {
			return err
		}
		invoke := lambda.NewHandler(handler.Stream).Invoke
		s := shape{stream: r.Stream, tools: 3}
		for _, size := range sizes {
			if size.name == r.Size {
				s.size = size
			}
		}
		sent := event("POST", "/chat/completions", s.request())
		const n = 20
		var before, after runtime.MemStats
		for i := range warmups + n {
			if i == warmups {
				runtime.ReadMemStats(&before)
			}
			if _, err := invoke(ctx, sent); err != nil {
				return err
			}
		}
		runtime.ReadMemStats(&after)
		r.Allocs, r.Alloced = int64(after.Mallocs-before.Mallocs)/n, int64(after.TotalAlloc-before.TotalAlloc)/n //nolint:gosec // small differences
	}
	return nil
}
