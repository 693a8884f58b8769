package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"

	"hyperstudy-endpoint/internal/cmd/theme"
	"hyperstudy-endpoint/internal/conformance"
	"hyperstudy-endpoint/internal/wording"
)

// mostShown is how many bytes of a request or an answer the page shows at most:
// pictures and long histories would make it too large to open.
const mostShown = 6_000

// mostExamples is how many requests of a check the page shows.
const mostExamples = 3

//go:embed report.html
var reportTemplate string

//go:embed report.css
var reportStyle string

var reportPage = template.Must(template.New("report.html").Funcs(template.FuncMap{
	"seconds":  wording.Seconds,
	"indented": indented,
	"examples": examples,
	"headers":  headers,
	"word":     verdictWord,
}).Parse(reportTemplate))

// writeHTML writes the report as one page without anything from elsewhere: no
// script, no font, no picture.
func (r *result) writeHTML(w io.Writer) error {
	var b bytes.Buffer
	err := reportPage.Execute(&b, struct {
		*result
		Style       template.CSS
		Source      string
		Models      string
		Started     string
		Summary     string
		Spent       string
		Groups      []group
		Plot        *plot
		Columns     []column
		Bars        []bar
		Interrupted bool
	}{
		r, template.CSS(theme.CSS + reportStyle), r.source, r.models(), r.Started.UTC().Format("2 January 2006, 15:04 UTC"), //nolint:gosec // the style sheets are the project's own
		r.summary(), r.spent(), r.groups(), r.plot(), columns, bars(r.Rates), r.interrupted,
	})
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, visible(b.String()))
	return err
}

// indented makes JSON readable, and keeps anything short.
func indented(text string) string {
	var b bytes.Buffer
	if json.Indent(&b, []byte(text), "", "  ") == nil {
		text = b.String()
	}
	if len(text) > mostShown {
		text = strings.ToValidUTF8(text[:mostShown], "") + fmt.Sprintf("\n… and %s more bytes", wording.Thousands(len(text)-mostShown))
	}
	return text
}

// examples are the exchanges of a check that are shown: the failed ones first.
func examples(c *conformance.Result) []*conformance.Exchange {
	list := slices.Clone(c.Exchanges)
	slices.SortStableFunc(list, func(a, b *conformance.Exchange) int { return rank(a) - rank(b) })
	return list[:min(len(list), mostExamples)]
}

// rank puts what went wrong before the rest.
func rank(x *conformance.Exchange) int {
	if x.Error != "" || x.Status >= 400 {
		return 0
	}
	return 1
}

// headers are the ones of an answer by which the endpoint tells how it came about.
func headers(x *conformance.Exchange) []string {
	var list []string
	for name, values := range x.Header {
		if strings.HasPrefix(name, "X-Endpoint-") || name == "X-Request-Id" || name == "Retry-After" {
			list = append(list, name+": "+strings.Join(values, ", "))
		}
	}
	slices.Sort(list)
	return list
}
