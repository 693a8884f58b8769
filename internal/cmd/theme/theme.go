// Package theme is the look that the pages of the commands share.
package theme

import _ "embed"

// CSS is a style sheet: colours for light and dark, text, code, tables.
//
//go:embed theme.css
var CSS string
