package external

import (
	"regexp"

	"hyperstudy-endpoint/internal/lazyregexp"
)

// A pattern is a regular expression that is compiled when it is first used:
// upstreams rarely complain.
type pattern struct {
	compiled func() *regexp.Regexp
}

func lazily(expression string) pattern {
	return pattern{lazyregexp.New(expression)}
}

func (p pattern) MatchString(s string) bool { return p.compiled().MatchString(s) }

func (p pattern) FindStringSubmatch(s string) []string { return p.compiled().FindStringSubmatch(s) }

func (p pattern) FindAllStringSubmatch(s string) [][]string {
	return p.compiled().FindAllStringSubmatch(s, -1)
}

func (p pattern) FindAllStringSubmatchIndex(s string) [][]int {
	return p.compiled().FindAllStringSubmatchIndex(s, -1)
}

func (p pattern) Split(s string) []string { return p.compiled().Split(s, -1) }
