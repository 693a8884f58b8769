// Package auth knows the keys: those that callers of the endpoint present, and
// the one that the endpoint presents to an external upstream. Both live in AWS
// Secrets Manager, are cached, and are fetched again when they stop matching.
package auth

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

const (
	// maxAge is how long a fetched value is used without asking again.
	maxAge = 60 * time.Second
	// mismatchInterval is the least time between two fetches that mismatches lead
	// to. A key that has been in the secret for as long is known to whoever is shown
	// it, whatever wrong keys are shown meanwhile; and these lead to no more than
	// 86,400 reads a day and environment.
	mismatchInterval = time.Second
	// faultInterval is the least time from a fetch that failed to the next, so that
	// an outage of Secrets Manager does not slow every request down.
	faultInterval = 10 * time.Second
	// fetchTimeout bounds one fetch while a request waits for it.
	fetchTimeout = 5 * time.Second
)

// ErrUnavailable is reported while a secret's value is not known because it
// could never be fetched.
var ErrUnavailable = errors.New("auth: the secret could not be fetched")

// A SecretReader reads the current value of a secret by its name or ARN.
type SecretReader interface {
	SecretValue(ctx context.Context, id string) (string, error)
}

// A Secret is a cached secret of AWS Secrets Manager, read as type T. A value
// that was fetched once outlives every outage.
type Secret[T any] struct {
	reader SecretReader
	id     string // name or ARN
	parse  func(string) (T, error)

	mu        sync.Mutex
	value     T
	known     bool      // value has been fetched
	fetched   time.Time // when value was
	tried     time.Time // when the last fetch began, good or bad
	refreshed time.Time // when the last fetch began that a mismatch led to
	fault     error     // of the last fetch
}

// NewSecret returns a Secret that is not fetched yet. parse reads a fetched
// value; a value it refuses counts as a failed fetch.
func NewSecret[T any](reader SecretReader, id string, parse func(string) (T, error)) *Secret[T] {
	return &Secret[T]{reader: reader, id: id, parse: parse}
}

// Get returns the value, fetched again if it is old. While Secrets Manager
// cannot be reached it is the last value, and [ErrUnavailable] if there is none.
func (s *Secret[T]) Get(ctx context.Context) (T, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	if !s.known || now.Sub(s.fetched) >= maxAge && s.mayFetch(now) {
		s.fetch(ctx, now)
	}
	return s.current()
}

// mayFetch reports whether the last fetch was good or failed long enough ago.
func (s *Secret[T]) mayFetch(now time.Time) bool {
	return s.fault == nil || now.Sub(s.tried) >= faultInterval
}

// Refresh returns the value, fetched again unless Refresh did so only just. It
// is called when the value in use has been found wanting.
func (s *Secret[T]) Refresh(ctx context.Context) (T, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now := time.Now(); now.Sub(s.refreshed) >= mismatchInterval && s.mayFetch(now) {
		s.refreshed = now
		s.fetch(ctx, now)
	}
	return s.current()
}

func (s *Secret[T]) current() (T, error) {
	if !s.known {
		return s.value, fmt.Errorf("%w: %w", ErrUnavailable, s.fault)
	}
	return s.value, nil
}

// fetchContext limits a fetch by the request's deadline and by fetchTimeout. A
// caller who hangs up does not end it: the value is for the others too.
func fetchContext(ctx context.Context) (context.Context, context.CancelFunc) {
	limit := time.Now().Add(fetchTimeout)
	if deadline, ok := ctx.Deadline(); ok && deadline.Before(limit) {
		limit = deadline
	}
	return context.WithDeadline(context.WithoutCancel(ctx), limit)
}

// fetch asks Secrets Manager and keeps the old value if that fails.
func (s *Secret[T]) fetch(ctx context.Context, now time.Time) {
	ctx, cancel := fetchContext(ctx)
	defer cancel()
	s.tried = now
	text, err := s.reader.SecretValue(ctx, s.id)
	if err != nil {
		s.fault = err
		return
	}
	value, err := s.parse(text)
	if err != nil {
		s.fault = err
		return
	}
	s.value, s.known, s.fetched, s.fault = value, true, now, nil
}
