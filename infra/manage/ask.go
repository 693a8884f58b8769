package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
)

// A question asks for one parameter of the template. An empty answer leaves it
// at its default.
type question struct {
	parameter string
	text      string
	check     func(answer string) error
}

var address = regexp.MustCompile(`^[^@\s,]+@[^@\s,]+\.[^@\s,]+$`) // as template.yaml has it

// questions are those whose answers differ from study to study.
func questions(region string) []question {
	return []question{
		{"Models", "Which models, as alias=provider:model,... (Enter: " + defaultModel(region) + ")", func(answer string) error {
			_, err := deployable(answer, region)
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

// ask asks for what has no value yet, on standard error, since standard output
// is what is evaluated.
func (s *session) ask(values *parameters) error {
	fmt.Fprintf(s.stderr, "The stack %q does not exist in %s yet. A few questions first; every answer can be changed by deploying again.\n", s.stackName, s.account.cfg.Region)
	answers := bufio.NewReader(s.stdin)
	for _, q := range questions(s.account.cfg.Region) {
		if _, known := values.values[q.parameter]; known {
			continue
		}
		answer, err := s.answer(answers, q)
		if err != nil {
			return err
		}
		if answer != "" {
			values.set(q.parameter, answer)
		}
	}
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
