package conformance

import "strings"

// shortestKey is the length from which a key is looked for: a shorter one would
// be found everywhere.
const shortestKey = 6

// newRedactor takes a key out of texts, as it is and as it stands in JSON.
func newRedactor(key string) *strings.Replacer {
	if len(key) < shortestKey {
		return strings.NewReplacer()
	}
	const instead = "[API key]"
	inJSON := string(quoted(key))
	return strings.NewReplacer(key, instead, inJSON[1:len(inJSON)-1], instead)
}

// redact takes the key out of texts that an endpoint can have put it into: it may
// repeat what it was sent wherever it likes, also as the name of a model, which
// is then asked for.
func (s *session) redact(texts ...*string) {
	for _, text := range texts {
		*text = s.redactor.Replace(*text)
	}
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
