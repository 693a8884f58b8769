package openai

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"hyperstudy-endpoint/internal/rawjson"
)

// A decoder reads members of an object into Go values and keeps the first
// fault, worded with the member's place in the request.
type decoder struct {
	object *Object
	at     string // what stands before a member's name in messages, such as "messages[3]."
	err    error
}

// value decodes the member into target. A member that is absent or null leaves
// target as it is: the API treats both alike.
func (d *decoder) value(name string, target any) {
	d.raw(name, func(v json.RawMessage) error {
		if text, ok := target.(*string); ok && rawjson.IsString(v) {
			*text = rawjson.Unquote(v)
			return nil
		}
		if err := json.Unmarshal(v, target); err != nil {
			return wrongType(d.at+name, target, err)
		}
		return nil
	})
}

// raw hands the member to decode unless it is absent or null.
func (d *decoder) raw(name string, decode func(json.RawMessage) error) {
	if d.err != nil || !d.object.Has(name) {
		return
	}
	d.err = decode(d.object.Get(name))
}

// need refuses an object without the member.
func (d *decoder) need(name string) {
	if d.err == nil && !d.object.Has(name) {
		d.err = Missing(d.at + name)
	}
}

// tooMany is the 400 for a list beyond a limit.
func tooMany(param string, most int) *Error {
	return InvalidValue(param, "Invalid value for '%s': at most %d are allowed.", param, most)
}

// parseMember splits what has to be an object at a place in the request.
func parseMember(raw json.RawMessage, at string) (Object, error) {
	o, err := SplitObject(raw)
	if err != nil {
		return Object{}, InvalidValue(at, "Invalid type for '%s': expected an object.", at)
	}
	return o, nil
}

// wrongType is the 400 for a member whose JSON type is not that of target.
// It names the type found but never the value, which may be somebody's words.
func wrongType(param string, target any, err error) *Error {
	var te *json.UnmarshalTypeError
	if !errors.As(err, &te) {
		return InvalidValue(param, "Invalid value for '%s'.", param)
	}
	found := te.Value
	if kind, _, isNumber := strings.Cut(found, " "); isNumber {
		found = kind // "number 1.5" would quote the value
	}
	return InvalidValue(param, "Invalid type for '%s': expected %s, got %s.", param, typeName(target), withArticle(found))
}

// typeName names the JSON type that is decoded into target.
func typeName(target any) string {
	switch target.(type) {
	case *string, *Role:
		return "a string"
	case **bool, *bool:
		return "a boolean"
	case **int, *int:
		return "an integer"
	case **float64:
		return "a number"
	default:
		return "an object"
	}
}

func withArticle(noun string) string {
	if noun == "" {
		return "something else"
	}
	if strings.ContainsRune("aeiou", rune(noun[0])) {
		return fmt.Sprintf("an %s", noun)
	}
	return fmt.Sprintf("a %s", noun)
}
