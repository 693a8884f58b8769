package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
)

var keyCommand = command{
	name:  "key",
	about: "Print the endpoint's key. With several keys and no --label it prints each label and its key.",
	setup: func(f *flag.FlagSet) func(context.Context, *session) error {
		label := f.String("label", "", "print only the key with this `label`")
		return func(ctx context.Context, s *session) error {
			ring, err := s.keyring(ctx)
			if err != nil {
				return err
			}
			return printKeys(s, ring.keys, *label)
		}
	},
}

func printKeys(s *session, keys keySet, label string) error {
	switch {
	case label != "":
		key, err := keys.must(label)
		if err != nil {
			return err
		}
		fmt.Fprintln(s.stdout, key)
	case len(keys) == 0:
		return errors.New("the secret is empty, so the endpoint lets nobody in: add a key with `make add-key LABEL=...`")
	case len(keys) == 1:
		for _, key := range keys {
			fmt.Fprintln(s.stdout, key)
		}
	default:
		for _, l := range keys.labels() {
			fmt.Fprintf(s.stdout, "%s\t%s\n", l, keys[l])
		}
	}
	return nil
}

// errNoLabel asks which key is meant; the flags would not tell more.
var errNoLabel = errors.New("which key? Give its label, for example LABEL=pilot (--label pilot)")

var addKeyCommand = command{
	name: "add-key",
	about: "Add a key with a label of its own, for example one for each study, and print it. The label appears in the log and in " +
		"`make report`; the keys that exist stay as they are.",
	setup: func(f *flag.FlagSet) func(context.Context, *session) error {
		label := f.String("label", "", "`label` of the new key; required")
		return func(ctx context.Context, s *session) error {
			if *label == "" {
				return errNoLabel
			}
			if err := checkLabel(*label); err != nil {
				return err
			}
			ring, err := s.keyring(ctx)
			if err != nil {
				return err
			}
			if _, ok := ring.keys[*label]; ok {
				return fmt.Errorf("there is a key with the label %q already: `make rotate-key LABEL=%s` replaces it", *label, *label)
			}
			return s.addKey(ctx, ring, *label)
		}
	},
}

// addKey puts a new key into the secret, prints it once it works, and says so.
func (s *session) addKey(ctx context.Context, ring *keyring, label string) error {
	key := newKey()
	ring.keys[label] = key
	if err := ring.write(ctx); err != nil {
		return err
	}
	fmt.Fprintln(s.stdout, key)
	return s.confirm(ctx, key)
}

// confirm waits until the deployed endpoint accepts a key.
func (s *session) confirm(ctx context.Context, key string) error {
	_, st, err := s.deployed(ctx)
	if err != nil {
		return err
	}
	baseURL, err := st.output("BaseUrl")
	if err != nil {
		return err
	}
	if err := awaitAccepted(ctx, baseURL, key); err != nil {
		return fmt.Errorf("the key is stored, but %w", err)
	}
	fmt.Fprintln(s.stderr, "The endpoint accepts it.")
	return nil
}

var revokeKeyCommand = command{
	name:  "revoke-key",
	about: "Remove a key, so that whoever holds it is refused within 60 s. To replace a key that is in use, use rotate-key: it loses no request.",
	setup: func(f *flag.FlagSet) func(context.Context, *session) error {
		label := f.String("label", "", "`label` of the key; required")
		last := f.Bool("last", false, "remove it even if it is the last one, which closes the endpoint to everybody")
		return func(ctx context.Context, s *session) error {
			if *label == "" {
				return errNoLabel
			}
			ring, err := s.keyring(ctx)
			if err != nil {
				return err
			}
			return s.revoke(ctx, ring, *label, *last)
		}
	},
}

func (s *session) revoke(ctx context.Context, ring *keyring, label string, last bool) error {
	if _, err := ring.keys.must(label); err != nil {
		return err
	}
	if len(ring.keys) == 1 && !last {
		return fmt.Errorf("%q is the last key: without it the endpoint lets nobody in. Add another first (`make add-key LABEL=...`), or say --last", label)
	}
	delete(ring.keys, label)
	if err := ring.write(ctx); err != nil {
		return err
	}
	fmt.Fprintf(s.stderr, "The key %q is removed. Functions that still know it forget it within 60 s.\n", label)
	return nil
}
