package main

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"hyperstudy-endpoint/internal/conformance"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// hostile is what an endpoint might answer to harm whoever reads the report.
const hostile = "</pre></title></style><script>alert(1)</script><img src=x onerror=alert(2)> ]]> --> {{.}} \x1b[2Jgone \u202e \x00"

func cost(tokens int) conformance.Cost { return conformance.Cost{PromptTokens: tokens} }

// example is a report with every verdict, and with an endpoint that means harm.
func example() *result {
	id := func(id, title, requirement string) conformance.Check {
		group, _, _ := strings.Cut(id, ".")
		return conformance.Check{ID: id, Group: group, Title: title, Requirement: requirement}
	}
	post := func(ms int, answer string) *conformance.Exchange {
		return &conformance.Exchange{Method: http.MethodPost, URL: "https://agent.example.org/v1/chat/completions", Request: `{"model":"m","messages":[]}`, Status: 200,
			Header: http.Header{"X-Endpoint-Attempts": {"2"}, "Set-Cookie": {"no"}}, Answer: answer, Latency: time.Duration(ms) * time.Millisecond}
	}
	lost := &conformance.Exchange{Method: http.MethodPost, URL: "https://agent.example.org/v1/chat/completions", Request: "{}", Latency: time.Minute, Error: "no answer within 60 s"}
	return &result{
		source:   "from BASE_URL",
		estimate: estimate{Cost: conformance.Cost{Requests: 9, PromptTokens: 12_345, CompletionTokens: 678}, checks: 6, price: &price{0.3, 2.5}},
		Report: &conformance.Report{
			BaseURL: "https://agent.example.org/v1", Model: "m", Answered: []string{"m-1", hostile}, Limit: time.Minute,
			Started: time.Date(2027, 3, 1, 12, 30, 0, 0, time.UTC), Duration: 75 * time.Second,
			Results: []conformance.Result{
				{Check: id("connection.models", "reachable (/models)", "GET /models answers within 10 s."), Verdict: conformance.Pass, Message: "Answered with status 200 after 0.002 s.", Duration: 2 * time.Millisecond},
				{Check: id("address.url", "base URL", "The base URL is an https URL."), Verdict: conformance.Warn, Message: "The base URL ends in a slash, so that requests go to a path with two slashes, which not every server takes.", Advice: "Leave the slash out."},
				{Check: id("key.wrong", "auth enforced", "A wrong key is refused."), Verdict: conformance.Pass, Message: "Refused with status 401."},
				{Check: id("key.models", "key for /models", "Whether the list needs the key is reported."), Verdict: conformance.Info, Message: hostile},
				{Check: id("basics.call", "tool calling", "The tool is called."), Verdict: conformance.Fail, Message: "The arguments break the schema: " + hostile, Advice: "Take another model.", Duration: 1200 * time.Millisecond,
					Exchanges: []*conformance.Exchange{post(400, `{"choices":[{"message":{"content":"`+hostile+`"}}]}`), post(5000, hostile), lost}},
				{Check: id("basics.parallel", "concurrency (8 parallel)", "Eight at once are answered."), Verdict: conformance.Skip, Message: "Not made."},
			},
			Rates:   []conformance.Rate{{Check: "answer.rating", Title: "rating scale", Asked: 8, Valid: 4, Mended: 2, Reasked: 1, Failed: 1}},
			Latency: conformance.Latency{Count: 2, P50: 400 * time.Millisecond, P95: 5 * time.Second, Max: 5 * time.Second},
			Loaded:  conformance.Latency{Count: 8, P50: time.Second, P95: 2 * time.Second, Max: 2 * time.Second}, Requests: 9, Usage: conformance.Usage{PromptTokens: 1_234_567, CompletionTokens: 89},
		},
	}
}

// TestGolden compares the reports with those that were looked at.
func TestGolden(t *testing.T) {
	t.Parallel()
	text := func(r *result, w io.Writer) error {
		r.writeText(&terminal{out: w})
		return nil
	}
	quick := func(r *result, w io.Writer) error {
		r.quick = true
		return text(r, w)
	}
	for name, write := range map[string]func(*result, io.Writer) error{"report.txt": text, "quick.txt": quick, "report.json": writers["json"], "report.xml": writers["junit"]} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got bytes.Buffer
			if err := write(example(), &got); err != nil {
				t.Fatal(err)
			}
			golden := "testdata/" + name
			if *update {
				if err := os.WriteFile(golden, got.Bytes(), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got.Bytes(), want) {
				t.Errorf("%s differs from:\n%s", golden, got.String())
			}
		})
	}
}

// TestJSON checks that what was answered can be read back as it was.
func TestJSON(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	if err := example().writeJSON(&b); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Passed bool
		conformance.Report
	}
	if err := json.Unmarshal(b.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if got.Passed || got.BaseURL != example().BaseURL || len(got.Results) != 6 || got.Results[4].Exchanges[1].Answer != hostile {
		t.Errorf("read back: %+v", got)
	}
}

// TestJUnit checks what CI systems look at: the counts, and that it is XML.
func TestJUnit(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	if err := example().writeJUnit(&b); err != nil {
		t.Fatal(err)
	}
	var got junitSuites
	if err := xml.Unmarshal(b.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	tests, failures, skipped := 0, 0, 0
	for _, s := range got.Suites {
		tests, failures, skipped = tests+s.Tests, failures+s.Failures, skipped+s.Skipped
		if s.Tests != len(s.Cases) {
			t.Errorf("suite %s has %d tests and %d cases", s.Name, s.Tests, len(s.Cases))
		}
	}
	if got.Tests != 6 || tests != 6 || got.Failures != 1 || failures != 1 || skipped != 1 {
		t.Errorf("counts: %+v", got)
	}
}

// TestHTMLIsInert checks that whatever an endpoint answers, the page holds only
// elements and attributes of the template's, and loads nothing.
func TestHTMLIsInert(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	if err := example().writeHTML(&b); err != nil {
		t.Fatal(err)
	}
	page := b.String()
	allowed := strings.Fields("html head meta title link style body header h1 h2 h3 h4 p dl div dt dd code main section figure figcaption span svg line circle text rect " +
		"table thead tbody tr th td details summary strong b pre ul li")
	// The style sheet is no XML; it is the project's own.
	d := xml.NewDecoder(strings.NewReader(regexp.MustCompile(`(?s)<style>.*?</style>`).ReplaceAllString(page, "")))
	d.Strict, d.AutoClose, d.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
	elements := 0
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		start, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		elements++
		if name := start.Name.Local; !slices.Contains(allowed, name) {
			t.Errorf("the page has an element %s", name)
		}
		for _, a := range start.Attr {
			name := a.Name.Local
			if strings.HasPrefix(name, "on") || name == "src" || name == "style" || name == "href" && a.Value != "data:," {
				t.Errorf("%s has an attribute %s=%q", start.Name.Local, name, a.Value)
			}
		}
	}
	if elements < 100 {
		t.Errorf("%d elements: the page was not read", elements)
	}
	for _, want := range []string{"&lt;script&gt;alert(1)", "Failed", "X-Endpoint-Attempts: 2", "no answer within 60 s", "First decisions: 2 answers, half within 5 s", `<details class="check" open>`} {
		if !strings.Contains(page, want) {
			t.Errorf("%s is not in the page", want)
		}
	}
	if strings.Contains(page, "Set-Cookie") || regexp.MustCompile(`(?i)@import|url\(`).MatchString(page) {
		t.Error("the page tells too much, or loads something")
	}
}

// TestKeyIsNeverWritten checks all forms of the report of an endpoint that
// repeats the key wherever it can.
func TestKeyIsNeverWritten(t *testing.T) {
	t.Parallel()
	e := serveHandler(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		key := r.Header.Get("Authorization")
		w.Header().Set("X-Endpoint-Mended", key)
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `{"object":"list","model":%[1]q,"data":[{"id":%[1]q}],"choices":[{"message":{"role":"assistant","content":%[1]q,"tool_calls":[{"id":"c","type":"function","function":{"name":%[1]q,"arguments":%[1]q}}]}}]}`, key)
	}))
	for _, form := range []string{"", "--json", "--junit", "--html"} {
		t.Run("form "+form, func(t *testing.T) {
			t.Parallel()
			args := []string{"--quick"}
			if form != "" {
				args = append(args, form)
			}
			got := command(t.Context(), e, args...)
			got.check(t, exitFailed)
			if !strings.Contains(got.out, "[API key]") || strings.Contains(got.out+got.err, testKey) {
				t.Errorf("the key was written, or nothing was repeated:\n%s", got.out)
			}
		})
	}
}

func TestWords(t *testing.T) {
	t.Parallel()
	oneToken := conformance.Options{Only: []string{"connection.cold"}}
	for _, tc := range []struct{ got, want string }{
		{usd(0), "0.00 USD"}, {usd(0.00001), "less than 0.0001 USD"}, {usd(0.0123), "0.0123 USD"}, {usd(12.345), "12.35 USD"},
		{printable("a\x1b[2J\nb\u202e"), "a\uFFFD[2J b\uFFFD"},
		{strings.Join(wrap("one two three  four", 9), "|"), "one two|three|four"},
		{newEstimate(settings{checks: oneToken}).String(), "Estimate  1 check, at most 1 request, about 20 input and 1 output tokens of the model (--price tells what they cost)"},
		{newEstimate(settings{checks: oneToken, price: &price{0.3, 2.5}}).String(), "Estimate  1 check, at most 1 request, about 20 input and 1 output tokens of the model: " +
			"less than 0.0001 USD at 0.3 USD a million input and 2.5 USD a million output tokens"},
	} {
		if tc.got != tc.want {
			t.Errorf("got %q, want %q", tc.got, tc.want)
		}
	}
}
