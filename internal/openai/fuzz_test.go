package openai

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"reflect"
	"testing"
)

// FuzzDecodeRequest checks that a request is either refused as the caller's
// fault or kept: its body is written as JSON equal to what came, and what the
// methods that change it make of it can be decoded again.
func FuzzDecodeRequest(f *testing.F) {
	for _, body := range []string{
		hi + "}", hi + `,"tools":[{"function":{"name":"f","parameters":{}}}],"tool_choice":"auto","seed":1}`,
		conversation(user, askTwo, resultB, resultA), hi + `,"response_format":{"type":"json_object"},"stop":["a"],"max_tokens":5}`,
		hi + `,"stream":true,"stream_options":{"include_usage":true},"model":"m"}`, "\ufeff" + hi + "}", `[]`, ``, hi, `{"messages":[ {"role":"user","content":[]} ] }`,
		hi + "," + offer("f") + `,"tool_choice":{"type":"allowed_tools","allowed_tools":{"mode":"auto","tools":[{"function":{"name":"f"}}]}}}`,
	} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		req, err := DecodeRequest(http.MaxBytesReader(nil, noCloser{bytes.NewReader(body)}, 1<<16))
		if err != nil {
			var e *Error
			if !errors.As(err, &e) || e.Status != http.StatusBadRequest && e.Status != http.StatusRequestEntityTooLarge || e.Code == "" || e.Message == "" {
				t.Fatalf("got error %#v", err)
			}
			return
		}
		written, err := json.Marshal(req.Body)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := anyJSON(t, written), anyJSON(t, bytes.TrimPrefix(body, []byte("\ufeff"))); !reflect.DeepEqual(got, want) {
			t.Fatalf("%s became %s", body, written)
		}
		more, err := req.WithMessages(TextMessage(RoleUser, "x"))
		if err != nil {
			t.Fatal(err)
		}
		if more, err = more.WithModel("y"); err != nil {
			t.Fatal(err)
		}
		if len(req.CallableTools()) > 0 {
			if more, err = more.WithForcedTool(); err != nil {
				t.Fatal(err)
			}
		}
		inStep(t, more.WithMaxTokens(3))
		if again, err := json.Marshal(req.Body); err != nil || !bytes.Equal(again, written) {
			t.Fatalf("the original became %s, %v", again, err)
		}
	})
}

type noCloser struct{ *bytes.Reader }

func (noCloser) Close() error { return nil }

// anyJSON decodes JSON with its numbers as they are written.
func anyJSON(t *testing.T, text []byte) any {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		t.Fatal(err)
	}
	return v
}
