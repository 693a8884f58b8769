package toolcall

import (
	"strings"

	"hyperstudy-endpoint/internal/lazyregexp"
)

// gap stands where reasoning was taken out, so that what was on its two sides
// does not become one. It cannot stand in JSON.
const gap = "\x00"

// reasoningTag matches what opens or closes reasoning in a text: the slash, and
// the name of the tag in one of its three notations.
var reasoningTag = lazyregexp.New(`(?i)<\s*(/?)\s*(?:[a-z]+:)?(think|thinking|thoughts?|reasoning)(?:[\s/][^<>]*)?>|\[(/?)(think)\]|◁(/?)(think)▷`)

// withoutReasoning drops reasoning that an upstream left in the text: what a
// model considers is not what it says. Reasoning that is not closed hides
// everything behind it, and a closing tag that was not opened everything before
// it: the templates of some models open the reasoning themselves.
func withoutReasoning(text string) string {
	var b strings.Builder
	open, depth, said := "", 0, 0 // said is where what is said goes on
	for _, at := range reasoningTag().FindAllStringSubmatchIndex(text, -1) {
		tag, closes := readReasoningTag(text, at)
		switch {
		case depth == 0 && closes:
			b.Reset()
			said = at[1]
		case depth == 0:
			b.WriteString(text[said:at[0]])
			open, depth = tag, 1
		case tag != open: // part of the reasoning
		case !closes:
			depth++
		default:
			if depth--; depth == 0 {
				b.WriteString(gap)
				said = at[1]
			}
		}
	}
	if depth == 0 {
		b.WriteString(text[said:])
	}
	return strings.Trim(b.String(), " \t\r\n"+gap)
}

// readReasoningTag returns the name of a match of [reasoningTag], which differs
// from one notation to another, and whether it closes.
func readReasoningTag(text string, at []int) (name string, closes bool) {
	for i := 2; i < len(at); i += 4 {
		if at[i] >= 0 {
			return text[at[0]:at[0]+1] + strings.ToLower(text[at[i+2]:at[i+3]]), at[i] < at[i+1]
		}
	}
	return "", false
}
