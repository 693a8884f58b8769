// Package lazyregexp compiles regular expressions when they are first used, so
// that a function's start does not wait for those of rare answers.
package lazyregexp

import (
	"regexp"
	"sync"
)

// New returns a function that returns the compiled expression. It panics at its
// first call if the expression is not valid.
func New(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
