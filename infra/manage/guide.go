package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
)

var guideCommand = command{
	name: "guide",
	about: "Ask for the few settings that a first deployment is for, and print them as arguments of sam deploy. Where the stack exists, or nobody is at a terminal, " +
		"it asks nothing and prints nothing: what is deployed keeps its settings.",
	setup: func(*flag.FlagSet) func(context.Context, *session, []string) error {
		return func(ctx context.Context, s *session, args []string) error {
			if err := noArguments(args); err != nil {
				return err
			}
			if !s.terminal {
				return nil
			}
			_, _, err := s.deployed(ctx)
			var absent *noStackError
			if !errors.As(err, &absent) {
				return err
			}
			return s.guide()
		}
	},
}

// A question asks for one parameter of the template. An empty answer leaves it
// at its default.
type question struct {
	parameter string
	text      string
	check     func(answer string) error
}

var address = regexp.MustCompile(`^[^@\s,]+@[^@\s,]+\.[^@\s,]+$`) // as template.yaml has it

// questions are those whose answers differ from study to study.
func (s *session) questions() []question {
	return []question{
		{"Models", "Which models, as alias=provider:model,... (Enter: Amazon Nova 2 Lite)", func(answer string) error {
			_, err := parseModels(answer, s.account.cfg.Region)
			return err
		}},
		{"RequestTimeoutSeconds", "Request timeout in HyperStudy, 10 to 300 seconds (Enter: 60)", func(answer string) error {
			if n, err := strconv.Atoi(answer); err != nil || n < 10 || n > 300 {
				return errors.New("it is a whole number from 10 to 300")
			}
			return nil
		}},
		{"AlarmEmail", "E-mail address for alarms (Enter: none)", func(answer string) error {
			if !address.MatchString(answer) {
				return errors.New("that is no e-mail address")
			}
			return nil
		}},
	}
}

// guide asks on standard error, so that standard output is what is evaluated.
func (s *session) guide() error {
	fmt.Fprintf(s.stderr, "The stack %q does not exist in %s yet. Three questions first; every answer can be changed by deploying again.\n", s.stackName, s.account.cfg.Region)
	answers := bufio.NewReader(s.stdin)
	var settings []string
	for _, q := range s.questions() {
		answer, err := s.answer(answers, q)
		if err != nil {
			return err
		}
		if answer != "" {
			settings = append(settings, quote(q.parameter+"="+answer))
		}
	}
	fmt.Fprintln(s.stdout, strings.Join(settings, " "))
	return nil
}

// answer asks until the answer is good or empty. The end of the input ends the
// deployment, which is how Ctrl-D is meant.
func (s *session) answer(in *bufio.Reader, q question) (string, error) {
	for {
		fmt.Fprintf(s.stderr, "%s: ", q.text)
		text, err := in.ReadString('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return "", err
		}
		text = strings.TrimSpace(text)
		switch {
		case err != nil && text == "":
			return "", errors.New("no answer, so nothing was deployed")
		case text == "":
			return "", nil
		}
		fault := q.check(text)
		if fault == nil {
			return text, nil
		}
		fmt.Fprintf(s.stderr, "%v\n", fault)
		if err != nil {
			return "", errors.New("no answer, so nothing was deployed")
		}
	}
}

// quote makes a word that a POSIX shell takes as it is.
func quote(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }
