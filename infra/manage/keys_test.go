package main

import (
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

const baseline = "agent=baseline:random"

func TestKeyCommands(t *testing.T) {
	d := deploy(t, baseline, "first-key-0123456789")
	flag := "--stack=" + d.name
	if got := manage(t, "key", flag).want(t, exitOK).stdout; got != "first-key-0123456789\n" {
		t.Errorf("key printed %q", got)
	}
	pilot := strings.TrimSpace(manage(t, "add-key", flag, "--label", "pilot").want(t, exitOK, "accepts").stdout)
	if status := d.decide(t, pilot); status != 200 {
		t.Errorf("the new key: status %d", status)
	}
	manage(t, "key", flag).want(t, exitOK, "default\tfirst-key-0123456789\n", "pilot\t"+pilot+"\n")
	manage(t, "key", flag, "--label", "pilot").want(t, exitOK, pilot)
	manage(t, "add-key", flag, "--label", "pilot").want(t, exitFault, "already", "make rotate-key LABEL=pilot")
	manage(t, "rotate-key", flag).want(t, exitUsage, "--label default, pilot")
	manage(t, "revoke-key", flag, "--label", "nobody").want(t, exitFault, "default, pilot")
	manage(t, "revoke-key", flag, "--label", "default").want(t, exitOK, "60 s")
	if got := manage(t, "key", flag).want(t, exitOK).stdout; got != pilot+"\n" {
		t.Errorf("key printed %q", got)
	}
	manage(t, "revoke-key", flag, "--label", "pilot").want(t, exitFault, "last key", "make add-key")
	manage(t, "revoke-key", flag, "--label", "pilot", "--last").want(t, exitOK)
	manage(t, "key", flag).want(t, exitFault, "lets nobody in", "make add-key")
}

// TestRotate replaces the key while callers use it without pause: none is refused.
func TestRotate(t *testing.T) {
	d := deploy(t, baseline, "old-key-0123456789")
	flag := "--stack=" + d.name

	var key atomic.Pointer[string]
	old := "old-key-0123456789"
	key.Store(&old)
	var decisions, refused atomic.Int64
	stop := make(chan struct{})
	var callers sync.WaitGroup
	halt := sync.OnceFunc(func() { close(stop); callers.Wait() })
	defer halt()
	for range 6 {
		callers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				if status := d.decide(t, *key.Load()); status != 200 {
					refused.Add(1)
					t.Errorf("a decision was refused: status %d", status)
				}
				decisions.Add(1)
			}
		})
	}

	fresh := strings.TrimSpace(manage(t, "rotate-key", flag).want(t, exitOK, "both work", "HyperStudy").stdout)
	d.ship(t)
	manage(t, "rotate-key", flag).want(t, exitFault, `"default" was used`, "make key LABEL=default.next", "--force")
	if status := d.decide(t, fresh); status != 200 {
		t.Errorf("the new key: status %d", status)
	}
	key.Store(&fresh) // the researcher puts it into HyperStudy
	before := decisions.Load()
	for decisions.Load() < before+100 {
		time.Sleep(time.Millisecond)
	}
	d.ship(t)
	manageAt(t, usedLately+time.Minute, "rotate-key", flag).want(t, exitOK, "removed")
	before = decisions.Load()
	for decisions.Load() < before+100 {
		time.Sleep(time.Millisecond)
	}
	halt()
	if refused.Load() > 0 || decisions.Load() < 200 {
		t.Errorf("%d of %d decisions were refused", refused.Load(), decisions.Load())
	}
	if got := manage(t, "key", flag).want(t, exitOK).stdout; got != fresh+"\n" {
		t.Errorf("the secret holds %q", got)
	}
	t.Logf("%d decisions during the rotation, %d refused", decisions.Load(), refused.Load())
}

func TestRotateCannotSee(t *testing.T) {
	d := deploy(t, baseline, `{"main":"main-key-0123456789","main.next":"next-key-0123456789"}`, "LogLevel=error")
	manage(t, "rotate-key", "--stack", d.name, "--label", "main").want(t, exitFault, "LogLevel error", "--force")
	manage(t, "rotate-key", "--stack", d.name, "--label", "main", "--force").want(t, exitOK, "removed")
	manage(t, "key", "--stack", d.name).want(t, exitOK, "next-key-0123456789")
}

// TestSomebodyElse changes the secret behind the command's back.
func TestSomebodyElse(t *testing.T) {
	d := deploy(t, baseline, "first-key-0123456789")
	s := &session{surroundings: surroundings{stdout: t.Output(), stderr: t.Output(), now: utc}, stackName: d.name}
	mine, err := s.keyring(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	manage(t, "add-key", "--stack", d.name, "--label", "theirs").want(t, exitOK)
	mine.keys["mine"] = "x"
	if err := mine.write(t.Context()); err == nil || !strings.Contains(err.Error(), "somebody else") {
		t.Errorf("the other's key was overwritten: %v", err)
	}
	manage(t, "key", "--stack", d.name, "--label", "theirs").want(t, exitOK)
}

func TestParseKeySet(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, value, written string }{
		{"plain", " k1 \n", "k1"},
		{"one default label", `{"default":"k1"}`, "k1"},
		{"one other label", `{"lab":"k1"}`, `{"lab":"k1"}`},
		{"two", `{"b":"k2","a":"k1"}`, `{"a":"k1","b":"k2"}`},
		{"empty", "", "{}"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			keys, err := parseKeySet(tc.value)
			if err != nil || keys.String() != tc.written {
				t.Errorf("%v written as %s, %v", keys, keys, err)
			}
		})
	}
	if _, err := parseKeySet(`{"a":1}`); err == nil {
		t.Error("a number was taken for a key")
	}
}
