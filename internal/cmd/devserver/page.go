package main

import (
	"bytes"
	"embed"
	"encoding/json"
	"html/template"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"

	"hyperstudy-endpoint/internal/chat"
	"hyperstudy-endpoint/internal/cmd/theme"
)

// A page lets one try the endpoint in a browser. It is served beside the
// endpoint, on paths that the endpoint does not have, and it holds the key:
// see [fromHere] for who gets it.
type page struct {
	Key    string // to send; empty where it is kept in Secrets Manager
	Models []chat.Model
	Groups []group
}

//go:embed page
var files embed.FS

var index = template.Must(template.ParseFS(files, "page/index.html"))

// The page is one document with a script and style sheets of its own. It loads
// nothing else, is framed by nobody, and turns no text into markup.
const contentPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'"

// beside returns a handler that serves the page and its files, and leaves the
// rest to the endpoint.
func (p page) beside(endpoint http.Handler) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", p.serve)
	for _, served := range []string{"page.css", "page.js", "screens/{name}"} { // and not what the page is made from
		mux.Handle("GET /page/"+served, http.FileServerFS(files))
	}
	mux.HandleFunc("GET /page/theme.css", serveTheme)
	mux.HandleFunc("GET /page/connection.json", p.serveConnection)
	mux.HandleFunc("POST /page/verdict", serveVerdict)
	guarded := http.NewCrossOriginProtection().Handler(mux)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// Not the mux decides, because it redirects to tidier paths and the endpoint never does.
		if r.URL.Path != "/" && !strings.HasPrefix(r.URL.Path, "/page/") {
			endpoint.ServeHTTP(w, r)
			return
		}
		header := w.Header()
		header.Set("Content-Security-Policy", contentPolicy)
		header.Set("Cross-Origin-Opener-Policy", "same-origin")
		header.Set("Cross-Origin-Resource-Policy", "same-origin")
		header.Set("Referrer-Policy", "no-referrer")
		header.Set("X-Content-Type-Options", "nosniff")
		header.Set("Cache-Control", "no-store")
		if !fromHere(r) {
			http.Error(w, "This page holds the key, so it is only shown to a browser on the same machine, at http://127.0.0.1 or http://localhost.", http.StatusForbidden)
			return
		}
		guarded.ServeHTTP(w, r)
	})
}

// serve writes the page.
func (p page) serve(w http.ResponseWriter, r *http.Request) {
	var text bytes.Buffer
	err := index.Execute(&text, struct {
		page
		BaseURL string
	}{p, baseURL(r)})
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = text.WriteTo(w) // a browser that hung up cannot be told
}

func serveTheme(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/css; charset=utf-8")
	_, _ = io.WriteString(w, theme.CSS) // a browser that hung up cannot be told
}

// baseURL is the endpoint's for whoever sent r.
func baseURL(r *http.Request) string { return "http://" + r.Host + "/v1" }

// serveConnection writes what `make verify` needs to find the endpoint.
func (p page) serveConnection(w http.ResponseWriter, r *http.Request) {
	writeJSON(w, struct {
		BaseURL string `json:"base_url"`
		APIKey  string `json:"api_key"` // empty where it is kept in Secrets Manager
	}{baseURL(r), p.Key})
}

func writeJSON(w http.ResponseWriter, v any) {
	body, err := json.Marshal(v)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(body) // who hung up cannot be told
}

// forwarding are the headers by which proxies and tunnels can be told: whoever
// opens one to the endpoint does not mean to hand out the key.
var forwarding = []string{"Forwarded", "Via", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-Ip", "Cf-Connecting-Ip"}

// fromHere reports whether a request is for this machine by name and comes
// straight from a browser. The server listens on loopback, but a web page
// elsewhere can have its own name resolve to 127.0.0.1 and then read what it is
// given there (DNS rebinding); its browser sends that name as the host. A page
// under another name of this machine is another site, as its browser says.
func fromHere(r *http.Request) bool {
	host, _, err := net.SplitHostPort(r.Host)
	if err != nil {
		host = r.Host // without a port
	}
	local := host == "localhost" || host == "127.0.0.1"
	navigates := r.Header.Get("Sec-Fetch-Mode") == "navigate" // what is shown then, the other page cannot read
	foreign := slices.Contains([]string{"cross-site", "same-site"}, r.Header.Get("Sec-Fetch-Site")) && !navigates
	return local && !foreign && !slices.ContainsFunc(forwarding, func(name string) bool { return r.Header.Get(name) != "" })
}
