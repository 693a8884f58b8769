package main

import (
	"fmt"
	"io"
	"os"
	"slices"

	"hyperstudy-endpoint/internal/conformance"
	"hyperstudy-endpoint/internal/wording"
)

// writers write the forms of a report beside text.
var writers = map[string]func(*result, io.Writer) error{
	"html":  (*result).writeHTML,
	"json":  (*result).writeJSON,
	"junit": (*result).writeJUnit,
}

// An output is where one form of the report goes.
type output struct {
	form string
	name string    // of the file; empty for standard output
	w    io.Writer // a file that is open, or standard output
}

// open opens the files of the reports, so that nothing is spent on a report that
// cannot be written.
func (s *settings) open(stdout io.Writer) ([]output, error) {
	var list []output
	for _, form := range forms {
		name, wanted := s.files[form]
		switch {
		case !wanted:
		case name == "-":
			list = append(list, output{form: form, w: stdout})
		default:
			f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE, 0o600) //nolint:gosec // the file that the person names
			if err != nil {
				return nil, hint(fmt.Errorf("--%s: %w", form, err), "Name a file that can be written.")
			}
			list = append(list, output{form, name, f})
		}
	}
	return list, nil
}

// write writes all forms of the report. The text goes to standard output unless
// another form does.
func (r *result) write(outputs []output, t *terminal) error {
	if !slices.ContainsFunc(outputs, func(o output) bool { return o.name == "" }) {
		r.writeText(t)
	}
	for _, o := range outputs {
		if err := o.write(r); err != nil {
			return hint(fmt.Errorf("--%s: %w", o.form, err), "The checks were made, but this report was not written whole.")
		}
		if o.name != "" {
			t.note("Wrote %s", o.name)
		}
	}
	return nil
}

// write replaces what the file held, which was kept until there was something new.
func (o output) write(r *result) error {
	f, isFile := o.w.(*os.File)
	if !isFile || o.name == "" {
		return writers[o.form](r, o.w)
	}
	defer func() { _ = f.Close() }() // a second time, if all went well
	if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
		if err := f.Truncate(0); err != nil {
			return err
		}
	}
	if err := writers[o.form](r, f); err != nil {
		return err
	}
	return f.Close()
}

// verdictWord is a verdict in four letters, so that lines stand below each other;
// what went wrong is in capitals.
func verdictWord(v conformance.Verdict) string {
	if v == conformance.Fail {
		return "FAIL"
	}
	return string(v)
}

// A group is the checks under one heading, in the order in which they were made.
type group struct {
	Name    string
	Results []*conformance.Result
}

// unmade reports whether no check of the group was made, for one reason.
func (g group) unmade() bool {
	return !slices.ContainsFunc(g.Results, func(c *conformance.Result) bool {
		return c.Verdict != conformance.Skip || c.Message != g.Results[0].Message
	})
}

// headings are those of the groups of checks.
var headings = map[string]string{
	"address":    "Address",
	"connection": "HyperStudy's connection test",
	"key":        "API key",
	"basics":     "First decisions",
	"answers":    "Answers to each type of question",
	"study":      "The tools of your study",
	"chat":       "Chat",
	"images":     "Pictures",
	"cognition":  "Cognition stages, which HyperStudy asks for without tools",
	"text":       "What participants write, and long texts",
	"parameters": "Settings of a persona",
	"errors":     "Errors",
	"streams":    "Streamed answers, which HyperStudy is not known to ask for",
	"load":       "Many decisions at once",
	"decisions":  "All decisions of this run",
	"form":       "All answers of this run",
	"time":       "Time",
}

// agentChecks are the checks that hyperstudy-agent makes too, by id and in its
// order.
var agentChecks = []string{"connection.models", "key.wrong", "basics.call", "basics.parallel"}

const agentHeading = "What hyperstudy-agent, HyperStudy's command-line tool, checks too"

// groups sorts the results. In a quick report those come first that
// hyperstudy-agent has too, and then the contract's own.
func (r *result) groups() []group {
	var list []group
	add := func(name string, c *conformance.Result) {
		i := slices.IndexFunc(list, func(g group) bool { return g.Name == name })
		if i < 0 {
			i, list = len(list), append(list, group{Name: name})
		}
		list[i].Results = append(list[i].Results, c)
	}
	if r.quick {
		for _, id := range agentChecks {
			if i := slices.IndexFunc(r.Results, func(c conformance.Result) bool { return c.Check.ID == id }); i >= 0 {
				add(agentHeading, &r.Results[i])
			}
		}
	}
	for i := range r.Results {
		if c := &r.Results[i]; !r.quick || !slices.Contains(agentChecks, c.Check.ID) {
			add(headings[c.Check.Group], c)
		}
	}
	return list
}

// summary counts the verdicts in a sentence.
func (r *result) summary() string {
	said := fmt.Sprintf("%s: %d passed", wording.Count(len(r.Results), "check"), r.Count(conformance.Pass))
	for _, v := range []struct {
		verdict conformance.Verdict
		word    string
	}{{conformance.Fail, "failed"}, {conformance.Warn, "with a warning"}, {conformance.Info, "for information"}, {conformance.Skip, "not made"}} {
		if n := r.Count(v.verdict); n > 0 {
			said += fmt.Sprintf(", %d %s", n, v.word)
		}
	}
	return said + "."
}

// spent says what the run took.
func (r *result) spent() string {
	said := fmt.Sprintf("%s in %s. By the endpoint's own count the model read %s input tokens and wrote %s output tokens", wording.Count(r.Requests, "request"), wording.Seconds(r.Duration),
		wording.Thousands(r.Usage.PromptTokens), wording.Thousands(r.Usage.CompletionTokens))
	if p := r.estimate.price; p != nil {
		said += fmt.Sprintf(", which cost %s at %s", usd(p.of(r.Usage.PromptTokens, r.Usage.CompletionTokens)), p)
	}
	return said + "."
}
