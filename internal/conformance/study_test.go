package conformance

import (
	"errors"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
)

const (
	moodTool = `{"type":"function","function":{"name":"submit_response","description":"How do you feel?",` +
		`"parameters":{"type":"object","properties":{"value":{"type":"integer","minimum":1,"maximum":3}},"required":["value"]},"strict":true}}`
	bareTool = `{"type": "function", "function": {"name": "wait"}}`
)

func TestDecodeStudy(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, study, want string }{
		{"array", "[" + moodTool + "," + bareTool + "]", "submit_response wait"},
		{"tools member", `{"tools":[` + moodTool + `]}`, "submit_response"},
		{"one tool", moodTool, "submit_response"},
		{"request body", `{"model":"m","messages":[],"tools":[` + bareTool + `],"tool_choice":"auto"}`, "wait"},
		{"JSON Lines, and a stage without tools", `{"tools":[` + bareTool + `]}` + "\n" + `{"messages":[]}` + "\n\n" + `{"tools":[` + bareTool + `,` + moodTool + `]}`, "wait submit_response"},
		{"the same name for two questions", "[" + moodTool + "," + strings.Replace(moodTool, `"maximum":3`, `"maximum":7`, 1) + "]", "submit_response submit_response"},
		{"byte order mark", "\ufeff[" + bareTool + "]", "wait"},
	} {
		tools, err := DecodeStudy(strings.NewReader(tc.study))
		var names []string
		for _, tool := range tools {
			names = append(names, tool.Name)
		}
		if got := strings.Join(names, " "); err != nil || got != tc.want {
			t.Errorf("%s: %q, %v", tc.name, got, err)
		}
	}
	tools, err := DecodeStudy(strings.NewReader(moodTool))
	if err != nil || encoded(tools[0]) != moodTool || tools[0].Description != "How do you feel?" {
		t.Errorf("a tool is not sent as it was exported: %s, %v", encoded(tools), err)
	}
}

func TestDecodeStudyErrors(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, study, want string }{
		{"nothing", " \n", "the study is empty"},
		{"no tools", `{"messages":[]}`, "the study has no tools"},
		{"empty array", `[]`, "the study has no tools"},
		{"cut off", "{\"tools\":[]}\n{\"tools\":[", "line 2: not JSON"},
		{"not JSON", "[" + bareTool + "]\nhello", "line 2: not JSON"},
		{"text", `"hello"`, "line 1: tools must be an array"},
		{"tools of another type", `{"tools":{"a":1}}`, "line 1: tools must be an array"},
		{"not a tool", "\n\n[" + bareTool + `,{"name":"wait"}]`, `line 3: tool 1: it must be an object with "type": "function"`},
		{"another type of tool", `[{"type":"custom","function":{"name":"a"}}]`, `line 1: tool 0: it must be`},
		{"no name", `[{"type":"function","function":{}}]`, "line 1, tool 0: the function has no name"},
		{"schema is no object", `[{"type":"function","function":{"name":"a","parameters":[]}}]`, `the parameters of "a" must be a JSON Schema object`},
	} {
		tools, err := DecodeStudy(strings.NewReader(tc.study))
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v, %v, want %q", tc.name, tools, err, tc.want)
		}
	}
	if _, err := DecodeStudy(iotest.ErrReader(errors.New("the disk is gone"))); err == nil || !strings.Contains(err.Error(), "the disk is gone") {
		t.Errorf("a file that cannot be read: %v", err)
	}
}

// TestStudy judges tools of a study, one of which an endpoint answers wrongly.
func TestStudy(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		tools, err := DecodeStudy(strings.NewReader("[" + strings.Join([]string{
			strings.Replace(moodTool, `"minimum":1`, `"enum":[1,2]`, 1),
			strings.Replace(moodTool, `"minimum":1`, `"enum":[4,5]`, 1),
			strings.Replace(moodTool, `"minimum":1`, `"enum":[1],"x-scale":"smileys"`, 1), bareTool,
		}, ",") + "]"))
		if err != nil {
			t.Fatal(err)
		}
		options := Options{Study: tools, Only: []string{"study"}}
		report := Run(t.Context(), targetOf(newFake()), options)
		want := []struct {
			verdict Verdict
			message string
		}{
			{Pass, "3 answers: 3 valid at once"}, {Fail, "3 of 3 answers break the schema: /value must be at most 3"},
			{Info, "Not judged: keyword x-scale"}, {Pass, "Called: wait (3)"},
		}
		for i, r := range report.Results {
			if r.Verdict != want[i].verdict || !strings.Contains(r.Message, want[i].message) {
				t.Errorf("%s: %s: %s", r.Check.ID, r.Verdict, r.Message)
			}
			for _, x := range r.Exchanges {
				if !strings.Contains(x.Request, encoded(tools[i])) && x.Request != "" {
					t.Errorf("%s: the tool is not sent as it was exported: %s", r.Check.ID, x.Request)
				}
			}
		}
		if len(report.Results) != len(want) || len(report.Rates) != len(want) || report.Rates[1].Failed != 3 {
			t.Errorf("%d results, rates %+v", len(report.Results), report.Rates)
		}
	})
}
