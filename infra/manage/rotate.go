package main

import (
	"context"
	"flag"
	"fmt"
	"time"
)

// usedLately is how long a key must have been unused before rotate-key takes
// it away without being told to: the longest request and a few minutes more.
const usedLately = 15 * time.Minute

var rotateKeyCommand = command{
	name: "rotate-key",
	about: "Replace a key without losing a request, in two calls. The first adds a new key beside the old one, waits until both work, and prints the new one. " +
		"Put it into HyperStudy; then call rotate-key again, which removes the old one, unless the log shows that it is still in use.",
	setup: func(f *flag.FlagSet) func(context.Context, *session) error {
		label := f.String("label", "", "`label` of the key to replace (default: the only one there is)")
		force := f.Bool("force", false, "remove the old key even though the log shows, or cannot show, that it is in use")
		return func(ctx context.Context, s *session) error {
			ring, err := s.keyring(ctx)
			if err != nil {
				return err
			}
			name, err := ring.keys.only(*label)
			if err != nil {
				return err
			}
			if _, err := ring.keys.must(name); err != nil {
				return err
			}
			if _, begun := ring.keys[name+nextSuffix]; begun {
				return s.finishRotation(ctx, ring, name, *force)
			}
			return s.beginRotation(ctx, ring, name)
		}
	},
}

// beginRotation adds the new key and proves that old and new both work.
func (s *session) beginRotation(ctx context.Context, ring *keyring, label string) error {
	if err := s.addKey(ctx, ring, label+nextSuffix); err != nil {
		return err
	}
	if err := s.confirm(ctx, ring.keys[label]); err != nil {
		return err
	}
	fmt.Fprintf(s.stderr, "The old key and the new one both work now. Put the new one (above) into HyperStudy under Settings, API Keys, Custom Agent Endpoint,\n"+
		"and test the connection there. Then call rotate-key again to remove the old one. Nothing is urgent: both go on working.\n")
	return nil
}

// finishRotation removes the old key and gives its label to the new one.
func (s *session) finishRotation(ctx context.Context, ring *keyring, label string, force bool) error {
	if !force {
		if err := s.unused(ctx, label); err != nil {
			return err
		}
	}
	ring.keys[label] = ring.keys[label+nextSuffix]
	delete(ring.keys, label+nextSuffix)
	if err := ring.write(ctx); err != nil {
		return err
	}
	fmt.Fprintf(s.stderr, "The old key %q is removed; functions that still know it forget it within 60 s. The new one has its label now.\n", label)
	return s.confirm(ctx, ring.keys[label])
}

// unused refuses to take away a key that the log shows in use.
func (s *session) unused(ctx context.Context, label string) error {
	if _, st, err := s.deployed(ctx); err != nil {
		return err
	} else if !st.logsAnswers() {
		return fmt.Errorf("with LogLevel %s the log cannot show whether the old key %q is still in use: make sure that HyperStudy has the new one, and call again with --force",
			st.parameters["LogLevel"], label)
	}
	var last time.Time
	uses := 0
	for line, err := range s.requests(ctx, chatFunction, s.now().Add(-usedLately), s.now()) {
		if err != nil {
			return fmt.Errorf("cannot tell from the log whether the old key is still in use (--force removes it anyway): %w", err)
		}
		if line.Key == label {
			uses, last = uses+1, line.Time
		}
	}
	if uses == 0 {
		return nil
	}
	return fmt.Errorf("the old key %q was used %d times in the last %d minutes, last at %s: put the new key (`make key LABEL=%s`) into HyperStudy first, "+
		"wait until requests under way have ended, and call again. --force removes the old one now",
		label, uses, int(usedLately.Minutes()), last.Local().Format(time.TimeOnly), label+nextSuffix)
}
