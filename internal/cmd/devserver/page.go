package main

import (
	"bytes"
	"embed"
	"html/template"
	"net"
	"net/http"
	"slices"
	"strings"

	"hyperstudy-endpoint/internal/chat"
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

// A page is one document, one script and one style sheet of its own. It loads
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
	}{p, "http://" + r.Host + "/v1"})
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = text.WriteTo(w) // a browser that hung up cannot be told
}

// forwarding are the headers by which proxies and tunnels can be told: whoever
// opens one to the endpoint does not mean to hand out the key.
var forwarding = []string{"Forwarded", "Via", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-Ip", "Cf-Connecting-Ip"}

// fromHere reports whether a request is for this machine by name and comes
// straight from a browser. The server listens on loopback, but a web page
// elsewhere can have its own name resolve to 127.0.0.1 and then read what it is
// given there (DNS rebinding); its browser sends that name as the host.
func fromHere(r *http.Request) bool {
	host, _, err := net.SplitHostPort(r.Host)
	if err != nil {
		host = r.Host // without a port
	}
	local := host == "localhost" || host == "127.0.0.1"
	return local && !slices.ContainsFunc(forwarding, func(name string) bool { return r.Header.Get(name) != "" })
}
