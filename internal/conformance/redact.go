package conformance

import (
	"maps"
	"slices"
	"strings"
)

// shortestKey is the length from which a key, or the beginning of one, is looked
// for: a shorter one would be found everywhere.
const shortestKey = 8

// A redactor takes a key out of texts.
type redactor struct {
	forms []string // in lower case: as it is, as it stands in JSON, and with the slashes that PHP escapes
}

func newRedactor(key string) redactor {
	if len(key) < shortestKey {
		return redactor{}
	}
	quotedKey := string(quoted(key))
	inJSON := quotedKey[1 : len(quotedKey)-1]
	var r redactor
	for _, form := range []string{key, inJSON, strings.ReplaceAll(inJSON, "/", `\/`)} {
		if form = lower(form); !slices.Contains(r.forms, form) {
			r.forms = append(r.forms, form)
		}
	}
	return r
}

// replace puts a word in the place of the key and of its beginnings, in whatever
// case: checks send the key cut short and in another case as well, and a text that
// was shortened may end within it.
func (r redactor) replace(text string) string {
	const instead = "[API key]"
	var out strings.Builder
	plain, kept := lower(text), 0
	for i := 0; i < len(plain); {
		n := r.match(plain[i:])
		if n == 0 {
			i++
			continue
		}
		out.WriteString(text[kept:i] + instead)
		i += n
		kept = i
	}
	return out.String() + text[kept:]
}

// match is the length of the longest beginning of the key that a text begins
// with; 0 says that there is none.
func (r redactor) match(plain string) int {
	longest := 0
	for _, form := range r.forms {
		n := 0
		for n < len(form) && n < len(plain) && plain[n] == form[n] {
			n++
		}
		longest = max(longest, n)
	}
	if longest < shortestKey {
		return 0
	}
	return longest
}

// lower is text with the letters of ASCII in lower case, byte for byte.
func lower(text string) string {
	b := []byte(text)
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

// redact takes the key out of texts that an endpoint can have put it into: it may
// repeat what it was sent wherever it likes, also as the name of a model, which
// is then asked for.
func (s *session) redact(texts ...*string) {
	for _, text := range texts {
		*text = s.redactor.replace(*text)
	}
}

// redactResult takes the key out of a result, and leaves out headers that have it
// for their name.
func (s *session) redactResult(r *Result) {
	for _, x := range r.Exchanges {
		maps.DeleteFunc(x.Header, func(name string, _ []string) bool { return s.redactor.replace(name) != name })
	}
	s.redact(r.texts()...)
}

// texts are those of a result that are not the package's own.
func (r *Result) texts() []*string {
	list := []*string{&r.Message, &r.Advice}
	for _, x := range r.Exchanges {
		list = append(list, &x.URL, &x.Request, &x.Answer, &x.Error)
		for _, values := range x.Header {
			for i := range values {
				list = append(list, &values[i])
			}
		}
	}
	return list
}

// texts are those of a report that do not stand in one of its results.
func (r *Report) texts() []*string {
	list := []*string{&r.BaseURL, &r.Model}
	for i := range r.Answered {
		list = append(list, &r.Answered[i])
	}
	return list
}
