package main

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"hyperstudy-endpoint/internal/conformance"
	"hyperstudy-endpoint/internal/wording"
)

// answersTitle is that of the table of rates.
const answersTitle = "Answers to questions asked repeatedly"

const (
	textWidth  = 100
	titleWidth = 38
)

var verdictColours = map[conformance.Verdict]string{conformance.Pass: green, conformance.Fail: red, conformance.Warn: yellow}

// writeText writes the report for a person to standard output: every check in
// a line, then what to do, then the sums.
func (r *result) writeText(t *terminal) {
	var b bytes.Buffer
	fmt.Fprintf(&b, "Endpoint  %s (%s)\nModel     %s\n", printable(r.BaseURL), printable(r.source), printable(r.models()))
	for _, g := range r.groups() {
		fmt.Fprintf(&b, "\n%s\n", t.paint(bold, g.Name))
		if len(g.Results) > 1 && g.unmade() {
			writeLine(&b, t, conformance.Skip, fmt.Sprintf("all %d", len(g.Results)), g.Results[0].Message)
			continue
		}
		for _, c := range g.Results {
			writeLine(&b, t, c.Verdict, c.Check.Title, c.Message)
		}
	}
	r.writeRates(&b)
	r.writeLatency(&b)
	r.writeAdvice(&b, t)
	colour := green
	if !r.Passed() || r.interrupted {
		colour = red
	}
	fmt.Fprintf(&b, "\n%s\n%s\n", t.paint(colour, r.summary()), strings.Join(wrap(r.spent(), textWidth), "\n"))
	_, _ = b.WriteTo(t.out) // if nobody reads it the exit status still tells
}

// models is the model that was asked for, and those that answered.
func (r *result) models() string {
	if len(r.Answered) == 0 {
		return r.Model
	}
	return fmt.Sprintf("%s, answered by %s", r.Model, strings.Join(r.Answered, ", "))
}

// writeLine writes what a check found, its message beside its title.
func writeLine(w io.Writer, t *terminal, v conformance.Verdict, title, message string) {
	_, _ = fmt.Fprintf(w, "  %s  %-*s", t.paint(verdictColours[v], verdictWord(v)), titleWidth, title)
	indent := "\n" + strings.Repeat(" ", titleWidth+10)
	_, _ = fmt.Fprintf(w, "  %s\n", strings.Join(wrap(printable(message), textWidth-titleWidth-10), indent))
}

func (r *result) writeRates(w io.Writer) {
	if len(r.Rates) == 0 {
		return
	}
	width := titleWidth
	for _, k := range r.Rates {
		width = max(width, utf8.RuneCountInString(printable(k.Title)))
	}
	_, _ = fmt.Fprintf(w, "\n%-*s  asked", width, answersTitle)
	for _, c := range columns {
		_, _ = fmt.Fprintf(w, "  %s", c.Name)
	}
	for _, k := range r.Rates {
		_, _ = fmt.Fprintf(w, "\n%-*s  %5d", width, printable(k.Title), k.Asked)
		for _, c := range columns {
			_, _ = fmt.Fprintf(w, "  %*d", len(c.Name), c.of(k))
		}
	}
	_, _ = fmt.Fprintln(w)
	for _, c := range columns {
		_, _ = fmt.Fprintf(w, "  %-*s  %s\n", len(columns[0].Name), c.Name, c.Meaning)
	}
}

func (r *result) writeLatency(w io.Writer) {
	gap := "\n"
	for _, l := range []struct {
		what string
		conformance.Latency
	}{{"", r.Latency}, {" asked for at once", r.Loaded}} {
		if l.Count > 0 {
			_, _ = fmt.Fprintf(w, "%s%s%s: half came within %s, 95 %% within %s, the slowest after %s; the limit is %s\n", gap,
				wording.Count(l.Count, "answer"), l.what, wording.Seconds(l.P50), wording.Seconds(l.P95), wording.Seconds(l.Max), wording.Seconds(r.Limit))
			gap = ""
		}
	}
}

// writeAdvice repeats what went wrong, with the requirement and the next step.
func (r *result) writeAdvice(w io.Writer, t *terminal) {
	for _, part := range []struct {
		title   string
		verdict conformance.Verdict
	}{{"Failed", conformance.Fail}, {"Warnings", conformance.Warn}} {
		if r.Count(part.verdict) == 0 {
			continue
		}
		_, _ = fmt.Fprintf(w, "\n%s\n", t.paint(bold, part.title))
		for i := range r.Results {
			c := &r.Results[i]
			if c.Verdict != part.verdict {
				continue
			}
			_, _ = fmt.Fprintf(w, "  %s (%s)\n", t.paint(verdictColours[c.Verdict], c.Check.Title), c.Check.ID)
			for _, l := range []struct{ name, text string }{{"must", c.Check.Requirement}, {"is", c.Message}, {"do", c.Advice}} {
				if l.text != "" {
					_, _ = fmt.Fprintf(w, "    %-4s  %s\n", l.name, strings.Join(wrap(printable(l.text), textWidth-10), "\n"+strings.Repeat(" ", 10)))
				}
			}
		}
	}
}

// writeList writes the checks that a run would make, by group.
func writeList(w io.Writer, checks []conformance.Check) {
	group := ""
	for _, c := range checks {
		if c.Group != group {
			group = c.Group
			_, _ = fmt.Fprintf(w, "%s: %s\n", group, headings[group])
		}
		quick := ""
		if c.Quick {
			quick = "quick"
		}
		_, _ = fmt.Fprintf(w, "  %-22s %-5s  %s: %s\n", c.ID, quick, c.Title, c.Requirement)
	}
}
