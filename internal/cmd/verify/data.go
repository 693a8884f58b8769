package main

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"hyperstudy-endpoint/internal/conformance"
)

// writeJSON writes all that is known of the run. Durations are in nanoseconds.
func (r *result) writeJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(struct {
		Passed      bool             `json:"passed"`
		Interrupted bool             `json:"interrupted"`
		Source      string           `json:"source"`
		Estimate    conformance.Cost `json:"estimate"`
		Price       *price           `json:"usd_per_million_tokens,omitempty"`
		*conformance.Report
	}{r.Passed() && !r.interrupted, r.interrupted, r.source, r.estimate.Cost, r.estimate.price, r.Report})
}

// The elements of JUnit's XML, as Jenkins' and GitLab's schemas have them: see
// https://github.com/jenkinsci/xunit-plugin/blob/master/src/main/resources/org/jenkinsci/plugins/xunit/types/model/xsd/junit-10.xsd
type (
	junitSuites struct {
		XMLName  xml.Name     `xml:"testsuites"`
		Name     string       `xml:"name,attr"`
		Tests    int          `xml:"tests,attr"`
		Failures int          `xml:"failures,attr"`
		Time     string       `xml:"time,attr"`
		Suites   []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name       string          `xml:"name,attr"`
		Tests      int             `xml:"tests,attr"`
		Failures   int             `xml:"failures,attr"`
		Errors     int             `xml:"errors,attr"`
		Skipped    int             `xml:"skipped,attr"`
		Time       string          `xml:"time,attr"`
		Timestamp  string          `xml:"timestamp,attr"`
		Properties []junitProperty `xml:"properties>property"`
		Cases      []junitCase     `xml:"testcase"`
	}
	junitProperty struct {
		Name  string `xml:"name,attr"`
		Value string `xml:"value,attr"`
	}
	junitCase struct {
		Class   string        `xml:"classname,attr"`
		Name    string        `xml:"name,attr"`
		Time    string        `xml:"time,attr"`
		Failure *junitFailure `xml:"failure,omitempty"`
		Skipped *junitSkipped `xml:"skipped,omitempty"`
		Output  string        `xml:"system-out,omitempty"`
	}
	junitFailure struct {
		Message string `xml:"message,attr"`
		Type    string `xml:"type,attr"`
		Text    string `xml:",chardata"`
	}
	junitSkipped struct {
		Message string `xml:"message,attr"`
	}
)

// writeJUnit writes the report for CI systems: a suite for each group. Warnings
// and what is for information count as passed, with their text as output.
func (r *result) writeJUnit(w io.Writer) error {
	all := junitSuites{Name: "verify", Tests: len(r.Results), Failures: r.Count(conformance.Fail), Time: seconds(r.Duration)}
	properties := []junitProperty{{"base_url", r.BaseURL}, {"model", r.models()}, {"interrupted", strconv.FormatBool(r.interrupted)}}
	for _, g := range r.groups() {
		suite := junitSuite{Name: g.Name, Tests: len(g.Results), Timestamp: r.Started.UTC().Format("2006-01-02T15:04:05"), Properties: properties}
		var sum time.Duration
		for _, c := range g.Results {
			sum += c.Duration
			one := junitCase{Class: "verify." + c.Check.Group, Name: c.Check.ID + " " + c.Check.Title, Time: seconds(c.Duration)}
			switch c.Verdict {
			case conformance.Fail:
				suite.Failures++
				one.Failure = &junitFailure{c.Message, c.Check.ID, fmt.Sprintf("Must: %s\nIs: %s\nDo: %s", c.Check.Requirement, c.Message, c.Advice)}
			case conformance.Skip:
				suite.Skipped++
				one.Skipped = &junitSkipped{c.Message}
			default:
				one.Output = strings.TrimSpace(fmt.Sprintf("%s: %s %s", c.Verdict, c.Message, c.Advice))
			}
			suite.Cases = append(suite.Cases, one)
		}
		suite.Time = seconds(sum)
		all.Suites = append(all.Suites, suite)
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(all); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func seconds(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'f', 3, 64) }
