package app_test

import (
	"io"
	"net/http/httptest"
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
	conforms(t, d.gateway.URL)
}

// TestConformanceOfTheDevServer does the same with the endpoint of make run.
func TestConformanceOfTheDevServer(t *testing.T) {
	t.Parallel()
	c, err := config.LoadDev(func(string) string { return "" })
	if err != nil {
		t.Fatal(err)
	}
	endpoint, err := app.Dev(t.Context(), c, apiKey, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(endpoint)
	t.Cleanup(server.Close)
	conforms(t, server.URL+"/v1")
}

// conforms checks an endpoint on this machine that the null agent answers for.
func conforms(t *testing.T, baseURL string) {
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
		if r.Verdict != want && r.Verdict != conformance.Info {
			t.Errorf("%s: %s: %s %s", r.Check.ID, r.Verdict, r.Message, r.Advice)
		}
	}
	for _, rate := range report.Rates {
		if rate.Valid != rate.Asked || rate.Asked == 0 {
			t.Errorf("the null agent is always right: %+v", rate)
		}
	}
}
