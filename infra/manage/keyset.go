package main

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// defaultLabel is the label of a key that is the whole value of the secret, as
// the functions report it in the log.
const defaultLabel = "default"

// nextSuffix marks the key that is to replace another: "main.next" replaces
// "main". So where a rotation stands can be seen in the secret itself.
const nextSuffix = ".next"

var validLabel = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// A keySet is the value of the endpoint's secret: keys by their labels.
type keySet map[string]string

// parseKeySet reads the value of the secret: one key as plain text, or a JSON
// object of labels and keys.
func parseKeySet(value string) (keySet, error) {
	value = strings.TrimSpace(value)
	if !strings.HasPrefix(value, "{") {
		if value == "" {
			return keySet{}, nil
		}
		return keySet{defaultLabel: value}, nil
	}
	var keys keySet
	if err := json.Unmarshal([]byte(value), &keys); err != nil {
		return nil, errors.New("the secret looks like JSON but is not an object of labels and keys: correct it in the Secrets Manager console")
	}
	return keys, nil
}

// String is the value to be written: plain text for a lone key without a label
// of its own, so that it can be copied from the console as it is.
func (k keySet) String() string {
	if len(k) == 1 && k[defaultLabel] != "" {
		return k[defaultLabel]
	}
	text, _ := json.Marshal(k) // a map of strings has nothing that can fail; its members come sorted
	return string(text)
}

func (k keySet) labels() []string { return slices.Sorted(maps.Keys(k)) }

// must returns the key of a label, or an error that lists the labels.
func (k keySet) must(label string) (string, error) {
	if key, ok := k[label]; ok {
		return key, nil
	}
	return "", fmt.Errorf("there is no key with the label %q; there are: %s", label, strings.Join(k.labels(), ", "))
}

// only returns the label to work on if none was given: the only one there is,
// a key that is being replaced and its successor counting as one.
func (k keySet) only(given string) (string, error) {
	if given != "" {
		return given, checkLabel(given)
	}
	var labels []string
	for _, label := range k.labels() {
		if !strings.HasSuffix(label, nextSuffix) {
			labels = append(labels, label)
		}
	}
	if len(labels) != 1 {
		return "", usagef("which key? Give one of --label %s", strings.Join(labels, ", "))
	}
	return labels[0], nil
}

func checkLabel(label string) error {
	switch {
	case !validLabel.MatchString(label):
		return usagef("a label has 1 to 64 letters, digits, '.', '_' and '-', and begins with a letter or digit; it appears in the log, so it should say nothing about a person")
	case strings.HasSuffix(label, nextSuffix):
		return usagef("labels that end in %s are for keys that are being replaced", nextSuffix)
	}
	return nil
}

// newKey returns a key of 52 letters and digits, which is 260 random bits.
func newKey() string { return strings.ToLower(rand.Text() + rand.Text()) }
