package main

import (
	"fmt"
	"strings"

	"hyperstudy-endpoint/internal/app"
)

// A greeting is what a caller needs to know.
type greeting struct {
	BaseURL  string
	Key      string
	Page     string // URL of the page; empty if there is none
	Endpoint *app.DevEndpoint
}

func (g greeting) String() string {
	var names []string
	for _, m := range g.Endpoint.Models {
		names = append(names, m.Alias)
	}
	var b strings.Builder
	b.WriteString("The endpoint is running. Stop it with Ctrl-C.\n\n")
	fmt.Fprintf(&b, "  Base URL  %s\n  API key   %s\n  Models    %s\n", g.BaseURL, g.Key, strings.Join(names, ", "))
	if g.Page != "" {
		fmt.Fprintf(&b, "\nTry it in a browser at %s\nor ask it for a decision:\n\n", g.Page)
	} else {
		b.WriteString("\nAsk it for a decision:\n\n")
	}
	b.WriteString(curl(g.BaseURL, g.Key) + "\n")
	if notReady := g.Endpoint.NotReady; len(notReady) > 0 {
		fmt.Fprintf(&b, "\nNot reached yet: %s.\nThe first request tries again.\n", strings.Join(notReady, ", "))
	}
	return b.String()
}

// curl is a command that a POSIX shell takes as it stands.
func curl(baseURL, key string) string {
	quoted := strings.NewReplacer(`'`, `'\''`)
	return fmt.Sprintf("curl -sS %s/chat/completions \\\n  -H 'Authorization: Bearer %s' \\\n  -H 'Content-Type: application/json' \\\n  -d '%s'",
		baseURL, quoted.Replace(key), quoted.Replace(strings.TrimSpace(decision)))
}
