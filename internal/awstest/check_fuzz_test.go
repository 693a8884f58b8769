package awstest

import (
	"reflect"
	"testing"
	"unicode/utf8"
)

// FuzzCheck: whatever the body, a request is judged, and twice the same; a
// refusal has a rule and a message that can be sent.
func FuzzCheck(f *testing.F) {
	for _, list := range [][]restrictionCase{messageCases, toolCases, mediaCases(), parameterCases} {
		for _, c := range list {
			if len(c.body) < 4096 {
				f.Add(c.model, c.rule == "R16", []byte(c.body))
			}
		}
	}
	srv := NewServer(f)
	f.Fuzz(func(t *testing.T, model string, stream bool, body []byte) {
		first := srv.check(model, stream, body)
		if again := srv.check(model, stream, body); !reflect.DeepEqual(first, again) {
			t.Errorf("judged %+v and then %+v", first, again)
		}
		if first != nil && (first.rule == "" || first.message == "" || !utf8.Valid(object("message", first.message))) {
			t.Errorf("refusal is %+v", first)
		}
	})
}
