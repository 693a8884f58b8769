package toolcall

import (
	"regexp"
	"sync"
)

// lazily returns a regular expression that is compiled when it is first used,
// so that a function's start does not wait for those of rare answers.
func lazily(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
