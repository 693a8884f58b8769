package app_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"hyperstudy-endpoint/internal/awstest"
)

// TestMissettings has services that no time mends, under the default time limit:
// HyperStudy's connection test, which waits 30 s, has to show what to change, and
// a fallback is asked instead.
func TestMissettings(t *testing.T) {
	t.Parallel()
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "<!doctype html><title>Welcome</title>")
	}))
	t.Cleanup(page.Close)          // after the subtests
	const reason = 5 * time.Second // within which it is told, however busy the machine
	for _, tc := range []struct{ name, url, says string }{
		{"a certificate that nobody trusts", newTLSUpstream(t).URL, "EXTERNAL_CA_PEM"},
		{"a website", page.URL + "/v1", "base_url of agent in MODELS"},
		{"a port that is not for TLS", strings.Replace(page.URL, "http:", "https:", 1), "TLS"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			up := answering(newUpstream(t), "from the other one")
			d := deployOn(t, awstest.NewServer(t), up, "agent=external:m?base_url="+tc.url+",guarded=external:m?fallback=spare&base_url="+tc.url+",spare=external:m")
			for _, alias := range []string{"agent", "guarded"} {
				start := time.Now()
				a := d.post(t, with(t, request(t, "connection-test"), `"model":"`+alias+`"`))
				if took := time.Since(start); took > reason {
					t.Errorf("%s answered after %v", alias, took)
				}
				if alias == "guarded" {
					c := a.completion(t)
					if got := c.text(t); got != "from the other one" || a.header.Get("X-Endpoint-Fallback") != "spare" {
						t.Errorf("%q, fallback %q", got, a.header.Get("X-Endpoint-Fallback"))
					}
					continue
				}
				if f := a.failed(t, 502, "upstream_error", ""); !strings.Contains(f.message, tc.says) || !strings.Contains(f.message, "behind agent") {
					t.Errorf("the message does not say what to change: %s", f.message)
				}
				if got := a.header.Get("X-Endpoint-Attempts"); got != "2" {
					t.Errorf("%s attempts", got)
				}
			}
		})
	}
}
