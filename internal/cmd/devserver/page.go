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
// see [notFromHere] for who gets it.
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
		if why := notFromHere(r); why != "" {
			http.Error(w, "This page holds the key, so it is only shown to a browser on the same machine, at http://127.0.0.1 or http://localhost. This request is refused because "+why+".", http.StatusForbidden)
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

// ownHeaders are what browsers and `make verify` send by themselves, beside those
// that begin with Sec-. Whatever else a request has was added on its way, by a proxy
// or a tunnel: whoever opens one to the endpoint does not mean to hand out the key.
var ownHeaders = []string{
	"Accept", "Accept-Encoding", "Accept-Language", "Cache-Control", "Connection", "Content-Length", "Content-Type", "Cookie", "Dnt", "If-Modified-Since",
	"If-None-Match", "Origin", "Pragma", "Priority", "Referer", "Save-Data", "Te", "Upgrade-Insecure-Requests", "User-Agent",
}

// notFromHere says why a request is not one for this machine by name that comes
// straight from a browser on it; "" says that it is. The server listens on loopback,
// but a web page elsewhere can have its own name resolve to 127.0.0.1 and then read
// what it is given there (DNS rebinding); its browser sends that name as the host. A
// page under another name of this machine is another site, as its browser says.
func notFromHere(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.Host)
	if err != nil {
		host = r.Host // without a port
	}
	origin, site := r.Header.Get("Origin"), r.Header.Get("Sec-Fetch-Site")
	navigates := r.Header.Get("Sec-Fetch-Mode") == "navigate" // what is shown then, the other page cannot read
	switch {
	case host != "localhost" && host != "127.0.0.1":
		return "it is for another host"
	case origin != "" && origin != "http://"+r.Host:
		return "it comes from another site"
	case !slices.Contains([]string{"", "none", "same-origin"}, site) && !navigates:
		return "it comes from another site"
	case !r.ProtoAtLeast(1, 1):
		return "it is HTTP/1.0, as proxies speak it"
	}
	for name := range r.Header {
		if !strings.HasPrefix(name, "Sec-") && !slices.Contains(ownHeaders, name) {
			return "it has the header " + name + ", which a proxy or a tunnel has added"
		}
	}
	return ""
}
