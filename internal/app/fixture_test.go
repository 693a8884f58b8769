package app_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A fixture is a request as HyperStudy sends it, with what has to come of
// answers that a model gives to it. See testdata/README.md.
type fixture struct {
	name string
	body []byte
	expectation
}

// An expectation is the file of a fixture in testdata/expectations.
type expectation struct {
	Kind    string            `json:"kind"` // decision, text, json or error
	Tools   []string          `json:"tools"`
	Tool    string            `json:"tool"` // the one that the samples call
	Valid   []json.RawMessage `json:"valid"`
	Mended  []mendedSample    `json:"mended"`
	Reasked []reaskedSample   `json:"reasked"`
	Finish  string            `json:"finish"` // of a text
	Error   *expectedError    `json:"error"`
	Cut     json.RawMessage   `json:"cut"`     // arguments that are cut at the limit
	Images  bool              `json:"images"`  // the model has to see
	Link    bool              `json:"link"`    // an image that the endpoint would have to fetch from nowhere
	Ignores bool              `json:"ignores"` // has parameters that hardly any model knows
}

type mendedSample struct {
	Why       string          `json:"why"`
	Arguments json.RawMessage `json:"arguments"`
	Text      string          `json:"text"` // of a JSON answer
	Into      json.RawMessage `json:"into"`
	Codes     string          `json:"codes"`
}

type reaskedSample struct {
	Why       string          `json:"why"`
	Arguments json.RawMessage `json:"arguments"`
	Text      string          `json:"text"` // of a JSON answer
}

type expectedError struct {
	Status int    `json:"status"`
	Code   string `json:"code"`
	Param  string `json:"param"`
	Says   string `json:"says"`
}

// fixtures reads all of them.
func fixtures(t *testing.T) []fixture {
	t.Helper()
	paths, err := filepath.Glob("testdata/requests/*.json")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no requests: %v", err)
	}
	list := make([]fixture, len(paths))
	for i, path := range paths {
		list[i].name = strings.TrimSuffix(filepath.Base(path), ".json")
		if list[i].body, err = os.ReadFile(path); err != nil {
			t.Fatal(err)
		}
		expected, err := os.ReadFile(filepath.Join("testdata/expectations", filepath.Base(path)))
		if err != nil {
			t.Fatal(err)
		}
		strictly(t, expected, &list[i].expectation)
	}
	orphans, err := filepath.Glob("testdata/expectations/*.json")
	if err != nil || len(orphans) != len(paths) {
		t.Fatalf("%d requests with %d expectations", len(paths), len(orphans))
	}
	return list
}

// request reads one request.
func request(t *testing.T, name string) []byte {
	t.Helper()
	body, err := os.ReadFile(filepath.Join("testdata/requests", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	return body
}

// with returns a request with further members, given as JSON in the form
// `"name":value,...`; they win over those that are there.
func with(t *testing.T, body []byte, members string) []byte {
	t.Helper()
	var o, more map[string]json.RawMessage
	if err := json.Unmarshal(body, &o); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte("{"+members+"}"), &more); err != nil {
		t.Fatal(err)
	}
	for name, value := range more {
		o[name] = value
	}
	return []byte(compactJSON(o))
}

// offered are the tools of the request, and the schema of each.
func (f *fixture) offered(t *testing.T) map[string]json.RawMessage {
	t.Helper()
	var body struct {
		Tools []struct {
			Function struct {
				Name       string
				Parameters json.RawMessage
			}
		}
	}
	if err := json.Unmarshal(f.body, &body); err != nil {
		t.Fatal(err)
	}
	schemas := map[string]json.RawMessage{}
	for _, tool := range body.Tools {
		schemas[tool.Function.Name] = tool.Function.Parameters
	}
	return schemas
}

// isString returns the text in a sample that is a JSON string.
func isString(t *testing.T, raw json.RawMessage) string {
	t.Helper()
	var s string
	if err := json.Unmarshal(bytes.TrimSpace(raw), &s); err != nil {
		t.Fatal(err)
	}
	return s
}
