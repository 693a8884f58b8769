package external

import (
	"slices"
	"strings"

	"hyperstudy-endpoint/internal/openai"
)

// The words of which servers make sentences that refuse several parameters at once.
const (
	quotedName = `\\?["'` + "`" + `][\w.\[\]-]+\\?["'` + "`" + `]`
	oneName    = `(?:` + quotedName + `|[\w-]+(?:\.[\w-]+)*)(?:\s?:\s?[\w.+-]+)?` // with its value, as Python prints dicts
	comma      = `(?:\s*[,;]\s*(?:and |or )?|\s+(?:and|or|&)\s+)`
	nameList   = oneName + `(?:` + comma + oneName + `)*`
	quotedList = quotedName + `(?:` + comma + quotedName + `)*`
	nouns      = `(?:arguments?|parameters?|params?|fields?|propert(?:y|ies)|keys?|keywords?|options?|inputs?|names?)(?:\(s\))?`
	refusedAre = `(?:unsupported|unexpected|unknown|unrecogni[sz]ed|not (?:(?:currently|yet) )?(?:supported|recogni[sz]ed|permitted|allowed|accepted|available|implemented|enabled))`
	refusing   = `(?:do(?:es)? not|do(?:es)?n't|cannot) (?:support|accept|recogni[sz]e|allow|know)`
	someWords  = `(?: [\w/-]+(?:\.[\w/-]+)*)`
)

// A listing is a form of such a sentence. Its groups are the list.
type listing struct {
	pattern
	prose bool // the list may be of words that are not meant as names
}

var listings = []listing{
	// "Unrecognized request arguments supplied: a, b", "does not support parameters: ['a', 'b']",
	// "Additional properties are not allowed ('a', 'b' were unexpected)".
	{lazily(`(?i)\b(?:` + refusedAre + `|` + refusing + `|extra|additional)` + someWords + `{0,3}? ` + nouns + someWords + `{0,5}?` +
		`(?:\s?:\s*[\[({]?\s*(` + nameList + `)|\s[\[({]?\s*(` + quotedList + `))`), false},
	// "Arguments not supported on this model: a, b", "The following parameters are not supported: a, b".
	{lazily(`(?i)\b` + nouns + someWords + `{0,3}? ` + refusedAre + someWords + `{0,6}?\s?:\s*[\[({]?\s*(` + nameList + `)`), false},
	// "Parameters `a` and `b` are not supported", "property 'a' is unsupported, property 'b' is unsupported".
	{lazily(`(?i)(?:\b` + nouns + ` )?(` + nameList + `)(?: ` + nouns + `)? (?:is|are|was|were) ` + refusedAre + `\b`), true},
	// "This model does not support a, b and c".
	{lazily(`(?i)\b` + refusing + `(?: the)?(?: ` + nouns + `)? (` + nameList + `)`), true},
}

var (
	between = lazily(comma)
	// reserved are sentences that do not speak of all the names, or not of every case.
	reserved = lazily(`(?i)\b(?:unless|except|other than|besides|apart from|only|instead|if)\b`)
)

// each returns the complaints of the fault, those that list several parameters
// as one for each of them.
func (f *fault) each(sent *openai.Object) []complaint {
	var all []complaint
	for _, c := range f.complaints {
		names := c.listed(sent)
		if len(names) < 2 {
			all = append(all, c)
			continue
		}
		for _, name := range names {
			all = append(all, complaint{place: name, kind: "unknown_parameter"})
		}
	}
	return all
}

// listed returns the parameters of the request that the complaint says are
// unknown or unsupported, all of them and without a condition.
func (c complaint) listed(sent *openai.Object) []string {
	var names []string
	for _, l := range listings {
		for _, m := range l.FindAllStringSubmatchIndex(c.text) {
			start, end := m[2], m[3]
			if start < 0 {
				start, end = m[4], m[5]
			}
			more := slices.DeleteFunc(parameters(c.text[start:end], l.prose, sent), func(name string) bool { return slices.Contains(names, name) })
			if len(more) == 0 {
				continue
			}
			if sentence := around(c.text, m[0], m[1]); !reserved.MatchString(sentence) && !conflict.MatchString(sentence) {
				names = append(names, more...)
			}
		}
	}
	if root, _, _ := strings.Cut(strings.ReplaceAll(c.place, "[", "."), "."); sent.Get(root) != nil && !slices.Contains(names, root) {
		return nil // the complaint is about something inside of root
	}
	return names
}

// parameters returns the parameters of the request that a list names. In prose a
// list counts only if it can be nothing else: words alone may be words.
func parameters(list string, prose bool, sent *openai.Object) []string {
	var names []string
	certain := !prose
	for _, item := range between.Split(list) {
		name, _, _ := strings.Cut(item, ":")
		bare := strings.Trim(strings.TrimSpace(name), "\\\"'`")
		switch {
		case bare != strings.TrimSpace(name), strings.Contains(bare, "_"):
			certain = true
		case prose && sent.Get(bare) == nil:
			return nil
		}
		if sent.Get(bare) != nil {
			names = append(names, bare)
		}
	}
	if !certain {
		return nil
	}
	return names
}

// around returns the sentence of which text[start:end] is a part.
func around(text string, start, end int) string {
	for start > 0 && !endsSentence(text, start-1) {
		start--
	}
	for end < len(text) && !endsSentence(text, end) {
		end++
	}
	return text[start:end]
}

// endsSentence reports whether a sentence ends at i: the points in names and
// numbers have no space behind them.
func endsSentence(text string, i int) bool {
	const ends = ".;\n"
	return strings.IndexByte(ends, text[i]) >= 0 && (i+1 == len(text) || text[i+1] == ' ' || text[i+1] == '\n')
}
