package main

import (
	"context"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"hyperstudy-endpoint/internal/app"
	"hyperstudy-endpoint/internal/chat"
	"hyperstudy-endpoint/internal/config"
)

// endpointSays is what stands in for the endpoint behind a page.
const endpointSays = "the endpoint"

// ask sends a request to a page with the key "sk-<&>" in front of a stand-in
// for the endpoint.
func ask(method, url, body string, header map[string]string) *httptest.ResponseRecorder {
	p := page{Key: "sk-<&>", Models: []chat.Model{{Alias: "one", ID: "<model>", OwnedBy: "external"}}, Groups: groups}
	r := httptest.NewRequestWithContext(context.Background(), method, url, strings.NewReader(body))
	for name, value := range header {
		r.Header.Set(name, value)
	}
	w := httptest.NewRecorder()
	p.beside(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, endpointSays+" at "+r.URL.Path)
	})).ServeHTTP(w, r)
	return w
}

func TestPage(t *testing.T) {
	t.Parallel()
	w := ask(http.MethodGet, "http://127.0.0.1:8080/", "", nil)
	for _, want := range []string{`<code id="base-url">http://127.0.0.1:8080/v1</code>`, `<code id="key">sk-&lt;&amp;&gt;</code>`, "&lt;model&gt; (external), the default", `<option value="rating"`} {
		if !strings.Contains(w.Body.String(), want) {
			t.Errorf("%s is not in:\n%s", want, w.Body)
		}
	}
	for name, want := range map[string]string{
		"Content-Type": "text/html; charset=utf-8", "Cache-Control": "no-store", "Cross-Origin-Resource-Policy": "same-origin",
		"Cross-Origin-Opener-Policy": "same-origin", "Referrer-Policy": "no-referrer", "X-Content-Type-Options": "nosniff", "Content-Security-Policy": contentPolicy,
	} {
		if got := w.Header().Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	for name := range w.Header() {
		if strings.HasPrefix(name, "Access-Control-") {
			t.Errorf("%s lets other origins read", name)
		}
	}
	if strings.Contains(w.Body.String(), "style=") || strings.Contains(w.Body.String(), "onclick") {
		t.Error("the page has inline code, which its policy forbids")
	}
}

// TestPageIsForThisMachine checks who is shown the key: no web page whose name
// leads here, and nobody behind a proxy or a tunnel.
func TestPageIsForThisMachine(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, url string
		header    map[string]string
		want      int
	}{
		{"address", "http://127.0.0.1:8080/", nil, http.StatusOK},
		{"name", "http://localhost:8080/", nil, http.StatusOK},
		{"forwarded port", "http://localhost:9000/", nil, http.StatusOK},
		{"no port", "http://127.0.0.1/", nil, http.StatusOK},
		{"another name that leads here", "http://attacker.example:8080/", nil, http.StatusForbidden},
		{"a name that begins like ours", "http://127.0.0.1.attacker.example/", nil, http.StatusForbidden},
		{"a name below ours", "http://attacker.localhost:8080/", nil, http.StatusForbidden},
		{"address of the network", "http://192.0.2.7:8080/", nil, http.StatusForbidden},
		{"all addresses", "http://0.0.0.0:8080/", nil, http.StatusForbidden},
		{"proxy", "http://127.0.0.1:8080/", map[string]string{"X-Forwarded-For": "192.0.2.7"}, http.StatusForbidden},
		{"link from elsewhere", "http://127.0.0.1:8080/", map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}, http.StatusOK},
		{"request from another site", "http://127.0.0.1:8080/", map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}, http.StatusForbidden},
		{"request from another port", "http://127.0.0.1:8080/", map[string]string{"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "cors"}, http.StatusForbidden},
		{"request from the page", "http://127.0.0.1:8080/", map[string]string{"Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "cors"}, http.StatusOK},
		{"Chrome", "http://127.0.0.1:8080/", map[string]string{
			"Accept": "text/html", "Accept-Encoding": "gzip, deflate, br, zstd", "Accept-Language": "en", "Cache-Control": "max-age=0", "Connection": "keep-alive", "Cookie": "a=b",
			"Sec-Ch-Ua": `"Chromium";v="150"`, "Sec-Ch-Ua-Mobile": "?0", "Sec-Fetch-Dest": "document", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Site": "none", "Sec-Fetch-User": "?1",
			"Upgrade-Insecure-Requests": "1", "User-Agent": "Mozilla/5.0",
		}, http.StatusOK},
		{"Firefox", "http://localhost:8080/", map[string]string{
			"Accept": "*/*", "Accept-Encoding": "gzip, deflate, br, zstd", "Accept-Language": "en", "Connection": "keep-alive", "Content-Type": "application/json", "Dnt": "1", "Origin": "http://localhost:8080",
			"Pragma": "no-cache", "Priority": "u=0", "Referer": "http://localhost:8080/", "Sec-Fetch-Mode": "cors", "Sec-Fetch-Site": "same-origin", "Sec-Gpc": "1", "Te": "trailers", "User-Agent": "Mozilla/5.0",
		}, http.StatusOK},
		{"verify", "http://127.0.0.1:8080/", map[string]string{"Accept-Encoding": "gzip", "User-Agent": "Go-http-client/1.1"}, http.StatusOK},
		{"origin elsewhere", "http://127.0.0.1:8080/", map[string]string{"Origin": "https://attacker.example"}, http.StatusForbidden},
		{"origin of a tunnel", "http://127.0.0.1:8080/", map[string]string{"Origin": "https://127.0.0.1:8080"}, http.StatusForbidden},
		{"origin of another port", "http://127.0.0.1:8080/", map[string]string{"Origin": "http://127.0.0.1:3000"}, http.StatusForbidden},
		{"no origin that could be named", "http://127.0.0.1:8080/", map[string]string{"Origin": "null"}, http.StatusForbidden},
		{"site of a kind to come", "http://127.0.0.1:8080/", map[string]string{"Sec-Fetch-Site": "same-planet"}, http.StatusForbidden},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			for _, path := range []string{"", "page/page.js", "page/screens/rating.json", "page/connection.json"} {
				w := ask(http.MethodGet, tc.url+path, "", tc.header)
				if w.Code != tc.want || tc.want != http.StatusOK && strings.Contains(w.Body.String(), "sk-") {
					t.Errorf("%s: %d, want %d\n%s", path, w.Code, tc.want, w.Body)
				}
			}
		})
	}
}

// TestPageIsNotForProxies checks that whatever a proxy or a tunnel says of itself
// keeps the key from being shown, also if it says nothing with it.
func TestPageIsNotForProxies(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"Forwarded", "Via", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Forwarded-Port", "X-Real-Ip", "X-Original-Host", "X-Client-Ip", "True-Client-Ip",
		"Cf-Connecting-Ip", "Cf-Ray", "Cdn-Loop", "Ngrok-Skip-Browser-Warning", "Ngrok-Auth-User-Email", "Tailscale-User-Login", "X-Tunnel-Authorization", "X-Amzn-Trace-Id",
		"Proxy-Connection", "X_forwarded_for", "A-Header-Of-Tomorrow",
	} {
		for _, value := range []string{"", "https"} {
			for _, path := range []string{"", "page/connection.json"} {
				w := ask(http.MethodGet, "http://127.0.0.1:8080/"+path, "", map[string]string{name: value})
				if w.Code != http.StatusForbidden || strings.Contains(w.Body.String(), "sk-") || !strings.Contains(w.Body.String(), name) {
					t.Errorf("%s: %q at /%s: %d\n%s", name, value, path, w.Code, w.Body)
				}
			}
		}
	}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://127.0.0.1:8080/", nil)
	r.Proto, r.ProtoMinor = "HTTP/1.0", 0 // as proxies ask that say nothing else of themselves
	if why := notFromHere(r); !strings.Contains(why, "HTTP/1.0") {
		t.Errorf("HTTP/1.0: %q", why)
	}
}

// TestPathsOfThePage checks that the page has its own paths and the endpoint all
// others, as they are.
func TestPathsOfThePage(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, method, path string
		header             map[string]string
		status             int
		endpoint           bool
	}{
		{"models", http.MethodGet, "/v1/models", nil, http.StatusOK, true},
		{"untidy path", http.MethodPost, "//v1//chat/completions/", nil, http.StatusOK, true},
		{"doubled slash", http.MethodGet, "//", nil, http.StatusOK, true},
		{"path of another name", http.MethodGet, "/pages", nil, http.StatusOK, true},
		{"endpoint under another host", http.MethodGet, "http://tunnel.example/v1/models", nil, http.StatusOK, true},
		{"head of the page", http.MethodHead, "/", nil, http.StatusOK, false},
		{"post to the page", http.MethodPost, "/", nil, http.StatusMethodNotAllowed, false},
		{"list of files", http.MethodGet, "/page/", nil, http.StatusNotFound, false},
		{"list of screens", http.MethodGet, "/page/screens/", nil, http.StatusNotFound, false},
		{"template", http.MethodGet, "/page/index.html", nil, http.StatusNotFound, false},
		{"no such screen", http.MethodGet, "/page/screens/none.json", nil, http.StatusNotFound, false},
		{"verdict without a question", http.MethodPost, "/page/verdict", nil, http.StatusBadRequest, false},
		{"verdict for another site", http.MethodPost, "/page/verdict", map[string]string{"Origin": "https://attacker.example"}, http.StatusForbidden, false},
		{"verdict across sites", http.MethodPost, "/page/verdict", map[string]string{"Sec-Fetch-Site": "cross-site"}, http.StatusForbidden, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			url := tc.path
			if !strings.HasPrefix(url, "http") {
				url = "http://127.0.0.1:8080" + tc.path
			}
			w := ask(tc.method, url, "", tc.header)
			if w.Code != tc.status || strings.HasPrefix(w.Body.String(), endpointSays) != tc.endpoint {
				t.Errorf("%d %s", w.Code, w.Body)
			}
		})
	}
}

func TestConnection(t *testing.T) {
	t.Parallel()
	got := decode[map[string]string](t, ask(http.MethodGet, "http://127.0.0.1:8080/page/connection.json", "", nil).Body)
	if want := map[string]string{"base_url": "http://127.0.0.1:8080/v1", "api_key": "sk-<&>"}; !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// TestPageWithoutKey checks that a key in Secrets Manager is not shown but asked for.
func TestPageWithoutKey(t *testing.T) {
	t.Parallel()
	w := httptest.NewRecorder()
	page{Groups: groups}.serve(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://localhost/", nil))
	if body := w.Body.String(); strings.Contains(body, `id="key"`) || !strings.Contains(body, `<input id="typed-key" type="password"`) {
		t.Errorf("unexpected page:\n%s", body)
	}
}

func TestPageOff(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	out, ended := make(writes, 2), make(chan error, 1)
	go func() { ended <- run(ctx, nil, env{"PORT": "0", "PAGE": "off"}.get, out, t.Output()) }()
	greeting := <-out
	if !strings.Contains(greeting, "\nAsk it for a decision:\n") || strings.Contains(greeting, "browser") {
		t.Errorf("unexpected greeting:\n%s", greeting)
	}
	baseURL, _, _ := strings.Cut(greeting[strings.Index(greeting, "http://"):], "/v1")
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, baseURL+"/", nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusNotFound || response.Header.Get("Content-Type") != "application/json" {
		t.Errorf("at the root: %d %s", response.StatusCode, response.Header.Get("Content-Type"))
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// TestScreens checks that every sample is on the page, and that the endpoint
// answers each of them with what was asked for.
func TestScreens(t *testing.T) {
	t.Parallel()
	entries, err := fs.ReadDir(files, "page/screens")
	if err != nil {
		t.Fatal(err)
	}
	var listed, kept []string
	for _, g := range groups {
		for _, s := range g.Screens {
			listed = append(listed, s.Name+".json")
			if s.Title == "" || s.About == "" {
				t.Errorf("%s is not described", s.Name)
			}
		}
	}
	for _, e := range entries {
		kept = append(kept, e.Name())
	}
	slices.Sort(listed)
	if !slices.Equal(listed, kept) {
		t.Fatalf("listed %v, kept %v", listed, kept)
	}
	c, err := config.LoadDev(env{}.get)
	if err != nil {
		t.Fatal(err)
	}
	endpoint, err := app.Dev(t.Context(), c, "sk", t.Output())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range kept {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			body, err := fs.ReadFile(files, "page/screens/"+name)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.HasPrefix(string(body), "{\n  \"model\": \"default\",\n") {
				t.Error("the model does not come first")
			}
			r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/v1/chat/completions", strings.NewReader(string(body)))
			r.Header.Set("Authorization", "Bearer sk")
			w := httptest.NewRecorder()
			endpoint.ServeHTTP(w, r)
			if v := (exchange{Request: string(body), Answer: w.Body.String()}).judge(); w.Code != http.StatusOK || !v.Passed {
				t.Errorf("%d %s\n%+v", w.Code, w.Body, v)
			}
		})
	}
}
