package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"hyperstudy-endpoint/internal/conformance"
)

const usage = `Checks an OpenAI-compatible endpoint by HyperStudy's contract for text agents.

usage: make verify [ARGS='flags']      BASE_URL=https://.../v1 API_KEY=... make verify

The endpoint is, in this order,
  that of the environment variables BASE_URL and API_KEY;
  the deployed stack of samconfig.toml (or STACK), if the AWS CLI knows it;
  the one of make run on this machine, at PORT or 8080.
API_KEY, where it is set, is the key of whichever is found; LABEL names one of
several keys of the stack.

  --local          only the endpoint of make run, also where a stack is deployed
  --quick          only what costs next to nothing: address, list, key, and a few
                   decisions, as HyperStudy's command-line tool, hyperstudy-agent,
                   asks for them
  --study FILE     also the tools of your own study: a JSON array of tools, or
                   bodies of requests as HyperStudy sends them, one or several;
                   they are checked with --quick too
  --only LIST      only the checks or groups of this list, separated by commas
  --list           list the groups and their checks, and make none
  --model NAME     the model to ask for, instead of the first one listed
  --timeout N      the request timeout set in HyperStudy, 10 to 300 s (60)
  --repeat N       how often each kind of question is asked (3)
  --callers N      how many requests the load check makes at once (8)
  --image-url URL  the picture of the check of linked images
  --price IN/OUT   what a million input and a million output tokens of the model
                   cost in USD, such as 0.30/2.50, to be told what the checks cost
  --yes            do not ask before spending more than 1 USD (with --price) or
                   250,000 tokens (without); only a terminal is asked
  --json [FILE]    the report as JSON
  --junit [FILE]   the report as JUnit XML
  --html [FILE]    the report as one page; it holds requests and answers
                   Without a FILE a report goes to standard output, in place of
                   the text.

Exit status: 0 all checks passed, 1 a check failed (also that of the address, to
which nothing was sent), 2 the checks were not made.
`

// Settings are what the command line says.
type settings struct {
	help, list, yes bool
	local           bool // the endpoint of make run and no other
	model           string
	limit           time.Duration
	price           *price
	checks          conformance.Options
	files           map[string]string // report form to file; "-" is standard output
}

// forms are the forms that a report can be written in beside text.
var forms = []string{"html", "json", "junit"}

// parse reads the command line. Its errors say what to write instead.
func parse(args []string) (settings, error) {
	s := settings{files: map[string]string{}}
	var only, study, money string
	var seconds int
	f := flag.NewFlagSet("verify", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.BoolVar(&s.checks.Quick, "quick", false, "")
	f.BoolVar(&s.local, "local", false, "")
	f.BoolVar(&s.list, "list", false, "")
	f.BoolVar(&s.yes, "yes", false, "")
	f.StringVar(&study, "study", "", "")
	f.StringVar(&only, "only", "", "")
	f.StringVar(&s.model, "model", "", "")
	f.StringVar(&s.checks.ImageURL, "image-url", "", "")
	f.StringVar(&money, "price", "", "")
	f.IntVar(&seconds, "timeout", int(conformance.DefaultLimit/time.Second), "")
	f.IntVar(&s.checks.Repeat, "repeat", 3, "")
	f.IntVar(&s.checks.Callers, "callers", 8, "")
	for _, form := range forms {
		f.Var(&fileFlag{s.files, form}, form, "")
	}
	err := f.Parse(joined(args))
	switch {
	case errors.Is(err, flag.ErrHelp):
		s.help = true
		return s, nil
	case err != nil:
		return s, hint(err, seeHelp)
	case f.NArg() > 0:
		return s, hint(fmt.Errorf("%q is not expected", f.Arg(0)), seeHelp)
	}
	s.limit = time.Duration(seconds) * time.Second
	if only != "" {
		s.checks.Only = strings.FieldsFunc(only, func(c rune) bool { return c == ',' || c == ' ' })
	}
	errStudy := s.readStudy(study)
	faults := []error{errStudy, s.readPrice(money), s.check()}
	if errStudy == nil { // else it is not known which checks there are
		faults = append(faults, s.checkNames())
	}
	return s, errors.Join(faults...)
}

const seeHelp = "See --help for all flags."

// check says what is out of range.
func (s *settings) check() error {
	ranges := []struct {
		name       string
		value      int
		low, high  int
		additional string
	}{
		{"--timeout", int(s.limit / time.Second), int(conformance.MinLimit / time.Second), int(conformance.MaxLimit / time.Second), " s, which is what HyperStudy allows"},
		{"--repeat", s.checks.Repeat, 1, 100, ""},
		{"--callers", s.checks.Callers, 1, 100, ""},
	}
	for _, r := range ranges {
		if r.value < r.low || r.value > r.high {
			return hint(fmt.Errorf("%s is %d", r.name, r.value), fmt.Sprintf("It must be a number from %d to %d%s.", r.low, r.high, r.additional))
		}
	}
	if toOut := s.forStdout(); len(toOut) > 1 {
		return hint(fmt.Errorf("%s would all go to standard output", strings.Join(toOut, " and ")), "Give all but one of them a FILE.")
	}
	return nil
}

// checkNames says which names of --only there are not.
func (s *settings) checkNames() error {
	if unknown := conformance.UnknownNames(s.checks); len(unknown) > 0 {
		return hint(fmt.Errorf("--only: there is no check or group %s", strings.Join(unknown, ", ")), "See --list for their names.")
	}
	return nil
}

// forStdout are the flags whose report goes to standard output.
func (s *settings) forStdout() []string {
	var list []string
	for _, form := range forms {
		if s.files[form] == "-" {
			list = append(list, "--"+form)
		}
	}
	return list
}

func (s *settings) readStudy(name string) error {
	if name == "" {
		return nil
	}
	const step = "It must hold tools as HyperStudy sends them: a JSON array, or request bodies with a member tools."
	f, err := os.Open(name) //nolint:gosec // the file that the person names
	if err != nil {
		return hint(fmt.Errorf("--study: %w", err), step)
	}
	defer func() { _ = f.Close() }() // was only read
	s.checks.Study, err = conformance.DecodeStudy(f)
	if err != nil {
		return hint(fmt.Errorf("--study %s: %w", name, err), step)
	}
	return nil
}

func (s *settings) readPrice(text string) (err error) {
	if text != "" {
		s.price, err = parsePrice(text)
	}
	return err
}

// joined gives the flags that may stand without a value the one that follows.
func joined(args []string) []string {
	var list []string
	for i := 0; i < len(args); i++ {
		name := strings.TrimLeft(args[i], "-")
		if name != args[i] && slices.Contains(forms, name) && i+1 < len(args) && (args[i+1] == "-" || !strings.HasPrefix(args[i+1], "-")) {
			list = append(list, args[i]+"="+args[i+1])
			i++
			continue
		}
		list = append(list, args[i])
	}
	return list
}

// A fileFlag is a flag for one form of the report, with or without a file.
type fileFlag struct {
	files map[string]string
	form  string
}

func (f *fileFlag) String() string { return "" }

// IsBoolFlag lets the flag stand without a value, which is then "true".
func (f *fileFlag) IsBoolFlag() bool { return true }

func (f *fileFlag) Set(value string) error {
	switch value {
	case "true":
		value = "-"
	case "":
		return errors.New("the name of the file is empty")
	}
	f.files[f.form] = value
	return nil
}
