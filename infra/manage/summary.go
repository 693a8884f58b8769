package main

import (
	"context"
	"flag"
	"fmt"
	"strings"
)

var summaryCommand = command{
	name:  "summary",
	about: "Print what to paste into HyperStudy: base URL, model names, where the key is. `make deploy` ends with it.",
	setup: func(*flag.FlagSet) func(context.Context, *session) error {
		return func(ctx context.Context, s *session) error {
			_, st, err := s.deployed(ctx)
			if err != nil {
				return err
			}
			return s.summary(st)
		}
	},
}

func (s *session) summary(st *stack) error {
	baseURL, err := st.output("BaseUrl")
	if err != nil {
		return err
	}
	var aliases []string
	for entry := range strings.SplitSeq(st.outputs["ServedModels"], ",") {
		alias, _, _ := strings.Cut(entry, "=")
		aliases = append(aliases, alias)
	}
	_, err = fmt.Fprintf(s.stdout, `
In HyperStudy, open Settings, API Keys, Custom Agent Endpoint, and paste

  Base URL         %s
  API key          what `+"`make key`"+` prints
  Model            %s
  Request timeout  %s s

Then press Test. `+"`make verify`"+` checks everything that test does not.
`, baseURL, aliases[0]+others(aliases[1:]), st.outputs["RequestTimeout"])
	return err
}

// others names the models beside the default one.
func others(aliases []string) string {
	if len(aliases) == 0 {
		return ""
	}
	return " (the default), or " + strings.Join(aliases, ", or ")
}
