package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// How long a new key may take to be accepted, and how often it is tried. A
// function that does not know a key asks Secrets Manager at most every second,
// and every 10 s where that has failed.
const (
	acceptedWithin = 40 * time.Second
	probeEvery     = time.Second
	probeTimeout   = 15 * time.Second
)

// awaitAccepted returns once both functions accept the key.
func awaitAccepted(ctx context.Context, baseURL, key string) error {
	ctx, cancel := context.WithTimeout(ctx, acceptedWithin)
	defer cancel()
	for {
		err := accepted(ctx, baseURL, key)
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("the endpoint at %s does not accept the key: %w", baseURL, err)
		case <-time.After(probeEvery):
		}
	}
}

// accepted reports whether both functions accept the key. The chat function
// checks the key before it reads a request, so a request without messages is
// refused for that, and costs nothing.
func accepted(ctx context.Context, baseURL, key string) error {
	status, err := probe(ctx, http.MethodGet, baseURL+"/models", key, "")
	if err == nil && status != http.StatusOK {
		err = fmt.Errorf("GET /models answered %d", status)
	}
	if err != nil {
		return err
	}
	status, err = probe(ctx, http.MethodPost, baseURL+"/chat/completions", key, "{}")
	if err == nil && status != http.StatusBadRequest {
		err = fmt.Errorf("POST /chat/completions answered %d to an empty request", status)
	}
	return err
}

func probe(ctx context.Context, method, url, key, body string) (status int, err error) {
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	if err != nil {
		return 0, err
	}
	req.Header.Set("Authorization", "Bearer "+key)
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, res.Body.Close()) }()
	_, err = io.Copy(io.Discard, io.LimitReader(res.Body, 1<<20))
	return res.StatusCode, err
}
