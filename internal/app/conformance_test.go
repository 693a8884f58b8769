package app_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"sync/atomic"
	"testing"

	"hyperstudy-endpoint/internal/app"
	"hyperstudy-endpoint/internal/config"
	"hyperstudy-endpoint/internal/conformance"
)

// TestConformanceOfTheFunctions puts the compiled functions to the whole of
// what researchers check an endpoint with before a study.
func TestConformanceOfTheFunctions(t *testing.T) {
	t.Parallel()
	d := deploy(t, "agent=baseline:random")
	for _, rate := range conforms(t, d.gateway.URL).Rates {
		if rate.Valid != rate.Asked || rate.Asked == 0 {
			t.Errorf("the null agent is always right: %+v", rate)
		}
	}
}

// TestConformanceOfTheDevServer does the same with the endpoint of make run.
func TestConformanceOfTheDevServer(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(devServer(t, apiKey))
	t.Cleanup(server.Close)
	conforms(t, server.URL+"/v1")
}

// TestConformanceOverBadModel has the functions call a model that does every
// second decision wrong. By itself it does not conform, through them it does.
func TestConformanceOverBadModel(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(clumsy(devServer(t, upstreamKey)))
	t.Cleanup(server.Close)
	alone := conformance.Run(t.Context(), conformance.Target{BaseURL: server.URL + "/v1", APIKey: upstreamKey},
		conformance.Options{Only: []string{"answer.likert", "answer.rating", "decision.call"}, Repeat: 8})
	for _, r := range alone.Results {
		if r.Verdict != conformance.Fail {
			t.Errorf("the model alone: %s: %s: %s", r.Check.ID, r.Verdict, r.Message)
		}
	}
	d := deploy(t, "agent=external:baseline", "EXTERNAL_BASE_URL="+server.URL+"/v1", "MAX_REASKS=5")
	mended, reasked := 0, 0
	for _, rate := range conforms(t, d.gateway.URL).Rates {
		mended += rate.Mended
		reasked += rate.Reasked
	}
	if mended == 0 || reasked == 0 {
		t.Errorf("%d answers were mended, %d asked for again", mended, reasked)
	}
}

func devServer(t *testing.T, key string) http.Handler {
	t.Helper()
	c, err := config.LoadDev(func(string) string { return "" })
	if err != nil {
		t.Fatal(err)
	}
	endpoint, err := app.Dev(t.Context(), c, key, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	return endpoint
}

var aNumber = regexp.MustCompile(`([:\[,])(-?[0-9.]+)`)

// clumsy spoils every second decision of an endpoint, in turn in two ways.
func clumsy(endpoint http.Handler) http.Handler {
	var decisions atomic.Int32
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		recorder := httptest.NewRecorder()
		endpoint.ServeHTTP(recorder, r)
		body := recorder.Body.Bytes()
		if bytes.Contains(body, []byte(`"tool_calls":[`)) && !bytes.HasPrefix(body, []byte("data:")) {
			body = spoil(body, decisions.Add(1))
		}
		for name, values := range recorder.Header() {
			if name != "Content-Length" {
				w.Header()[name] = values
			}
		}
		w.WriteHeader(recorder.Code)
		_, _ = w.Write(body) // the caller may have left
	})
}

// spoil writes the numbers of a call as strings, or text in place of a call.
func spoil(body []byte, n int32) []byte {
	var c completion
	if n%2 == 0 || json.Unmarshal(body, &c) != nil {
		return body
	}
	m := &c.Choices[0].Message
	if n%4 == 1 {
		f := &m.ToolCalls[0].Function
		f.Arguments = aNumber.ReplaceAllString(f.Arguments, `$1"$2"`)
	} else {
		said := "I would rather not choose between these."
		m.Content, m.ToolCalls, c.Choices[0].FinishReason = &said, nil, "stop"
	}
	spoilt, err := json.Marshal(c)
	if err != nil {
		return body
	}
	return spoilt
}

// conforms checks an endpoint on this machine.
func conforms(t *testing.T, baseURL string) *conformance.Report {
	t.Helper()
	report := conformance.Run(t.Context(), conformance.Target{BaseURL: baseURL, APIKey: apiKey}, conformance.Options{})
	for _, r := range report.Results {
		want := conformance.Pass
		switch r.Check.ID {
		case "address.url", "address.public":
			want = conformance.Warn // http and loopback, which HyperStudy refuses
		case "address.certificate":
			want = conformance.Skip
		}
		blind := r.Verdict == conformance.Warn && r.Check.Group == "images" // the baseline guesses, and may guess right
		if r.Verdict != want && !blind && r.Verdict != conformance.Info {
			t.Errorf("%s: %s: %s %s", r.Check.ID, r.Verdict, r.Message, r.Advice)
		}
	}
	if n := len(conformance.Checks(conformance.Options{})); len(report.Results) != n {
		t.Errorf("%d results of %d checks", len(report.Results), n)
	}
	return report
}
