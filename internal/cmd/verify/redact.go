package main

import (
	"encoding/json"
	"strings"

	"hyperstudy-endpoint/internal/conformance"
)

// shortestKey is the length from which a key is looked for: a shorter one would
// be found everywhere.
const shortestKey = 6

// redact takes the key out of everything in a report that an endpoint can have
// put it into: it may repeat what it was sent wherever it likes, also as the
// name of a model, which is then asked for.
func redact(r *conformance.Report, key string) {
	if len(key) < shortestKey {
		return
	}
	const instead = "[API key]"
	pairs := []string{key, instead}
	if quoted, err := json.Marshal(key); err == nil { // as it stands in a body
		pairs = append(pairs, strings.Trim(string(quoted), `"`), instead)
	}
	clean := strings.NewReplacer(pairs...).Replace
	for _, text := range texts(r) {
		*text = clean(*text)
	}
}

// texts are all texts of a report that are not the project's own.
func texts(r *conformance.Report) []*string {
	list := []*string{&r.BaseURL, &r.Model}
	for i := range r.Answered {
		list = append(list, &r.Answered[i])
	}
	for i := range r.Results {
		c := &r.Results[i]
		list = append(list, &c.Message, &c.Advice)
		for _, x := range c.Exchanges {
			list = append(list, &x.URL, &x.Request, &x.Answer, &x.Error)
			for _, values := range x.Header {
				for j := range values {
					list = append(list, &values[j])
				}
			}
		}
	}
	return list
}
