package main

import (
	_ "embed"
	"fmt"
	"strings"
)

// decision is a request as HyperStudy sends it while a rating scale is on
// screen in a study with text chat.
//
//go:embed decision.json
var decision string

// curl is a command that a POSIX shell takes as it stands.
func curl(baseURL, key string) string {
	body := strings.ReplaceAll(strings.TrimSpace(decision), `'`, `'\''`)
	return fmt.Sprintf("curl -sS %s/chat/completions \\\n  -H 'Authorization: Bearer %s' \\\n  -H 'Content-Type: application/json' \\\n  -d '%s'", baseURL, strings.ReplaceAll(key, `'`, `'\''`), body)
}
