package auth

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"hyperstudy-endpoint/internal/openai"
)

// fakeSecrets stands in for Secrets Manager where time is simulated, which a
// network cannot take part in.
type fakeSecrets struct {
	mu    sync.Mutex
	value string
	down  bool
	slow  time.Duration
	calls int
}

func (f *fakeSecrets) SecretValue(ctx context.Context, _ string) (string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls++
	if f.slow > 0 {
		select {
		case <-time.After(f.slow):
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}
	if f.down {
		return "", errors.New("secrets manager is down")
	}
	return f.value, nil
}

// status is the outcome of a check as the caller sees it: 200, or the error's status.
func status(t *testing.T, k *Keys, authorization string) int {
	t.Helper()
	_, err := k.Check(t.Context(), authorization)
	if err == nil {
		return http.StatusOK
	}
	var e *openai.Error
	if !errors.As(err, &e) {
		t.Fatalf("Check: %v is not an *openai.Error", err)
	}
	return e.Status
}

func TestCheck(t *testing.T) {
	t.Parallel()
	const several = `{"lab":"key-lab-0123456789", "pilot":" key-pilot-0123456789\n", "off":""}`
	for _, tc := range []struct {
		name, secret, header string
		want                 int
		label                string
	}{
		{"one key", "key-0123456789", "Bearer key-0123456789", 200, "default"},
		{"white space around the stored key", " key-0123456789\n", "Bearer key-0123456789", 200, "default"},
		{"scheme in another case", "key-0123456789", "bearer key-0123456789", 200, "default"},
		{"white space around the presented key", "key-0123456789", "  Bearer   key-0123456789 ", 200, "default"},
		{"first of several", several, "Bearer key-lab-0123456789", 200, "lab"},
		{"second of several", several, "Bearer key-pilot-0123456789", 200, "pilot"},
		{"a label is not a key", several, "Bearer lab", 401, ""},
		{"the whole secret is not a key", several, "Bearer " + several, 401, ""},
		{"wrong key", "key-0123456789", "Bearer key-0123456780", 401, ""},
		{"prefix of the key", "key-0123456789", "Bearer key-012345678", 401, ""},
		{"no header", "key-0123456789", "", 401, ""},
		{"no key", "key-0123456789", "Bearer ", 401, ""},
		{"no scheme", "key-0123456789", "key-0123456789", 401, ""},
		{"other scheme", "key-0123456789", "Basic key-0123456789", 401, ""},
		{"empty secret, empty key", "", "Bearer ", 401, ""},
		{"empty secret, some key", "", "Bearer x", 401, ""},
		{"empty label", `{"a":""}`, "Bearer ", 401, ""},
		{"secret that is broken JSON", `{"a":`, "Bearer {\"a\":", 503, ""},
		{"secret that is JSON of another shape", `{"a":{"b":"c"}}`, "Bearer c", 503, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			k := NewKeys(&fakeSecrets{value: tc.secret}, "id")
			if got := status(t, k, tc.header); got != tc.want {
				t.Fatalf("status %d, want %d", got, tc.want)
			}
			if tc.want != http.StatusOK {
				return
			}
			if label, _ := k.Check(t.Context(), tc.header); label != tc.label {
				t.Errorf("label %q, want %q", label, tc.label)
			}
		})
	}
}

func TestRotationWorksAtOnceAndGuessingCostsLittle(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := &fakeSecrets{value: "old-key"}
		k := NewKeys(f, "id")
		if got := status(t, k, "Bearer old-key"); got != 200 {
			t.Fatalf("before the rotation: %d", got)
		}
		f.value = "new-key"
		if got := status(t, k, "Bearer new-key"); got != 200 {
			t.Fatalf("right after the rotation: %d", got)
		}
		calls := f.calls
		const seconds = 10
		for range seconds * 100 {
			time.Sleep(10 * time.Millisecond)
			if got := status(t, k, "Bearer guess"); got != 401 {
				t.Fatalf("a guess: %d", got)
			}
		}
		if n := f.calls - calls; n > seconds {
			t.Errorf("guesses led to %d fetches within %d s", n, seconds)
		}
	})
}

// TestNewKeyAmongWrongOnes replaces the key at any point between two fetches that
// wrong keys lead to.
func TestNewKeyAmongWrongOnes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := &fakeSecrets{value: "key-0"}
		k := NewKeys(f, "id")
		for i := range 200 {
			old, next := fmt.Sprintf("Bearer key-%d", i), fmt.Sprintf("key-%d", i+1)
			time.Sleep(time.Duration(i) * 17 * time.Millisecond)
			if got := status(t, k, old); got != 200 {
				t.Fatalf("key %d: %d", i, got)
			}
			status(t, k, "Bearer wrong")
			f.value = next
			for range 100 { // somebody who has not heard of it
				status(t, k, "Bearer wrong")
				time.Sleep(mismatchInterval / 100)
			}
			if got := status(t, k, "Bearer "+next); got != 200 {
				t.Fatalf("a key that has been there for %v: %d", mismatchInterval, got)
			}
		}
	})
}

func TestCallerWhoHangsUpDoesNotSpoilTheFetch(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := &fakeSecrets{value: "old-key"}
		k := NewKeys(f, "id")
		status(t, k, "Bearer old-key")
		f.value, f.slow = "new-key", time.Second
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Millisecond, cancel)
		_, _ = k.Check(ctx, "Bearer guess") // gone before the answer
		if got := status(t, k, "Bearer new-key"); got != 200 {
			t.Errorf("the new key after a caller hung up: %d", got)
		}
	})
}

func TestRemovedKeyStopsWorkingWithinAMinute(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := &fakeSecrets{value: "old-key"}
		k := NewKeys(f, "id")
		status(t, k, "Bearer old-key")
		f.value = ""
		time.Sleep(maxAge)
		if got := status(t, k, "Bearer old-key"); got != 401 {
			t.Errorf("a removed key after %v: %d, want 401", maxAge, got)
		}
	})
}

func TestCachedKeysOutliveAnOutage(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := &fakeSecrets{value: "key"}
		k := NewKeys(f, "id")
		status(t, k, "Bearer key")
		f.down = true
		for range 100 {
			time.Sleep(time.Minute)
			if got := status(t, k, "Bearer key"); got != 200 {
				t.Fatalf("during the outage: %d", got)
			}
			if got := status(t, k, "Bearer other"); got != 401 {
				t.Fatalf("a wrong key during the outage: %d", got)
			}
		}
		f.down, f.value = false, "next"
		time.Sleep(faultInterval)
		if got := status(t, k, "Bearer next"); got != 200 {
			t.Errorf("a new key after the outage: %d", got)
		}
	})
}

// TestOutageDoesNotSlowEveryRequest: the first of many waits for Secrets Manager.
func TestOutageDoesNotSlowEveryRequest(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]int{"Bearer key": 200, "Bearer wrong": 401} {
		synctest.Test(t, func(t *testing.T) {
			f := &fakeSecrets{value: "key"}
			k := NewKeys(f, "id")
			status(t, k, "Bearer key")
			f.slow = time.Hour
			time.Sleep(maxAge)
			start := time.Now()
			for range 20 {
				if got := status(t, k, header); got != want {
					t.Fatalf("%s during the outage: %d, want %d", header, got, want)
				}
			}
			if took := time.Since(start); took > fetchTimeout {
				t.Errorf("%s: 20 requests waited %v for Secrets Manager, want at most %v", header, took, fetchTimeout)
			}
		})
	}
}

func TestNeverOpenWithoutAKey(t *testing.T) {
	t.Parallel()
	f := &fakeSecrets{down: true}
	k := NewKeys(f, "id")
	if err := k.Warm(t.Context()); !errors.Is(err, ErrUnavailable) {
		t.Errorf("Warm: %v, want ErrUnavailable", err)
	}
	for _, header := range []string{"", "Bearer ", "Bearer key"} {
		if got := status(t, k, header); got != 503 {
			t.Errorf("header %q: %d, want 503", header, got)
		}
	}
	f.down, f.value = false, "key"
	if got := status(t, k, "Bearer key"); got != 200 {
		t.Errorf("once Secrets Manager is back: %d, want 200", got)
	}
}

func TestFixedKey(t *testing.T) {
	t.Parallel()
	k := FixedKey("key")
	if err := k.Warm(t.Context()); err != nil {
		t.Errorf("Warm: %v", err)
	}
	if got := status(t, k, "Bearer key"); got != 200 {
		t.Errorf("the key: %d", got)
	}
	if got := status(t, k, "Bearer kex"); got != 401 {
		t.Errorf("another key: %d", got)
	}
}

func TestCheckIsSafeForConcurrentUse(t *testing.T) {
	t.Parallel()
	k := NewKeys(&fakeSecrets{value: "key"}, "id")
	var wg sync.WaitGroup
	for i := range 64 {
		wg.Go(func() {
			header, want := "Bearer key", 200
			if i%2 == 1 {
				header, want = "Bearer wrong", 401
			}
			_, err := k.Check(context.Background(), header)
			if got := err == nil; got != (want == 200) {
				t.Errorf("header %q: %v", header, err)
			}
		})
	}
	wg.Wait()
}

func TestAPIKey(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, secret, want string }{
		{"plain", "sk-upstream\n", "sk-upstream"},
		{"console form", `{"key":" sk-upstream "}`, "sk-upstream"},
		{"empty", " ", ""},
		{"empty member", `{"key":""}`, ""},
		{"two members", `{"a":"x","b":"y"}`, ""},
		{"broken JSON", `{"a"`, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			key, err := NewAPIKey(&fakeSecrets{value: tc.secret}, "id").Key(t.Context())
			if key != tc.want || (err == nil) != (tc.want != "") {
				t.Errorf("Key = %q, %v, want %q", key, err, tc.want)
			}
		})
	}
}

func TestFixedAPIKey(t *testing.T) {
	t.Parallel()
	k := FixedAPIKey("key")
	for _, read := range []func(context.Context) (string, error){k.Key, k.Refresh} {
		if got, err := read(t.Context()); got != "key" || err != nil {
			t.Errorf("%q, %v", got, err)
		}
	}
}

func TestAPIKeyRefresh(t *testing.T) {
	t.Parallel()
	f := &fakeSecrets{value: "old"}
	k := NewAPIKey(f, "id")
	if got, _ := k.Key(t.Context()); got != "old" {
		t.Fatalf("Key = %q", got)
	}
	f.value = "new"
	if got, err := k.Refresh(t.Context()); got != "new" || err != nil {
		t.Errorf("Refresh = %q, %v", got, err)
	}
	if got, _ := k.Key(t.Context()); got != "new" {
		t.Errorf("Key after Refresh = %q", got)
	}
}
