package lambdahttp

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/aws/aws-lambda-go/events"
)

// TestEventDecodes decodes events both ways: the outcome has to be the same,
// whatever the order and the form of the members.
func TestEventDecodes(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../infra/events/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no sample events: %v", err)
	}
	documents := map[string]string{
		"escapes":        `{"body":"{\"a\":\"\\u00e4\\ud83d\\ude00\\n\"}\ud83d\ude00\/","path":"\/chat","httpMethod":"POST"}`,
		"null members":   `{"body":null,"headers":null,"multiValueHeaders":null,"isBase64Encoded":false,"requestContext":null,"path":null}`,
		"body last":      `{"path":"/","isBase64Encoded":true,"body":"YQ=="}`,
		"single headers": `{"headers":{"a":"1"},"queryStringParameters":{"q":"2"},"body":""}`,
		"empty":          `{}`,
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		documents[filepath.Base(file)] = string(data)
	}
	for name, document := range documents {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var want events.APIGatewayProxyRequest
			var got Event
			if err := json.Unmarshal([]byte(document), &want); err != nil {
				t.Fatal(err)
			}
			if err := json.NewDecoder(strings.NewReader(document)).Decode(&got); err != nil {
				t.Fatal(err)
			}
			body := want.Body
			want.Body = ""
			if string(got.Body) != body || !reflect.DeepEqual(got.APIGatewayProxyRequest, want) {
				t.Errorf("got %q of %+v\nwant %q of %+v", got.Body, got.APIGatewayProxyRequest, body, want)
			}
		})
	}
}

func TestEventErrors(t *testing.T) {
	t.Parallel()
	for _, document := range []string{`{"body":{}}`, `{"path":1}`, `{"isBase64Encoded":"yes"}`, `{"multiValueHeaders":{"a":"1"}}`, `{"headers":{"a":1}}`} {
		if err := json.Unmarshal([]byte(document), new(Event)); err == nil {
			t.Errorf("%s was accepted", document)
		}
	}
}
