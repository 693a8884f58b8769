package conformance

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
)

// An echo repeats the key in all that it answers.
type echo struct{}

func (echo) RoundTrip(r *http.Request) (*http.Response, error) {
	said, err := json.Marshal(r.Header.Get("Authorization"))
	if err != nil {
		return nil, err
	}
	body := fmt.Sprintf(`{"object":"list","model":%[1]s,"data":[{"id":%[1]s}],"choices":[{"message":{"role":"assistant","content":%[1]s}}],"error":{"message":%[1]s}}`, said)
	header := http.Header{"Content-Type": {"application/json"}, "X-Endpoint-Mended": {r.Header.Get("Authorization")}}
	return &http.Response{StatusCode: http.StatusOK, Header: header, Body: io.NopCloser(strings.NewReader(body))}, nil
}

// TestKeyIsTakenOut looks for keys in the report and in what an observer is told.
func TestKeyIsTakenOut(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"sk-0123456789abcdef", `sk-"0123\4567"`, "sk-<0123>&456789"} {
		t.Run(key, func(t *testing.T) {
			t.Parallel()
			var told []*Result
			target := Target{BaseURL: "http://127.0.0.1/v1", APIKey: key, Client: &http.Client{Transport: echo{}}}
			report := Run(t.Context(), target, Options{Quick: true, Observe: func(e Event) {
				if e.Result != nil {
					told = append(told, e.Result)
				}
			}})
			taken := 0
			texts := report.texts()
			for i, r := range told {
				texts = append(append(texts, r.texts()...), report.Results[i].texts()...)
			}
			for _, text := range texts {
				if inJSON := strings.Trim(string(quoted(key)), `"`); strings.Contains(*text, key) || strings.Contains(*text, inJSON) {
					t.Errorf("%s holds the key", *text)
				}
				taken += strings.Count(*text, "[API key]")
			}
			if report.Model != "Bearer [API key]" || taken < 30 {
				t.Errorf("model %q; the key was taken out %d times", report.Model, taken)
			}
		})
	}
}
