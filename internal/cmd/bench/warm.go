package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"time"
)

// warm measures requests of one shape to a program, the floor and the upstream
// itself in turn, n times each. A memoryMB of 0 leaves the CPU to them.
func (b *bench) warm(ctx context.Context, name string, s shape, memoryMB, n int) error {
	request := s.request()
	sent := event("POST", "/chat/completions", request)
	programs := b.programs(b.fakes, false)
	w, err := b.launch(programs[name], memoryMB)
	if err != nil {
		return err
	}
	defer w.close()
	floor, err := b.launch(programs[floorName], memoryMB)
	if err != nil {
		return err
	}
	defer floor.close()
	for range warmups {
		for _, each := range []*worker{w, floor} {
			if _, err := each.invoke(ctx, sent); err != nil {
				return fmt.Errorf("%s, %s: %w", each.name, s.name, err)
			}
		}
	}
	direct, err := b.direct(ctx, name)
	if err != nil {
		return err
	}
	sdk := newSDKCall(b.fakes.Plain, s.size)
	before, err := cpuTime(w.pid)
	if err != nil {
		return err
	}
	var t warmTimes
	for range n {
		if err := t.round(ctx, sent, w, floor, direct, sdk); err != nil {
			return fmt.Errorf("%s, %s: %w", name, s.name, err)
		}
	}
	after, err := cpuTime(w.pid)
	if err != nil {
		return err
	}
	_, peak, err := memory(w.pid)
	b.results.Warm = append(b.results.Warm, warmResult{
		Program: name, Size: s.name, Bytes: len(request), Stream: s.stream, MemoryMB: memoryMB, Requests: n,
		First: ms(median(t.first)), P50: ms(median(t.whole)), P99: ms(quantile(t.whole, 0.99)), CPU: ms((after - before) / time.Duration(n)),
		RSS: mib(peak), Floor: ms(median(t.floor)), Direct: ms(median(t.direct)), SDK: ms(median(t.sdk)),
	})
	return err
}

// warmTimes are the times of one kind of request.
type warmTimes struct {
	first, whole       []time.Duration // of the program
	floor, direct, sdk []time.Duration
}

// round makes one request of each kind. Without an upstream, direct is nil.
func (t *warmTimes) round(ctx context.Context, event []byte, w, floor *worker, direct *directCall, sdk *sdkCall) error {
	record, err := w.invoke(ctx, event)
	if err != nil {
		return err
	}
	t.first, t.whole = append(t.first, record.FirstByte), append(t.whole, record.LastByte)
	if record, err = floor.invoke(ctx, event); err != nil {
		return err
	}
	t.floor = append(t.floor, record.LastByte)
	if direct == nil {
		return nil
	}
	took, err := direct.call(ctx)
	if err != nil {
		return err
	}
	t.direct = append(t.direct, took)
	if took, err = sdk.call(ctx); err != nil {
		return err
	}
	t.sdk = append(t.sdk, took)
	return nil
}

// warmups are the requests before those that are measured.
const warmups = 5

// A directCall is the request that a program sent last, to be sent without it.
type directCall struct {
	url  string
	body []byte
}

// direct returns the last request to the upstream of a program; nil if it has none.
func (b *bench) direct(ctx context.Context, name string) (*directCall, error) {
	path, kind := "/v1/chat/completions", "external"
	switch name {
	case bedrockName:
		path, kind = "/model/us.anthropic.claude-sonnet-4-5-20250929-v1:0/converse", "bedrock"
	case baselineName:
		return nil, nil
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, b.fakes.Plain+"/last/"+kind, http.NoBody)
	if err != nil {
		return nil, err
	}
	body, err := fetch(req)
	return &directCall{b.fakes.Plain + path, body}, err
}

// call sends the request and reads the reply.
func (d *directCall) call(ctx context.Context) (time.Duration, error) {
	started := time.Now()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, d.url, bytes.NewReader(d.body))
	if err != nil {
		return 0, err
	}
	req.Header.Set("Content-Type", "application/json")
	_, err = fetch(req)
	return time.Since(started), err
}

// fetch sends a request and reads all of its response, which has to be a good one.
func fetch(req *http.Request) ([]byte, error) {
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }() // read to its end
	body, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s answered %s: %.400q", req.URL, resp.Status, body)
	}
	return body, err
}

// grow measures decisions with ever more tools and ever larger schemas, both when
// the function sees the schemas for the first time and when it knows them.
func (b *bench) grow(ctx context.Context, n int) error {
	w, err := b.launch(b.programs(b.fakes, false)[baselineName], 0)
	if err != nil {
		return err
	}
	defer w.close()
	for _, tools := range []int{1, 4, 16, 64} {
		if err := b.growth(ctx, w, "tools", tools, shape{size: sizes[0], tools: tools}, n); err != nil {
			return err
		}
	}
	for _, bytes := range []int{1 << 10, 4 << 10, 16 << 10, 64 << 10} {
		if err := b.growth(ctx, w, "schema", bytes, shape{size: sizes[0], tools: 1, schema: bytes}, n); err != nil {
			return err
		}
	}
	return nil
}

func (b *bench) growth(ctx context.Context, w *worker, what string, amount int, s shape, n int) error {
	request := s.request()
	var first, again []time.Duration
	for i := range n {
		// Other descriptions make other schemas.
		unseen := bytes.ReplaceAll(request, []byte(`"description":"Your answer."`), fmt.Appendf(nil, `"description":"Answer %d of %d."`, i, amount))
		unseen = bytes.ReplaceAll(unseen, []byte(`"properties":{"a`), fmt.Appendf(nil, `"title":"%d","properties":{"a`, i))
		unseen = bytes.ReplaceAll(unseen, []byte(`"properties":{"m`), fmt.Appendf(nil, `"title":"%d","properties":{"m`, i))
		sent := event("POST", "/chat/completions", unseen)
		for _, times := range []*[]time.Duration{&first, &again} {
			record, err := w.invoke(ctx, sent)
			if err != nil {
				return fmt.Errorf("%d %s: %w", amount, what, err)
			}
			*times = append(*times, record.LastByte)
		}
	}
	b.results.Growth = append(b.results.Growth, growthResult{what, amount, ms(median(first)), ms(median(again))})
	return nil
}
