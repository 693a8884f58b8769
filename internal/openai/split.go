package openai

import (
	"encoding/json"

	"hyperstudy-endpoint/internal/rawjson"
)

// SplitObject is [ParseObject] for JSON that is known to be valid, such as a value
// of another object; of anything else it may panic.
func SplitObject(data []byte) (Object, error) {
	var o Object
	isObject := rawjson.Members(data, func(name string, value []byte) bool {
		o.Set(name, value)
		return true
	})
	if !isObject {
		return Object{}, errNotObject
	}
	return o, nil
}

// SplitArray splits an array that is known to be valid JSON into its elements, and
// stops behind the first one beyond most. It reports false for anything but an
// array.
func SplitArray(data []byte, most int) ([]json.RawMessage, bool) {
	items := []json.RawMessage{}
	isArray := rawjson.Elements(data, func(element []byte) bool {
		items = append(items, element)
		return len(items) <= most
	})
	if !isArray {
		return nil, false
	}
	return items, true
}
