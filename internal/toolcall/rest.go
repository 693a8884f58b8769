package toolcall

import (
	"slices"
	"strings"

	"hyperstudy-endpoint/internal/lazyregexp"
)

// inventedResult matches what a model makes up as the result of its call, to
// its end or to the end of the text.
var inventedResult = lazyregexp.New(`(?is)<tool_(?:response|result)s?>.*?(?:</tool_(?:response|result)s?>|$)|\[TOOL_RESULTS\].*?(?:\[/TOOL_RESULTS\]|$)`)

// objectStart matches, in a bare text, an object with members, or the beginning of one.
var objectStart = lazyregexp.New(`\{[^{}]*(?::|$)`)

// saysMore reports whether the text around a call holds something that reads as
// another one: then the model has not said which it means. It is generous, for
// to ask again costs less than to choose. Behind the call the result that a model
// invents does not count, unless there is a call in it.
func (j *Judge) saysMore(before, behind string) bool {
	rest := bare(before + gap + behind)
	if j.holdsCall(rest) {
		return true
	}
	if said := inventedResult().ReplaceAllString(behind, gap); said != behind {
		rest = bare(before + gap + said)
	}
	return objectStart().MatchString(rest) || j.namesTool(rest, "") ||
		slices.ContainsFunc(j.tools, func(t tool) bool { return strings.Contains(rest, t.bare+"(") })
}
