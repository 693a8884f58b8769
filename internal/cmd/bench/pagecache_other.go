//go:build !linux

package main

import "errors"

// dropPages exists on Linux only.
func dropPages(string) error {
	return errors.New("only on Linux can a file be taken out of the page cache")
}
