package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"strings"
	"sync"
	"time"
)

// A devserver is the endpoint as an HTTP server, which is what other gateways
// are: so it can be compared with them.
type devserver struct {
	cmd     *exec.Cmd
	url     string
	started time.Duration // from exec to the first answer
}

// reading is the upstream that decodes what it is sent.
func (b *bench) reading() string { return b.fakes.Plain + "/reading" }

// serve starts the dev server and waits until it has answered once.
func (b *bench) serve(ctx context.Context, models string) (*devserver, error) {
	s := &devserver{cmd: exec.CommandContext(ctx, b.devserver)} //nolint:gosec // a program that was built for this run
	s.cmd.Env = []string{
		"PORT=0", "API_KEY=" + apiKey, "MODELS=" + models, "AWS_ENDPOINT_URL=" + b.reading(), "EXTERNAL_BASE_URL=" + b.reading() + "/v1",
		"AWS_REGION=us-east-1", "AWS_ACCESS_KEY_ID=test", "AWS_SECRET_ACCESS_KEY=test",
	}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	began := time.Now()
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	lines := bufio.NewScanner(out)
	for s.url == "" && lines.Scan() {
		if url, ok := strings.CutPrefix(strings.TrimSpace(lines.Text()), "Base URL"); ok {
			s.url = strings.TrimSpace(url)
		}
	}
	if s.url == "" {
		s.stop()
		return nil, errors.New("the dev server did not start")
	}
	go func() { _, _ = io.Copy(io.Discard, out) }() // until it ends
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+"/models", http.NoBody)
	if err != nil {
		s.stop()
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+apiKey)
	if _, err := fetch(req); err != nil {
		s.stop()
		return nil, err
	}
	s.started = time.Since(began)
	return s, nil
}

func (s *devserver) stop() {
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait() // was killed
}

// post sends a request to the server and reads the answer.
func (s *devserver) post(ctx context.Context, body []byte) (time.Duration, error) {
	began := time.Now()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url+"/chat/completions", strings.NewReader(string(body)))
	if err != nil {
		return 0, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+apiKey)
	_, err = fetch(req)
	return time.Since(began), err
}

// compareServed measures the server the way its peers were: the same request to
// it and to the upstream in turn, from one caller and from eight.
func (b *bench) compareServed(ctx context.Context, starts, n int) error {
	if err := b.serverStart(ctx, starts); err != nil {
		return err
	}
	for _, up := range []struct{ name, models string }{{bedrockName, bedrockModel}, {externalName, externalModel}} {
		s, err := b.serve(ctx, up.models)
		if err != nil {
			return err
		}
		before, alone, err := memory(s.cmd.Process.Pid)
		for _, size := range []size{sizes[0], sizes[2]} {
			for _, callers := range []int{1, 8} {
				count := n
				if size.image {
					count = max(n/8, callers)
				}
				if err == nil {
					err = b.served(ctx, s, up.name, size, callers, count)
				}
				if err == nil && up.name == bedrockName && callers == 1 {
					_, alone, err = memory(s.cmd.Process.Pid)
				}
			}
		}
		if up.name == bedrockName && err == nil {
			r := &b.results.Server
			var after, peak int64
			after, peak, err = memory(s.cmd.Process.Pid)
			r.RSSStart, r.RSSAlone, r.RSSAfter, r.RSSPeak = mib(before), mib(alone), mib(after), mib(peak)
		}
		s.stop()
		if err != nil {
			return err
		}
	}
	return nil
}

func (b *bench) serverStart(ctx context.Context, n int) error {
	var times []time.Duration
	for range n {
		s, err := b.serve(ctx, bedrockModel)
		if err != nil {
			return err
		}
		times = append(times, s.started)
		s.stop()
	}
	b.results.Server.Start = ms(median(times))
	return nil
}

// served sends n requests to the server and n to the upstream, a round of each
// in turn; in a round all callers send at once.
func (b *bench) served(ctx context.Context, s *devserver, name string, size size, callers, n int) error {
	request := shape{size: size, tools: 3}.request()
	for range warmups {
		if _, err := s.post(ctx, request); err != nil {
			return err
		}
	}
	d, err := b.direct(ctx, name)
	if err != nil {
		return err
	}
	d.url = strings.Replace(d.url, b.fakes.Plain, b.reading(), 1)
	before, err := cpuTime(s.cmd.Process.Pid)
	if err != nil {
		return err
	}
	var through, directs []time.Duration
	const perRound = 5 // of each caller
	rounds := max(1, n/(callers*perRound))
	for range rounds {
		t, err := together(callers, perRound, func() (time.Duration, error) { return s.post(ctx, request) })
		if err != nil {
			return err
		}
		through = append(through, t...)
		if t, err = together(callers, perRound, func() (time.Duration, error) { return d.call(ctx) }); err != nil {
			return err
		}
		directs = append(directs, t...)
	}
	after, err := cpuTime(s.cmd.Process.Pid)
	b.results.Served = append(b.results.Served, servedResult{
		Upstream: name, Size: size.name, Callers: callers, DirectP50: ms(median(directs)), DirectP99: ms(quantile(directs, 0.99)),
		P50: ms(median(through)), P99: ms(quantile(through, 0.99)), CPU: ms((after - before) / time.Duration(len(through))),
	})
	return err
}

// together has callers make calls of their own, all at once, and returns how long
// each call took.
func together(callers, calls int, call func() (time.Duration, error)) ([]time.Duration, error) {
	times, errs := make([]time.Duration, callers*calls), make([]error, callers)
	var wg sync.WaitGroup
	for c := range callers {
		wg.Go(func() {
			for i := range calls {
				took, err := call()
				if err != nil {
					errs[c] = fmt.Errorf("caller %d: %w", c, err)
					return
				}
				times[c*calls+i] = took
			}
		})
	}
	wg.Wait()
	return times, errors.Join(errs...)
}
