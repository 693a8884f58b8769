package bedrock

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/document"

	"hyperstudy-endpoint/internal/openai"
)

// A rawDocument is a document of the SDK that is JSON text already. The SDK
// writes what MarshalSmithyDocument returns as it is, so that the order of
// members and every digit of a number survive.
type rawDocument struct {
	document.Interface // has the method without which a type is no document
	json               []byte
}

// newDocument makes a document of valid JSON.
func newDocument(raw json.RawMessage) document.Interface {
	return rawDocument{Interface: document.NewLazyDocument(nil), json: compact(raw)}
}

// MarshalSmithyDocument returns the JSON text.
func (d rawDocument) MarshalSmithyDocument() ([]byte, error) { return d.json, nil }

// objectDocument makes a document of an object.
func objectDocument(o openai.Object) (document.Interface, error) {
	raw, err := o.MarshalJSON()
	if err != nil {
		return nil, err
	}
	return newDocument(raw), nil
}

// compact returns valid JSON without white space between its tokens. What is
// not valid JSON is returned as it is.
func compact(raw []byte) []byte {
	var buf bytes.Buffer
	if json.Compact(&buf, raw) != nil {
		return raw
	}
	return buf.Bytes()
}

// isObject reports whether valid JSON is an object.
func isObject(raw []byte) bool { return bytes.HasPrefix(bytes.TrimSpace(raw), []byte("{")) }

// isBlank reports whether Bedrock would refuse a text as blank.
func isBlank(text string) bool { return strings.TrimSpace(text) == "" }
